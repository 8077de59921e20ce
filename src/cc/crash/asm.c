/*
 * asm.c - inline asm becomes hooks if its meaning is known, and is bracketed otherwise.
 *
 * An asm is interpreted symbolically: each register and operand is a cell that holds an IR value,
 * each known statement reads and writes cells and emits the hook for its effect on memory. If that
 * works for every statement, and every result is defined in the end, the emitted code replaces the
 * asm; otherwise it is deleted and the asm stays, with asm_pre and asm_post around its memory
 * operands.
 *
 * An asm that stays is a loss if it may touch memory that its operands do not name: through a
 * register, by string instructions, by bytes that we do not recognise as an instruction. x86 has no
 * other way, so a statement without such an operand and not in the list `implicit` touches only
 * operands.
 */
#include "cc/crash/asm.h"
#include "base/bug.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- operands of the asm -------------------------------------------------------------------- */

static int find_cell(struct pd_asm_run *a, const char *reg)
{
	for (unsigned i = 0; i < a->ncells; i++)
		if (strcmp(a->cells[i].reg, reg) == 0)
			return (int)i;
	return -1;
}

int pd_asm_cell(struct pd_asm_run *a, const char *reg)
{
	int i = reg[0] ? find_cell(a, reg) : -1;

	if (i >= 0 || a->ncells == PD_LEN(a->cells))
		return i;
	snprintf(a->cells[a->ncells].reg, sizeof(a->cells[0].reg), "%s", reg);
	return (int)a->ncells++;
}

/* The register named by a constraint: {ax}, {rax}, {xmm0}; "" for any. */
static void constraint_register(const char *c, char *reg, size_t size)
{
	const char *open = strchr(c, '{');
	size_t n = open ? strcspn(open + 1, "}") : 0;
	struct pd_asm_operand op;
	char name[16];

	reg[0] = '\0';
	if (!open || n >= sizeof(name))
		return;
	memcpy(name, open + 1, n);
	name[n] = '\0';
	if (pd_asm_register(name, &op))
		snprintf(reg, size, "%s", op.reg);
}

static LLVMTypeRef output_type(struct pd_asm_run *a, unsigned k)
{
	LLVMTypeRef t = LLVMTypeOf(a->inst);

	return LLVMGetTypeKind(t) == LLVMStructTypeKind ? LLVMStructGetTypeAtIndex(t, k) : t;
}

static void bind_output(struct pd_asm_run *a, struct pd_asm_slot *s, const char *c)
{
	const char *at = strstr(c, "{@cc");
	char reg[12];

	s->output = a->noutputs++;
	s->type = output_type(a, (unsigned)s->output);
	if (at) {
		snprintf(s->condition, sizeof(s->condition), "%.*s", (int)strcspn(at + 4, "}"),
			 at + 4);
		return;
	}
	constraint_register(c, reg, sizeof(reg));
	s->cell = pd_asm_cell(a, reg);
}

static void bind_input(struct pd_asm_run *a, struct pd_asm_slot *s, const char *c)
{
	char reg[12];

	s->arg = LLVMGetOperand(a->inst, a->nargs++);
	s->type = LLVMTypeOf(s->arg);
	if (c[0] >= '0' && c[0] <= '9') {
		int to = atoi(c);

		s->cell = to < (int)a->nslots ? a->slots[to].cell : -1;
	} else {
		constraint_register(c, reg, sizeof(reg));
		s->cell = pd_asm_cell(a, reg);
	}
	if (s->cell >= 0)
		a->cells[s->cell].value = s->arg;
}

static void bind_memory(struct pd_asm_run *a, struct pd_asm_slot *s)
{
	struct pd_ir *m = a->m;
	LLVMAttributeRef et =
		LLVMGetCallSiteEnumAttribute(a->inst, a->nargs + 1, m->attr.elementtype);

	s->indirect = true;
	s->arg = LLVMGetOperand(a->inst, a->nargs++);
	s->type = et ? LLVMGetTypeAttributeValue(et) : NULL;
	s->size = s->type ? (unsigned)LLVMStoreSizeOfType(m->layout, s->type) : 0;
}

