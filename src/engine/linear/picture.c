/* draw.c - see draw.h. */
#include "engine/linear/draw.h"

enum { ROWS = PD_PICTURE_OPS, LAST_PLACED = 6 };

#define NO_OP UINT32_MAX

static void draw_word(uint64_t word, struct pd_out *out)
{
	if (word == PD_NONE)
		pd_outs(out, "none");
	else if (word == PD_FAILED)
		pd_outs(out, "failed");
	else
		pd_outf(out, "%lu", (unsigned long)word);
}

static void draw_value(const struct pd_linear_value *v, struct pd_out *out)
{
	const uint8_t *b = v->data;

	if (!v->size) {
		draw_word(v->word, out);
		return;
	}
	if (v->size == v->word * 16) { /* a scan */
		const uint64_t *pair = v->data;

		pd_outs(out, "[");
		for (uint64_t i = 0; i < v->word && i < 8; i++)
			pd_outf(out, "%s%lu:%lu", i ? " " : "", (unsigned long)pair[2 * i],
				(unsigned long)pair[2 * i + 1]);
		pd_outs(out, v->word > 8 ? " ...]" : "]");
		return;
	}
	pd_outs(out, "\"");
	for (size_t i = 0; i < v->size && i < 24; i++)
		pd_outf(out, b[i] >= ' ' && b[i] <= '~' ? "%c" : "\\x%02x", b[i]);
	pd_outs(out, v->size > 24 ? "...\"" : "\"");
}

void pd_draw_op(const struct pd_linear_spec *spec, const struct pd_hop *x, struct pd_out *out)
{
	pd_outf(out, "%s(", x->op.flags & PD_SYNC ? "sync" : spec->ops[x->op.fn].name);
	for (uint32_t i = 0; i < x->op.nargs; i++) {
		pd_outs(out, i ? ", " : "");
		draw_value(&x->op.arg[i], out);
	}
	pd_outs(out, ")");
	if (x->ret == PD_NEVER) {
		pd_outs(out, " interrupted");
	} else if (x->op.returned) {
		pd_outs(out, " = ");
		draw_value(&x->op.result, out);
	}
}

/* The rows: those called before the culprit returned, the last of them. */
struct rows {
	uint32_t op[ROWS];
	uint32_t n;
	uint32_t before; /* not shown */
	uint64_t times[2 * ROWS + 8];
	uint32_t ntimes;
};

static void add_time(struct rows *r, uint64_t t, uint64_t until)
{
	uint32_t i = r->ntimes;

	if (t > until || r->ntimes == PD_LEN(r->times))
		return;
	for (; i > 0 && r->times[i - 1] > t; i--)
		r->times[i] = r->times[i - 1];
	r->times[i] = t;
	r->ntimes++;
}

/* The first crash: what came before it is the workload's. */
static uint64_t first_crash(const struct pd_op_history *h)
{
	return h->crashes.n ? h->crashes.v[0] : PD_NEVER;
}

static void add_row(const struct pd_op_history *h, struct rows *r, uint32_t op, uint64_t until)
{
	const struct pd_hop *x = &h->ops.v[op];
	uint32_t i = r->n;

	if (r->n == ROWS)
		return;
	for (; i > 0 && h->ops.v[r->op[i - 1]].call > x->call; i--)
		r->op[i] = r->op[i - 1];
	r->op[i] = op;
	r->n++;
	add_time(r, x->call, until);
	add_time(r, x->ret, until);
}

static void add_crashes(const struct pd_op_history *h, struct rows *r, uint64_t until)
{
	for (uint32_t i = 0; i < h->crashes.n && r->ntimes; i++)
		if (h->crashes.v[i] > r->times[0])
			add_time(r, h->crashes.v[i], until);
}

static bool is_judged(const struct pd_verdict *v, uint32_t op)
{
	uint32_t i = 0;

	while (i < v->nops && v->ops[i] != op)
		i++;
	return i < v->nops;
}

