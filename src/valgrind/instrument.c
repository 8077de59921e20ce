/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * instrument.c - adds our checks to the program's code.
 *
 * VEX gives us a block of the program's code as statements. Behind each one that touches memory we
 * put
 *
 *	if (address >> 44 == 1) vg_on_access(address, insn)
 *
 * where insn is a record of this instruction, made now. The function is called after the access, so
 * the value is already in memory: only the address has to be passed. Accesses that cannot be to PM
 * are left alone: the address is the stack pointer plus a constant, or a constant outside the
 * window. A locked instruction is always reported: it is a fence wherever it writes.
 *
 * PM outside the window (a program may insist on an address) is recognised by two variables, the
 * bounds of all PM; vg_window_only then becomes false and all code is translated again.
 *
 * An instruction that VEX does not decode ends its block with a jump that means "undecoded"; if
 * vg_decode knows it, the block continues behind it.
 */
#include "vg.h"
#include "base/bug.h"
#include "core.h"
#include "decode.h"
#include "libvex_guest_amd64.h"
#include "pool.h"
#include "pub_tool_debuginfo.h"

#define GUEST(reg) ((Int)offsetof(VexGuestAMD64State, guest_##reg))

enum { RSP = 4, RDI = 7 };

static const Int registers[16] = {GUEST(RAX), GUEST(RCX), GUEST(RDX), GUEST(RBX),
				  GUEST(RSP), GUEST(RBP), GUEST(RSI), GUEST(RDI),
				  GUEST(R8),  GUEST(R9),  GUEST(R10), GUEST(R11),
				  GUEST(R12), GUEST(R13), GUEST(R14), GUEST(R15)};

static const Int vectors[16] = {GUEST(YMM0),  GUEST(YMM1),  GUEST(YMM2),  GUEST(YMM3),
				GUEST(YMM4),  GUEST(YMM5),  GUEST(YMM6),  GUEST(YMM7),
				GUEST(YMM8),  GUEST(YMM9),  GUEST(YMM10), GUEST(YMM11),
				GUEST(YMM12), GUEST(YMM13), GUEST(YMM14), GUEST(YMM15)};

/* A block that is being instrumented. */
struct block {
	IRSB *sb;
	Bool *on_stack; /* per temporary: it is the stack pointer plus a constant */
	Int ntemps;
	Addr ip;     /* of the current instruction */
	Addr behind; /* where the next one begins: a block may continue elsewhere */
	struct vg_decoded insn;
	Bool locked; /* the current instruction is locked */
	Bool first;  /* the current instruction is the first of the block */
};

/* ---- the records of instructions ------------------------------------------------------------ */

static Bool is_system(Addr ip)
{
	const HChar *object, *name;

	if (!VG_(get_objname)(VG_(current_DiEpoch)(), ip, &object))
		return False;
	name = VG_(strrchr)(object, '/');
	name = name ? name + 1 : object;
	return VG_(strncmp)(name, "libc.so", 7) == 0 || VG_(strncmp)(name, "libc-", 5) == 0 ||
	       VG_(strncmp)(name, "ld-", 3) == 0 || VG_(strncmp)(name, "libpthread", 10) == 0;
}

static struct pd_map insns; /* ip, kind and size -> struct vg_insn */

/* Code may be translated again: an instruction has one record forever. */
struct vg_insn *vg_insn_new(Addr ip, UInt kind, UInt size)
{
	uint64_t key = ip * 0x9e3779b97f4a7c15ULL ^ (uint64_t)kind << 16 ^ size;
	struct vg_insn *i;
	uint64_t *at;

	/* The key is a hash: on a collision, try the next key. */
	for (;; key += 2) {
		at = pd_map_put(&insns, &vg_session.arena, key & ~1ULL);
		if (!at)
			vg_fail(4, "memory ran out");
		i = (struct vg_insn *)*at;
		if (!i)
			break;
		if (i->ip == ip && i->kind == kind && i->size == size)
			return i;
	}
	i = vg_alloc(sizeof(*i));
	*i = (struct vg_insn){.ip = ip,
			      .kind = (UChar)kind,
			      .size = (UShort)size,
			      .order = kind == PD_EV_RMW ? PD_ORDER_SEQ_CST : PD_ORDER_NONE,
			      .system = is_system(ip)};
	*at = (uintptr_t)i;
	return i;
}

