/*
 * trace_rt.c - a runtime that does what it is told and writes down what it was told.
 *
 * Stands in for the real one where a test is about what the compiler emits. Every hook does its
 * operation on memory; while pd_trace(1) is in force, those on PM, and those that need no memory, are
 * written to the file that PD_TRACE names, one line each:
 *
 *	LINE kind@OFFSET+SIZE=VALUE/ORDER!FLAGS
 *
 * The line is that of the outermost place, so that code inlined from a header counts where it was
 * used. Offsets are in hex from the start of the PM window, "-" is memory outside. Flags: a atomic,
 * v volatile, n non-temporal, b block, f bit-field, s asm.
 */
#include "base/bug.h"
#include "event/symbolic.h"
#include "event/view.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define PART(x) ((void *)(x))

typedef unsigned __int128 u128;
typedef const struct pd_site *site_t;

_Thread_local const struct pd_site *__pd_call_site;

static FILE *out;
static int on;

void pd_trace(int enable);

void pd_trace(int enable)
{
	if (enable && !out && getenv("PD_TRACE"))
		out = fopen(getenv("PD_TRACE"), "w");
	on = enable && out;
}

static void finish(void) __attribute__((destructor));

static void finish(void)
{
	if (out)
		fclose(out);
}

/* ---- writing it down ----------------------------------------------------------------------- */

/* What a compiler's header does, as _mm_clwb, is told at the place in the program that it came to. */
static int in_header(site_t s)
{
	size_t n = s->file ? strlen(s->file) : 0;

	return n > 2 && strcmp(s->file + n - 2, ".h") == 0;
}

/* A line is written in pieces; put_flags ends it. */
static void begin(site_t s)
{
	site_t at = s;

	flockfile(out);

	while (at && at->inlined_at && in_header(at))
		at = at->inlined_at;
	fprintf(out, "%u ", at ? at->line : 0);
}

static void put_flags(site_t s)
{
	static const char letters[] = "avnbfs";

	/* What optimising makes of a store is not the source's: it differs from level to level. */
	if (s && s->flags & ((1 << (sizeof(letters) - 1)) - 1))
		fputc('!', out);
	for (int i = 0; s && letters[i]; i++)
		if (s->flags & (1 << i))
			fputc(letters[i], out);
	fputc('\n', out);
	funlockfile(out);
}

static const char *place(const void *p)
{
	static _Thread_local char buf[4][24];
	static _Thread_local int k;

	k = (k + 1) % 4;
	if (!PD_IS_PM((uintptr_t)p))
		return "-";
	snprintf(buf[k], sizeof(buf[k]), "%lx", (unsigned long)((uintptr_t)p - PD_PM_BASE));
	return buf[k];
}

static const char *order_name(int o)
{
	static const char *const names[] = {"rlx", "con", "acq", "rel", "ar", "sc", "none"};

	return o >= 0 && o <= PD_ORDER_NONE ? names[o] : "bad-order";
}

static void put_value(u128 v, size_t n)
{
	if (n == 16 && (uint64_t)(v >> 64))
		fprintf(out, "=%lx.%016lx", (uint64_t)(v >> 64), (uint64_t)v);
	else
		fprintf(out, "=%lx", (uint64_t)v);
}

static void put_bytes(const void *p, size_t n)
{
	const unsigned char *b = p;

	fputc('=', out);
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%02x", b[i]);
}

static void access(const char *kind, const void *p, size_t n, u128 v, const char *order, site_t s)
{
	if (!on || !PD_IS_PM((uintptr_t)p))
		return;
	begin(s);
	fprintf(out, "%s@%s+%zu", kind, place(p), n);
	put_value(v, n);
	if (order)
		fprintf(out, "/%s", order);
	put_flags(s);
}

/* ---- values -------------------------------------------------------------------------------- */

static double apply_float(int op, double a, double b)
{
	switch (op) {
	case PD_RMW_FADD:
		return a + b;
	case PD_RMW_FSUB:
		return a - b;
	case PD_RMW_FMAX:
		return a > b ? a : b;
	default:
		return a < b ? a : b;
	}
}