/* Everything before the crash, and of what came after it what was judged; false: it is too much. */
static bool choose_all(const struct pd_op_history *h, const struct pd_verdict *v, struct rows *r)
{
	uint64_t until = h->ops.v[v->culprit].ret, crash = first_crash(h);
	uint32_t n = 0;

	for (uint32_t pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < h->ops.n; i++) {
			uint64_t call = h->ops.v[i].call;

			if (call >= until || (call > crash && !is_judged(v, i)))
				continue;
			if (pass)
				add_row(h, r, i, until);
			else if (++n > ROWS)
				return false;
		}
	}
	add_crashes(h, r, until);
	return true;
}

static void choose_rows(const struct pd_op_history *h, const struct pd_verdict *v, struct rows *r)
{
	uint64_t until = h->ops.v[v->culprit].ret;
	uint32_t all = 0;

	for (uint32_t i = 0; i < v->nops; i++)
		all += h->ops.v[v->ops[i]].call < until;
	r->before = all > ROWS ? all - ROWS : 0;
	for (uint32_t i = 0, seen = 0; i < v->nops; i++) {
		const struct pd_hop *x = &h->ops.v[v->ops[i]];
		bool shown = x->call < until && seen++ >= r->before;

		/* The culprit itself may have been called long ago. */
		if (v->ops[i] == v->culprit && !shown && r->n < ROWS) {
			shown = true;
			r->before--;
		}
		if (shown)
			add_row(h, r, v->ops[i], until);
	}
	add_crashes(h, r, until);
}

static bool is_crash(const struct pd_op_history *h, uint64_t t)
{
	for (uint32_t i = 0; i < h->crashes.n; i++)
		if (h->crashes.v[i] == t)
			return true;
	return false;
}

static void draw_row(const struct pd_op_history *h, const struct pd_linear_spec *spec,
		     uint32_t culprit, const struct rows *r, uint32_t op, struct pd_out *out)
{
	const struct pd_hop *x = &h->ops.v[op];
	uint32_t era = pd_op_history_era(h, x->call);

	pd_outf(out, "%s T%-3u ", op == culprit ? ">" : " ", x->thread);
	for (uint32_t i = 0; i < r->ntimes; i++) {
		uint64_t t = r->times[i];
		bool on = t > x->call && t < x->ret && pd_op_history_era(h, t) == era;

		pd_outs(out, is_crash(h, t) ? "!"
			     : t == x->call ? "["
			     : t == x->ret  ? "]"
			     : on	    ? "="
					    : ".");
	}
	pd_outs(out, "  ");
	pd_draw_op(spec, x, out);
	pd_outs(out, "\n");
}

static void draw_try(const struct pd_op_history *h, const struct pd_linear_spec *spec,
		     const struct pd_try *t, struct pd_out *out)
{
	uint32_t from = t->n > LAST_PLACED ? t->n - LAST_PLACED : 0;

	pd_outs(out, "  ");
	draw_value(&t->expected, out);
	pd_outs(out, t->n ? "  after " : "  at the start");
	if (from)
		pd_outf(out, "%u more, ", from);
	for (uint32_t i = from; i < t->n; i++) {
		pd_outs(out, i > from ? ", " : "");
		pd_draw_op(spec, &h->ops.v[t->order[i]], out);
	}
	pd_outs(out, "\n");
}

static void draw_rows(const struct pd_op_history *h, const struct pd_linear_spec *spec,
		      uint32_t culprit, const struct rows *r, struct pd_out *out)
{
	if (r->before)
		pd_outf(out, "  (%u earlier)\n", r->before);
	for (uint32_t i = 0; i < r->n; i++)
		draw_row(h, spec, culprit, r, r->op[i], out);
}

