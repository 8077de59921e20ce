/* record.c - see record.h. */
#include "runtime/linear/record.h"
#include "engine/crash/run.h"
#include "engine/linear/picture.h"
#include "engine/linear/wrong.h"
#include "runtime/access/mem.h"
#include "runtime/base/raw.h"
#include "runtime/check/check.h"
#include "runtime/thread/thread.h"
#include <string.h>
#include <unistd.h>

/* Limits of the judge, and of each question about what went wrong. */
#define LIMIT_BYTES (256ULL << 20)
#define WRONG_STEPS 100000

static struct pd_record *record; /* the one of this process */

static size_t pack(void *buf, size_t cap)
{
	return pd_op_history_pack(record->history, buf, cap);
}

static uint32_t list_under_way(struct pd_crash_under_way *to, uint32_t room)
{
	const struct pd_op_history *h = record->history;
	uint32_t n = 0;

	for (uint32_t i = record->first; i < h->ops.n && i - record->first < record->calls.n; i++) {
		if (h->ops.v[i].ret != PD_NEVER)
			continue;
		if (n < room)
			to[n] = record->calls.v[i - record->first];
		n++;
	}
	return n;
}

static _Noreturn void run_out(void)
{
	pd_check_end_unknown(PD_UNKNOWN_MEMORY, "");
}

bool pd_record_crashes(void)
{
	return pd_rt.driven && pd_check.role != PD_CHECK_NONE;
}

/* Takes over the history of the execution before, and adds the crash. */
static void take_history(struct pd_record *r)
{
	size_t n;
	const void *left = pd_check_history_left(&n);
	struct pd_op_history *h = r->history;

	if (n && !pd_op_history_unpack(h, left, n))
		run_out();
	for (uint32_t i = 0; i < h->ops.n; i++)
		r->left = r->left || h->ops.v[i].ret != PD_NEVER;
	r->clock = 2 * (uint64_t)h->ops.n + h->crashes.n + 1;
	if (!pd_op_history_crash(h, r->clock++))
		run_out();
}

static void describe(const struct pd_record *r, uint32_t op, char *buf, size_t n)
{
	struct pd_outbuf b;

	pd_outbuf_init(&b, buf, n);
	pd_picture_op(r->spec, &r->history->ops.v[op], &b.out);
}

/* The operation that the last crash interrupted; "": none, or several. */
static void find_interrupted(const struct pd_record *r, char *buf, size_t n)
{
	const struct pd_op_history *h = r->history;
	uint32_t found = 0;

	*buf = 0;
	for (uint32_t i = 0; r->spec && i < h->ops.n; i++) {
		const struct pd_hop *x = &h->ops.v[i];

		if (x->ret == PD_NEVER && pd_op_history_era(h, x->call) + 1 == h->crashes.n &&
		    !found++)
			describe(r, i, buf, n);
	}
	if (found > 1)
		*buf = 0;
}

/* A recovery is about to fail: the diagram shows what it was doing. */
static void picture_failed(void)
{
	if (record->spec)
		pd_picture_failed(record->history, record->spec, pd_check_diagram());
}

void pd_record_begin(struct pd_record *r)
{
	char interrupted[PD_RUN_OPERATION];

	record = r;
	pd_op_history_init(r->history, r->arena);
	pd_check_history = pack;
	pd_check_under_way = list_under_way;
	if (pd_check.role != PD_CHECK_RECOVERY)
		return;
	take_history(r);
	find_interrupted(r, interrupted, sizeof(interrupted));
	pd_check_linear(interrupted);
	pd_check_last_words = picture_failed;
	r->first = r->history->ops.n;
}

/* ---- operations ----------------------------------------------------------------------------- */

/* A returned value may be gone when the next operation runs. */
static struct pd_linear_value keep(struct pd_record *r, struct pd_linear_value v)
{
	void *copy = v.size ? pd_arena_alloc(r->arena, v.size) : NULL;

	r->no_memory = r->no_memory || (v.size && !copy);
	v.data = copy ? memcpy(copy, v.data, v.size) : NULL;
	v.size = copy ? v.size : 0;
	return v;
}

bool pd_record_call(struct pd_record *r, const struct pd_linear_op *op, uint32_t *number)
{
	struct pd_crash_under_way *call = pd_vec_push(&r->calls, r->arena);

	pd_rt_drain_now();
	if (call)
		*call = (struct pd_crash_under_way){pd_thread_self(), pd_mem.model.log->n};
	r->no_memory = r->no_memory || !call;
	*number = r->history->ops.n;
	r->no_memory = r->no_memory ||
		       !pd_op_history_add(r->history, pd_thread_self(), r->clock++, PD_NEVER, op);
	return !r->no_memory;
}

const struct pd_linear_op *pd_record_return(struct pd_record *r, uint32_t number,
					    const struct pd_linear_op *op)
{
	struct pd_hop *x;

	pd_rt_drain_now();
	x = &r->history->ops.v[number];
	x->op.flags = op->flags;
	x->op.returned = op->returned;
	x->op.result = keep(r, op->result);
	x->ret = r->clock++;
	pd_check_returned();
	return &r->history->ops.v[number].op;
}

/* ---- the judge ------------------------------------------------------------------------------ */

static enum pd_wrong_losers losers_of(void)
{
	switch (pd_check_losers()) {
	case PD_LOSERS_NONE:
		return PD_WRONG_NOTHING_LOST;
	case PD_LOSERS_INTERRUPTED:
		return PD_WRONG_LOST_OF_INTERRUPTED;
	case PD_LOSERS_OTHERS:
		break;
	}
	return PD_WRONG_LOST_OF_ANY;
}

static void report(const struct pd_record *r, const struct pd_verdict *v)
{
	struct pd_limits limits = {LIMIT_BYTES, WRONG_STEPS};
	char response[PD_RUN_OPERATION], operation[PD_RUN_OPERATION] = "";
	struct pd_wrong w =
		pd_wrong_of(r->history, r->spec, r->condition, v, losers_of(), limits, r->arena);

	/* What needs no crash shows at the end of the execution, and is reported once. */
	if (w.kind == PD_KIND_LINEAR_ORDER && !pd_check_shows_order())
		return;
	describe(r, v->culprit, response, sizeof(response));
	if (w.named)
		describe(r, w.op, operation, sizeof(operation));
	pd_picture(r->history, r->spec, v, !r->announced, pd_check_diagram());
	if (w.kind == PD_KIND_LINEAR_VOLATILE && r->code)
		pd_check_reads(r->code(r->history->ops.v[v->culprit].op.fn));
	pd_check_unexplained(w.kind, response, operation, w.in_part);
}

void pd_record_skip(struct pd_record *r)
{
	if (r->no_memory)
		run_out();
	pd_check_history_judged();
}

void pd_record_judge(struct pd_record *r)
{
	struct pd_limits limits = {.bytes = LIMIT_BYTES};
	struct pd_verdict v;

	if (r->no_memory)
		run_out();
	pd_check_history_judged();
	v = pd_judge(r->history, r->spec, r->condition, limits, r->arena);
	if (v.answer == PD_ANSWER_NO && v.fault == PD_HISTORY_OK)
		report(r, &v);
	else if (v.answer != PD_ANSWER_YES)
		pd_check_end_unknown(v.fault ? PD_UNKNOWN_HISTORY_BAD : PD_UNKNOWN_HISTORY_LONG,
				     "");
}
