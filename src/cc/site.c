/*
 * site.c - the tables in instrumented objects: struct pd_site, pd_static_loss and pd_module.
 *
 * A hook gets the address of its site. The array of sites is one global whose size is known only at
 * the end; until then an external global stands for it.
 *
 * Invariants:
 *  1. The IR types here have the layout of abi.h; sites_check_layout verifies it for the target.
 *  2. inlined_at of an inlined site leads to the site of the call, in the same array; there is one for each distinct place.
 *
 * The function of a site is its linkage name in languages that mangle names, so that it matches
 * symbols; it is demangled for printing. Files are absolute.
 */
#include "cc/ir.h"
#include "base/bug.h"
#include "base/hash.h"
#include <stdio.h>
#include <string.h>

/* The external global that stands for the array of sites, with room for as many as there can be. */
#define STAND_IN "__pd_sites"
enum { SITES_MAX = 1 << 24 };

static LLVMTypeRef loss_type(struct pd_ir *m)
{
	LLVMTypeRef f[] = {m->t_ptr, m->t_i32, m->t_i32, m->t_ptr};

	return LLVMStructTypeInContext(m->ctx, f, PD_LEN(f), 0);
}

static LLVMTypeRef module_type(struct pd_ir *m)
{
	LLVMTypeRef f[] = {m->t_i32, m->t_i32, m->t_ptr, m->t_ptr, m->t_ptr,
			   m->t_i32, m->t_i32, m->t_ptr, m->t_ptr};

	return LLVMStructTypeInContext(m->ctx, f, PD_LEN(f), 0);
}

static void check_layout(struct pd_ir *m)
{
	LLVMTypeRef site = m->t_site;

	PD_CHECK(
		LLVMABISizeOfType(m->layout, site) == sizeof(struct pd_site) &&
			LLVMOffsetOfElement(m->layout, site, 3) == offsetof(struct pd_site, line) &&
			LLVMOffsetOfElement(m->layout, site, 5) ==
				offsetof(struct pd_site, flags) &&
			LLVMOffsetOfElement(m->layout, site, 7) == offsetof(struct pd_site, size) &&
			LLVMOffsetOfElement(m->layout, site, 10) ==
				offsetof(struct pd_site, type_size),
		"struct pd_site has another layout than the pass emits");
	PD_CHECK(LLVMABISizeOfType(m->layout, loss_type(m)) == sizeof(struct pd_static_loss),
		 "struct pd_static_loss has another layout than the pass emits");
	PD_CHECK(LLVMABISizeOfType(m->layout, module_type(m)) == sizeof(struct pd_module) &&
			 LLVMOffsetOfElement(m->layout, module_type(m), 5) ==
				 offsetof(struct pd_module, nlosses) &&
			 LLVMOffsetOfElement(m->layout, module_type(m), 7) ==
				 offsetof(struct pd_module, command) &&
			 LLVMOffsetOfElement(m->layout, module_type(m), 8) ==
				 offsetof(struct pd_module, reach),
		 "struct pd_module has another layout than the pass emits");
}

void pd_sites_init(struct pd_ir *m)
{
	LLVMTypeRef i16 = pd_ir_int(m, 2);
	LLVMTypeRef f[] = {m->t_ptr, m->t_ptr, m->t_ptr, m->t_i32, i16,	    i16,
			   m->t_i32, m->t_i32, m->t_ptr, m->t_i32, m->t_i32};

	m->t_site = LLVMStructTypeInContext(m->ctx, f, PD_LEN(f), 0);
	check_layout(m);
	m->site_table = LLVMAddGlobal(m->mod, LLVMArrayType2(m->t_site, SITES_MAX), STAND_IN);
}

/* ---- strings -------------------------------------------------------------------------------- */

static LLVMValueRef string_global(struct pd_ir *m, const char *s, size_t n)
{
	LLVMValueRef init = LLVMConstStringInContext2(m->ctx, s, n, 0);
	LLVMValueRef g = LLVMAddGlobal(m->mod, LLVMTypeOf(init), "__pd_str");

	LLVMSetInitializer(g, init);
	LLVMSetLinkage(g, LLVMPrivateLinkage);
	LLVMSetGlobalConstant(g, 1);
	LLVMSetUnnamedAddress(g, LLVMGlobalUnnamedAddr);
	LLVMSetAlignment(g, 1);
	return g;
}