/* The column of a time; where it is not among them, the next crash, or the end. */
static uint32_t column_of(const struct pd_op_history *h, const struct rows *r, uint64_t from,
			  uint64_t t)
{
	for (uint32_t i = 0; i < r->ntimes; i++)
		if (r->times[i] == t ||
		    (t == PD_NEVER && r->times[i] > from && is_crash(h, r->times[i])))
			return i;
	return r->ntimes;
}

void pd_picture(const struct pd_op_history *h, const struct pd_verdict *v, struct pd_picture *to)
{
	struct rows r = {.n = 0};

	if (!choose_all(h, v, &r))
		choose_rows(h, v, &r);
	*to = (struct pd_picture){.n = r.n, .before = r.before};
	for (uint32_t i = 0; i < r.n; i++) {
		const struct pd_hop *x = &h->ops.v[r.op[i]];

		to->row[i].op = r.op[i];
		to->row[i].call = column_of(h, &r, 0, x->call);
		to->row[i].ret = column_of(h, &r, x->call, x->ret);
		to->row[i].culprit = r.op[i] == v->culprit;
	}
	for (uint32_t i = 0; i < r.ntimes && to->ncrash < PD_PICTURE_CRASHES; i++)
		if (is_crash(h, r.times[i]))
			to->crash[to->ncrash++] = i;
}

void pd_draw(const struct pd_op_history *h, const struct pd_linear_spec *spec,
	     const struct pd_verdict *v, struct pd_out *out)
{
	struct rows r = {.n = 0};
	bool all = choose_all(h, v, &r);

	if (!all)
		choose_rows(h, v, &r);
	pd_draw_op(spec, &h->ops.v[v->culprit], out);
	pd_outf(out, " by thread %u: no order of the operations explains it\n",
		h->ops.v[v->culprit].thread);
	if (v->has_key && !all)
		pd_outf(out, "Operations on key %lu", (unsigned long)v->key);
	else
		pd_outs(out, "Operations");
	pd_outf(out, " up to there, a column an event%s:\n", h->crashes.n ? ", ! a crash" : "");
	draw_rows(h, spec, v->culprit, &r, out);
	if (v->tries.n)
		pd_outs(out, "By the specification it returns:\n");
	for (uint32_t i = 0; i < v->tries.n; i++)
		draw_try(h, spec, &v->tries.v[i], out);
	if (v->tries.left_off)
		pd_outf(out, "  (and more)\n");
	if (v->parts_wrong > 1)
		pd_outf(out, "%u more of %u keys cannot be explained either\n", v->parts_wrong - 1,
			v->parts);
}

/* The one that the last execution was at when it failed; NO_OP: at none. */
static uint32_t running(const struct pd_op_history *h, uint64_t crash)
{
	for (uint32_t i = h->ops.n; i-- > 0;)
		if (h->ops.v[i].call > crash && h->ops.v[i].ret == PD_NEVER)
			return i;
	return NO_OP;
}

void pd_draw_failed(const struct pd_op_history *h, const struct pd_linear_spec *spec,
		    struct pd_out *out)
{
	uint64_t crash = h->crashes.n ? h->crashes.v[h->crashes.n - 1] : PD_NEVER;
	uint32_t at = running(h, crash), before = 0, after = 0;
	struct rows r = {.n = 0};

	for (uint32_t i = 0; i < h->ops.n; i++)
		*(h->ops.v[i].call < crash ? &before : &after) += i != at;
	r.before = before > ROWS - 1 ? before - (ROWS - 1) : 0;
	for (uint32_t i = 0, seen = 0; i < h->ops.n; i++)
		if (i == at || (h->ops.v[i].call < crash && seen++ >= r.before))
			add_row(h, &r, i, PD_NEVER - 1);
	add_crashes(h, &r, PD_NEVER - 1);
	pd_outf(out, "Operations before the crash%s, a column an event, ! a crash:\n",
		at == NO_OP ? "" : ", and the one that recovery was at");
	draw_rows(h, spec, at, &r, out);
	if (after)
		pd_outf(out, "Recovery had done %u more\n", after);
}