/* ---- building statements -------------------------------------------------------------------- */

static IRExpr *constant(ULong v)
{
	return IRExpr_Const(IRConst_U64(v));
}

static IRExpr *as(struct block *b, IRType type, IRExpr *e)
{
	IRTemp t = newIRTemp(b->sb->tyenv, type);

	addStmtToIRSB(b->sb, IRStmt_WrTmp(t, e));
	return IRExpr_RdTmp(t);
}

static IRExpr *add(struct block *b, IRExpr *x, IRExpr *y)
{
	return as(b, Ity_I64, IRExpr_Binop(Iop_Add64, x, y));
}

static IRExpr *get_register(struct block *b, UInt r)
{
	return as(b, Ity_I64, IRExpr_Get(registers[r], Ity_I64));
}

static UInt size_of(const struct block *b, IRExpr *e)
{
	return (UInt)sizeofIRType(typeOfIRExpr(b->sb->tyenv, e));
}

static IRExpr *is_pm(struct block *b, IRExpr *address)
{
	IRExpr *from, *size;

	if (vg_window_only) {
		IRExpr *high =
			as(b, Ity_I64,
			   IRExpr_Binop(Iop_Shr64, address, IRExpr_Const(IRConst_U8(PD_PM_SHIFT))));

		return as(b, Ity_I1, IRExpr_Binop(Iop_CmpEQ64, high, constant(1)));
	}
	from = as(b, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, constant((HWord)&vg_hull.from)));
	size = as(b, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, constant((HWord)&vg_hull.size)));
	return as(b, Ity_I1,
		  IRExpr_Binop(Iop_CmpLT64U, as(b, Ity_I64, IRExpr_Binop(Iop_Sub64, address, from)),
			       size));
}

static IRExpr *both(struct block *b, IRExpr *x, IRExpr *y)
{
	return y ? as(b, Ity_I1, IRExpr_Binop(Iop_And1, x, y)) : x;
}

static void reads(IRDirty *d, Int n, Int offset)
{
	d->fxState[n].fx = Ifx_Read;
	d->fxState[n].offset = (UShort)offset;
	d->fxState[n].size = 8;
	d->fxState[n].nRepeats = 0;
	d->fxState[n].repeatLen = 0;
}

/* A call of our code. It may unwind the stack, so these registers must be in the guest's state. */
static void call(struct block *b, IRExpr *guard, Int regparms, const HChar *name, void *f,
		 IRExpr **args)
{
	IRDirty *d = unsafeIRDirty_0_N(regparms, name, VG_(fnptr_to_fnentry)(f), args);

	if (guard)
		d->guard = guard;
	d->nFxState = 2;
	reads(d, 0, GUEST(RSP));
	reads(d, 1, GUEST(RBP));
	addStmtToIRSB(b->sb, IRStmt_Dirty(d));
}

static IRExpr *record(const struct block *b, UInt kind, UInt size)
{
	return constant((HWord)vg_insn_new(b->ip, kind, size));
}

/* ---- what cannot be PM ---------------------------------------------------------------------- */

static Bool is_stack(const struct block *b, const IRExpr *e)
{
	return e->tag == Iex_RdTmp && (Int)e->Iex.RdTmp.tmp < b->ntemps &&
	       b->on_stack[e->Iex.RdTmp.tmp];
}

static Bool is_small_constant(const IRExpr *e)
{
	return e->tag == Iex_Const && e->Iex.Const.con->tag == Ico_U64 &&
	       (Long)e->Iex.Const.con->Ico.U64 < 1 << 24 &&
	       (Long)e->Iex.Const.con->Ico.U64 > -(1 << 24);
}

static void note_temporary(struct block *b, const IRStmt *st)
{
	const IRExpr *e = st->Ist.WrTmp.data;
	Bool stack = False;

	if ((Int)st->Ist.WrTmp.tmp >= b->ntemps)
		return;
	if (e->tag == Iex_Get)
		stack = e->Iex.Get.offset == GUEST(RSP) && e->Iex.Get.ty == Ity_I64;
	else if (e->tag == Iex_RdTmp)
		stack = is_stack(b, e);
	else if (e->tag == Iex_Binop &&
		 (e->Iex.Binop.op == Iop_Add64 || e->Iex.Binop.op == Iop_Sub64))
		stack = is_stack(b, e->Iex.Binop.arg1) && is_small_constant(e->Iex.Binop.arg2);
	b->on_stack[st->Ist.WrTmp.tmp] = stack;
}

