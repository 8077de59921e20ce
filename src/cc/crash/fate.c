/*
 * fate.c - what becomes of a store when the module is compiled as the user asked for.
 *
 * Instrumented code keeps every store of the source. A twin shows whether the compiler really tears
 * one, or makes a memset of several: the module before instrumenting, optimised and turned into
 * assembly by itself, then thrown away. Stores have no names that would survive that, but compilers
 * take care to keep debug locations. So in the twin each store gets a location of its own: one line
 * for all stores of its function and size, and a column of its own. Where stores are merged that
 * differ only in the column, the optimiser keeps the line. Whatever has such a location after
 * optimising, a store or a memset or a copy, gets a line of its own, and the assembly shows which
 * instructions it became (made.h):
 *
 *	one of its size             it is whole (WHOLE); also one narrower that changes a part in place
 *	several narrower ones       it was split (SPLIT)
 *	wider ones                  it is a part of them; whole, if none of them ends in its middle (WIDENED)
 *	memset, memcpy, rep stos    it was merged with others into one (SET, COPY)
 *
 * A merged store may keep the location of only one of its parts. The other parts are found by their
 * addresses: in the same function, from the same base, within the length.
 *
 * Precision lost: nothing is known about a store whose location was dropped, or that became unknown
 * instructions; it then has no fate, and is not claimed to be whole. Of a store that was copied to
 * several places (inlined, unrolled), the copies that kept their location are judged.
 */
#include "cc/crash/crash.h"
#include "base/hash.h"
#include "cc/crash/made.h"
#include <llvm-c/Comdat.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <string.h>

enum { TAG = 1 << 28, COLUMNS = 65535 }; /* lines of locations from TAG on are ours */

struct watched {
	LLVMValueRef inst; /* in the module itself */
	LLVMValueRef fn;
	uint64_t base;
	int64_t offset;
	uint64_t size;
	uint32_t group;
	uint32_t column; /* in the group, from 1 */
	unsigned fate;
	bool unclear;  /* some of what it became is not understood */
	uint32_t made; /* 1 + what it became, in the twin; 0: nothing has its location */
};

typedef PD_VEC(struct watched) watch_list;

/* Stores of one function and size. */
struct group {
	LLVMValueRef fn;
	uint64_t size;
	PD_VEC(uint32_t) members;
	uint32_t merged; /* 1 + the first merger of several of them; 0: none */
};

/* What is left in the twin: something that writes, with the location of one store or of a group. */
struct made {
	uint32_t group;
	uint32_t column; /* 0: several of the group */
	uint64_t size;	 /* 0: unknown */
	uint64_t align;
	unsigned block; /* SET or COPY; 0: a store */
	uint32_t first; /* its pieces */
	uint32_t pieces;
	uint64_t length; /* of all that it writes */
	uint32_t next;	 /* next merger of the group */
};

struct fates {
	struct pd_ir *m;
	watch_list stores;
	PD_VEC(struct group) groups;
	PD_VEC(struct made) made;
	pd_made_list pieces;
	unsigned align; /* from its attribute */
};

/* ---- addresses ------------------------------------------------------------------------------ */

/* Indices that are not constant are equal if they are the same value, however extended. */
static void take_index(LLVMValueRef index, uint64_t scale, int64_t *offset, uint64_t *base)
{
	if (LLVMIsAConstantInt(index)) {
		*offset += LLVMConstIntGetSExtValue(index) * (int64_t)scale;
		return;
	}
	while (LLVMIsASExtInst(index) || LLVMIsAZExtInst(index))
		index = LLVMGetOperand(index, 0);
	if (LLVMIsABinaryOperator(index)) /* computed anew for each member */
		*base = pd_mix(*base + pd_mix((uintptr_t)LLVMGetOperand(index, 0)) +
			       LLVMGetInstructionOpcode(index) +
			       3 * pd_mix((uintptr_t)LLVMGetOperand(index, 1) + scale));
	else
		*base = pd_mix(*base + pd_mix((uintptr_t)index + scale));
}

