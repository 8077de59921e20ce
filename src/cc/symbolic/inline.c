/*
 * inline.c - the fast path of code that handles labels: if there is none, do nothing.
 *
 * Compiled to bitcode once, linked into every module and inlined there, after the pass of mode
 * crash, which never sees this code. Each function does what its namesake of symbolic.def does,
 * behind a test that rarely succeeds.
 *
 * Functions of the runtime that are called in loops preserve almost all registers (preserve_most):
 * the surrounding code need not save its own for a call that is rarely made.
 *
 * No function here promises anything about memory. At the first use of the input, the program
 * continues with other bytes: the compiler must not move a load before the call that may cause
 * this.
 */
#include "event/symbolic.h"
#include <stdbool.h>
#include <stddef.h>

#define HELPER	 __attribute__((always_inline, nothrow))
#define SLOW	 __attribute__((preserve_most, cold, nothrow))
#define RARE	 __attribute__((cold, nothrow))
#define NOESCAPE __attribute__((noescape))
#define SOME(c)	 __builtin_expect(!!(c), 0)

typedef uint16_t __attribute__((aligned(1), may_alias)) any16;
typedef uint64_t __attribute__((aligned(1), may_alias)) any64;

SLOW uint32_t __pd_sym_binary(int how, uint32_t la, uint32_t lb, uint64_t a, uint64_t b);
SLOW uint32_t __pd_sym_cast(int how, uint32_t l, uint64_t v);
RARE uint32_t __pd_sym_ite(int how, uint32_t lc, uint32_t la, uint32_t lb, uint8_t c, uint64_t a,
			   uint64_t b);
RARE uint32_t __pd_sym_compute(int how, uint32_t la, uint32_t lb, uint32_t lc, uint64_t a,
			       uint64_t b, uint64_t c);
SLOW uint32_t __pd_sym_load(void *p NOESCAPE, int n);
SLOW uint32_t __pd_sym_load_at(const struct pd_site *s, uint32_t lp, void *p NOESCAPE, int n);
SLOW void __pd_sym_store(void *p NOESCAPE, int n, uint32_t l, uint64_t v);
SLOW void __pd_sym_store_at(const struct pd_site *s, uint32_t lp, void *p NOESCAPE, int n,
			    uint32_t l, uint64_t v);
RARE void __pd_sym_copy(void *to NOESCAPE, void *from NOESCAPE, uint64_t n);
RARE void __pd_sym_fill(void *p NOESCAPE, uint32_t l, int byte, uint64_t n);
RARE void __pd_sym_pin_range(const struct pd_site *s, void *p NOESCAPE, uint64_t n, int why);
SLOW void __pd_sym_branch(const struct pd_site *s, uint32_t l, int taken);
SLOW void __pd_sym_switch(const struct pd_site *s, uint32_t l, uint64_t v,
			  const struct pd_sym_switch *t);
SLOW void __pd_sym_pin(const struct pd_site *s, uint32_t l, int width, uint64_t v, int why);
RARE void __pd_sym_calling(struct pd_sym_call *c NOESCAPE);
RARE uint32_t __pd_sym_called(struct pd_sym_call *c NOESCAPE);
RARE void __pd_sym_untaken(const struct pd_site *s, const void *callee);
RARE void __pd_sym_strayed(const struct pd_site *s, const void *by);
RARE void __pd_sym_show(const struct pd_site *s, const void *callee, const char *name,
			const void *p NOESCAPE, uint64_t size);
RARE void __pd_sym_va_start(void *list NOESCAPE);

/* ---- values ---------------------------------------------------------------------------------- */

HELPER uint32_t __pd_si_binary(int how, uint32_t la, uint32_t lb, uint64_t a, uint64_t b)
{
	return SOME(la | lb) ? __pd_sym_binary(how, la, lb, a, b) : 0;
}

HELPER uint32_t __pd_si_cast(int how, uint32_t l, uint64_t v)
{
	return SOME(l) ? __pd_sym_cast(how, l, v) : 0;
}

HELPER uint32_t __pd_si_ite(int how, uint32_t lc, uint32_t la, uint32_t lb, uint8_t c, uint64_t a,
			    uint64_t b)
{
	return SOME(lc | la | lb) ? __pd_sym_ite(how, lc, la, lb, c, a, b) : 0;
}