static Bool never_pm(const struct block *b, const IRExpr *address)
{
	if (address->tag == Iex_Const)
		return vg_window_only && !PD_IS_PM(address->Iex.Const.con->Ico.U64);
	return is_stack(b, address);
}

/* ---- accesses ------------------------------------------------------------------------------- */

/* Called after the access. guard: the condition under which it happens; NULL: always. */
static void access_event(struct block *b, UInt kind, IRExpr *address, UInt size, IRExpr *guard)
{
	if (!vg_wants(kind) || never_pm(b, address))
		return;
	call(b, both(b, is_pm(b, address), guard), 3, "vg_on_access", vg_on_access,
	     mkIRExprVec_3(address, record(b, kind, size), get_register(b, RSP)));
}

static void load_event(struct block *b, IRExpr *address, UInt size, IRExpr *guard)
{
	/* The load of a read-modify-write is part of it; that of a masked store is an artefact of
	 * VEX. */
	if (!b->locked && b->insn.op != VG_OP_MASKMOVQ && b->insn.op != VG_OP_MASKMOVDQU)
		access_event(b, PD_EV_LOAD, address, size, guard);
}

static void masked_event(struct block *b, IRExpr *address)
{
	IRExpr *low, *high = constant(0);

	if (b->insn.op == VG_OP_MASKMOVDQU) {
		IRExpr *v = as(b, Ity_V128, IRExpr_Get(vectors[b->insn.rm], Ity_V128));

		low = as(b, Ity_I64, IRExpr_Unop(Iop_V128to64, v));
		high = as(b, Ity_I64, IRExpr_Unop(Iop_V128HIto64, v));
	} else {
		low = as(b, Ity_I64,
			 IRExpr_Get(GUEST(FPREG[0]) + 8 * (Int)(b->insn.rm & 7), Ity_I64));
	}
	call(b, is_pm(b, address), 0, "vg_on_masked", vg_on_masked,
	     mkIRExprVec_4(address, record(b, PD_EV_NTSTORE, 1), low, high));
}

static void store_event(struct block *b, IRExpr *address, UInt size, IRExpr *guard)
{
	if (b->insn.op == VG_OP_MASKMOVQ || b->insn.op == VG_OP_MASKMOVDQU)
		masked_event(b, address);
	else
		access_event(b, b->insn.op == VG_OP_NT ? PD_EV_NTSTORE : PD_EV_STORE, address, size,
			     guard);
}

static IRExpr *equal(struct block *b, IRExpr *x, IRExpr *y)
{
	IROp op;

	switch ((Int)typeOfIRExpr(b->sb->tyenv, x)) { /* an int: a CAS has no other types */
	case Ity_I8:
		op = Iop_CasCmpEQ8;
		break;
	case Ity_I16:
		op = Iop_CasCmpEQ16;
		break;
	case Ity_I32:
		op = Iop_CasCmpEQ32;
		break;
	default:
		op = Iop_CasCmpEQ64;
		break;
	}
	return as(b, Ity_I1, IRExpr_Binop(op, x, y));
}

static IRExpr *widened(struct block *b, IRExpr *x)
{
	switch ((Int)typeOfIRExpr(b->sb->tyenv, x)) { /* an int: see above */
	case Ity_I8:
		return as(b, Ity_I64, IRExpr_Unop(Iop_8Uto64, x));
	case Ity_I16:
		return as(b, Ity_I64, IRExpr_Unop(Iop_16Uto64, x));
	case Ity_I32:
		return as(b, Ity_I64, IRExpr_Unop(Iop_32Uto64, x));
	default:
		return x;
	}
}

