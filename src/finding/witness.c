/* witness.c - see witness.h. Pure functions: any thread. */
#include "finding/witness.h"

static const char letters[PD_CHOICE_KINDS] = {
	[PD_CHOICE_CRASH] = 'c', [PD_CHOICE_VALUE] = 'v', [PD_CHOICE_THREAD] = 't',
	[PD_CHOICE_EVICT] = 'e', [PD_CHOICE_STEP] = 's',
};

/* The number of alternatives that "/" may leave out. */
static uint64_t fewest(uint64_t pick)
{
	return PD_MAX(pick + 1, 2);
}

/* ---- printing ------------------------------------------------------------------------------- */

static bool same_choice(const struct pd_choice *a, const struct pd_choice *b)
{
	return a->kind == b->kind && a->n == b->n && a->pick == b->pick;
}

static void print_choice(struct pd_out *o, const struct pd_choice *c)
{
	pd_outf(o, "%c%u", c->kind < PD_CHOICE_KINDS ? letters[c->kind] : '?', c->pick);
	if (c->n != fewest(c->pick))
		pd_outf(o, "/%u", c->n);
}

void pd_witness_print(struct pd_out *o, const struct pd_witness *w)
{
	for (uint32_t i = 0; i < w->n;) {
		uint32_t times = 1;

		while (i + times < w->n && same_choice(&w->choices[i], &w->choices[i + times]))
			times++;
		if (i)
			pd_outs(o, " ");
		print_choice(o, &w->choices[i]);
		if (times > 1)
			pd_outf(o, "x%u", times);
		i += times;
	}
}

/* ---- parsing -------------------------------------------------------------------------------- */

struct reader {
	const char *text;
	size_t n;
	size_t at;
	const char *expected; /* set by what failed */
};

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static void skip_space(struct reader *r)
{
	while (r->at < r->n && is_space(r->text[r->at]))
		r->at++;
}

static bool take(struct reader *r, char c)
{
	if (r->at >= r->n || r->text[r->at] != c)
		return false;
	r->at++;
	return true;
}

static bool take_number(struct reader *r, uint64_t max, uint64_t *v, const char *expected)
{
	size_t from = r->at;

	while (r->at < r->n && r->text[r->at] >= '0' && r->text[r->at] <= '9')
		r->at++;
	if (pd_text_number(r->text + from, r->at - from, max, v))
		return true;
	r->at = from;
	r->expected = expected;
	return false;
}

static bool take_letter(struct reader *r, uint32_t *kind)
{
	for (*kind = 0; *kind < PD_CHOICE_KINDS; ++*kind)
		if (take(r, letters[*kind]))
			return true;
	r->expected = "one of the letters c v t e s";
	return false;
}

static bool take_item(struct reader *r, struct pd_choice *c, uint64_t *times)
{
	uint64_t pick, n;
	size_t start = r->at;

	*times = 1;
	if (!take_letter(r, &c->kind) ||
	    !take_number(r, UINT32_MAX - 1, &pick, "the number of the choice"))
		return false;
	n = fewest(pick);
	if (take(r, '/') && !take_number(r, UINT32_MAX, &n, "the number of alternatives"))
		return false;
	if (take(r, 'x') && !take_number(r, PD_WITNESS_MAX, times, "how many times, 1 to 16777216"))
		return false;
	if (n <= pick || *times == 0) {
		r->at = start;
		r->expected = n <= pick ? "a choice below the number of alternatives"
					: "how many times, 1 to 16777216";
		return false;
	}
	if (r->at < r->n && !is_space(r->text[r->at])) {
		r->expected = "a space after a choice";
		return false;
	}
	c->pick = (uint32_t)pick;
	c->n = (uint32_t)n;
	return true;
}

static void fill_error(const struct reader *r, struct pd_text_error *err)
{
	size_t end = r->at;

	*err = (struct pd_text_error){.line = 1, .column = 1, .expected = r->expected};
	for (size_t i = 0; i < r->at; i++) {
		err->column++;
		if (r->text[i] == '\n') {
			err->line++;
			err->column = 1;
		}
	}
	while (end < r->n && !is_space(r->text[end]))
		end++;
	err->got = r->text + r->at;
	err->ngot = end - r->at;
	err->nomem = !r->expected;
}

/* The first pass counts (out == NULL), so that the list is one allocation of the right size. */
static bool read_items(struct reader *r, struct pd_choice *out, uint64_t *total)
{
	struct pd_choice c;
	uint64_t times;

	r->at = 0;
	*total = 0;
	for (skip_space(r); r->at < r->n; skip_space(r)) {
		if (!take_item(r, &c, &times))
			return false;
		if (times > PD_WITNESS_MAX - *total) {
			r->expected = "at most 16777216 choices in all";
			return false;
		}
		for (uint64_t i = 0; out && i < times; i++)
			out[*total + i] = c;
		*total += times;
	}
	return true;
}

bool pd_witness_parse(struct pd_arena *a, const char *text, size_t n, struct pd_witness *w,
		      struct pd_text_error *err)
{
	struct reader r = {text, n, 0, NULL};
	struct pd_choice *choices = NULL;
	uint64_t total;

	if (!read_items(&r, NULL, &total)) {
		fill_error(&r, err);
		return false;
	}
	if (total) {
		choices = pd_new_array(a, struct pd_choice, total);
		if (!choices) {
			fill_error(&r, err);
			return false;
		}
		read_items(&r, choices, &total);
	}
	w->given = true;
	w->choices = choices;
	w->n = (uint32_t)total;
	return true;
}

/* ---- which one to keep ------------------------------------------------------------------------
 */

static int cmp(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

int pd_witness_cmp(const struct pd_witness *a, const struct pd_witness *b)
{
	int c = 0;

	if (a->given != b->given)
		return a->given ? -1 : 1;
	if (a->n != b->n)
		return cmp(a->n, b->n);
	for (uint32_t i = 0; !c && i < a->n; i++) {
		c = cmp(a->choices[i].kind, b->choices[i].kind);
		if (!c)
			c = cmp(a->choices[i].pick, b->choices[i].pick);
		if (!c)
			c = cmp(a->choices[i].n, b->choices[i].n);
	}
	return c ? c : cmp(pd_schedule_number(&a->schedule), pd_schedule_number(&b->schedule));
}