/* 1 + its index among the strings. */
static uint32_t note_string(struct pd_ir *m, const char *s, size_t n)
{
	struct pd_digest d = PD_DIGEST_INIT;
	struct pd_ir_string *e;
	uint64_t *at;

	pd_digest_bytes(&d, s, n);
	at = pd_map_put(&m->string_at, &m->arena, d.a >> 1);
	PD_CHECK(at, "out of memory");
	if (*at) {
		e = &m->strings.v[*at - 1];
		if (e->n == n && memcmp(e->s, s, n) == 0)
			return (uint32_t)*at;
	}
	e = pd_vec_push(&m->strings, &m->arena);
	PD_CHECK(e, "out of memory");
	*e = (struct pd_ir_string){pd_arena_strndup(&m->arena, s, n), n, NULL};
	*at = m->strings.n;
	return m->strings.n;
}

static LLVMValueRef string_at(struct pd_ir *m, uint32_t string)
{
	struct pd_ir_string *e = string ? &m->strings.v[string - 1] : NULL;

	if (!e)
		return LLVMConstNull(m->t_ptr);
	if (!e->global)
		e->global = string_global(m, e->s, e->n);
	return e->global;
}

LLVMValueRef pd_site_string(struct pd_ir *m, const char *s, size_t n)
{
	return string_at(m, note_string(m, s, n));
}

/* ---- where an instruction comes from -------------------------------------------------------- */

static LLVMMetadataRef subprogram_of(struct pd_ir *m, LLVMMetadataRef scope)
{
	while (scope) {
		LLVMMetadataKind k = LLVMGetMetadataKind(scope);
		LLVMValueRef up;

		if (k == LLVMDISubprogramMetadataKind)
			return scope;
		if (k != LLVMDILexicalBlockMetadataKind && k != LLVMDILexicalBlockFileMetadataKind)
			return NULL;
		up = pd_debug_operand(m->ctx, scope, PD_DEBUG_PARENT);
		scope = up ? LLVMValueAsMetadata(up) : NULL;
	}
	return NULL;
}

static uint32_t function_name(struct pd_ir *m, LLVMMetadataRef scope, LLVMValueRef inst)
{
	LLVMMetadataRef sp = subprogram_of(m, scope);
	const char *s = NULL;
	size_t n = 0;
	unsigned len = 0;

	for (unsigned i = PD_DEBUG_LINKAGE_NAME; sp && !len && i >= PD_DEBUG_NAME; i--) {
		LLVMValueRef v = pd_debug_operand(m->ctx, sp, i);

		if (v)
			s = LLVMGetMDString(v, &len);
	}
	if (len)
		return note_string(m, s, len);
	if (!inst)
		return 0;
	s = LLVMGetValueName2(LLVMGetBasicBlockParent(LLVMGetInstructionParent(inst)), &n);
	return note_string(m, s, n);
}

static uint32_t file_name(struct pd_ir *m, LLVMMetadataRef scope)
{
	LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
	unsigned nd = 0, nf = 0;
	const char *dir, *name;
	char buf[4096];
	int n;

	if (!file)
		return 0;
	name = LLVMDIFileGetFilename(file, &nf);
	dir = LLVMDIFileGetDirectory(file, &nd);
	if (!nd || (nf && name[0] == '/'))
		return note_string(m, name, nf);
	n = snprintf(buf, sizeof(buf), "%.*s/%.*s", (int)nd, dir, (int)nf, name);
	if (n < 0 || (size_t)n >= sizeof(buf))
		return note_string(m, name, nf);
	return note_string(m, buf, (size_t)n);
}

/* ---- sites ---------------------------------------------------------------------------------- */

static LLVMValueRef site_pointer(struct pd_ir *m, uint32_t site)
{
	LLVMValueRef i = LLVMConstInt(m->t_i64, site, 0);

	return LLVMConstInBoundsGEP2(m->t_site, m->site_table, &i, 1);
}