static void take_gep(struct pd_ir *m, LLVMValueRef gep, int64_t *offset, uint64_t *base)
{
	LLVMTypeRef t = LLVMGetGEPSourceElementType(gep);

	take_index(LLVMGetOperand(gep, 1), LLVMABISizeOfType(m->layout, t), offset, base);
	for (unsigned i = 2; i < (unsigned)LLVMGetNumOperands(gep); i++) {
		LLVMValueRef index = LLVMGetOperand(gep, i);

		if (LLVMGetTypeKind(t) == LLVMStructTypeKind) {
			unsigned field = (unsigned)LLVMConstIntGetZExtValue(index);

			*offset += (int64_t)LLVMOffsetOfElement(m->layout, t, field);
			t = LLVMStructGetTypeAtIndex(t, field);
		} else {
			t = LLVMGetElementType(t);
			take_index(index, LLVMABISizeOfType(m->layout, t), offset, base);
		}
	}
}

/* A digest of the base of an address, and the offset from it. */
static uint64_t base_of(struct pd_ir *m, LLVMValueRef p, int64_t *offset)
{
	uint64_t base = 0;

	*offset = 0;
	for (; LLVMIsAGetElementPtrInst(p); p = LLVMGetOperand(p, 0))
		take_gep(m, p, offset, &base);
	return pd_mix(base + (uintptr_t)p);
}

/* ---- the twin ------------------------------------------------------------------------------- */

#define FOR_INSTRUCTIONS(fn, i)                                                                    \
	for (LLVMBasicBlockRef bb_ = LLVMGetFirstBasicBlock(fn); bb_;                              \
	     bb_ = LLVMGetNextBasicBlock(bb_))                                                     \
		for (LLVMValueRef i = LLVMGetFirstInstruction(bb_); i;                             \
		     i = LLVMGetNextInstruction(i))

/* A copy of one word is a store like any other, whether it is taken apart or not. */
static bool is_one_word(LLVMValueRef inst)
{
	LLVMValueRef n = LLVMGetOperand(inst, 2);

	return LLVMIsAConstantInt(n) && pd_ir_size_index(LLVMConstIntGetZExtValue(n)) >= 0 &&
	       LLVMConstIntGetZExtValue(n) <= 8;
}

static bool is_word_copy(LLVMValueRef i)
{
	return (LLVMIsAMemCpyInst(i) || LLVMIsAMemMoveInst(i)) && is_one_word(i) &&
	       LLVMIsNull(LLVMGetOperand(i, 3)); /* not volatile */
}

static LLVMValueRef destination(LLVMValueRef i)
{
	return LLVMGetOperand(i, LLVMIsAStoreInst(i) ? 1 : 0);
}

static bool is_watched(struct pd_ir *m, LLVMValueRef i)
{
	bool store = LLVMIsAStoreInst(i) && !LLVMGetVolatile(i) &&
		     LLVMGetOrdering(i) == LLVMAtomicOrderingNotAtomic;

	return (store || is_word_copy(i)) && LLVMInstructionGetDebugLoc(i) &&
	       !pd_ir_not_pm(m, destination(i));
}

static uint64_t size_of(struct pd_ir *m, LLVMValueRef i)
{
	return LLVMIsAStoreInst(i)
		       ? LLVMStoreSizeOfType(m->layout, LLVMTypeOf(LLVMGetOperand(i, 0)))
		       : LLVMConstIntGetZExtValue(LLVMGetOperand(i, 2));
}

/* The group to which a store belongs; groups of a function are made one after the other. */
static uint32_t group_of(struct fates *f, LLVMValueRef fn, uint64_t size)
{
	struct group *g;

	for (uint32_t i = f->groups.n; i-- > 0 && f->groups.v[i].fn == fn;)
		if (f->groups.v[i].size == size && f->groups.v[i].members.n < COLUMNS)
			return i;
	g = pd_vec_push(&f->groups, &f->m->arena);
	if (!g)
		return UINT32_MAX;
	*g = (struct group){.fn = fn, .size = size};
	return f->groups.n - 1;
}

