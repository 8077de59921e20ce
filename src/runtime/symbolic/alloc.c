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

/* ---- ends: a status that depends on the input is a fact about the path, and forks nothing --- */

/* Whether a function of the program will be given the status; as memory, so each run has its
 * own. */
static bool status_is_used;

static pd_expr end(struct pd_sym_call *c)
{
	if (c->label[0] && status_is_used)
		pd_symbolic_pin(c->site, c->label[0], c->arg[0], PD_SYM_WHY_CALL);
	return 0;
}

static pd_expr use_status(struct pd_sym_call *c)
{
	(void)c;
	status_is_used = true;
	return 0;
}

PD_SUMMARY_OF(exit, "-", end, NULL);
PD_SUMMARY_OF(on_exit, "pc", use_status, NULL);
PD_SUMMARY_OF(_exit, "-", NULL, NULL);
PD_SUMMARY_OF(abort, "", NULL, NULL);