static uint32_t push_site(struct pd_ir *m, LLVMMetadataRef loc, LLVMValueRef inst, uint32_t up,
			  unsigned flags, uint64_t size)
{
	LLVMMetadataRef scope = loc ? LLVMDILocationGetScope(loc) : NULL;
	unsigned column = loc ? LLVMDILocationGetColumn(loc) : 0;
	struct pd_ir_field field = {0};
	bool known = inst && pd_ir_field(m, inst, &field);
	struct pd_ir_site *e = pd_vec_push(&m->sites, &m->arena);

	PD_CHECK(e, "out of memory");
	*e = (struct pd_ir_site){
		.inst = inst,
		.file = file_name(m, scope),
		.function = function_name(m, scope, inst),
		.type = known ? note_string(m, field.type, field.ntype) : 0,
		.up = up,
		.line = loc ? LLVMDILocationGetLine(loc) : 0,
		.size = (uint32_t)PD_MIN(size, UINT32_MAX),
		.offset = (uint32_t)PD_MIN(field.offset, UINT32_MAX),
		.type_size = (uint32_t)PD_MIN(field.size, UINT32_MAX),
		.column = (uint16_t)PD_MIN(column, 0xffff),
		.flags = (uint16_t)flags,
	};
	return m->sites.n - 1;
}

/* 1 + the site of the call that brought inlined code to where it is; 0: it was not inlined. */
static uint32_t inlined_site(struct pd_ir *m, LLVMMetadataRef at)
{
	uint64_t *known;
	uint32_t site;

	if (!at)
		return 0;
	known = pd_map_get(&m->inlined_at, (uintptr_t)at);
	if (known)
		return (uint32_t)*known + 1;
	site = push_site(m, at, NULL, inlined_site(m, LLVMDILocationGetInlinedAt(at)), 0, 0);
	known = pd_map_put(&m->inlined_at, &m->arena, (uintptr_t)at);
	PD_CHECK(known, "out of memory");
	*known = site;
	return site + 1;
}

static uint32_t site_add(struct pd_ir *m, LLVMValueRef inst, unsigned flags, uint64_t size)
{
	LLVMMetadataRef loc = inst ? LLVMInstructionGetDebugLoc(inst) : NULL;
	uint32_t up = inlined_site(m, loc ? LLVMDILocationGetInlinedAt(loc) : NULL);

	return push_site(m, loc, inst, up, flags, size);
}

LLVMValueRef pd_site_of(struct pd_ir *m, LLVMValueRef inst, unsigned flags, uint64_t size)
{
	return site_pointer(m, site_add(m, inst, flags, size));
}

/* ---- losses --------------------------------------------------------------------------------- */

static uint32_t add_loss(struct pd_ir *m, LLVMValueRef inst, enum pd_loss kind, const char *what,
			 size_t n)
{
	uint32_t site = site_add(m, inst, kind == PD_LOSS_ASM ? PD_SITE_ASM : 0, 0);
	struct pd_ir_loss *l = pd_vec_push(&m->losses, &m->arena);

	PD_CHECK(l, "out of memory");
	*l = (struct pd_ir_loss){site, kind, note_string(m, what, n)};
	return site;
}

void pd_loss_add(struct pd_ir *m, LLVMValueRef inst, enum pd_loss kind, const char *what, size_t n)
{
	add_loss(m, inst, kind, what, n);
}

void pd_loss_emit(struct pd_ir *m, LLVMValueRef inst, enum pd_loss kind, const char *what, size_t n)
{
	uint32_t site = add_loss(m, inst, kind, what, n);
	LLVMValueRef args[] = {pd_ir_const32(m, kind), site_pointer(m, site)};

	LLVMPositionBuilderBefore(m->b, inst);
	pd_hook_call(m, PD_HOOK_loss, args);
}

/* ---- into the module ------------------------------------------------------------------------ */

static LLVMValueRef private_global(struct pd_ir *m, const char *name, LLVMValueRef init,
				   bool constant)
{
	LLVMValueRef g = LLVMAddGlobal(m->mod, LLVMTypeOf(init), name);

	LLVMSetInitializer(g, init);
	LLVMSetLinkage(g, LLVMPrivateLinkage);
	LLVMSetGlobalConstant(g, constant);
	return g;
}