static void watch(struct fates *f, LLVMValueRef fn, LLVMValueRef inst)
{
	struct watched *e = pd_vec_push(&f->stores, &f->m->arena);
	uint32_t *member;

	if (!e)
		return;
	*e = (struct watched){.inst = inst, .fn = fn, .size = size_of(f->m, inst)};
	e->base = base_of(f->m, destination(inst), &e->offset);
	e->group = group_of(f, fn, e->size);
	member = e->group == UINT32_MAX ? NULL
					: pd_vec_push(&f->groups.v[e->group].members, &f->m->arena);
	if (!member) {
		f->stores.n--;
		return;
	}
	*member = f->stores.n - 1;
	e->column = f->groups.v[e->group].members.n;
}

static void watch_all(struct fates *f)
{
	for (LLVMValueRef fn = LLVMGetFirstFunction(f->m->mod); fn; fn = LLVMGetNextFunction(fn))
		FOR_INSTRUCTIONS (fn, i)
			if (is_watched(f->m, i))
				watch(f, fn, i);
}

static void place(struct pd_ir *m, LLVMValueRef inst, unsigned line, unsigned column)
{
	LLVMMetadataRef at = LLVMInstructionGetDebugLoc(inst);

	LLVMInstructionSetDebugLoc(inst, LLVMDIBuilderCreateDebugLocation(
						 m->ctx, line, column, LLVMDILocationGetScope(at),
						 LLVMDILocationGetInlinedAt(at)));
}

/* A load that is merged with a store, as where a loop keeps a variable in a register, must not
 * destroy the line. */
static void tag_load(struct fates *f, LLVMValueRef inst, const struct group *of,
		     const struct group *end)
{
	uint64_t size = LLVMStoreSizeOfType(f->m->layout, LLVMTypeOf(inst));

	for (const struct group *g = of; g < end && g->fn == of->fn; g++)
		if (g->size == size) {
			place(f->m, inst, TAG + (unsigned)(g - f->groups.v), 0);
			return;
		}
}

/* A clone keeps the order of instructions, and so of groups and stores. */
static void tag_all(struct fates *f, LLVMModuleRef twin)
{
	const struct group *g = f->groups.v, *end = g + f->groups.n;
	LLVMValueRef own = LLVMGetFirstFunction(f->m->mod);
	uint32_t n = 0;

	for (LLVMValueRef fn = LLVMGetFirstFunction(twin); fn && own;
	     fn = LLVMGetNextFunction(fn)) {
		FOR_INSTRUCTIONS (fn, i)
			if (n < f->stores.n && is_watched(f->m, i)) {
				place(f->m, i, TAG + f->stores.v[n].group, f->stores.v[n].column);
				n++;
			} else if (g < end && g->fn == own && LLVMIsALoadInst(i) &&
				   LLVMInstructionGetDebugLoc(i)) {
				tag_load(f, i, g, end);
			}
		while (g < end && g->fn == own)
			g++;
		own = LLVMGetNextFunction(own);
	}
}

/* ---- what is left of them after optimising -------------------------------------------------- */

