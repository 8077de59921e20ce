/* symbolic/strcopy.c - strings that are copied or cut; see summary.h. */
#include "runtime/symbolic/summary.h"
#include <string.h>

/* ---- copies: how long they are is made certain ---------------------------------------------- */

/* A string of which n bytes are copied, and a NUL behind them. */
static void move_string(char *to, const char *from, size_t n)
{
	pd_sum_move(to, from, n);
	pd_sum_clear(to + n, 1);
}

static pd_expr copy(struct pd_sym_call *c)
{
	char *to = pd_sum_pointer(c, 0);
	const char *from = pd_sum_pointer(c, 1);

	move_string(to, from, pd_text_fix(c->site, from, SIZE_MAX));
	return 0;
}

/* Room for n bytes; the result is strlen of the source. */
static pd_expr copy_limited(struct pd_sym_call *c)
{
	const char *from = pd_sum_pointer(c, 1);
	size_t length = pd_text_fix(c->site, from, SIZE_MAX), room = c->arg[2];

	if (room)
		move_string(pd_sum_pointer(c, 0), from, length < room ? length : room - 1);
	return 0;
}

static pd_expr append_up_to(struct pd_sym_call *c, size_t max)
{
	char *to = pd_sum_pointer(c, 0);
	const char *from = pd_sum_pointer(c, 1);
	size_t at = pd_text_fix(c->site, to, SIZE_MAX), n = pd_text_fix(c->site, from, max);

	move_string(to + at, from, n);
	return 0;
}

static pd_expr append(struct pd_sym_call *c)
{
	return append_up_to(c, SIZE_MAX);
}

static pd_expr append_bounded(struct pd_sym_call *c)
{
	return append_up_to(c, c->arg[2]);
}

static pd_expr append_limited(struct pd_sym_call *c)
{
	char *to = pd_sum_pointer(c, 0);
	const char *from = pd_sum_pointer(c, 1);
	size_t room = c->arg[2], at = pd_text_fix(c->site, to, room);
	size_t n = pd_text_fix(c->site, from, SIZE_MAX);

	if (at < room)
		move_string(to + at, from, n < room - at ? n : room - at - 1);
	return 0;
}

PD_SUMMARY_OF(strcpy, "pp", copy, NULL);
PD_SUMMARY_OF(stpcpy, "pp", copy, NULL);
PD_SUMMARY_OF(__stpcpy, "pp", copy, NULL);
PD_SUMMARY_OF(__strcpy_chk, "ppn", copy, NULL);
PD_SUMMARY_OF(__stpcpy_chk, "ppn", copy, NULL);
PD_SUMMARY_OF(strlcpy, "ppn", copy_limited, NULL);
PD_SUMMARY_OF(strlcat, "ppn", append_limited, NULL);
PD_SUMMARY_OF(strcat, "pp", append, NULL);
PD_SUMMARY_OF(strncat, "ppn", append_bounded, NULL);
PD_SUMMARY_OF(__strcat_chk, "ppn", append, NULL);
PD_SUMMARY_OF(__strncat_chk, "ppnn", append_bounded, NULL);

/* ---- strncpy: it writes n bytes, whatever they are: a value each ---------------------------- */

static pd_expr copy_padded(struct pd_sym_call *c)
{
	char *to = pd_sum_pointer(c, 0);
	size_t n = c->arg[2], i;
	struct pd_text t;
	pd_expr ended = 0, byte, zero;
	uint64_t known;

	if (!n)
		return 0;
	t = pd_text_of(c, pd_sum_pointer(c, 1), n);
	pd_sum_clear(to, n);
	if (!t.labelled)
		return 0;
	ended = pd_sum_const(1, 0);
	zero = pd_sum_const(8, 0);
	for (i = 0; i < n; i++) {
		byte = i < t.n ? pd_sum_byte(t.p + i) : zero;
		byte = pd_sum_ite(ended, zero, byte);
		if (!byte)
			return pd_sum_lost(c);
		if (!pd_expr_is_const(pd_symbolic.exprs, byte, &known))
			pd_label_set(to + i, byte);
		ended = pd_sum_op(PD_SYM_OR, ended, pd_sum_is(byte, 0));
	}
	return 0;
}

