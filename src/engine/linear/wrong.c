/* wrong.c - see wrong.h. */
#include "engine/linear/wrong.h"

/* No operation has this number. */
#define NO_OP UINT32_MAX

struct question {
	const struct pd_op_history *h;
	const struct pd_linear_spec *spec;
	enum pd_linear_condition condition;
	const struct pd_verdict *v;
	struct pd_limits limits;
	struct pd_arena *arena;
	enum pd_wrong_losers losers;
	uint64_t crash; /* the last one before the culprit */
};

/* How the history is changed. All zero but for the NO_OPs: not at all. */
struct change {
	bool no_reads;	   /* none before the crash */
	bool no_pending;   /* none of those that the crash interrupted */
	bool only_before;  /* nothing after the crash */
	bool all_optional; /* no operation before the crash need have happened */
	uint32_t optional; /* nor this one */
	uint32_t left_out;
};

static const struct change unchanged = {.optional = NO_OP, .left_out = NO_OP};

static bool is_read(const struct question *q, const struct pd_hop *x)
{
	int effect = q->spec->ops[x->op.fn].effect;

	return !(x->op.flags & PD_SYNC) && (effect == PD_READS || effect == PD_PEEKS);
}

static bool is_before(const struct question *q, const struct pd_hop *x)
{
	return x->call < q->crash;
}

static bool stays(const struct question *q, const struct change *c, uint32_t i)
{
	const struct pd_hop *x = &q->h->ops.v[i];

	if (i == c->left_out || (c->only_before && !is_before(q, x)))
		return false;
	if (!is_before(q, x))
		return true;
	return !(c->no_reads && is_read(q, x)) && !(c->no_pending && x->ret == PD_NEVER);
}

static bool add(const struct question *q, const struct change *c, uint32_t i,
		struct pd_op_history *to)
{
	struct pd_hop x = q->h->ops.v[i];

	/* An operation without a response is alone in its thread: others might follow it there. */
	if (i == c->optional || (c->all_optional && is_before(q, &x) && x.ret != PD_NEVER)) {
		x.ret = PD_NEVER;
		x.op.returned = 0;
		x.thread = q->h->ops.n + i;
	}
	return pd_op_history_add(to, x.thread, x.call, x.ret, &x.op);
}

/* Syncs are not judged together with others, but determine what must be durable. */
static bool add_syncs(const struct question *q, const struct change *c, struct pd_op_history *to)
{
	bool ok = true;

	for (uint32_t i = 0; i < q->h->ops.n && ok; i++)
		if ((q->h->ops.v[i].op.flags & PD_SYNC) && stays(q, c, i))
			ok = add(q, c, i, to);
	return ok;
}

/* Whether the changed history can be explained. */
static bool explained(const struct question *q, struct change c)
{
	struct pd_op_history h;
	bool ok = true;

	pd_op_history_init(&h, q->arena);
	for (uint32_t i = 0; i < q->v->nops && ok; i++)
		if (stays(q, &c, q->v->ops[i]))
			ok = add(q, &c, q->v->ops[i], &h);
	ok = ok && add_syncs(q, &c, &h);
	for (uint32_t i = 0; i < q->h->crashes.n && ok; i++)
		if (!c.only_before || q->h->crashes.v[i] < q->crash)
			ok = pd_op_history_crash(&h, q->h->crashes.v[i]);
	return ok &&
	       pd_judge(&h, q->spec, q->condition, q->limits, q->arena).answer == PD_ANSWER_YES;
}

/* It used what only interrupted operations can have written. */
static bool used_pending(const struct question *q, uint32_t op)
{
	struct change c = unchanged;

	c.only_before = c.no_pending = true;
	if (explained(q, c))
		return false;
	c.left_out = op;
	return explained(q, c);
}

static struct pd_wrong seen_too_early(const struct question *q)
{
	struct pd_wrong w = {.kind = PD_KIND_LINEAR_VISIBLE};

	for (uint32_t i = q->v->nops; i-- > 0;) {
		struct change c = unchanged;
		const struct pd_hop *x = &q->h->ops.v[c.left_out = q->v->ops[i]];

		if (!is_before(q, x) || !is_read(q, x) || x->ret == PD_NEVER)
			continue;
		w.op = c.left_out;
		w.named = true;
		if (explained(q, c))
			break;
	}
	return w;
}

/* The last writer before the crash that matches; NO_OP: none. */
static uint32_t last_writer(const struct question *q, bool pending)
{
	for (uint32_t i = q->v->nops; i-- > 0;) {
		const struct pd_hop *x = &q->h->ops.v[q->v->ops[i]];

		if (is_before(q, x) && !is_read(q, x) && (x->ret == PD_NEVER) == pending)
			return q->v->ops[i];
	}
	return NO_OP;
}