static bool starts(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

/* SET or COPY for a call that writes a block; 0: another call. */
static unsigned block_of(LLVMValueRef inst)
{
	LLVMValueRef fn = LLVMIsACallInst(inst) ? LLVMIsAFunction(LLVMGetCalledValue(inst)) : NULL;
	size_t n;
	const char *name = fn ? LLVMGetValueName2(fn, &n) : "";

	if (starts(name, "llvm.memset."))
		return PD_SITE_SET;
	return starts(name, "llvm.memcpy.") || starts(name, "llvm.memmove.") ? PD_SITE_COPY : 0;
}

static struct made describe(struct fates *f, LLVMValueRef inst)
{
	struct made d = {.block = block_of(inst)};
	LLVMAttributeRef align;

	if (!d.block) {
		d.size = LLVMStoreSizeOfType(f->m->layout, LLVMTypeOf(LLVMGetOperand(inst, 0)));
		d.align = LLVMGetAlignment(inst);
		return d;
	}
	if (LLVMIsAConstantInt(LLVMGetOperand(inst, 2)))
		d.size = LLVMConstIntGetZExtValue(LLVMGetOperand(inst, 2));
	align = LLVMGetCallSiteEnumAttribute(inst, 1, f->align);
	d.align = align ? LLVMGetEnumAttributeValue(align) : 1;
	return d;
}

/* Gives an instruction a line of its own. One without a location gets a dummy line, or it would
 * inherit the one before it. */
static void look_at(struct fates *f, LLVMValueRef fn, LLVMValueRef inst)
{
	LLVMMetadataRef at = LLVMInstructionGetDebugLoc(inst), scope = LLVMGetSubprogram(fn);
	unsigned line = at ? LLVMDILocationGetLine(at) : 0;
	struct made *d;

	if (!at && scope)
		LLVMInstructionSetDebugLoc(
			inst, LLVMDIBuilderCreateDebugLocation(f->m->ctx, 1, 0, scope, NULL));
	if (line < TAG || line - TAG >= f->groups.n || !(d = pd_vec_push(&f->made, &f->m->arena)))
		return;
	*d = describe(f, inst);
	d->group = line - TAG;
	d->column = LLVMDILocationGetColumn(at);
	if (!d->column) {
		d->next = f->groups.v[d->group].merged;
		f->groups.v[d->group].merged = f->made.n;
	}
	place(f->m, inst, PD_MADE_LINE + f->made.n - 1, 0);
}

/* No code is made for a function whose body is said to be elsewhere. */
static void skip_code(LLVMValueRef fn)
{
	LLVMSetComdat(fn, NULL);
	LLVMSetLinkage(fn, LLVMAvailableExternallyLinkage);
}

static void look(struct fates *f, LLVMModuleRef twin)
{
	for (LLVMValueRef fn = LLVMGetFirstFunction(twin); fn; fn = LLVMGetNextFunction(fn)) {
		uint32_t before = f->made.n;

		FOR_INSTRUCTIONS (fn, i)
			if (LLVMIsAStoreInst(i) || block_of(i))
				look_at(f, fn, i);
		if (f->made.n == before && !LLVMIsDeclaration(fn))
			skip_code(fn);
	}
}

/* ---- and after code generation -------------------------------------------------------------- */

static void ignore(LLVMDiagnosticInfoRef d, void *ctx)
{
	(void)d;
	(void)ctx;
}

static LLVMCodeGenOptLevel level_of(enum pd_level level)
{
	if (level == PD_O0)
		return LLVMCodeGenLevelNone;
	if (level == PD_O1)
		return LLVMCodeGenLevelLess;
	return level == PD_O3 ? LLVMCodeGenLevelAggressive : LLVMCodeGenLevelDefault;
}

/* Errors in the program's asm are reported when it is compiled, not here. */
static bool generate(struct fates *f, LLVMModuleRef twin)
{
	LLVMDiagnosticHandler handler = LLVMContextGetDiagnosticHandler(f->m->ctx);
	void *ctx = LLVMContextGetDiagnosticContext(f->m->ctx);
	char *triple = LLVMGetTargetMachineTriple(f->m->tm), *why = NULL;
	LLVMTargetMachineRef tm =
		LLVMCreateTargetMachine(LLVMGetTargetMachineTarget(f->m->tm), triple, "x86-64", "",
					level_of(f->m->level), LLVMRelocPIC, LLVMCodeModelDefault);
	LLVMMemoryBufferRef text = NULL;
	bool ok;

	LLVMInitializeX86AsmPrinter();
	LLVMInitializeX86AsmParser();
	LLVMContextSetDiagnosticHandler(f->m->ctx, ignore, NULL);
	ok = tm && !LLVMTargetMachineEmitToMemoryBuffer(tm, twin, LLVMAssemblyFile, &why, &text) &&
	     pd_made_read(LLVMGetBufferStart(text), LLVMGetBufferSize(text), &f->m->arena,
			  &f->pieces);
	LLVMContextSetDiagnosticHandler(f->m->ctx, handler, ctx);
	if (text)
		LLVMDisposeMemoryBuffer(text);
	if (tm)
		LLVMDisposeTargetMachine(tm);
	LLVMDisposeMessage(why);
	LLVMDisposeMessage(triple);
	return ok;
}

static void find_pieces(struct fates *f)
{
	for (uint32_t i = 0; i < f->pieces.n; i++) {
		const struct pd_made_piece *p = &f->pieces.v[i];
		struct made *d = p->store < f->made.n ? &f->made.v[p->store] : NULL;

		if (!d)
			continue;
		if (!d->pieces++)
			d->first = i;
		d->length = PD_MAX(PD_MAX(d->length, d->size), p->size);
	}
}

/* ---- judging -------------------------------------------------------------------------------- */

/* The fate of a store that became one store of its own size. */
static unsigned judge_store(const struct pd_made_piece *p, uint32_t n, uint64_t size, bool bitfield)
{
	bool wider = false, in_place = true;

	for (uint32_t i = 0; i < n; i++) {
		if (i && p[i].size < size && p[i].base == p[i - 1].base &&
		    p[i].at - p[i - 1].at < (int64_t)size)
			return PD_SITE_SPLIT;
		wider |= p[i].size > size;
		in_place &= p[i].size >= size || p[i].modifies || bitfield;
	}
	if (!in_place)
		return 0;
	return wider ? PD_SITE_WIDENED : PD_SITE_WHOLE;
}

/* Whether no piece ends in the middle of an aligned word of this size: then each word is in one
 * piece. */
static bool keeps_whole(const struct made *d, const struct pd_made_piece *p, uint64_t size)
{
	int64_t start = p->at;

	if (d->align < size)
		return false;
	for (uint32_t i = 0; i < d->pieces; i++) {
		if (i && p[i].base != p[i - 1].base)
			start = p[i].at;
		if ((uint64_t)(p[i].at - start) % size ||
		    (p[i].size % size && (uint64_t)(p[i].at - start) + size <= d->size))
			return false;
	}
	return true;
}

/* The fate of a store of this size that is, or is a part of, d; 0: unknown. */
static unsigned judge(const struct fates *f, const struct made *d, uint64_t size, bool bitfield)
{
	const struct pd_made_piece *p = &f->pieces.v[d->first];

	if (!d->pieces)
		return 0;
	for (uint32_t i = 0; i < d->pieces; i++)
		if (p[i].call || p[i].odd)
			return p[i].call ? d->block : 0;
	if (d->size == size)
		return judge_store(p, d->pieces, size, bitfield);
	/* Unless the code generator combined the parts again */
	if (d->size && d->size < size)
		return p->size < size ? PD_SITE_SPLIT : judge_store(p, d->pieces, size, bitfield);
	return d->size && keeps_whole(d, p, size) ? PD_SITE_WIDENED : d->block;
}

/* Clang names the values that it makes for bit-fields. */
static bool is_bitfield(LLVMValueRef inst)
{
	size_t n;

	return LLVMIsAStoreInst(inst) &&
	       starts(LLVMGetValueName2(LLVMGetOperand(inst, 0), &n), "bf.set");
}

static void settle(struct fates *f, uint32_t store, uint32_t made)
{
	struct watched *e = &f->stores.v[store];
	unsigned fate = judge(f, &f->made.v[made], e->size, is_bitfield(e->inst));

	if (!f->made.v[made].pieces)
		return;
	e->made = made + 1;
	e->fate |= fate;
	e->unclear |= !fate;
}

/* First those that kept their location, then those that were merged with others of their group. */
static void judge_all(struct fates *f)
{
	for (uint32_t i = 0; i < f->made.n; i++) {
		const struct group *g = &f->groups.v[f->made.v[i].group];

		if (f->made.v[i].column && f->made.v[i].column <= g->members.n)
			settle(f, g->members.v[f->made.v[i].column - 1], i);
	}
	for (uint32_t k = 0; k < f->stores.n; k++)
		for (uint32_t i = f->stores.v[k].made ? 0
						      : f->groups.v[f->stores.v[k].group].merged;
		     i; i = f->made.v[i - 1].next)
			settle(f, k, i - 1);
}

/* Whether what e became covers a store whose own location is gone. */
static bool covers(const struct fates *f, const struct watched *e, const struct watched *gone)
{
	int64_t length = (int64_t)f->made.v[e->made - 1].length, away = gone->offset - e->offset;

	return gone->base == e->base && away < length && -away < length;
}

/* The fate of a store whose location is gone: a part of d, which has the location of e. */
static unsigned judge_part(const struct fates *f, const struct made *d, const struct watched *e,
			   const struct watched *gone)
{
	if (d->size != e->size)
		return judge(f, d, gone->size, is_bitfield(gone->inst));
	/* Combined by the code generator, from whole stores. */
	for (uint32_t i = 0; i < d->pieces; i++)
		if (f->pieces.v[d->first + i].size < e->size + gone->size)
			return 0;
	return PD_SITE_WIDENED;
}

/* Parts that lost their location share the fate of the part that kept it. */
static void share(struct fates *f)
{
	for (uint32_t i = 0; i < f->stores.n; i++) {
		struct watched *gone = &f->stores.v[i];
		uint32_t from = i;

		while (from && f->stores.v[from - 1].fn == gone->fn)
			from--;
		for (uint32_t k = from;
		     !gone->made && !gone->fate && k < f->stores.n && f->stores.v[k].fn == gone->fn;
		     k++) {
			const struct watched *e = &f->stores.v[k];
			const struct made *d = e->made ? &f->made.v[e->made - 1] : NULL;

			if (d && d->length > e->size && covers(f, e, gone))
				gone->fate = judge_part(f, d, e, gone);
		}
	}
}

static bool run_passes(LLVMModuleRef twin, const char *passes, LLVMTargetMachineRef tm)
{
	LLVMPassBuilderOptionsRef o = LLVMCreatePassBuilderOptions();
	LLVMErrorRef e = LLVMRunPasses(twin, passes, tm, o);

	LLVMDisposePassBuilderOptions(o);
	if (e)
		LLVMConsumeError(e);
	return !e;
}

/* Debug information other than lines is of no use in the twin; without it the same code is made
 * sooner. */
static bool make_twin(struct fates *f, LLVMModuleRef twin)
{
	if (!run_passes(twin, "strip-nonlinetable-debuginfo", f->m->tm))
		return false;
	tag_all(f, twin);
	if (!run_passes(twin, f->m->pipeline, f->m->tm))
		return false;
	look(f, twin);
	return generate(f, twin);
}

void pd_fates_find(struct pd_ir *m)
{
	struct fates f = {.m = m, .align = pd_attribute_kind("align")};
	LLVMModuleRef twin;

	watch_all(&f);
	if (!f.stores.n)
		return;
	twin = LLVMCloneModule(m->mod);
	if (make_twin(&f, twin)) {
		find_pieces(&f);
		judge_all(&f);
		share(&f);
	}
	LLVMDisposeModule(twin);
	for (uint32_t i = 0; i < f.stores.n; i++) {
		const struct watched *e = &f.stores.v[i];
		unsigned fate =
			e->fate & ~(e->unclear ? (unsigned)(PD_SITE_WHOLE | PD_SITE_WIDENED) : 0);
		uint64_t *at = fate ? pd_map_put(&pd_crash(m)->fates, &m->arena, (uintptr_t)e->inst)
				    : NULL;

		if (at)
			*at = fate;
	}
}

/* ---- copies that are taken apart before instrumenting --------------------------------------- */

/* The key of a location, wherever it is inlined. */
static uint64_t key_of(LLVMMetadataRef at)
{
	uint64_t place = (uint64_t)LLVMDILocationGetLine(at) << 16 | LLVMDILocationGetColumn(at);

	return pd_mix((uintptr_t)LLVMDILocationGetScope(at) + pd_mix(place)) >> 1;
}

void pd_blocks_note(struct pd_ir *m)
{
	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn))
		FOR_INSTRUCTIONS (fn, i) {
			LLVMMetadataRef at =
				LLVMIsAMemIntrinsic(i) ? LLVMInstructionGetDebugLoc(i) : NULL;

			if (at && !is_one_word(i) && !pd_ir_not_pm(m, LLVMGetOperand(i, 0)))
				pd_map_put(&pd_crash(m)->blocks, &m->arena, key_of(at));
		}
}

unsigned pd_fate_of(struct pd_ir *m, LLVMValueRef inst)
{
	const uint64_t *fate = pd_map_get(&pd_crash(m)->fates, (uintptr_t)inst);
	LLVMMetadataRef at = LLVMInstructionGetDebugLoc(inst);
	bool block = at && pd_map_get(&pd_crash(m)->blocks, key_of(at));

	return (fate ? (unsigned)*fate : 0) | (block ? PD_SITE_BLOCK : 0);
}