/* A compare-exchange, or what VEX turns into one: every locked instruction, and xchg. */
static void locked_event(struct block *b, const IRCAS *c)
{
	IRExpr *done = equal(b, IRExpr_RdTmp(c->oldLo), c->expdLo);
	UInt size = size_of(b, c->dataLo);
	struct vg_insn *i;

	if (c->oldHi != IRTemp_INVALID) {
		done = both(b, done, equal(b, IRExpr_RdTmp(c->oldHi), c->expdHi));
		size *= 2;
	}
	i = vg_insn_new(b->ip, PD_EV_RMW, size);
	i->exchange = b->insn.op == VG_OP_EXCHANGE;
	call(b, i->system ? is_pm(b, c->addr) : NULL, 0, "vg_on_locked", vg_on_locked,
	     mkIRExprVec_4(c->addr, constant((HWord)i),
			   as(b, Ity_I64, IRExpr_Unop(Iop_1Uto64, done)),
			   widened(b, IRExpr_RdTmp(c->oldLo))));
}

/* ---- instructions by their bytes ------------------------------------------------------------ */

static IRExpr *operand_address(struct block *b)
{
	const struct pd_x86_operand *o = &b->insn.memory;
	const struct pd_x86 *in = &b->insn.in;
	IRExpr *a = constant((ULong)o->displacement + (o->from_end ? b->ip + in->length : 0));

	if (o->base >= 0)
		a = add(b, get_register(b, (UInt)o->base), a);
	if (o->index >= 0)
		a = add(b, a,
			as(b, Ity_I64,
			   IRExpr_Binop(Iop_Shl64, get_register(b, (UInt)o->index),
					IRExpr_Const(IRConst_U8(o->shift)))));
	if (in->short_address)
		a = as(b, Ity_I64, IRExpr_Binop(Iop_And64, a, constant(0xffffffff)));
	if (in->segment)
		a = add(b, a,
			as(b, Ity_I64,
			   IRExpr_Get(in->segment == 0x64 ? GUEST(FS_CONST) : GUEST(GS_CONST),
				      Ity_I64)));
	return a;
}

static UInt flush_kind(enum vg_opcode op)
{
	return op == VG_OP_CLFLUSH ? PD_EV_CLFLUSH
	       : op == VG_OP_CLWB  ? PD_EV_CLWB
				   : PD_EV_CLFLUSHOPT;
}

static void flush_event(struct block *b)
{
	UInt kind = flush_kind(b->insn.op);

	if (vg_wants(kind))
		call(b, NULL, 2, "vg_on_flush", vg_on_flush,
		     mkIRExprVec_2(operand_address(b), record(b, kind, 64)));
}

static void fence_event(struct block *b)
{
	UInt kind = b->insn.op == VG_OP_SFENCE	 ? PD_EV_SFENCE
		    : b->insn.op == VG_OP_LFENCE ? PD_EV_LFENCE
						 : PD_EV_MFENCE;

	/* VEX adds one to cpuid and the like, too. */
	if ((b->insn.op == VG_OP_MFENCE || kind != PD_EV_MFENCE) && vg_wants(kind))
		call(b, NULL, 1, "vg_on_fence", vg_on_fence, mkIRExprVec_1(record(b, kind, 0)));
}

static void movdiri(struct block *b)
{
	IRExpr *a = operand_address(b), *v = get_register(b, b->insn.reg);

	if (b->insn.width == 4)
		v = as(b, Ity_I32, IRExpr_Unop(Iop_64to32, v));
	addStmtToIRSB(b->sb, IRStmt_Store(Iend_LE, a, v));
	access_event(b, PD_EV_NTSTORE, a, b->insn.width, NULL);
}

static void movdir64b(struct block *b)
{
	IRExpr *from = operand_address(b), *to = get_register(b, b->insn.reg), *v[8];

	for (UInt i = 0; i < 8; i++)
		v[i] = as(b, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, add(b, from, constant(8 * i))));
	access_event(b, PD_EV_LOAD, from, 64, NULL);
	for (UInt i = 0; i < 8; i++)
		addStmtToIRSB(b->sb, IRStmt_Store(Iend_LE, add(b, to, constant(8 * i)), v[i]));
	access_event(b, PD_EV_NTSTORE, to, 64, NULL);
}

/* ud0, ud1, ud2: undefined on purpose; the program gets its signal. */
static Bool is_trap(const UChar *p)
{
	return p[0] == 0x0f && (p[1] == 0x0b || p[1] == 0xb9 || p[1] == 0xff);
}

/* An instruction that VEX decodes: never one of those that only we decode
 * (tests/valgrind/vex.t). */