static void bind(struct pd_asm_run *a, const char *c)
{
	struct pd_asm_slot *s;

	if (c[0] == '~') {
		a->clobbers_memory |= strstr(c, "memory") != NULL;
		return;
	}
	if (c[0] == '!' || a->nslots == PD_LEN(a->slots) || strchr(c, '|')) {
		a->unsupported = true; /* a label of asm goto, or alternatives */
		if (c[0] == '!' || a->nslots == PD_LEN(a->slots))
			return;
	}
	s = &a->slots[a->nslots];
	*s = (struct pd_asm_slot){.output = -1, .cell = -1};
	if (strchr(c, '*'))
		bind_memory(a, s);
	else if (c[0] == '=')
		bind_output(a, s, c);
	else
		bind_input(a, s, c);
	a->nslots++;
}

static void bind_all(struct pd_asm_run *a, LLVMValueRef ia)
{
	size_t n;
	const char *s = LLVMGetInlineAsmConstraintString(ia, &n);
	char *copy = pd_arena_strndup(&a->m->arena, s, n), *save = NULL;

	PD_CHECK(copy, "out of memory");
	for (char *c = strtok_r(copy, ",", &save); c; c = strtok_r(NULL, ",", &save))
		bind(a, c);
}

/* ---- replacing it --------------------------------------------------------------------------- */

static LLVMValueRef result(struct pd_asm_run *a)
{
	struct pd_ir *m = a->m;
	LLVMTypeRef t = LLVMTypeOf(a->inst);
	bool many = LLVMGetTypeKind(t) == LLVMStructTypeKind;
	LLVMValueRef r = many ? LLVMGetPoison(t) : NULL;

	for (unsigned i = 0; i < a->nslots; i++) {
		struct pd_asm_slot *s = &a->slots[i];
		LLVMValueRef v;

		if (s->output < 0)
			continue;
		v = pd_asm_output(a, s);
		if (!v)
			return NULL;
		r = many ? LLVMBuildInsertValue(m->b, r, v, (unsigned)s->output, "") : v;
	}
	return r;
}

static void take_back(LLVMValueRef inst, LLVMValueRef mark)
{
	for (LLVMValueRef i; (i = LLVMGetPreviousInstruction(inst)) != mark && i;)
		LLVMInstructionEraseFromParent(i);
}

/* Translates all of it, or nothing. */
static bool translate(struct pd_asm_run *a, const struct pd_asm_text *t)
{
	LLVMValueRef mark = LLVMGetPreviousInstruction(a->inst);
	bool is_void = LLVMGetTypeKind(LLVMTypeOf(a->inst)) == LLVMVoidTypeKind;
	LLVMValueRef r = NULL;

	if (a->unsupported || t->overflow || !t->n)
		return false;
	LLVMPositionBuilderBefore(a->m->b, a->inst);
	for (unsigned i = 0; i < t->n; i++)
		if (!pd_asm_step(a, &t->v[i])) {
			take_back(a->inst, mark);
			return false;
		}
	if (!is_void && !(r = result(a))) {
		take_back(a->inst, mark);
		return false;
	}
	if (r)
		LLVMReplaceAllUsesWith(a->inst, r);
	LLVMInstructionEraseFromParent(a->inst);
	return true;
}

/* ---- leaving it ----------------------------------------------------------------------------- */

/* Instructions that touch memory without a memory operand. */
static const char *const implicit[] = {
	"movsb",       "movsw",	    "movsl",	"movsq",   "stosb",  "stosw",	 "stosl",
	"stosq",       "lodsb",	    "lodsw",	"lodsl",   "lodsq",  "cmpsb",	 "cmpsw",
	"cmpsl",       "cmpsq",	    "scasb",	"scasw",   "scasl",  "scasq",	 "insb",
	"insl",	       "outsb",	    "outsl",	"call",	   "callq",  "ret",	 "retq",
	"int",	       "syscall",   "sysenter", "xlat",	   "xlatb",  "maskmovq", "maskmovdqu",
	"vmaskmovdqu", "movdir64b", "enqcmd",	"enqcmds", "wbinvd", "wbnoinvd", "invd",
	"clzero",      "push",	    "pushq",	"pop",	   "popq",   "pushf",	 "pushfq",
	"popf",	       "popfq",	    "leave",	"enter",   "iretq",  "ud2",
};