/* The last writer that this crash interrupted, whatever its key; NO_OP: none. */
static uint32_t last_interrupted(const struct question *q)
{
	for (uint32_t i = q->h->ops.n; i-- > 0;) {
		const struct pd_hop *x = &q->h->ops.v[i];

		if (is_before(q, x) && !is_read(q, x) && x->ret == PD_NEVER)
			return i;
	}
	return NO_OP;
}

/* The last operation without which everything would be explained; NO_OP: there is none. */
static uint32_t find_lost(const struct question *q)
{
	struct change c = unchanged;

	c.no_reads = true;
	for (uint32_t i = q->v->nops; i-- > 0;) {
		const struct pd_hop *x = &q->h->ops.v[c.optional = q->v->ops[i]];

		if (is_before(q, x) && !is_read(q, x) && x->ret != PD_NEVER && explained(q, c))
			return c.optional;
	}
	c.optional = NO_OP;
	c.all_optional = true;
	return explained(q, c) ? last_writer(q, false) : NO_OP;
}

/* Whether the history cannot be explained without the operation either: something of it is
 * there. */
static bool is_left_in_part(const struct question *q, uint32_t lost)
{
	struct change c = unchanged;

	c.no_reads = true;
	c.left_out = lost;
	return !explained(q, c);
}

/* Whether an interrupted operation was under way when this one returned. */
static bool overlaps_interrupted(const struct question *q, uint32_t op)
{
	for (uint32_t i = 0; i < q->h->ops.n; i++) {
		const struct pd_hop *x = &q->h->ops.v[i];

		if (is_before(q, x) && !is_read(q, x) && x->ret == PD_NEVER &&
		    x->call < q->h->ops.v[op].ret)
			return true;
	}
	return false;
}

/* All lost stores are of interrupted operations. */
static struct pd_wrong wrong_by_interrupted(const struct question *q, uint32_t lost)
{
	uint32_t pending = last_interrupted(q);

	if (lost != NO_OP && overlaps_interrupted(q, lost))
		return (struct pd_wrong){PD_KIND_LINEAR_VISIBLE, true, lost, false};
	return (struct pd_wrong){PD_KIND_LINEAR_PARTIAL, pending != NO_OP, pending, false};
}

static struct pd_wrong wrong_at_crash(const struct question *q)
{
	struct change c = unchanged;
	uint32_t lost, pending = last_writer(q, true);

	c.no_reads = true;
	if (explained(q, c))
		return seen_too_early(q);
	lost = find_lost(q);
	if (lost != NO_OP && used_pending(q, lost))
		return (struct pd_wrong){PD_KIND_LINEAR_VISIBLE, true, lost, false};
	if (q->losers == PD_WRONG_LOST_OF_INTERRUPTED)
		return wrong_by_interrupted(q, lost);
	if (lost == NO_OP) /* an interrupted operation may have damaged another key */
		pending = last_interrupted(q);
	if (pending != NO_OP &&
	    (lost == NO_OP || q->h->ops.v[pending].call > q->h->ops.v[lost].ret))
		return (struct pd_wrong){PD_KIND_LINEAR_PARTIAL, true, pending, false};
	return (struct pd_wrong){PD_KIND_LINEAR_LOST, lost != NO_OP, lost,
				 lost != NO_OP && is_left_in_part(q, lost)};
}

struct pd_wrong pd_wrong_of(const struct pd_op_history *h, const struct pd_linear_spec *spec,
			    enum pd_linear_condition condition, const struct pd_verdict *v,
			    enum pd_wrong_losers losers, struct pd_limits limits,
			    struct pd_arena *a)
{
	struct question q = {h, spec, condition, v, limits, a, losers, 0};
	struct pd_wrong w;
	uint32_t pending;

	if (!v->era)
		return (struct pd_wrong){PD_KIND_LINEAR_ORDER, true, v->culprit, false};
	q.crash = h->crashes.v[v->era - 1];
	pending = losers == PD_WRONG_NOTHING_LOST ? last_interrupted(&q) : NO_OP;
	if (pending != NO_OP)
		return (struct pd_wrong){PD_KIND_LINEAR_PARTIAL, true, pending, false};
	w = wrong_at_crash(&q);
	if (losers == PD_WRONG_NOTHING_LOST && w.kind == PD_KIND_LINEAR_LOST)
		w.kind = PD_KIND_LINEAR_VOLATILE;
	return w;
}