static LLVMValueRef loss_table(struct pd_ir *m)
{
	LLVMValueRef *v = pd_new_array(&m->arena, LLVMValueRef, m->losses.n);

	if (!m->losses.n)
		return LLVMConstNull(m->t_ptr);
	PD_CHECK(v, "out of memory");
	for (uint32_t i = 0; i < m->losses.n; i++) {
		const struct pd_ir_loss *l = &m->losses.v[i];
		LLVMValueRef f[] = {site_pointer(m, l->site), pd_ir_const32(m, l->kind),
				    pd_ir_const32(m, 0), string_at(m, l->what)};

		v[i] = LLVMConstStructInContext(m->ctx, f, PD_LEN(f), 0);
	}
	return private_global(m, "__pd_losses", LLVMConstArray2(loss_type(m), v, m->losses.n),
			      true);
}

/* llvm.global_ctors can only be replaced by a longer array. */
void pd_constructor_add(struct pd_ir *m, LLVMValueRef fn)
{
	LLVMTypeRef ft[] = {m->t_i32, m->t_ptr, m->t_ptr};
	LLVMTypeRef entry = LLVMStructTypeInContext(m->ctx, ft, 3, 0);
	LLVMValueRef f[] = {pd_ir_const32(m, 0), fn, LLVMConstNull(m->t_ptr)};
	LLVMValueRef old = LLVMGetNamedGlobal(m->mod, "llvm.global_ctors");
	unsigned n = old ? (unsigned)LLVMGetArrayLength2(LLVMGlobalGetValueType(old)) : 0;
	LLVMValueRef *v = pd_new_array(&m->arena, LLVMValueRef, n + 1);
	LLVMValueRef g;

	PD_CHECK(v, "out of memory");
	v[0] = LLVMConstStructInContext(m->ctx, f, 3, 0);
	for (unsigned i = 0; i < n; i++)
		v[i + 1] = LLVMGetAggregateElement(LLVMGetInitializer(old), i);
	if (old)
		LLVMDeleteGlobal(old);
	g = LLVMAddGlobal(m->mod, LLVMArrayType2(entry, n + 1), "llvm.global_ctors");
	LLVMSetInitializer(g, LLVMConstArray2(entry, v, n + 1));
	LLVMSetLinkage(g, LLVMAppendingLinkage);
}

static void add_constructor(struct pd_ir *m, LLVMValueRef record)
{
	LLVMTypeRef type = LLVMFunctionType(m->t_void, NULL, 0, 0);
	LLVMValueRef fn = LLVMAddFunction(m->mod, "__pd_register", type);

	LLVMSetLinkage(fn, LLVMInternalLinkage);
	LLVMPositionBuilderAtEnd(m->b, LLVMAppendBasicBlockInContext(m->ctx, fn, ""));
	LLVMSetCurrentDebugLocation2(m->b, NULL);
	pd_hook_call(m, PD_HOOK_module, &record);
	LLVMBuildRetVoid(m->b);
	pd_constructor_add(m, fn);
}

/* The record's place, relative to where it is noted: no relocation remains for the loader. */
static void add_note(struct pd_ir *m, LLVMValueRef record)
{
	LLVMTypeRef name = LLVMArrayType2(LLVMInt8TypeInContext(m->ctx), sizeof(PD_NOTE_NAME));
	LLVMTypeRef t[] = {m->t_i32, m->t_i32, m->t_i32, name, m->t_i64};
	LLVMTypeRef type = LLVMStructTypeInContext(m->ctx, t, PD_LEN(t), 1);
	LLVMValueRef note = LLVMAddGlobal(m->mod, type, "__pd_note");
	LLVMValueRef at[] = {pd_ir_const32(m, 0), pd_ir_const32(m, PD_LEN(t) - 1)};
	LLVMValueRef here = LLVMConstInBoundsGEP2(type, note, at, PD_LEN(at));
	LLVMValueRef f[] = {
		pd_ir_const32(m, sizeof(PD_NOTE_NAME)), pd_ir_const32(m, sizeof(int64_t)),
		pd_ir_const32(m, PD_NOTE_MODULE),
		LLVMConstStringInContext2(m->ctx, PD_NOTE_NAME, sizeof(PD_NOTE_NAME), 1),
		LLVMConstSub(LLVMConstPtrToInt(record, m->t_i64),
			     LLVMConstPtrToInt(here, m->t_i64))};

	PD_CHECK(LLVMABISizeOfType(m->layout, type) == sizeof(struct pd_note),
		 "struct pd_note has another layout than the pass emits");
	LLVMSetInitializer(note, LLVMConstStructInContext(m->ctx, f, PD_LEN(f), 1));
	LLVMSetLinkage(note, LLVMPrivateLinkage);
	LLVMSetGlobalConstant(note, 1);
	LLVMSetSection(note, PD_NOTE_SECTION);
	LLVMSetAlignment(note, 4);
}