HELPER uint32_t __pd_si_compute(int how, uint32_t la, uint32_t lb, uint32_t lc, uint64_t a,
				uint64_t b, uint64_t c)
{
	return SOME(la | lb | lc) ? __pd_sym_compute(how, la, lb, lc, a, b, c) : 0;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Of 8 bytes at any address, and of up to 8 more around them: the callee checks exactly. */
static HELPER bool flagged(const void *p)
{
	return SOME(*(const any16 *)(PD_SYM_FLAGS + ((uintptr_t)p >> 3)));
}

/* Of up to 56 bytes. */
static HELPER bool flagged_block(const void *p)
{
	return SOME(*(const any64 *)(PD_SYM_FLAGS + ((uintptr_t)p >> 3)));
}

HELPER uint32_t __pd_si_load(void *p, int n)
{
	return flagged(p) ? __pd_sym_load(p, n) : 0;
}

HELPER uint32_t __pd_si_load_at(const struct pd_site *s, uint32_t lp, void *p, int n)
{
	return SOME(lp) ? __pd_sym_load_at(s, lp, p, n) : __pd_si_load(p, n);
}

HELPER void __pd_si_load_pinned(const struct pd_site *s, void *p, int n, int why)
{
	if (flagged(p))
		__pd_sym_pin_range(s, p, (uint64_t)n, why);
}

HELPER void __pd_si_store(void *p, int n, uint32_t l, uint64_t v)
{
	if (SOME(l) || flagged(p))
		__pd_sym_store(p, n, l, v);
}

/* n bytes have been written by the call that led here. */
HELPER void __pd_si_take(void *p, int n, uint32_t l)
{
	uint64_t v = 0;

	if (SOME(l) || flagged(p)) {
		__builtin_memcpy(&v, p, (size_t)n);
		__pd_sym_store(p, n, l, v);
	}
}

HELPER void __pd_si_store_at(const struct pd_site *s, uint32_t lp, void *p, int n, uint32_t l,
			     uint64_t v)
{
	if (SOME(lp))
		__pd_sym_store_at(s, lp, p, n, l, v);
	else
		__pd_si_store(p, n, l, v);
}

HELPER void __pd_si_copy(void *to, void *from, uint64_t n)
{
	if (n > 56 || flagged_block(to) || flagged_block(from))
		__pd_sym_copy(to, from, n);
}

HELPER void __pd_si_fill(void *p, uint32_t l, int byte, uint64_t n)
{
	if (n > 56 || SOME(l) || flagged_block(p))
		__pd_sym_fill(p, l, byte, n);
}

HELPER void __pd_si_pin_range(const struct pd_site *s, void *p, uint64_t n, int why)
{
	if (n > 56 || flagged_block(p))
		__pd_sym_pin_range(s, p, n, why);
}

HELPER void __pd_si_clear(void *p, uint64_t n)
{
	if (n > 56 || flagged_block(p))
		__pd_sym_fill(p, 0, 0, n);
}

/* ---- control --------------------------------------------------------------------------------- */

HELPER void __pd_si_branch(const struct pd_site *s, uint32_t l, bool taken)
{
	if (SOME(l))
		__pd_sym_branch(s, l, taken);
}

HELPER void __pd_si_switch(const struct pd_site *s, uint32_t l, uint64_t v,
			   const struct pd_sym_switch *t)
{
	if (SOME(l))
		__pd_sym_switch(s, l, v, t);
}

HELPER void __pd_si_pin(const struct pd_site *s, uint32_t l, int width, uint64_t v, int why)
{
	if (SOME(l))
		__pd_sym_pin(s, l, width, v, why);
}

/* ---- calls ----------------------------------------------------------------------------------- */

#define PASSED ((uintptr_t)__pd_sym_pass.callee | (uintptr_t)__pd_sym_pass.by)

HELPER uint32_t __pd_si_enter(void *self, int lanes)
{
	const void *callee, *by;

	if (!SOME(PASSED))
		return 0;
	callee = __pd_sym_pass.callee;
	by = __pd_sym_pass.by;
	__pd_sym_pass.by = NULL;
	if (by)
		__pd_sym_strayed(NULL, by);
	if (callee == self && __pd_sym_pass.n == (uint32_t)lanes) {
		__pd_sym_pass.callee = NULL;
		return 1;
	}
	if (callee)
		__pd_sym_untaken(NULL, callee);
	__pd_sym_pass.callee = NULL;
	return 0;
}

HELPER uint32_t __pd_si_argument(uint32_t taken, int i)
{
	return SOME(taken) ? __pd_sym_pass.label[i] : 0;
}

HELPER void __pd_si_pass(uint32_t any, int i, uint32_t l)
{
	if (SOME(any))
		__pd_sym_pass.label[i] = l;
}

HELPER void __pd_si_pass_variadic(uint32_t any, int i, int offset, int size, uint32_t l)
{
	if (SOME(any)) {
		__pd_sym_pass.variadic[i].offset = (uint32_t)offset;
		__pd_sym_pass.variadic[i].size = (uint32_t)size;
		__pd_sym_pass.variadic[i].label = l;
	}
}

HELPER void __pd_si_passed(uint32_t any, void *callee, int n, int nvariadic)
{
	if (SOME(any)) {
		__pd_sym_pass.n = (uint32_t)n;
		__pd_sym_pass.nvariadic = (uint32_t)nvariadic;
		__pd_sym_pass.callee = callee;
	}
}

HELPER void __pd_si_show(const struct pd_site *s, void *callee, void *name, void *p, uint64_t size)
{
	if (SOME(__pd_sym_live))
		__pd_sym_show(s, callee, name, p, size);
}

HELPER uint32_t __pd_si_returned(const struct pd_site *s, void *callee)
{
	const void *by;

	if (!SOME(PASSED))
		return 0;
	if (__pd_sym_pass.callee)
		__pd_sym_untaken(s, callee);
	by = __pd_sym_pass.by;
	__pd_sym_pass.callee = NULL;
	__pd_sym_pass.by = NULL;
	if (by && by != callee)
		__pd_sym_strayed(s, by);
	return by == callee;
}

HELPER uint32_t __pd_si_result(uint32_t taken, int i)
{
	return SOME(taken) ? __pd_sym_pass.result[i] : 0;
}

HELPER void __pd_si_give(uint32_t any, int i, uint32_t l)
{
	if (SOME(any)) {
		if (!i && __pd_sym_pass.by)
			__pd_sym_strayed(NULL, __pd_sym_pass.by);
		__pd_sym_pass.result[i] = l;
	}
}

HELPER void __pd_si_given(uint32_t any, void *self)
{
	if (SOME(any))
		__pd_sym_pass.by = self;
}

/* Like the end of struct pd_sym_pass, from nvariadic on. */
struct kept {
	uint64_t n;
	__typeof__(__pd_sym_pass.variadic) variadic;
};

HELPER void __pd_si_keep_variadic(uint32_t taken, void *p)
{
	struct kept *k = p;

	k->n = 0;
	if (SOME(taken)) {
		k->n = __pd_sym_pass.nvariadic;
		__builtin_memcpy(k->variadic, __pd_sym_pass.variadic, sizeof(k->variadic));
	}
}

/* No instruction that the pass sees writes to the register save area. */
HELPER void __pd_si_va_start(void *list, void *p)
{
	const struct kept *k = p;
	char *saved = *(char **)((char *)list + 16);

	if (SOME(k->n) || flagged_block(saved) || flagged_block(saved + 56) ||
	    flagged_block(saved + 112) || flagged(saved + 168)) {
		__pd_sym_pass.nvariadic = (uint32_t)k->n;
		if (k->n)
			__builtin_memcpy(__pd_sym_pass.variadic, k->variadic, sizeof(k->variadic));
		__pd_sym_va_start(list);
	}
}

/* The list contains only addresses, and offsets into the save area. */
HELPER void __pd_si_va_copy(void *to, void *from)
{
	__pd_si_copy(to, from, 24);
}

/* ---- functions that have a summary ----------------------------------------------------------- */

HELPER void __pd_si_call_argument(void *call, int i, uint32_t l, uint64_t v)
{
	struct pd_sym_call *c = call;

	c->arg[i] = v;
	c->label[i] = l;
}

HELPER void __pd_si_calling(void *call, const struct pd_site *s, int function, int n)
{
	struct pd_sym_call *c = call;

	c->site = s;
	c->function = (uint32_t)function;
	c->n = (uint32_t)n;
	__pd_sym_calling(c);
}

HELPER uint32_t __pd_si_called(void *call, uint64_t result, int width)
{
	struct pd_sym_call *c = call;

	c->result = result;
	c->width = (uint32_t)width;
	return __pd_sym_called(c);
}
