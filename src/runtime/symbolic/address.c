/*
 * address.c - loads and stores through pointers that have labels.
 *
 * Under the conditions of the path so far a pointer often has few values. Then all of them are
 * covered: a load is a table of what these places hold now, a store makes each of them conditional,
 * and no branch is needed. That a place cannot be read is a branch: a program that goes there is
 * killed. If there are too many values, or they are not known, the pointer is pinned.
 *
 * Precision lost: whether a place can be written to is not checked.
 */
#include "runtime/symbolic/hook.h"
#include "runtime/base/raw.h"
#include <signal.h>
#include <string.h>

enum { MOST = 4096, PAGE = 4096 };

/* Too large for the program's stack. */
static struct {
	uint64_t value[MOST];
	uint64_t key[MOST]; /* of those that can be read */
	pd_expr entry[MOST];
	uint32_t n;	   /* of value */
	uint32_t readable; /* of key */
} at PD_TABLE;

/* The values ascend, so each page is checked once. */
static bool page_is_readable(uint64_t p, uint64_t *page, bool *readable)
{
	if (p / PAGE != *page) {
		*page = p / PAGE;
		*readable = pd_raw_is_readable(p);
	}
	return *readable;
}

static bool range_is_readable(uint64_t p, uint32_t n, uint64_t *page, bool *readable)
{
	return page_is_readable(p, page, readable) &&
	       ((p + n - 1) / PAGE == p / PAGE || page_is_readable(p + n - 1, page, readable));
}

/* Makes the readable ones keys; going elsewhere is a branch of its own. */
static bool split(const struct pd_site *s, pd_expr address, uint64_t p, uint32_t n)
{
	struct pd_exprs *x = pd_symbolic.exprs;
	pd_expr yes = pd_expr_const(x, 1, 1), no = pd_expr_const(x, 1, 0), bad;
	uint64_t page = ~0ULL;
	bool readable = false, here = true;

	at.readable = 0;
	for (uint32_t i = 0; i < at.n; i++) {
		bool fine = range_is_readable(at.value[i], n, &page, &readable);

		if (fine)
			at.key[at.readable++] = at.value[i];
		if (at.value[i] == p)
			here = fine;
		at.entry[i] = fine ? no : yes;
	}
	if (at.readable == at.n)
		return true;
	bad = pd_expr_table(x, address, at.n, at.value, at.entry, no);
	if (bad)
		pd_symbolic_branch(s, bad, !here);
	return here;
}

/* Also covers places that it leads to only under other conditions: only if all of them exist. */
static uint32_t among(pd_expr e, uint32_t n, uint32_t most)
{
	uint32_t k = pd_ask_among(pd_symbolic.ask, e, at.value, most);
	uint64_t page = ~0ULL;
	bool readable = false;

	for (uint32_t i = 0; i < k; i++)
		if (!range_is_readable(at.value[i], n, &page, &readable))
			return 0;
	return k;
}

/* Whether the program goes on after a fault: its handler sees where it was. */
static bool handles_faults(void)
{
	struct sigaction segv, bus;

	return sigaction(SIGSEGV, NULL, &segv) == 0 && sigaction(SIGBUS, NULL, &bus) == 0 &&
	       (segv.sa_handler != SIG_DFL || bus.sa_handler != SIG_DFL);
}

/* Finds all addresses that it can have; false: it is pinned, or about to fault. */
static bool resolve(const struct pd_site *s, pd_expr e, void *p, uint32_t n)
{
	uint32_t most = PD_MIN(pd_symbolic.addresses, MOST);

	at.n = 0;
	if (pd_expr_width(pd_symbolic.exprs, e) != 64 ||
	    pd_expr_value(pd_symbolic.exprs, e) != (uint64_t)p)
		return false;
	if (pd_symbolic.path && pd_symbolic.ask && most) {
		pd_path_assumed(pd_symbolic.path, pd_symbolic.ask);
		at.n = pd_ask_values(pd_symbolic.ask, e, at.value, most);
		if (!at.n)
			at.n = among(e, n, most);
	}
	if (!at.n) {
		pd_symbolic_pin(s, e, (uint64_t)p, PD_SYM_WHY_ADDRESS);
		return false;
	}
	if (split(s, e, (uint64_t)p, n))
		return true;
	if (handles_faults())
		pd_symbolic_pin(s, e, (uint64_t)p, PD_SYM_WHY_ADDRESS);
	return false;
}

static pd_expr content(uint64_t p, uint32_t n)
{
	pd_expr e = pd_labels_any((void *)p, n) ? pd_label_load((void *)p, n) : 0;
	uint64_t v = 0;

	if (e)
		return e;
	memcpy(&v, (void *)p, n);
	return pd_expr_const(pd_symbolic.exprs, n * 8, v);
}

uint32_t pd_sym_hook_load_at(const struct pd_site *s, uint32_t lp, void *p, int n)
{
	struct pd_exprs *x = pd_symbolic.exprs;
	pd_expr e, here;

	if (!pd_symbolic.on)
		return 0;
	if (!resolve(s, lp, p, (uint32_t)n))
		return pd_raw_is_readable((uint64_t)p) ? pd_sym_hook_load(p, n) : 0;
	for (uint32_t i = 0; i < at.readable; i++)
		at.entry[i] = content(at.key[i], (uint32_t)n);
	here = content((uint64_t)p, (uint32_t)n);
	e = pd_expr_table(x, lp, at.readable, at.key, at.entry, here);
	return e && !pd_symbolic_is_const(e) ? e : 0;
}

/* Each byte there becomes the new one if the pointer leads there, and stays otherwise. */
static void store_if(pd_expr address, uint64_t to, uint32_t n, pd_expr v)
{
	struct pd_exprs *x = pd_symbolic.exprs;
	pd_expr goes = pd_expr_binary(x, PD_SYM_EQ, address, pd_expr_const(x, 64, to));

	for (uint32_t i = 0; i < n; i++) {
		pd_expr new = pd_expr_extract(x, v, i * 8, 8), old = content(to + i, 1);

		pd_label_set((void *)(to + i),
			     goes && new && old ? pd_expr_ite(x, goes, new, old) : 0);
	}
}

void pd_sym_hook_store_at(const struct pd_site *s, uint32_t lp, void *p, int n, uint32_t l,
			  uint64_t v)
{
	pd_expr new;

	if (!pd_symbolic.on)
		return;
	new = pd_sym_stored(l, n, v);
	if (PD_IS_PM(p) && pd_expr_width(pd_symbolic.exprs, lp) == 64)
		pd_symbolic_pin(s, lp, (uint64_t)p, PD_SYM_WHY_LINE);
	if (!resolve(s, lp, p, (uint32_t)n)) {
		if (pd_raw_is_readable((uint64_t)p))
			pd_label_store(p, (uint32_t)n, new);
		return;
	}
	if (!new)
		new = pd_expr_const(pd_symbolic.exprs, (uint32_t)n * 8,
				    n == 8 ? v : v & ((1ULL << (n * 8)) - 1));
	for (uint32_t i = 0; i < at.readable && new; i++)
		store_if(lp, at.key[i], (uint32_t)n, new);
}
