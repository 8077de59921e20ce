/* diagram.c - see diagram.h. */
#include "finding/diagram.h"

/* ---- as facts ------------------------------------------------------------------------------- */

static void put_text(struct pd_fact_list *to, enum pd_fact_key key, uint32_t nth, const char *text)
{
	pd_fact_add(to,
		    &(struct pd_fact){.key = (uint16_t)key, .nth = (uint16_t)nth, .text = text});
}

static void put_op(const struct pd_diagram_op *op, uint32_t i, bool failed, struct pd_fact_list *to)
{
	put_text(to, PD_FACT_HISTORY_OPERATION, i, op->text);
	pd_fact_put_nth(to, PD_FACT_HISTORY_THREAD, i, op->thread);
	pd_fact_put_nth(to, PD_FACT_HISTORY_CALL, i, op->call);
	pd_fact_put_nth(to, PD_FACT_HISTORY_RETURN, i, op->ret);
	if (op->culprit)
		pd_fact_put_nth(to, failed ? PD_FACT_HISTORY_RUNNING : PD_FACT_HISTORY_WRONG, i, 1);
}

static void put_try(const struct pd_diagram_try *t, uint32_t i, struct pd_fact_list *to)
{
	put_text(to, PD_FACT_TRY_EXPECTED, i, t->expected);
	if (t->order[0])
		put_text(to, PD_FACT_TRY_ORDER, i, t->order);
	if (t->earlier)
		pd_fact_put_nth(to, PD_FACT_TRY_EARLIER, i, t->earlier);
}

void pd_diagram_facts(const struct pd_diagram *d, struct pd_fact_list *to)
{
	if (!d->n)
		return;
	for (uint32_t i = 0; i < d->n; i++)
		put_op(&d->op[i], i, d->failed, to);
	for (uint32_t i = 0; i < d->ncrash; i++)
		pd_fact_put_nth(to, PD_FACT_HISTORY_CRASHED, i, d->crash[i]);
	pd_fact_put(to, PD_FACT_HISTORY_EVENTS, d->columns);
	pd_fact_put_if(to, PD_FACT_HISTORY_EARLIER, d->earlier);
	pd_fact_put_if(to, PD_FACT_HISTORY_OTHERS, d->others);
	pd_fact_put_if(to, PD_FACT_HISTORY_FAILED, d->failed);
	pd_fact_put_if(to, PD_FACT_HISTORY_LATER, d->later);
	if (d->has_key)
		pd_fact_put(to, PD_FACT_HISTORY_KEY, d->key);
	for (uint32_t i = 0; i < d->ntry; i++)
		put_try(&d->try[i], i, to);
	pd_fact_put_if(to, PD_FACT_TRIES_CUT, d->more_tries);
	if (d->keys_wrong > 1) {
		pd_fact_put(to, PD_FACT_KEYS_WRONG, d->keys_wrong);
		pd_fact_put(to, PD_FACT_KEYS_JUDGED, d->keys);
	}
}

static uint32_t nth_number(const struct pd_facts *f, enum pd_fact_key key, uint32_t nth)
{
	const struct pd_fact *fact = pd_fact_get(f, key, nth);

	return fact ? (uint32_t)fact->number : 0;
}

static void nth_text(const struct pd_facts *f, enum pd_fact_key key, uint32_t nth, char *to,
		     size_t room)
{
	const struct pd_fact *fact = pd_fact_get(f, key, nth);
	struct pd_outbuf b;

	pd_outbuf_init(&b, to, room);
	pd_outs(&b.out, fact && fact->text ? fact->text : "");
}

