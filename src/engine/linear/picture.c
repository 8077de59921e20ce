/* picture.c - see picture.h. */
#include "engine/linear/picture.h"

enum { ROWS = PD_DIAGRAM_OPS, LAST_PLACED = 6 };

#define NO_OP UINT32_MAX

static void put_word(uint64_t word, struct pd_out *out)
{
	if (word == PD_NONE)
		pd_outs(out, "none");
	else if (word == PD_FAILED)
		pd_outs(out, "failed");
	else
		pd_outf(out, "%lu", (unsigned long)word);
}

static void put_value(const struct pd_linear_value *v, struct pd_out *out)
{
	const uint8_t *b = v->data;

	if (!v->size) {
		put_word(v->word, out);
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

void pd_picture_op(const struct pd_linear_spec *spec, const struct pd_hop *x, struct pd_out *out)
{
	pd_outf(out, "%s(", x->op.flags & PD_SYNC ? "sync" : spec->ops[x->op.fn].name);
	for (uint32_t i = 0; i < x->op.nargs; i++) {
		pd_outs(out, i ? ", " : "");
		put_value(&x->op.arg[i], out);
	}
	pd_outs(out, ")");
	if (x->ret == PD_NEVER) {
		pd_outs(out, " interrupted");
	} else if (x->op.returned) {
		pd_outs(out, " = ");
		put_value(&x->op.result, out);
	}
}

/* The rows: the last of the operations called before the culprit returned. */
struct rows {
	uint32_t op[ROWS];
	uint32_t n;
	uint32_t before; /* not shown */
	uint32_t others; /* of other keys, completed, not shown */
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

/* The first crash: operations before it are the workload's. */
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

/*
 * Takes everything before the crash, and after it what was judged; false: it does not fit. If it is
 * not `whole`, completed operations of other keys are left out, and counted.
 */
static bool choose_all(const struct pd_op_history *h, const struct pd_verdict *v, bool whole,
		       struct rows *r)
{
	uint64_t until = h->ops.v[v->culprit].ret, crash = first_crash(h);
	uint32_t n = 0;

	for (uint32_t pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < h->ops.n; i++) {
			const struct pd_hop *x = &h->ops.v[i];
			bool other = !is_judged(v, i);

			if (x->call >= until || (x->call > crash && other))
				continue;
			if (!whole && other && x->ret != PD_NEVER)
				r->others += pass;
			else if (pass)
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

/* The column of a time; if it has none, that of the next crash, or the end. */
static uint32_t column_of(const struct pd_op_history *h, const struct rows *r, uint64_t from,
			  uint64_t t)
{
	for (uint32_t i = 0; i < r->ntimes; i++)
		if (r->times[i] == t ||
		    (t == PD_NEVER && r->times[i] > from && is_crash(h, r->times[i])))
			return i;
	return r->ntimes;
}

static void put_row(const struct pd_op_history *h, const struct pd_linear_spec *spec,
		    const struct rows *r, uint32_t op, struct pd_diagram_op *to)
{
	const struct pd_hop *x = &h->ops.v[op];
	struct pd_outbuf b;

	to->thread = x->thread;
	to->call = column_of(h, r, 0, x->call);
	to->ret = column_of(h, r, x->call, x->ret);
	pd_outbuf_init(&b, to->text, sizeof(to->text));
	pd_picture_op(spec, x, &b.out);
}

static void put_rows(const struct pd_op_history *h, const struct pd_linear_spec *spec,
		     const struct rows *r, uint32_t culprit, struct pd_diagram *to)
{
	to->n = r->n;
	to->earlier = r->before;
	to->columns = r->ntimes;
	for (uint32_t i = 0; i < r->n; i++) {
		put_row(h, spec, r, r->op[i], &to->op[i]);
		to->op[i].culprit = r->op[i] == culprit;
	}
	for (uint32_t i = 0; i < r->ntimes && to->ncrash < PD_DIAGRAM_CRASHES; i++)
		if (is_crash(h, r->times[i]))
			to->crash[to->ncrash++] = i;
}

static void put_try(const struct pd_op_history *h, const struct pd_linear_spec *spec,
		    const struct pd_try *t, struct pd_diagram_try *to)
{
	uint32_t from = t->n > LAST_PLACED ? t->n - LAST_PLACED : 0;
	struct pd_outbuf b;

	pd_outbuf_init(&b, to->expected, sizeof(to->expected));
	put_value(&t->expected, &b.out);
	pd_outbuf_init(&b, to->order, sizeof(to->order));
	for (uint32_t i = from; i < t->n; i++) {
		pd_outs(&b.out, i > from ? ", " : "");
		pd_picture_op(spec, &h->ops.v[t->order[i]], &b.out);
	}
	to->earlier = from;
}

void pd_picture(const struct pd_op_history *h, const struct pd_linear_spec *spec,
		const struct pd_verdict *v, bool whole, struct pd_diagram *to)
{
	struct rows r = {.n = 0};
	bool all = choose_all(h, v, whole, &r);

	if (!all)
		choose_rows(h, v, &r);
	*to = (struct pd_diagram){
		.has_key = v->has_key && !all,
		.key = v->key,
		.others = r.others,
		.keys = v->parts,
		.keys_wrong = v->parts_wrong,
		.ntry = PD_MIN(v->tries.n, PD_DIAGRAM_TRIES),
		.more_tries = v->tries.left_off || v->tries.n > PD_DIAGRAM_TRIES,
	};
	put_rows(h, spec, &r, v->culprit, to);
	for (uint32_t i = 0; i < to->ntry; i++)
		put_try(h, spec, &v->tries.v[i], &to->try[i]);
}

/* The operation that the last execution was in when it failed; NO_OP: none. */
static uint32_t running(const struct pd_op_history *h, uint64_t crash)
{
	for (uint32_t i = h->ops.n; i-- > 0;)
		if (h->ops.v[i].call > crash && h->ops.v[i].ret == PD_NEVER)
			return i;
	return NO_OP;
}

void pd_picture_failed(const struct pd_op_history *h, const struct pd_linear_spec *spec,
		       struct pd_diagram *to)
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
	*to = (struct pd_diagram){.failed = true, .later = after};
	put_rows(h, spec, &r, at, to);
}
