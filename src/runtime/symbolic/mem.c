/* symbolic/mem.c - blocks of memory; see summary.h. */
#include "runtime/symbolic/summary.h"
#include <string.h>

/* ---- copies and fills: labels go along, before the bytes do --------------------------------- */

static pd_expr copy(struct pd_sym_call *c)
{
	pd_sum_move(pd_sum_pointer(c, 0), pd_sum_pointer(c, 1), c->arg[2]);
	return 0;
}

static pd_expr copy_back(struct pd_sym_call *c)
{
	pd_sum_move(pd_sum_pointer(c, 1), pd_sum_pointer(c, 0), c->arg[2]);
	return 0;
}

static pd_expr fill(struct pd_sym_call *c)
{
	unsigned char *p = pd_sum_pointer(c, 0);
	pd_expr byte = c->label[1] ? pd_sum_low(c->label[1], 8) : 0;
	size_t i;

	pd_sum_clear(p, c->arg[2]);
	for (i = 0; byte && i < c->arg[2]; i++)
		pd_label_set(p + i, byte);
	return 0;
}

static pd_expr zero(struct pd_sym_call *c)
{
	pd_sum_clear(pd_sum_pointer(c, 0), c->arg[1]);
	return 0;
}

/* How much is copied depends on where the byte is. */
static pd_expr copy_until(struct pd_sym_call *c)
{
	unsigned char *to = pd_sum_pointer(c, 0);
	const unsigned char *from = pd_sum_pointer(c, 1);
	size_t n;

	for (n = 0; n < c->arg[3]; n++) {
		if (pd_sum_branch(c->site, pd_sum_op(PD_SYM_EQ, pd_sum_byte(from + n),
						     pd_sum_arg(c, 2, 8)))) {
			n++;
			break;
		}
	}
	pd_sum_move(to, from, n);
	return 0;
}

PD_SUMMARY_OF(memcpy, "ppn", copy, NULL);
PD_SUMMARY_OF(memmove, "ppn", copy, NULL);
PD_SUMMARY_OF(mempcpy, "ppn", copy, NULL);
PD_SUMMARY_OF(__mempcpy, "ppn", copy, NULL);
PD_SUMMARY_OF(__memcpy_chk, "ppnn", copy, NULL);
PD_SUMMARY_OF(__memmove_chk, "ppnn", copy, NULL);
PD_SUMMARY_OF(__mempcpy_chk, "ppnn", copy, NULL);
PD_SUMMARY_OF(bcopy, "ppn", copy_back, NULL);
PD_SUMMARY_OF(memset, "pvn", fill, NULL);
PD_SUMMARY_OF(__memset_chk, "pvnn", fill, NULL);
PD_SUMMARY_OF(bzero, "pn", zero, NULL);
PD_SUMMARY_OF(explicit_bzero, "pn", zero, NULL);
PD_SUMMARY_OF(__explicit_bzero_chk, "pnn", zero, NULL);
PD_SUMMARY_OF(memccpy, "ppvn", copy_until, NULL);

/* ---- comparisons ---------------------------------------------------------------------------- */

/*
 * The bytes that a comparison reads, if one of them has a label; their values are those of the run.
 */
static size_t compared(const struct pd_sym_call *c)
{
	size_t n = c->arg[2];

	if (!n ||
	    (!pd_labels_any(pd_sum_pointer(c, 0), n) && !pd_labels_any(pd_sum_pointer(c, 1), n)))
		return 0;
	pd_symbolic_use();
	return n;
}

static pd_expr compare(struct pd_sym_call *c)
{
	const unsigned char *a = pd_sum_pointer(c, 0), *b = pd_sum_pointer(c, 1);
	struct pd_compared o;
	size_t n = compared(c);

	if (!n)
		return 0;
	o = (struct pd_compared){pd_sum_const(1, 1), pd_sum_const(1, 0)};
	while (n--)
		pd_compared_before(&o, pd_sum_byte(a + n), pd_sum_byte(b + n));
	return pd_compared_keep(c, &o);
}