static void add_decoded(struct block *b)
{
	enum vg_opcode op;

	vg_decode((const UChar *)b->ip, &b->insn);
	op = b->insn.op;
	PD_CHECK(op != VG_OP_CLWB && op != VG_OP_CLFLUSHOPT && op != VG_OP_MOVDIRI &&
			 op != VG_OP_MOVDIR64B,
		 "this Valgrind decodes an instruction that older ones do not");
}

/* The block ends at an instruction that VEX does not decode. */
static void add_undecoded(struct block *b)
{
	if (b->sb->next->tag != Iex_Const)
		return;
	b->ip = b->sb->next->Iex.Const.con->Ico.U64;
	vg_decode((const UChar *)b->ip, &b->insn);
	switch (b->insn.op) {
	case VG_OP_CLFLUSHOPT:
	case VG_OP_CLWB:
	case VG_OP_CLFLUSH:
		flush_event(b);
		break;
	case VG_OP_MOVDIRI:
		movdiri(b);
		break;
	case VG_OP_MOVDIR64B:
		movdir64b(b);
		break;
	case VG_OP_OTHER:
	case VG_OP_SFENCE:
	case VG_OP_MFENCE:
	case VG_OP_LFENCE:
	case VG_OP_NT:
	case VG_OP_MASKMOVQ:
	case VG_OP_MASKMOVDQU:
	case VG_OP_EXCHANGE:
	case VG_OP_REP_STOS:
	case VG_OP_REP_MOVS:
	case VG_OP_XBEGIN:
	default:
		if (!is_trap((const UChar *)b->ip))
			call(b, NULL, 1, "vg_on_unknown", vg_on_unknown,
			     mkIRExprVec_1(constant(b->ip)));
		return;
	}
	b->sb->jumpkind = Ijk_Boring;
	b->sb->next = constant(b->ip + b->insn.in.length);
}

/* ---- system calls and cpuid ----------------------------------------------------------------- */

/* Lets us change the registers before Valgrind reads them. */
static void before_syscall(struct block *b)
{
	static const Int used[] = {GUEST(RAX), GUEST(RDI), GUEST(RSI), GUEST(RDX),
				   GUEST(R10), GUEST(R8),  GUEST(R9)};
	IRDirty *d = unsafeIRDirty_0_N(0, "vg_on_syscall", VG_(fnptr_to_fnentry)(vg_on_syscall),
				       mkIRExprVec_1(IRExpr_GSPTR()));

	d->nFxState = PD_LEN(used);
	for (Int i = 0; i < (Int)PD_LEN(used); i++) {
		reads(d, i, used[i]);
		d->fxState[i].fx = Ifx_Modify;
	}
	addStmtToIRSB(b->sb, IRStmt_Dirty(d));
}

static void reads_all(IRDirty *d, const Int *offsets, Int n)
{
	d->nFxState = n;
	for (Int i = 0; i < n; i++)
		reads(d, i, offsets[i]);
}

/* A function that is known by name begins here. */
static void function_entry(struct block *b, struct vg_hooks *hooks)
{
	static const Int used[] = {GUEST(RSP), GUEST(RDI), GUEST(RSI), GUEST(RDX),
				   GUEST(RCX), GUEST(R8),  GUEST(R9)};
	struct vg_insn *i = vg_insn_new(b->ip, PD_EV_N, VG_AT_CALLER);
	IRDirty *d = unsafeIRDirty_0_N(0, "vg_on_entry", VG_(fnptr_to_fnentry)(vg_on_entry),
				       mkIRExprVec_2(IRExpr_GSPTR(), constant((HWord)i)));

	i->hooks = hooks;
	reads_all(d, used, PD_LEN(used));
	addStmtToIRSB(b->sb, IRStmt_Dirty(d));
}

/* Such a function may return here; only checked while some entry waits. */
static void function_return(struct block *b)
{
	static const Int used[] = {GUEST(RSP), GUEST(RAX)};
	IRExpr *waiting =
		as(b, Ity_I64, IRExpr_Load(Iend_LE, Ity_I64, constant((HWord)&vg_hooks_waiting)));
	IRDirty *d = unsafeIRDirty_0_N(0, "vg_on_return", VG_(fnptr_to_fnentry)(vg_on_return),
				       mkIRExprVec_1(IRExpr_GSPTR()));

	d->guard = as(b, Ity_I1, IRExpr_Binop(Iop_CmpNE64, waiting, constant(0)));
	reads_all(d, used, PD_LEN(used));
	addStmtToIRSB(b->sb, IRStmt_Dirty(d));
}