static u128 apply_floats(int op, u128 x, u128 y, size_t n)
{
	u128 r = 0;

	if (n == 8) {
		double a, b;

		memcpy(&a, &x, 8);
		memcpy(&b, &y, 8);
		a = apply_float(op, a, b);
		memcpy(&r, &a, 8);
	} else {
		float a, b;

		memcpy(&a, &x, 4);
		memcpy(&b, &y, 4);
		a = (float)apply_float(op, a, b);
		memcpy(&r, &a, 4);
	}
	return r;
}

static __int128 as_signed(u128 v, size_t n)
{
	unsigned shift = (unsigned)(128 - 8 * n);

	return (__int128)(v << shift) >> shift;
}

static u128 apply(int op, u128 a, u128 b, size_t n)
{
	switch (op) {
	case PD_RMW_XCHG:
		return b;
	case PD_RMW_ADD:
		return a + b;
	case PD_RMW_SUB:
		return a - b;
	case PD_RMW_AND:
		return a & b;
	case PD_RMW_NAND:
		return ~(a & b);
	case PD_RMW_OR:
		return a | b;
	case PD_RMW_XOR:
		return a ^ b;
	case PD_RMW_MAX:
		return as_signed(a, n) > as_signed(b, n) ? a : b;
	case PD_RMW_MIN:
		return as_signed(a, n) < as_signed(b, n) ? a : b;
	case PD_RMW_UMAX:
		return a > b ? a : b;
	case PD_RMW_UMIN:
		return a < b ? a : b;
	case PD_RMW_FADD:
	case PD_RMW_FSUB:
	case PD_RMW_FMAX:
	case PD_RMW_FMIN:
		return apply_floats(op, a, b, n);
	default:
		abort();
	}
}

static const char *rmw_name(int op)
{
	static const char *const names[] = {"rmw.xchg", "rmw.add",  "rmw.sub",	"rmw.and", "rmw.nand",
					    "rmw.or",	"rmw.xor",  "rmw.max",	"rmw.min", "rmw.umax",
					    "rmw.umin", "rmw.fadd", "rmw.fsub", "rmw.fmax", "rmw.fmin"};

	return op >= 0 && op <= PD_RMW_FMIN ? names[op] : "rmw.bad";
}

/* ---- sized hooks --------------------------------------------------------------------------- */

static void put_cas(const void *p, size_t n, u128 e, u128 d, site_t s, int ok, int fail)
{
	if (!on || !PD_IS_PM((uintptr_t)p))
		return;
	begin(s);
	fprintf(out, "cas@%s+%zu", place(p), n);
	put_value(e, n);
	put_value(d, n);
	fprintf(out, "/%s,%s", order_name(ok), order_name(fail));
	put_flags(s);
}

#define SIZED(n, type)                                                                             \
	type __pd_load##n(void *p, site_t s);                                                      \
	type __pd_load##n(void *p, site_t s)                                                       \
	{                                                                                          \
		type v;                                                                            \
                                                                                                   \
		memcpy(&v, p, n);                                                                  \
		access("load", p, n, v, NULL, s);                                                  \
		return v;                                                                          \
	}                                                                                          \
	void __pd_store##n(void *p, type v, site_t s);                                             \
	void __pd_store##n(void *p, type v, site_t s)                                              \
	{                                                                                          \
		memcpy(p, &v, n);                                                                  \
		access("store", p, n, v, NULL, s);                                                 \
	}                                                                                          \
	void __pd_ntstore##n(void *p, type v, site_t s);                                           \
	void __pd_ntstore##n(void *p, type v, site_t s)                                            \
	{                                                                                          \
		memcpy(p, &v, n);                                                                  \
		access("ntstore", p, n, v, NULL, s);                                               \
	}                                                                                          \
	type __pd_aload##n(void *p, site_t s, int o);                                              \
	type __pd_aload##n(void *p, site_t s, int o)                                               \
	{                                                                                          \
		type v = __atomic_load_n((type *)p, __ATOMIC_SEQ_CST);                             \
                                                                                                   \
		access("aload", p, n, v, order_name(o), s);                                        \
		return v;                                                                          \
	}                                                                                          \
	void __pd_astore##n(void *p, type v, site_t s, int o);                                     \
	void __pd_astore##n(void *p, type v, site_t s, int o)                                      \
	{                                                                                          \
		__atomic_store_n((type *)p, v, __ATOMIC_SEQ_CST);                                  \
		access("astore", p, n, v, order_name(o), s);                                       \
	}                                                                                          \
	type __pd_rmw##n(void *p, type v, site_t s, int op, int o);                                \
	type __pd_rmw##n(void *p, type v, site_t s, int op, int o)                                 \
	{                                                                                          \
		type old = __atomic_load_n((type *)p, __ATOMIC_RELAXED);                           \
                                                                                                   \
		while (!__atomic_compare_exchange_n((type *)p, &old, (type)apply(op, old, v, n),   \
						    0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))        \
			;                                                                          \
		access(rmw_name(op), p, n, v, order_name(o), s);                                   \
		return old;                                                                        \
	}                                                                                          \
	type __pd_cas##n(void *p, type e, type d, site_t s, int ok, int fail);                     \
	type __pd_cas##n(void *p, type e, type d, site_t s, int ok, int fail)                      \
	{                                                                                          \
		type old = e;                                                                      \
                                                                                                   \
		__atomic_compare_exchange_n((type *)p, &old, d, 0, __ATOMIC_SEQ_CST,               \
					    __ATOMIC_SEQ_CST);                                     \
		put_cas(p, n, e, d, s, ok, fail);                                                  \
		return old;                                                                        \
	}

