/*
 * summary.h - what summaries of libc's functions are made of.
 *
 * A summary defines what a call does with labels; the call itself is libc's own, with concrete
 * values. If possible, it gives the result as a value: one expression that is right for every
 * input, so that no path forks. A string ends for certain where a NUL has no label; bytes with
 * labels in front of it are looked at whatever they are now. What a function writes depends on its
 * arguments in size and place: where their content decides that (strcpy), what decides is made
 * certain by branches, as if the program had them (pd_text_fix).
 *
 * The dispatcher compares: an expression that does not have the value that the call returned is
 * dropped, and counted.
 *
 *	summary.c  dispatching; what the others share
 *	mem.c      blocks of memory
 *	str.c      strings, as values
 *	strcopy.c  strings that are copied or cut
 *	ctype.c    characters
 *	num.c      numbers from text; arithmetic
 *	args.c     arguments behind a format
 *	scan.c     the scanf family
 *	print.c    the printf family
 *	stream.c   streams and descriptors
 *	alloc.c    memory
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_SYMBOLIC_SUMMARY_H
#define PD_RUNTIME_SYMBOLIC_SUMMARY_H

#include "runtime/symbolic/symbolic.h"

/* What the pass calls (symbolic.def). */
PD_EXPORT void __pd_sym_calling(struct pd_sym_call *c);
PD_EXPORT uint32_t __pd_sym_called(struct pd_sym_call *c);

struct pd_summary {
	/*
	 * Arguments, a letter each: what becomes of a label.
	 *  p  an address: pinned
	 *  f  the address of a format: so is what it points to
	 *  n  a number of bytes: pinned
	 *  c  the function looks at it as it is: pinned
	 *  v  the summary uses it
	 *  -  it has no influence
	 */
	const char *args;
	/* Before the call; returns the result's label, or 0: it is kept in the low half of `state`,
	 * the other half is the summary's own. NULL: nothing to do */
	pd_expr (*calling)(struct pd_sym_call *c);
	/* After it; the same. NULL: the result of `calling` stands */
	pd_expr (*called)(struct pd_sym_call *c);
};

#define PD_SUMMARY_OF(name, a, before, after)                                                      \
	const struct pd_summary pd_summary_##name = {.args = a, .calling = before, .called = after}

#define PD_SUMMARY(name) extern PD_OWN const struct pd_summary pd_summary_##name;
#include "cc/symbolic/summary.def"

/* Bytes of a string that are followed, at most. */
enum { PD_TEXT_MOST = 1 << 14 };

/* ---- expressions: an operand 0 makes 0 ------------------------------------------------------ */

pd_expr pd_sum_const(uint32_t width, uint64_t value);
pd_expr pd_sum_op(enum pd_sym_op op, pd_expr a, pd_expr b);
pd_expr pd_sum_ite(pd_expr c, pd_expr a, pd_expr b);
pd_expr pd_sum_not(pd_expr a);
pd_expr pd_sum_zext(pd_expr a, uint32_t width);
pd_expr pd_sum_low(pd_expr a, uint32_t width); /* its low bits */
pd_expr pd_sum_is(pd_expr a, uint64_t value);  /* a == value */
/* low <= a <= high, unsigned */
pd_expr pd_sum_within(pd_expr a, uint64_t low, uint64_t high);
/* A byte of ASCII, as tolower has it. */
pd_expr pd_sum_fold(pd_expr byte);

/* Whether it is a constant, with this value. */
bool pd_sum_known(pd_expr e, uint64_t value);

/* ---- arguments and memory ------------------------------------------------------------------- */

/* An argument as an expression of this width, with a label or without. */
pd_expr pd_sum_arg(const struct pd_sym_call *c, uint32_t i, uint32_t width);

/* A byte of memory: its label, or a constant. */
pd_expr pd_sum_byte(const void *p);

static inline void *pd_sum_pointer(const struct pd_sym_call *c, uint32_t i)
{
	return (void *)(uintptr_t)c->arg[i];
}

/* ---- strings -------------------------------------------------------------------------------- */

/*
 * A string as it can be under other inputs: n bytes, the last of them the NUL that certainly ends
 * it, or `max` bytes. `labelled`: some byte has a label. `open`: it could be longer, but what
 * follows must not be read; then its length has been fixed by branches.
 */
struct pd_text {
	const unsigned char *p;
	size_t n;
	bool labelled;
	bool open;
};

struct pd_text pd_text_of(const struct pd_sym_call *c, const void *s, size_t max);

/* Fixes by branches where it ends; returns its strnlen. */
size_t pd_text_fix(const struct pd_site *site, const void *s, size_t max);

/* Fixes by a branch whether one byte is c. */
bool pd_sum_decide(const struct pd_site *site, const void *p, unsigned char c);

/* The same for a condition and its value under the current input. */
bool pd_sum_branch(const struct pd_site *site, pd_expr condition);

/* Pins a byte of memory. */
void pd_sum_pin(const struct pd_site *site, const void *p, enum pd_sym_why why);

/* Pins a set of bytes, as for strspn; returns how many. */
size_t pd_sum_pin_set(const struct pd_site *site, const void *set);

/* Whether it is one of the bytes of a set, which is fixed. */
pd_expr pd_sum_member(pd_expr byte, const unsigned char *set, size_t n);

/*
 * The result of a comparison: two conditions. The function may return any number with the right
 * sign (glibc's memcmp returns other numbers for other sizes); in this run it is the number it
 * returned.
 */
struct pd_compared {
	pd_expr equal, less;
};

/* Adds two bytes in front of what was compared. */
void pd_compared_before(struct pd_compared *o, pd_expr x, pd_expr y);
pd_expr pd_compared_keep(struct pd_sym_call *c, const struct pd_compared *o);
pd_expr pd_compared_called(struct pd_sym_call *c);

/* ---- arguments behind a format (args.c) ----------------------------------------------------- */

/* Of a call with `...`, from argument `next` on; or those of a va_list, which stays as it is. */
struct pd_sum_args {
	const struct pd_sym_call *c;
	uint32_t next;
	bool is_list;
	uint32_t gp, fp;
	const char *overflow, *save;
};

struct pd_sum_value {
	uint64_t value;
	pd_expr label;
};

struct pd_sum_args pd_sum_args_from(const struct pd_sym_call *c, uint32_t first);
struct pd_sum_args pd_sum_args_list(const struct pd_sym_call *c, uint32_t which);

/* An integer or pointer of this many bits. False: it was not passed on. */
bool pd_sum_args_next(struct pd_sum_args *a, uint32_t width, struct pd_sum_value *out);

/* Skips floating point: double, or long double. */
bool pd_sum_args_skip(struct pd_sum_args *a, bool is_long);

/* Text with labels goes to this stream; text without is read from it. */
void pd_sum_put_out(const struct pd_sym_call *c, FILE *f);
void pd_sum_read_plain(const struct pd_sym_call *c, FILE *f);

/* Counts that something of this call was not followed. */
pd_expr pd_sum_lost(const struct pd_sym_call *c);

/* Labels of bytes that a call writes; n may be 0. */
void pd_sum_clear(void *p, size_t n);
void pd_sum_move(void *to, const void *from, size_t n);

/* The value under the current input. */
uint64_t pd_sum_value(pd_expr e);

#endif