PD_SUMMARY_OF(memcmp, "ppn", compare, pd_compared_called);
PD_SUMMARY_OF(bcmp, "ppn", compare, pd_compared_called);
PD_SUMMARY_OF(__memcmpeq, "ppn", compare, pd_compared_called);

/* ---- search --------------------------------------------------------------------------------- */

static bool is_searched(const struct pd_sym_call *c, const unsigned char *p, size_t n,
			uint32_t what)
{
	if (!n || (!pd_labels_any(p, n) && !c->label[what]))
		return false;
	pd_symbolic_use();
	return true;
}

static pd_expr find(struct pd_sym_call *c)
{
	const unsigned char *p = pd_sum_pointer(c, 0);
	size_t n = c->arg[2];
	pd_expr is, byte;

	/* C11: as if it stopped at the first match, so the array may be shorter than n */
	if (n && !c->label[1]) {
		const unsigned char *now = memchr(p, (int)c->arg[1], n);

		while (now && pd_labels_any(now, 1) && (size_t)(now - p) + 1 < n)
			now = memchr(now + 1, (int)c->arg[1], n - (size_t)(now - p) - 1);
		n = now ? (size_t)(now - p) + 1 : n;
	}
	if (!is_searched(c, p, n, 1))
		return 0;
	byte = pd_sum_arg(c, 1, 8);
	is = pd_sum_const(64, 0);
	while (n--)
		is = pd_sum_ite(pd_sum_op(PD_SYM_EQ, pd_sum_byte(p + n), byte),
				pd_sum_const(64, (uintptr_t)p + n), is);
	return is ? is : pd_sum_lost(c);
}

static pd_expr find_last(struct pd_sym_call *c)
{
	const unsigned char *p = pd_sum_pointer(c, 0);
	size_t n = c->arg[2], i;
	pd_expr is, byte;

	if (!is_searched(c, p, n, 1))
		return 0;
	byte = pd_sum_arg(c, 1, 8);
	is = pd_sum_const(64, 0);
	for (i = 0; i < n; i++)
		is = pd_sum_ite(pd_sum_op(PD_SYM_EQ, pd_sum_byte(p + i), byte),
				pd_sum_const(64, (uintptr_t)p + i), is);
	return is ? is : pd_sum_lost(c);
}

/* Only the byte bounds it: its position is fixed by branches. */
static pd_expr find_unbounded(struct pd_sym_call *c)
{
	const unsigned char *p = pd_sum_pointer(c, 0);

	while (!pd_sum_branch(c->site, pd_sum_op(PD_SYM_EQ, pd_sum_byte(p), pd_sum_arg(c, 1, 8))))
		p++;
	return 0;
}

static pd_expr block_matches(const unsigned char *a, const unsigned char *b, size_t n)
{
	pd_expr is = pd_sum_const(1, 1);

	while (n-- && is && !pd_sum_known(is, 0))
		is = pd_sum_op(PD_SYM_AND,
			       pd_sum_op(PD_SYM_EQ, pd_sum_byte(a + n), pd_sum_byte(b + n)), is);
	return is;
}

static pd_expr find_block(struct pd_sym_call *c)
{
	const unsigned char *in = pd_sum_pointer(c, 0), *what = pd_sum_pointer(c, 2);
	size_t n = c->arg[1], m = c->arg[3], i;
	pd_expr is = pd_sum_const(64, 0);

	if (!n || !m || m > n || (!pd_labels_any(in, n) && !pd_labels_any(what, m)))
		return 0;
	if ((n - m + 1) * m > PD_TEXT_MOST * 4)
		return pd_sum_lost(c);
	pd_symbolic_use();
	for (i = n - m + 1; i-- > 0;)
		is = pd_sum_ite(block_matches(in + i, what, m), pd_sum_const(64, (uintptr_t)in + i),
				is);
	return is ? is : pd_sum_lost(c);
}

PD_SUMMARY_OF(memchr, "pvn", find, NULL);
PD_SUMMARY_OF(memrchr, "pvn", find_last, NULL);
PD_SUMMARY_OF(rawmemchr, "pv", find_unbounded, NULL);
PD_SUMMARY_OF(memmem, "pnpn", find_block, NULL);
