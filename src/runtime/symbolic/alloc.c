/* symbolic/alloc.c - memory, and functions that end the program; see summary.h. */
#include "runtime/symbolic/summary.h"
#include <malloc.h>

static pd_expr new_memory(struct pd_sym_call *c, size_t n)
{
	void *p = (void *)(uintptr_t)c->result;

	if (p)
		pd_sum_clear(p, n);
	return 0;
}

static pd_expr allocated(struct pd_sym_call *c)
{
	return new_memory(c, c->arg[0]);
}

static pd_expr allocated_array(struct pd_sym_call *c)
{
	return new_memory(c, c->arg[0] * c->arg[1]);
}

static pd_expr allocated_aligned(struct pd_sym_call *c)
{
	return new_memory(c, c->arg[1]);
}

static pd_expr allocated_to(struct pd_sym_call *c)
{
	void **to = pd_sum_pointer(c, 0);

	pd_sum_clear(to, sizeof(*to));
	if (c->result == 0)
		pd_sum_clear(*to, c->arg[2]);
	return 0;
}

/*
 * Remembers the old size in the half of `state` that otherwise has the result's label: a pointer
 * has none.
 */
static pd_expr reallocate(struct pd_sym_call *c)
{
	void *old = pd_sum_pointer(c, 0);
	size_t n = old ? malloc_usable_size(old) : 0;

	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

static pd_expr reallocated_to(struct pd_sym_call *c, size_t n)
{
	char *now = (char *)(uintptr_t)c->result;
	size_t old = (uint32_t)c->state, kept = old < n ? old : n;

	if (!now)
		return 0;
	pd_sum_move(now, pd_sum_pointer(c, 0), kept);
	if (now != pd_sum_pointer(c, 0))
		pd_sum_clear(now + kept, n - kept);
	return 0;
}

static pd_expr reallocated(struct pd_sym_call *c)
{
	return reallocated_to(c, c->arg[1]);
}

static pd_expr reallocated_array(struct pd_sym_call *c)
{
	return reallocated_to(c, c->arg[1] * c->arg[2]);
}

/* The next owner of the memory must find no labels there. */
static pd_expr release(struct pd_sym_call *c)
{
	void *p = pd_sum_pointer(c, 0);

	if (p)
		pd_sum_clear(p, malloc_usable_size(p));
	return 0;
}

PD_SUMMARY_OF(malloc, "n", NULL, allocated);
PD_SUMMARY_OF(_Znwm, "n", NULL, allocated);
PD_SUMMARY_OF(_Znam, "n", NULL, allocated);
PD_SUMMARY_OF(calloc, "nn", NULL, allocated_array);
PD_SUMMARY_OF(aligned_alloc, "nn", NULL, allocated_aligned);
PD_SUMMARY_OF(memalign, "nn", NULL, allocated_aligned);
PD_SUMMARY_OF(posix_memalign, "pnn", NULL, allocated_to);
PD_SUMMARY_OF(realloc, "pn", reallocate, reallocated);
PD_SUMMARY_OF(reallocarray, "pnn", reallocate, reallocated_array);
PD_SUMMARY_OF(free, "p", release, NULL);
PD_SUMMARY_OF(_ZdlPv, "p", release, NULL);
PD_SUMMARY_OF(_ZdaPv, "p", release, NULL);
PD_SUMMARY_OF(_ZdlPvm, "pn", release, NULL);
PD_SUMMARY_OF(_ZdaPvm, "pn", release, NULL);

/* ---- ends: a status that depends on the input is a fact about the path, and forks nothing ------- */

PD_SUMMARY_OF(exit, "-", NULL, NULL);
PD_SUMMARY_OF(_exit, "-", NULL, NULL);
PD_SUMMARY_OF(abort, "", NULL, NULL);