SIZED(1, uint8_t)
SIZED(2, uint16_t)
SIZED(4, uint32_t)
SIZED(8, uint64_t)
SIZED(16, u128)

/*
 * A load that is only looked at is a load. PD_TRACE_ALIKE=SEED: it returns another value that looks the
 * same, if one is found, and no program may notice. This is how often.
 */
unsigned long pd_trace_alike;

void pd_bug_report(const char *file, int line, const char *what)
{
	fprintf(stderr, "%s:%d: %s\n", file, line, what);
	abort();
}

static uint64_t alike(const struct pd_view *view, uint64_t a, uint64_t b, uint64_t v)
{
	static uint64_t drawn;
	static int is_on = -1;
	struct pd_lens lens = {view, {a, b}};
	uint8_t seen[PD_VIEW_SEEN], other[PD_VIEW_SEEN];
	uint32_t n;

	if (is_on < 0) {
		is_on = getenv("PD_TRACE_ALIKE") != NULL;
		drawn = is_on ? strtoull(getenv("PD_TRACE_ALIKE"), NULL, 0) : 0;
	}
	if (!is_on)
		return v;
	n = pd_view_look(&lens, (const uint8_t *)&v, seen);
	for (int i = 0; i < 40; i++) {
		uint64_t w;

		drawn = drawn * 6364136223846793005 + 1442695040888963407;
		w = drawn >> 33;
		w = i % 4 == 0 ? v ^ 1ULL << w % 64 : i % 4 == 1 ? v + w % 9 - 4 : i % 4 == 2 ? w % 16 : w * w;
		if (view->size < 8)
			w &= (1ULL << 8 * view->size) - 1;
		if (w != v && pd_view_look(&lens, (const uint8_t *)&w, other) == n &&
		    memcmp(seen, other, n) == 0) {
			pd_trace_alike++;
			return w;
		}
	}
	return v;
}

