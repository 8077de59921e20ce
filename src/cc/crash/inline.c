/*
 * inline.c - the fast path of plain accesses: if this is not PM, just do it.
 *
 * Compiled to bitcode once, linked into every instrumented module and inlined there. Optimised code
 * uses only the question here and has the rest in its own branches (guard.c); unoptimised code uses
 * the functions below as they are, and so does the by-value copy of a struct. Code outside PM pays
 * for these, so each is one shift, one compare and a branch that is never taken.
 *
 * Everything may alias everything: the source's types are gone at this point.
 */
#include "event/abi.h"
#include <stddef.h>

#define HELPER	 __attribute__((always_inline, nothrow))
#define IS_PM(p) __builtin_expect(PD_IS_PM((uintptr_t)(p)), 0)

typedef unsigned __int128 u128;

_Bool __pd_i_is_pm(void *p) __attribute__((const));

HELPER _Bool __pd_i_is_pm(void *p)
{
	return PD_IS_PM((uintptr_t)p);
}

#define INTEGER(n, type)                                                                           \
	type __pd_load##n(void *p, const struct pd_site *s);                                       \
	void __pd_store##n(void *p, type v, const struct pd_site *s);                              \
	type __pd_i_load##n(void *p, const struct pd_site *s);                                     \
	void __pd_i_store##n(void *p, type v, const struct pd_site *s);                            \
	typedef type __attribute__((aligned(1), may_alias)) any##n;                                \
                                                                                                   \
	HELPER type __pd_i_load##n(void *p, const struct pd_site *s)                               \
	{                                                                                          \
		if (IS_PM(p))                                                                      \
			return __pd_load##n(p, s);                                                 \
		return *(any##n *)p;                                                               \
	}                                                                                          \
                                                                                                   \
	HELPER void __pd_i_store##n(void *p, type v, const struct pd_site *s)                      \
	{                                                                                          \
		if (IS_PM(p))                                                                      \
			__pd_store##n(p, v, s);                                                    \
		else                                                                               \
			*(any##n *)p = v;                                                          \
	}

INTEGER(1, uint8_t)
INTEGER(2, uint16_t)
INTEGER(4, uint32_t)
INTEGER(8, uint64_t)
INTEGER(16, u128)

/* The same hooks for values that should stay out of integer registers outside PM, or, for pointers,
 * that the optimiser should still see as pointers. */
#define TYPED(x, type, n, bits)                                                                    \
	type __pd_i_load##x(void *p, const struct pd_site *s);                                     \
	void __pd_i_store##x(void *p, type v, const struct pd_site *s);                            \
	typedef type __attribute__((aligned(1), may_alias)) any##x;                                \
                                                                                                   \
	HELPER type __pd_i_load##x(void *p, const struct pd_site *s)                               \
	{                                                                                          \
		if (IS_PM(p)) {                                                                    \
			bits v = __pd_load##n(p, s);                                               \
			type r;                                                                    \
                                                                                                   \
			__builtin_memcpy(&r, &v, sizeof(r));                                       \
			return r;                                                                  \
		}                                                                                  \
		return *(any##x *)p;                                                               \
	}                                                                                          \
                                                                                                   \
	HELPER void __pd_i_store##x(void *p, type v, const struct pd_site *s)                      \
	{                                                                                          \
		if (IS_PM(p)) {                                                                    \
			bits b;                                                                    \
                                                                                                   \
			__builtin_memcpy(&b, &v, sizeof(b));                                       \
			__pd_store##n(p, b, s);                                                    \
		} else {                                                                           \
			*(any##x *)p = v;                                                          \
		}                                                                                  \
	}

typedef void *pointer;

TYPED(f, float, 4, uint32_t)
TYPED(d, double, 8, uint64_t)
TYPED(p, pointer, 8, uint64_t)

void __pd_loadb(void *p, void *tmp, uint64_t n, const struct pd_site *s);
void __pd_storeb(void *p, void *tmp, uint64_t n, const struct pd_site *s, int flags);
void __pd_memcpy(void *d, void *s, uint64_t n, const struct pd_site *site);
void __pd_memmove(void *d, void *s, uint64_t n, const struct pd_site *site);
void __pd_memset(void *d, int c, uint64_t n, const struct pd_site *site);

void *__pd_i_loadb(void *p, void *tmp, uint64_t n, const struct pd_site *s);
void *__pd_i_storeb_to(void *p, void *tmp);
void __pd_i_storeb_done(void *p, void *tmp, uint64_t n, const struct pd_site *s);
void __pd_i_memcpy(void *d, void *s, uint64_t n, const struct pd_site *site);
void __pd_i_memmove(void *d, void *s, uint64_t n, const struct pd_site *site);
void __pd_i_memset(void *d, int c, uint64_t n, const struct pd_site *site);

HELPER void *__pd_i_loadb(void *p, void *tmp, uint64_t n, const struct pd_site *s)
{
	if (!IS_PM(p))
		return p;
	__pd_loadb(p, tmp, n, s);
	return tmp;
}

HELPER void *__pd_i_storeb_to(void *p, void *tmp)
{
	return IS_PM(p) ? tmp : p;
}

HELPER void __pd_i_storeb_done(void *p, void *tmp, uint64_t n, const struct pd_site *s)
{
	if (IS_PM(p))
		__pd_storeb(p, tmp, n, s, 0);
}

HELPER void __pd_i_memcpy(void *d, void *s, uint64_t n, const struct pd_site *site)
{
	if (IS_PM(d) || IS_PM(s))
		__pd_memcpy(d, s, n, site);
	else
		__builtin_memcpy(d, s, n);
}

HELPER void __pd_i_memmove(void *d, void *s, uint64_t n, const struct pd_site *site)
{
	if (IS_PM(d) || IS_PM(s))
		__pd_memmove(d, s, n, site);
	else
		__builtin_memmove(d, s, n);
}

HELPER void __pd_i_memset(void *d, int c, uint64_t n, const struct pd_site *site)
{
	if (IS_PM(d))
		__pd_memset(d, c, n, site);
	else
		__builtin_memset(d, c, n);
}

void __pd_called(struct pd_call *call, int after, uint64_t a, uint64_t b, uint64_t c,
		 int64_t result, const struct pd_site *s);
void __pd_i_called(struct pd_call *call, int after, uint64_t a, uint64_t b, uint64_t c,
		   int64_t result, const struct pd_site *s);

HELPER void __pd_i_called(struct pd_call *call, int after, uint64_t a, uint64_t b, uint64_t c,
			  int64_t result, const struct pd_site *s)
{
	if (!call->unheard)
		__pd_called(call, after, a, b, c, result, s);
}
