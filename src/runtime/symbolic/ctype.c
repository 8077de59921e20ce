/* symbolic/ctype.c - characters; see summary.h. */
#include "runtime/symbolic/summary.h"
#include <ctype.h>
#include <stdio.h>

enum { LEAST = -128, MOST = 255 };

/*
 * Evaluates the predicate for each possible argument: a table, indexed by the low byte, which alone
 * decides in most locales. Any number other than 0 stands for true: compilers compute isdigit in
 * their own ways.
 */
static pd_expr classify(struct pd_sym_call *c, int (*is)(int))
{
	uint64_t key[256];
	pd_expr entry[256], byte;
	int i;

	if (!c->label[0])
		return 0;
	for (i = LEAST; i <= MOST; i++) {
		if (!is(i) != !is(i & 255))
			return pd_sum_lost(c);
	}
	for (i = 0; i < 256; i++) {
		key[i] = (uint64_t)i;
		entry[i] = pd_sum_const(1, is(i) != 0);
		if (!entry[i])
			return pd_sum_lost(c);
	}
	byte = pd_sum_low(c->label[0], 8);
	return byte ? pd_expr_table(pd_symbolic.exprs, byte, 255, key, entry, entry[255])
		    : pd_sum_lost(c);
}

static pd_expr classified(struct pd_sym_call *c)
{
	pd_expr is = (pd_expr)c->state;

	return is ? pd_sum_ite(is, pd_sum_const(32, c->result ? c->result : 1), pd_sum_const(32, 0))
		  : 0;
}

#define CLASS(name)                                                                                \
	static pd_expr name##_value(struct pd_sym_call *c)                                         \
	{                                                                                          \
		return classify(c, (name));                                                        \
	}                                                                                          \
	PD_SUMMARY_OF(name, "v", name##_value, classified)

CLASS(isalnum);
CLASS(isalpha);
CLASS(isblank);
CLASS(iscntrl);
CLASS(isdigit);
CLASS(isgraph);
CLASS(islower);
CLASS(isprint);
CLASS(ispunct);
CLASS(isspace);
CLASS(isupper);
CLASS(isxdigit);

/* The result in the C locale: letters of ASCII are moved by 32; glibc also takes negative
 * characters, and makes bytes of them. */
static int change_one(int c, int first, int last, uint32_t by)
{
	if (c >= first && c <= last)
		return (int)((uint32_t)c + by);
	return c < EOF && c >= LEAST ? c & 255 : c;
}

static pd_expr change(struct pd_sym_call *c, int (*to)(int), int first, int last, uint32_t by)
{
	pd_expr e = c->label[0], is;
	int i;

	if (!e)
		return 0;
	for (i = LEAST; i <= MOST; i++) {
		if (to(i) != change_one(i, first, last, by))
			return pd_sum_lost(c);
	}
	is = pd_sum_ite(pd_sum_within(e, (uint32_t)LEAST, (uint32_t)(EOF - 1)),
			pd_sum_op(PD_SYM_AND, e, pd_sum_const(32, 255)), e);
	is = pd_sum_ite(pd_sum_within(e, (uint32_t)first, (uint32_t)last),
			pd_sum_op(PD_SYM_ADD, e, pd_sum_const(32, by)), is);
	return is ? is : pd_sum_lost(c);
}

static pd_expr lower(struct pd_sym_call *c)
{
	return change(c, tolower, 'A', 'Z', 32);
}

static pd_expr upper(struct pd_sym_call *c)
{
	return change(c, toupper, 'a', 'z', (uint32_t)-32);
}

static pd_expr is_seven_bits(struct pd_sym_call *c)
{
	return c->label[0] ? pd_sum_zext(pd_sum_within(c->label[0], 0, 127), 32) : 0;
}

static pd_expr seven_bits(struct pd_sym_call *c)
{
	return pd_sum_op(PD_SYM_AND, c->label[0], pd_sum_const(32, 127));
}

PD_SUMMARY_OF(tolower, "v", lower, NULL);
PD_SUMMARY_OF(toupper, "v", upper, NULL);
PD_SUMMARY_OF(isascii, "v", is_seven_bits, NULL);
PD_SUMMARY_OF(toascii, "v", seven_bits, NULL);
PD_SUMMARY_OF(__ctype_b_loc, "", NULL, NULL);
PD_SUMMARY_OF(__ctype_tolower_loc, "", NULL, NULL);
PD_SUMMARY_OF(__ctype_toupper_loc, "", NULL, NULL);