bool pd_diagram_of_facts(struct pd_diagram *d, const struct pd_facts *f)
{
	const struct pd_fact *key = pd_fact_get(f, PD_FACT_HISTORY_KEY, 0);

	*d = (struct pd_diagram){
		.n = PD_MIN(pd_fact_count(f, PD_FACT_GROUP_HISTORY), PD_DIAGRAM_OPS),
		.earlier = nth_number(f, PD_FACT_HISTORY_EARLIER, 0),
		.columns = nth_number(f, PD_FACT_HISTORY_EVENTS, 0),
		.ncrash = PD_MIN(pd_fact_count(f, PD_FACT_GROUP_HISTORY_CRASH), PD_DIAGRAM_CRASHES),
		.ntry = PD_MIN(pd_fact_count(f, PD_FACT_GROUP_TRY), PD_DIAGRAM_TRIES),
		.more_tries = nth_number(f, PD_FACT_TRIES_CUT, 0),
		.has_key = key != NULL,
		.key = key ? key->number : 0,
		.keys = nth_number(f, PD_FACT_KEYS_JUDGED, 0),
		.keys_wrong = nth_number(f, PD_FACT_KEYS_WRONG, 0),
		.others = nth_number(f, PD_FACT_HISTORY_OTHERS, 0),
		.failed = nth_number(f, PD_FACT_HISTORY_FAILED, 0),
		.later = nth_number(f, PD_FACT_HISTORY_LATER, 0),
	};
	for (uint32_t i = 0; i < d->n; i++) {
		struct pd_diagram_op *op = &d->op[i];

		op->thread = nth_number(f, PD_FACT_HISTORY_THREAD, i);
		op->call = nth_number(f, PD_FACT_HISTORY_CALL, i);
		op->ret = nth_number(f, PD_FACT_HISTORY_RETURN, i);
		op->culprit = nth_number(f, PD_FACT_HISTORY_WRONG, i) ||
			      nth_number(f, PD_FACT_HISTORY_RUNNING, i);
		nth_text(f, PD_FACT_HISTORY_OPERATION, i, op->text, sizeof(op->text));
	}
	for (uint32_t i = 0; i < d->ncrash; i++)
		d->crash[i] = nth_number(f, PD_FACT_HISTORY_CRASHED, i);
	for (uint32_t i = 0; i < d->ntry; i++) {
		struct pd_diagram_try *t = &d->try[i];

		t->earlier = nth_number(f, PD_FACT_TRY_EARLIER, i);
		nth_text(f, PD_FACT_TRY_EXPECTED, i, t->expected, sizeof(t->expected));
		nth_text(f, PD_FACT_TRY_ORDER, i, t->order, sizeof(t->order));
	}
	return d->n != 0;
}

/* ---- as text -------------------------------------------------------------------------------- */

static bool is_crash(const struct pd_diagram *d, uint32_t column)
{
	for (uint32_t i = 0; i < d->ncrash; i++)
		if (d->crash[i] == column)
			return true;
	return false;
}

static void draw_op(const struct pd_diagram *d, const struct pd_diagram_op *op, struct pd_out *out)
{
	pd_outf(out, "%s T%-3u ", op->culprit ? ">" : " ", op->thread);
	for (uint32_t i = 0; i < d->columns; i++)
		pd_outs(out, is_crash(d, i)		   ? "!"
			     : i == op->call		   ? "["
			     : i == op->ret		   ? "]"
			     : i > op->call && i < op->ret ? "="
							   : ".");
	pd_outf(out, "  %s\n", op->text);
}

static void draw_try(const struct pd_diagram_try *t, struct pd_out *out)
{
	pd_outf(out, "  %s", t->expected);
	if (!t->order[0])
		pd_outs(out, "  at the start");
	else if (t->earlier)
		pd_outf(out, "  after %u more, %s", t->earlier, t->order);
	else
		pd_outf(out, "  after %s", t->order);
	pd_outs(out, "\n");
}

static const struct pd_diagram_op *culprit_of(const struct pd_diagram *d)
{
	for (uint32_t i = 0; i < d->n; i++)
		if (d->op[i].culprit)
			return &d->op[i];
	return NULL;
}

static void draw_title(const struct pd_diagram *d, struct pd_out *out)
{
	const struct pd_diagram_op *culprit = culprit_of(d);

	if (!d->failed && culprit)
		pd_outf(out, "%s by thread %u: no order of the operations explains it\n",
			culprit->text, culprit->thread);
	pd_outs(out, "Operations");
	if (d->has_key)
		pd_outf(out, " on key %lu", (unsigned long)d->key);
	if (!d->failed)
		pd_outs(out, " up to there");
	else
		pd_outf(out, " before the crash%s", culprit ? ", and the one that failed" : "");
	pd_outf(out, ", one column per event%s:\n", d->ncrash ? ", ! is a crash" : "");
}

void pd_diagram_draw(const struct pd_diagram *d, struct pd_out *out)
{
	draw_title(d, out);
	if (d->earlier)
		pd_outf(out, "  (%u earlier)\n", d->earlier);
	for (uint32_t i = 0; i < d->n; i++)
		draw_op(d, &d->op[i], out);
	if (d->ntry)
		pd_outs(out, "By the specification it returns:\n");
	for (uint32_t i = 0; i < d->ntry; i++)
		draw_try(&d->try[i], out);
	if (d->more_tries)
		pd_outs(out, "  (and more)\n");
	if (d->keys_wrong > 1)
		pd_outf(out, "%u more of %u keys cannot be explained either\n", d->keys_wrong - 1,
			d->keys);
	if (d->others)
		pd_outf(out, "%u on other keys had returned before, and %s not shown\n", d->others,
			d->others == 1 ? "is" : "are");
	if (d->later)
		pd_outf(out, "Recovery had done %u more\n", d->later);
}