/* stpncpy returns where it has begun to pad. */
static pd_expr copy_padded_end(struct pd_sym_call *c)
{
	pd_text_fix(c->site, pd_sum_pointer(c, 1), c->arg[2]);
	return copy_padded(c);
}

PD_SUMMARY_OF(strncpy, "ppn", copy_padded, NULL);
PD_SUMMARY_OF(__strncpy_chk, "ppnn", copy_padded, NULL);
PD_SUMMARY_OF(stpncpy, "ppn", copy_padded_end, NULL);
PD_SUMMARY_OF(__stpncpy, "ppn", copy_padded_end, NULL);
PD_SUMMARY_OF(__stpncpy_chk, "ppnn", copy_padded_end, NULL);

/* ---- copies in new memory ------------------------------------------------------------------- */

static pd_expr duplicate(struct pd_sym_call *c)
{
	pd_text_fix(c->site, pd_sum_pointer(c, 0), SIZE_MAX);
	return 0;
}

static pd_expr duplicate_bounded(struct pd_sym_call *c)
{
	pd_text_fix(c->site, pd_sum_pointer(c, 0), c->arg[1]);
	return 0;
}

static pd_expr duplicated(struct pd_sym_call *c)
{
	char *copied = (char *)(uintptr_t)c->result;

	if (copied)
		move_string(copied, pd_sum_pointer(c, 0), strlen(copied));
	return 0;
}

PD_SUMMARY_OF(strdup, "p", duplicate, duplicated);
PD_SUMMARY_OF(__strdup, "p", duplicate, duplicated);
PD_SUMMARY_OF(strndup, "pn", duplicate_bounded, duplicated);

/* ---- tokens: which bytes separate is made certain ------------------------------------------- */

static bool decide_member(struct pd_sym_call *c, const char *p, const char *set)
{
	return pd_sum_branch(
		c->site, pd_sum_member(pd_sum_byte(p), (const unsigned char *)set, strlen(set)));
}

/* The end of the token at p; the next one begins after it. */
static const char *cut(struct pd_sym_call *c, const char *p, const char *set)
{
	while (!pd_sum_decide(c->site, p, 0) && !decide_member(c, p, set))
		p++;
	if (*p)
		pd_sum_clear((void *)(uintptr_t)p, 1);
	return p;
}

/* What strtok does from p on; returns where it continues afterwards. */
static const char *token(struct pd_sym_call *c, const char *p, const char *set)
{
	const char *end;

	pd_sum_pin_set(c->site, set);
	while (!pd_sum_decide(c->site, p, 0) && decide_member(c, p, set))
		p++;
	if (!*p)
		return p;
	end = cut(c, p, set);
	return *end ? end + 1 : end;
}

/* Where libc's strtok stands; NULL: nowhere. */
static _Thread_local const char *going_on;

static pd_expr next_token(struct pd_sym_call *c)
{
	const char *p = pd_sum_pointer(c, 0);

	p = p ? p : going_on;
	if (p)
		going_on = token(c, p, pd_sum_pointer(c, 1));
	return 0;
}

static pd_expr next_token_of(struct pd_sym_call *c)
{
	const char *p = pd_sum_pointer(c, 0), **save = pd_sum_pointer(c, 2);

	p = p ? p : *save;
	if (p)
		token(c, p, pd_sum_pointer(c, 1));
	pd_sum_clear(save, sizeof(*save));
	return 0;
}

static pd_expr separate(struct pd_sym_call *c)
{
	const char **at = pd_sum_pointer(c, 0), *set = pd_sum_pointer(c, 1);

	if (*at) {
		pd_sum_pin_set(c->site, set);
		cut(c, *at, set);
	}
	pd_sum_clear(at, sizeof(*at));
	return 0;
}

PD_SUMMARY_OF(strtok, "pp", next_token, NULL);
PD_SUMMARY_OF(strtok_r, "ppp", next_token_of, NULL);
PD_SUMMARY_OF(__strtok_r, "ppp", next_token_of, NULL);
PD_SUMMARY_OF(strsep, "pp", separate, NULL);