/* A store with a rep prefix: does the remaining steps here if possible (repeat.c). */
static void repeat(struct block *b)
{
	static const Int used[] = {GUEST(RSP), GUEST(RBP), GUEST(RAX), GUEST(DFLAG),
				   GUEST(RCX), GUEST(RDI), GUEST(RSI)};
	IRExpr *to = get_register(b, RDI);
	IRDirty *d = unsafeIRDirty_0_N(
		0, "vg_on_repeat", VG_(fnptr_to_fnentry)(vg_on_repeat),
		mkIRExprVec_4(IRExpr_GSPTR(), record(b, PD_EV_STORE, b->insn.width),
			      constant(b->insn.op == VG_OP_REP_MOVS), constant(b->insn.width)));

	d->guard = is_pm(b, to);
	reads_all(d, used, PD_LEN(used));
	for (Int i = 4; i < (Int)PD_LEN(used); i++)
		d->fxState[i].fx = Ifx_Modify;
	addStmtToIRSB(b->sb, IRStmt_Dirty(d));
}

/* A client request: ours are answered here, others go to Valgrind. */
static void request(struct block *b)
{
	IRTemp t = newIRTemp(b->sb->tyenv, Ity_I64);
	IRDirty *d;
	IRExpr *answered;

	if (b->sb->next->tag != Iex_Const)
		return;
	d = unsafeIRDirty_1_N(t, 0, "vg_on_request", VG_(fnptr_to_fnentry)(vg_on_request),
			      mkIRExprVec_2(IRExpr_GSPTR(), record(b, PD_EV_N, 0)));
	d->nFxState = 4;
	reads(d, 0, GUEST(RAX));
	reads(d, 1, GUEST(RSP));
	reads(d, 2, GUEST(RBP));
	reads(d, 3, GUEST(RDX));
	d->fxState[3].fx = Ifx_Modify;
	addStmtToIRSB(b->sb, IRStmt_Dirty(d));
	answered = as(b, Ity_I1, IRExpr_Binop(Iop_CmpNE64, IRExpr_RdTmp(t), constant(0)));
	addStmtToIRSB(b->sb,
		      IRStmt_Exit(answered, Ijk_Boring, b->sb->next->Iex.Const.con, b->sb->offsIP));
}

/* Valgrind's processor has no clwb; ours has. The program must take the same path as on a machine
 * with PM: clflush, its alternative, is ordered differently. */
static void on_cpuid(VexGuestAMD64State *s, ULong leaf, ULong sub)
{
	if ((UInt)leaf == 7 && (UInt)sub == 0)
		s->guest_RBX |= 1ULL << 23 | 1ULL << 24; /* clflushopt, clwb */
}

static Bool is_cpuid(const IRStmt *st)
{
	return VG_(strncmp)(st->Ist.Dirty.details->cee->name, "amd64g_dirtyhelper_CPUID", 24) == 0;
}

static void cpuid(struct block *b, IRStmt *st)
{
	IRExpr *leaf = get_register(b, 0), *sub = get_register(b, 1);
	IRDirty *d;

	addStmtToIRSB(b->sb, st);
	d = unsafeIRDirty_0_N(0, "on_cpuid", VG_(fnptr_to_fnentry)(on_cpuid),
			      mkIRExprVec_3(IRExpr_GSPTR(), leaf, sub));
	d->nFxState = 1;
	reads(d, 0, GUEST(RBX));
	d->fxState[0].fx = Ifx_Modify;
	addStmtToIRSB(b->sb, IRStmt_Dirty(d));
}

/* A helper of VEX that touches memory: x87's long double, fxsave and the like. */
static void helper_event(struct block *b, const IRDirty *d)
{
	if (d->mFx == Ifx_Read || d->mFx == Ifx_Modify)
		load_event(b, d->mAddr, (UInt)d->mSize, d->guard);
	if (d->mFx == Ifx_Write || d->mFx == Ifx_Modify)
		store_event(b, d->mAddr, (UInt)d->mSize, d->guard);
}

/* ---- a block -------------------------------------------------------------------------------- */

static Bool has_cas(const IRSB *in, Int from)
{
	for (Int i = from; i < in->stmts_used && in->stmts[i]->tag != Ist_IMark; i++)
		if (in->stmts[i]->tag == Ist_CAS)
			return True;
	return False;
}