/* Mnemonics that only compute the address of their memory operand. */
static bool takes_address_only(const char *mnemonic)
{
	return (strncmp(mnemonic, "lea", 3) == 0 && mnemonic[3] != 'v') ||
	       strncmp(mnemonic, "prefetch", 8) == 0 || strncmp(mnemonic, "nop", 3) == 0;
}

static bool may_escape(const struct pd_asm_statement *st)
{
	if (st->raw)
		return true;
	/* A flush or a fence in a text that was not fully translated. */
	if (strstr(st->mnemonic, "fence") || strncmp(st->mnemonic, "clflush", 7) == 0 ||
	    strcmp(st->mnemonic, "clwb") == 0 || (st->data16 && st->mnemonic[0] == 'x'))
		return strcmp(st->mnemonic, "lfence") != 0;
	/* String instructions have no operands in this form; movsbl, and movsd with operands, are
	 * other instructions. */
	for (size_t i = 0; i < PD_LEN(implicit); i++)
		if (strcmp(st->mnemonic, implicit[i]) == 0)
			return st->n == 0 || strncmp(st->mnemonic, "movs", 4) != 0;
	for (unsigned i = 0; i < st->n; i++)
		if ((st->op[i].kind == PD_ASM_MEM || st->op[i].kind == PD_ASM_INDIRECT) &&
		    !takes_address_only(st->mnemonic) && st->mnemonic[0] != 'j')
			return true;
	return false;
}

static bool is_locked(const struct pd_asm_text *t)
{
	for (unsigned i = 0; i < t->n; i++)
		if (t->v[i].lock || strncmp(t->v[i].mnemonic, "xchg", 4) == 0)
			return true;
	return false;
}

static void bracket_one(struct pd_asm_run *a, const struct pd_asm_slot *s, bool locked,
			LLVMValueRef site)
{
	struct pd_ir *m = a->m;
	LLVMValueRef args[] = {s->arg, pd_ir_const64(m, s->size),
			       pd_ir_const32(m, locked ? PD_ASM_LOCKED : PD_ASM_PLAIN), site};

	LLVMPositionBuilderBefore(m->b, a->inst);
	pd_hook_call(m, PD_HOOK_asm_pre, args);
	LLVMPositionBuilderBefore(m->b, LLVMGetNextInstruction(a->inst));
	LLVMSetCurrentDebugLocation2(m->b, LLVMInstructionGetDebugLoc(a->inst));
	pd_hook_call(m, PD_HOOK_asm_post, args);
}

/* "+m" is two operands with the same address: bracket it once. */
static bool seen_before(const struct pd_asm_run *a, unsigned i)
{
	for (unsigned k = 0; k < i; k++)
		if (a->slots[k].indirect && a->slots[k].arg == a->slots[i].arg)
			return true;
	return false;
}

static bool mentions(const struct pd_asm_statement *st, unsigned slot)
{
	for (unsigned i = 0; i < st->n; i++)
		if (st->op[i].slot == (int)slot)
			return true;
	return false;
}

/* Whether the operand's memory is not accessed, because only its address is taken. An operand that
 * no statement mentions may be accessed through a register. */
static bool only_addressed(const struct pd_asm_text *t, unsigned slot)
{
	bool mentioned = false;

	if (!t || t->overflow)
		return false;
	for (unsigned i = 0; i < t->n; i++) {
		if (t->v[i].raw)
			return false;
		if (!mentions(&t->v[i], slot))
			continue;
		if (!takes_address_only(t->v[i].mnemonic))
			return false;
		mentioned = true;
	}
	return mentioned;
}

/* t is NULL if the text was not parsed. */
static unsigned bracket(struct pd_asm_run *a, const struct pd_asm_text *t, bool locked)
{
	LLVMValueRef site = NULL;
	unsigned n = 0;

	for (unsigned i = 0; i < a->nslots; i++) {
		struct pd_asm_slot *s = &a->slots[i];

		if (!s->indirect || seen_before(a, i) || (!locked && pd_ir_not_pm(a->m, s->arg)) ||
		    only_addressed(t, i))
			continue;
		n++;
		if (LLVMIsATerminatorInst(a->inst))
			continue;
		if (!site)
			site = pd_site_of(a->m, a->inst, PD_SITE_ASM | pd_decides(a->m, a->inst),
					  s->size);
		bracket_one(a, s, locked, site);
	}
	return n;
}