#define ASK(n, type)                                                                               \
	type __pd_ask##n(void *p, site_t s, const struct pd_view *view, uint64_t a, uint64_t b);   \
	type __pd_ask##n(void *p, site_t s, const struct pd_view *view, uint64_t a, uint64_t b)    \
	{                                                                                          \
		return (type)alike(view, a, b, __pd_load##n(p, s));                                \
	}                                                                                          \
	type __pd_aask##n(void *p, site_t s, int o, const struct pd_view *view, uint64_t a,        \
			  uint64_t b);                                                             \
	type __pd_aask##n(void *p, site_t s, int o, const struct pd_view *view, uint64_t a,        \
			  uint64_t b)                                                              \
	{                                                                                          \
		return (type)alike(view, a, b, __pd_aload##n(p, s, o));                            \
	}

ASK(1, uint8_t)
ASK(2, uint16_t)
ASK(4, uint32_t)
ASK(8, uint64_t)

/* ---- blocks -------------------------------------------------------------------------------- */

#define HOOK(ret, name, ...)                                                                       \
	ret __pd_##name(__VA_ARGS__);                                                              \
	ret __pd_##name(__VA_ARGS__)

static void block(const char *kind, const void *p, const void *bytes, size_t n, site_t s)
{
	if (!on || !PD_IS_PM((uintptr_t)p))
		return;
	begin(s);
	fprintf(out, "%s@%s+%zu", kind, place(p), n);
	put_bytes(bytes, n);
	put_flags(s);
}

HOOK(void, loadb, void *p, void *tmp, uint64_t n, site_t s)
{
	memcpy(tmp, p, n);
	block("loadb", p, tmp, n, s);
}

HOOK(void, storeb, void *p, void *tmp, uint64_t n, site_t s, int flags)
{
	memcpy(p, tmp, n);
	block(flags & PD_STORE_NT ? "ntstoreb" : "storeb", p, tmp, n, s);
}

static void copied(const char *kind, const void *d, const void *p, size_t n, site_t s)
{
	if (!on || (!PD_IS_PM((uintptr_t)d) && !PD_IS_PM((uintptr_t)p)))
		return;
	begin(s);
	fprintf(out, "%s@%s+%zu<%s", kind, place(d), n, place(p));
	put_flags(s);
}

HOOK(void, memcpy, void *d, void *p, uint64_t n, site_t s)
{
	memcpy(d, p, n);
	copied("memcpy", d, p, n, s);
}

HOOK(void, memmove, void *d, void *p, uint64_t n, site_t s)
{
	memmove(d, p, n);
	copied("memmove", d, p, n, s);
}

HOOK(void, memset, void *d, int c, uint64_t n, site_t s)
{
	memset(d, c, n);
	access("memset", d, n, (unsigned char)c, NULL, s);
}

/* ---- lanes --------------------------------------------------------------------------------- */

static void lanes(const char *kind, const char *where, const unsigned char *mask, int size, uint64_t n,
		  const void *tmp, site_t s)
{
	if (!on)
		return;
	begin(s);
	fprintf(out, "%s@%s+%dx%lu:", kind, where, size, n);
	for (uint64_t i = 0; i < n; i++)
		fputc(mask[i] ? '1' : '0', out);
	put_bytes(tmp, (size_t)size * n);
	put_flags(s);
}

HOOK(void, maskload, void *p, void *tmp, void *mask, int size, uint64_t n, site_t s)
{
	for (uint64_t i = 0; i < n; i++)
		if (((unsigned char *)mask)[i])
			memcpy((char *)tmp + i * size, (char *)p + i * size, size);
	if (PD_IS_PM((uintptr_t)p))
		lanes("maskload", place(p), mask, size, n, tmp, s);
}

HOOK(void, maskstore, void *p, void *tmp, void *mask, int size, uint64_t n, site_t s, int flags)
{
	for (uint64_t i = 0; i < n; i++)
		if (((unsigned char *)mask)[i])
			memcpy((char *)p + i * size, (char *)tmp + i * size, size);
	if (PD_IS_PM((uintptr_t)p))
		lanes(flags & PD_STORE_NT ? "ntmaskstore" : "maskstore", place(p), mask, size, n, tmp,
		      s);
}

HOOK(void, gather, void *at, void *tmp, void *mask, int size, uint64_t n, site_t s)
{
	for (uint64_t i = 0; i < n; i++)
		if (((unsigned char *)mask)[i])
			memcpy((char *)tmp + i * size, ((void **)at)[i], size);
	if (PD_IS_PM(((uintptr_t *)at)[0]))
		lanes("gather", place(((void **)at)[0]), mask, size, n, tmp, s);
}

HOOK(void, scatter, void *at, void *tmp, void *mask, int size, uint64_t n, site_t s)
{
	for (uint64_t i = 0; i < n; i++)
		if (((unsigned char *)mask)[i])
			memcpy(((void **)at)[i], (char *)tmp + i * size, size);
	if (PD_IS_PM(((uintptr_t *)at)[0]))
		lanes("scatter", place(((void **)at)[0]), mask, size, n, tmp, s);
}

/* ---- order --------------------------------------------------------------------------------- */

static void plain(site_t s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void plain(site_t s, const char *fmt, ...)
{
	va_list ap;

	if (!on)
		return;
	begin(s);
	va_start(ap, fmt);
	vfprintf(out, fmt, ap);
	va_end(ap);
	put_flags(s);
}

HOOK(void, flush, void *p, int kind, site_t s)
{
	static const char *const names[] = {"clflush", "clflushopt", "clwb"};

	plain(s, "%s@%s", names[kind], place(p));
}

HOOK(void, fence, int kind, site_t s)
{
	static const char *const names[] = {"sfence", "mfence", "lfence"};

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	plain(s, "%s", names[kind]);
}

HOOK(void, cfence, int o, site_t s)
{
	plain(s, "cfence/%s", order_name(o));
}

HOOK(void, pause, site_t s)
{
	plain(s, "pause");
}

HOOK(unsigned, xact, int what, site_t s)
{
	plain(s, "xact/%d", what);
	return 0;
}

HOOK(void, asm_pre, void *p, uint64_t n, int kind, site_t s)
{
	plain(s, "asm-pre%s@%s+%lu", kind == PD_ASM_LOCKED ? ".locked" : "", place(p), n);
}

HOOK(void, asm_post, void *p, uint64_t n, int kind, site_t s)
{
	plain(s, "asm-post%s@%s+%lu", kind == PD_ASM_LOCKED ? ".locked" : "", place(p), n);
}

/* Of interest to runs that are watched; bugs/lint-pmemcheck has it. */
HOOK(uint64_t, request, const uint64_t *words, uint64_t answer)
{
	(void)words;
	return answer;
}

/* Of interest to lockset alone; tests/lockset has it. */
HOOK(void, called, const char *name, int after, uint64_t a, uint64_t b, uint64_t c, int64_t result, site_t s)
{
	(void)name, (void)after, (void)a, (void)b, (void)c, (void)result, (void)s;
}

HOOK(void, loss, int kind, site_t s)
{
	plain(s, "loss.%d", kind);
}

static void put_sites(FILE *f, const struct pd_module *m)
{
	for (uint32_t i = 0; i < m->nsites; i++) {
		site_t s = &m->sites[i];

		fprintf(f, "site %s:%u:%u in %s size %u flags %u", s->file ? s->file : "-", s->line,
			s->column, s->function ? s->function : "-", s->size, s->flags);
		if (s->inlined_at)
			fprintf(f, " inlined at %u in %s", s->inlined_at->line, s->inlined_at->function);
		fputc('\n', f);
	}
}

/* PD_TRACE_MODULES: what each object says of itself. */
HOOK(void, module, struct pd_module *m)
{
	const char *file = getenv("PD_TRACE_MODULES");
	FILE *f = file ? fopen(file, "a") : NULL;

	if (m->abi != PD_ABI)
		abort();
	for (uint32_t i = 0; i < m->nsites; i++)
		m->sites[i].id = i + 1;
	if (!f)
		return;
	fprintf(f, "module %s sites %u losses %u\n", m->source, m->nsites, m->nlosses);
	for (uint32_t i = 0; i < m->nlosses; i++)
		fprintf(f, "loss %u line %u in %s: %s\n", m->losses[i].kind, m->losses[i].site->line,
			m->losses[i].site->function ? m->losses[i].site->function : "-",
			m->losses[i].what);
	put_sites(f, m);
	fclose(f);
}

/* ---- the C library ------------------------------------------------------------------------- */

void pd_trace_wrapped(const char *name);

void pd_trace_wrapped(const char *name)
{
	site_t s = __pd_call_site;

	__pd_call_site = NULL;
	plain(s, "%s()", name);
}

/*
 * Each wrapper keeps its arguments, whatever they are, writes down its name and goes on to libc. (Weak: this libc may
 * not have it, and what is libm's is there only where the program can call it.)
 */
#define PD_WRAP(name, arguments)                                                                   \
	__asm__(".text\n.globl __pd_w_" #name "\n.type __pd_w_" #name ",@function\n"               \
		"__pd_w_" #name ":\n"                                                              \
		"push %rbp\nmov %rsp,%rbp\nand $-16,%rsp\nsub $192,%rsp\n"                         \
		"mov %rdi,(%rsp)\nmov %rsi,8(%rsp)\nmov %rdx,16(%rsp)\nmov %rcx,24(%rsp)\n"        \
		"mov %r8,32(%rsp)\nmov %r9,40(%rsp)\nmov %rax,48(%rsp)\n"                          \
		"movups %xmm0,64(%rsp)\nmovups %xmm1,80(%rsp)\nmovups %xmm2,96(%rsp)\n"            \
		"movups %xmm3,112(%rsp)\nmovups %xmm4,128(%rsp)\nmovups %xmm5,144(%rsp)\n"         \
		"lea 1f(%rip),%rdi\ncall pd_trace_wrapped@PLT\n"                                   \
		"mov (%rsp),%rdi\nmov 8(%rsp),%rsi\nmov 16(%rsp),%rdx\nmov 24(%rsp),%rcx\n"        \
		"mov 32(%rsp),%r8\nmov 40(%rsp),%r9\nmov 48(%rsp),%rax\n"                          \
		"movups 64(%rsp),%xmm0\nmovups 80(%rsp),%xmm1\nmovups 96(%rsp),%xmm2\n"            \
		"movups 112(%rsp),%xmm3\nmovups 128(%rsp),%xmm4\nmovups 144(%rsp),%xmm5\n"         \
		"leave\n.weak " #name "\njmp *" #name "@GOTPCREL(%rip)\n"                          \
		".section .rodata\n1: .asciz \"" #name "\"\n.text\n");
#include "cc/crash/wrap.def"

/* ---- labels ---------------------------------------------------------------------------------- */

/* Nothing has one: flags are 0 for good, and only functions with a summary are told of their calls. */
_Thread_local struct pd_sym_pass __pd_sym_pass;
uint32_t __pd_sym_live;

void __pd_sym_begin(void);
void __pd_sym_calling(struct pd_sym_call *c);
uint32_t __pd_sym_called(struct pd_sym_call *c);
void __pd_sym_copy(void *to, void *from, uint64_t n);
void __pd_sym_fill(void *p, uint32_t l, int byte, uint64_t n);
void __pd_sym_pin_range(site_t s, void *p, uint64_t n, int why);

void __pd_sym_begin(void)
{
	mmap(PART(PD_SYM_FLAGS), 1ULL << PD_LAYOUT_SHIFT, PROT_READ,
	     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
}

void __pd_sym_calling(struct pd_sym_call *c)
{
	(void)c;
}

uint32_t __pd_sym_called(struct pd_sym_call *c)
{
	(void)c;
	return 0;
}

void __pd_sym_copy(void *to, void *from, uint64_t n)
{
	(void)to;
	(void)from;
	(void)n;
}

void __pd_sym_fill(void *p, uint32_t l, int byte, uint64_t n)
{
	(void)p;
	(void)l;
	(void)byte;
	(void)n;
}

void __pd_sym_pin_range(site_t s, void *p, uint64_t n, int why)
{
	(void)s;
	(void)p;
	(void)n;
	(void)why;
}

#define NEVER(name)                                                                                \
	__asm__(".globl __pd_sym_" #name "\n.type __pd_sym_" #name ",@function\n"                  \
		"__pd_sym_" #name ": ud2\n")
NEVER(binary);
NEVER(cast);
NEVER(concat);
NEVER(ite);
NEVER(compute);
NEVER(load);
NEVER(load_at);
NEVER(store);
NEVER(store_at);
NEVER(branch);
NEVER(switch);
NEVER(pin);
NEVER(untaken);
NEVER(show);
NEVER(strayed);
NEVER(va_start);

/* Functions that are called in place of libc's. */
#define PD_SUMMARY_INSTEAD(name)                                                                   \
	__asm__(".globl __pd_sym_w_" #name "\n.weak " #name "\n.type __pd_sym_w_" #name ",@function\n"                                 \
		"__pd_sym_w_" #name ": jmp *" #name "@GOTPCREL(%rip)\n");
#include "cc/symbolic/summary.def"