/* The mark at statement i begins an instruction of the program. */
static void begin_instruction(struct block *b, const IRSB *in, Int i)
{
	const IRStmt *st = in->stmts[i];
	Bool jumped = st->Ist.IMark.addr != b->behind;
	struct vg_hooks *hooks;

	b->behind = st->Ist.IMark.addr + st->Ist.IMark.len;
	b->ip = st->Ist.IMark.addr;
	b->insn.op = VG_OP_OTHER;
	if (st->Ist.IMark.len)
		add_decoded(b);
	b->locked = has_cas(in, i + 1);
	hooks = jumped ? vg_hooks_at(b->ip) : NULL;
	if (hooks)
		function_entry(b, hooks);
	if (b->first && (b->insn.op == VG_OP_REP_STOS || b->insn.op == VG_OP_REP_MOVS))
		repeat(b);
	b->first = False;
	if (b->insn.op == VG_OP_XBEGIN)
		call(b, NULL, 2, "vg_on_xbegin", vg_on_xbegin,
		     mkIRExprVec_2(record(b, PD_EV_N, 0), get_register(b, RSP)));
}

static void statement(struct block *b, const IRSB *in, Int i)
{
	IRStmt *st = in->stmts[i];
	IRLoadG *lg;
	IRStoreG *sg;

	if (st->tag == Ist_Dirty && is_cpuid(st)) {
		cpuid(b, st);
		return;
	}
	addStmtToIRSB(b->sb, st);
	switch ((Int)st->tag) { /* an int: other tags touch no memory */
	case Ist_IMark:
		begin_instruction(b, in, i);
		break;
	case Ist_WrTmp:
		note_temporary(b, st);
		if (st->Ist.WrTmp.data->tag == Iex_Load)
			load_event(b, st->Ist.WrTmp.data->Iex.Load.addr,
				   (UInt)sizeofIRType(st->Ist.WrTmp.data->Iex.Load.ty), NULL);
		break;
	case Ist_Store:
		store_event(b, st->Ist.Store.addr, size_of(b, st->Ist.Store.data), NULL);
		break;
	case Ist_StoreG:
		sg = st->Ist.StoreG.details;
		store_event(b, sg->addr, size_of(b, sg->data), sg->guard);
		break;
	case Ist_LoadG: {
		IRType to, from;

		lg = st->Ist.LoadG.details;
		typeOfIRLoadGOp(lg->cvt, &to, &from);
		load_event(b, lg->addr, (UInt)sizeofIRType(from), lg->guard);
		break;
	}
	case Ist_CAS:
		locked_event(b, st->Ist.CAS.details);
		break;
	case Ist_MBE:
		fence_event(b);
		break;
	case Ist_Dirty:
		if (st->Ist.Dirty.details->mFx != Ifx_None)
			helper_event(b, st->Ist.Dirty.details);
		break;
	}
}

IRSB *vg_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
		    const VexGuestExtents *extents, const VexArchInfo *arch, IRType guest_word,
		    IRType host_word)
{
	struct block b = {
		.sb = deepCopyIRSBExceptStmts(in), .ntemps = in->tyenv->types_used, .first = True};

	(void)closure;
	(void)layout;
	(void)extents;
	(void)arch;
	(void)guest_word;
	(void)host_word;
	b.on_stack = vg_scratch((SizeT)b.ntemps * sizeof(*b.on_stack));
	for (Int i = 0; i < in->stmts_used; i++)
		if (in->stmts[i] && in->stmts[i]->tag != Ist_NoOp)
			statement(&b, in, i);
	if (b.sb->jumpkind == Ijk_NoDecode)
		add_undecoded(&b);
	else if (b.sb->jumpkind == Ijk_InvalICache && b.insn.op == VG_OP_CLFLUSH) {
		flush_event(&b);
		b.sb->jumpkind = Ijk_Boring; /* does not change code */
	} else if (b.sb->jumpkind == Ijk_Sys_syscall) {
		before_syscall(&b);
	} else if (b.sb->jumpkind == Ijk_ClientReq) {
		request(&b);
	} else if (b.sb->jumpkind == Ijk_Ret && vg_hooks_any()) {
		function_return(&b);
	}
	return b.sb;
}