/* The command with which the user makes another object like this one. */
static LLVMValueRef command(struct pd_ir *m)
{
	char s[64];
	int n = snprintf(s, sizeof(s), "perdure cc%s%s", m->mode->option ? " " : "",
			 m->mode->option ? m->mode->option : "");

	return pd_site_string(m, s, (size_t)n);
}

static LLVMValueRef site_constant(struct pd_ir *m, const struct pd_ir_site *e)
{
	LLVMTypeRef i16 = pd_ir_int(m, 2);
	LLVMValueRef f[] = {
		string_at(m, e->file),
		string_at(m, e->function),
		e->up ? site_pointer(m, e->up - 1) : LLVMConstNull(m->t_ptr),
		LLVMConstInt(m->t_i32, e->line, 0),
		LLVMConstInt(i16, e->column, 0),
		LLVMConstInt(i16, e->flags, 0),
		LLVMConstInt(m->t_i32, 0, 0),
		LLVMConstInt(m->t_i32, e->size, 0),
		string_at(m, e->type),
		LLVMConstInt(m->t_i32, e->offset, 0),
		LLVMConstInt(m->t_i32, e->type_size, 0),
	};

	return LLVMConstStructInContext(m->ctx, f, PD_LEN(f), 0);
}

/* Takes the place of the global that stood for it, which the optimiser has deleted if unused. */
static void write_table(struct pd_ir *m)
{
	LLVMTypeRef type = LLVMArrayType2(m->t_site, m->sites.n);
	LLVMValueRef stood = LLVMGetNamedGlobal(m->mod, STAND_IN);
	LLVMValueRef *v = pd_new_array(&m->arena, LLVMValueRef, m->sites.n);

	PD_CHECK(v || !m->sites.n, "out of memory");
	m->site_table = LLVMAddGlobal(m->mod, type, "__pd_site_table");
	LLVMSetLinkage(m->site_table, LLVMPrivateLinkage);
	if (stood) {
		LLVMReplaceAllUsesWith(stood, m->site_table);
		LLVMDeleteGlobal(stood);
	}
	for (uint32_t i = 0; i < m->sites.n; i++)
		v[i] = site_constant(m, &m->sites.v[i]);
	LLVMSetInitializer(m->site_table, LLVMConstArray2(m->t_site, v, m->sites.n));
}

void pd_sites_finish(struct pd_ir *m)
{
	LLVMValueRef losses, record;

	for (uint32_t i = 0; i < m->strings.n; i++) /* the optimiser may have deleted them */
		m->strings.v[i].global = NULL;
	write_table(m);
	losses = loss_table(m);
	LLVMValueRef f[] = {pd_ir_const32(m, PD_ABI),
			    pd_ir_const32(m, m->sites.n),
			    m->site_table,
			    pd_site_string(m, m->source, strlen(m->source)),
			    losses,
			    pd_ir_const32(m, m->losses.n),
			    pd_ir_const32(m, m->mode->build),
			    command(m),
			    m->reach ? m->reach : LLVMConstNull(m->t_ptr)};

	record = private_global(m, "__pd_module_record",
				LLVMConstStructInContext(m->ctx, f, PD_LEN(f), 0), false);
	add_note(m, record);
	add_constructor(m, record);
}