static void leave(struct pd_asm_run *a, const struct pd_asm_text *t, const char *text, size_t n)
{
	bool lost = t->overflow;
	unsigned bracketed;

	for (unsigned i = 0; i < t->n; i++)
		lost |= may_escape(&t->v[i]);
	if (!t->n && !lost)
		return; /* a compiler barrier */
	bracketed = bracket(a, t, is_locked(t));
	/* After an asm goto, or one that may unwind, execution continues at several places. */
	lost |= bracketed && LLVMIsATerminatorInst(a->inst);
	if (lost)
		pd_loss_emit(a->m, a->inst, PD_LOSS_ASM, text, n);
}

/* Intel syntax is not parsed. */
static bool is_opaque(LLVMValueRef ia, const char *text, size_t n)
{
	return LLVMGetInlineAsmDialect(ia) == LLVMInlineAsmDialectIntel || memchr(text, '[', n) ||
	       (n >= 6 && memmem(text, n, "_syntax", 7));
}

/* Client requests of Valgrind: rotations that cancel out around an exchange of a register with
 * itself. They talk to Valgrind, and their operands are on the stack. */
static bool is_valgrind_request(const char *text, size_t n)
{
	return memmem(text, n, "xchgq %rbx,%rbx", 15) != NULL;
}

bool pd_asm_is_request(LLVMValueRef call)
{
	LLVMValueRef callee = LLVMGetCalledValue(call);
	const char *text;
	size_t n;

	if (LLVMIsAFunction(callee)) {
		text = LLVMGetValueName2(callee, &n);
		return strcmp(text, "__pd_request") == 0;
	}
	if (!LLVMIsAInlineAsm(callee))
		return false;
	text = LLVMGetInlineAsmAsmString(callee, &n);
	return is_valgrind_request(text, n);
}

/* The request's arguments, and its default result. The runtime may handle it. */
static void listen(struct pd_ir *m, LLVMValueRef inst)
{
	LLVMValueRef a[2] = {NULL, inst}, answer;

	if (LLVMIsATerminatorInst(inst) || LLVMTypeOf(inst) != m->t_i64 ||
	    LLVMGetNumArgOperands(inst) != 2 ||
	    LLVMTypeOf(a[0] = LLVMGetOperand(inst, 0)) != m->t_ptr)
		return; /* hand-written, not in Valgrind's form */
	LLVMPositionBuilderBefore(m->b, LLVMGetNextInstruction(inst));
	LLVMSetCurrentDebugLocation2(m->b, LLVMInstructionGetDebugLoc(inst));
	answer = pd_hook_call(m, PD_HOOK_request, a);
	LLVMReplaceAllUsesWith(inst, answer);
	LLVMSetOperand(answer, 1, inst); /* this also replaced its own operand */
}

void pd_asm_call(struct pd_ir *m, LLVMValueRef inst)
{
	LLVMValueRef ia = LLVMGetCalledValue(inst);
	struct pd_asm_run a = {
		.m = m, .inst = inst, .unsupported = LLVMIsATerminatorInst(inst) != NULL};
	struct pd_asm_text t;
	size_t n;
	const char *text = LLVMGetInlineAsmAsmString(ia, &n);

	if (is_valgrind_request(text, n)) {
		listen(m, inst);
		return;
	}
	bind_all(&a, ia);
	if (is_opaque(ia, text, n)) {
		bracket(&a, NULL, memmem(text, n, "lock", 4) || memmem(text, n, "xchg", 4));
		pd_loss_emit(m, inst, PD_LOSS_ASM, text, n);
		return;
	}
	pd_asm_parse(&t, text, n);
	if (!translate(&a, &t))
		leave(&a, &t, text, n);
}

/* Asm outside of functions: directives are harmless, instructions are not instrumented. */
void pd_asm_module(struct pd_ir *m)
{
	size_t n;
	const char *text = LLVMGetModuleInlineAsm(m->mod, &n);
	struct pd_asm_text t;
	bool code;

	if (!n)
		return;
	pd_asm_parse(&t, text, n);
	code = t.overflow;
	for (unsigned i = 0; i < t.n; i++)
		code |= t.v[i].raw || t.v[i].mnemonic[0];
	if (code)
		pd_loss_add(m, NULL, PD_LOSS_ASM, "asm outside of functions", 24);
}
