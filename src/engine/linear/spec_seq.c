/*
 * spec_seq.c - queue and stack; see spec.h.
 *
 * Elements are never changed: each points to the one that was added before it, and to one farther
 * back, so that the k-th before it is found in log k steps (Myers, "An applicative random-access
 * stack", 1983). A stack is its newest element; a queue is its newest and a length.
 */
#include "engine/linear/spec.h"
#include "base/hash.h"
#include "engine/linear/treap.h"

enum { BASE = 0x2545f491 }; /* of the hash, a polynomial in it; odd */

struct element {
	const struct element *before, *jump;
	uint64_t depth; /* the first has 1 */
	uint64_t hash;	/* of all up to here */
	struct pd_linear_value value;
};

struct seq {
	const struct element *last;
	uint64_t n;
};

static uint64_t depth(const struct element *e)
{
	return e ? e->depth : 0;
}

static uint64_t hash_to(const struct element *e)
{
	return e ? e->hash : 0;
}

static const struct element *at_depth(const struct element *e, uint64_t d)
{
	while (depth(e) > d)
		e = depth(e->jump) >= d ? e->jump : e->before;
	return e;
}

static const struct element *far_back(const struct element *e)
{
	const struct element *j = e ? e->jump : NULL, *jj = j ? j->jump : NULL;

	return j && depth(e) - depth(j) == depth(j) - depth(jj) ? jj : e;
}

static int append(struct seq *s, const struct pd_linear_value *v, struct pd_linear_memory *m)
{
	struct element *e = m->alloc(m, sizeof(*e));

	if (!e)
		return -1;
	e->before = s->last;
	e->jump = far_back(s->last);
	e->depth = depth(s->last) + 1;
	e->value = *v;
	e->hash = hash_to(s->last) * BASE + pd_value_hash(v);
	s->last = e;
	s->n++;
	return 1;
}

static uint64_t power(uint64_t n)
{
	uint64_t r = 1;

	for (uint64_t b = BASE; n; n >>= 1, b *= b)
		if (n & 1)
			r *= b;
	return r;
}

static uint64_t hash(const void *state)
{
	const struct seq *s = state;
	const struct element *gone = at_depth(s->last, depth(s->last) - s->n);

	return pd_mix(hash_to(s->last) - hash_to(gone) * power(s->n)) + s->n;
}

static int equal(const void *x, const void *y)
{
	const struct seq *s = x, *t = y;
	const struct element *a = s->last, *b = t->last;

	if (s->n != t->n)
		return 0;
	for (uint64_t i = 0; i < s->n && a != b; i++, a = a->before, b = b->before)
		if (pd_value_compare(&a->value, &b->value) != 0)
			return 0;
	return 1;
}

static void show(const struct element *e, uint64_t n, struct pd_linear_value *result)
{
	result->word = PD_NONE;
	if (n)
		*result = e->value;
}

/* The same four operations: add, take, look, size. */
enum { ADD, TAKE, LOOK, SIZE };

static int apply(struct seq *s, const struct pd_linear_op *op, const struct element *front,
		 struct pd_linear_value *result, struct pd_linear_memory *m)
{
	switch (op->fn) {
	case ADD:
		result->word = 1;
		return append(s, &op->arg[0], m);
	case TAKE:
	case LOOK:
		show(front, s->n, result);
		return 1;
	case SIZE:
		result->word = s->n;
		return 1;
	}
	return 0;
}

static int apply_queue(void *state, const struct pd_linear_op *op, unsigned way,
		       struct pd_linear_value *result, struct pd_linear_memory *m)
{
	struct seq *s = state;
	int r;

	if (way > 0)
		return 0;
	r = apply(s, op, s->n ? at_depth(s->last, depth(s->last) - s->n + 1) : NULL, result, m);
	if (op->fn == TAKE && s->n)
		s->n--;
	if (!s->n)
		s->last = NULL;
	return r;
}

static int apply_stack(void *state, const struct pd_linear_op *op, unsigned way,
		       struct pd_linear_value *result, struct pd_linear_memory *m)
{
	struct seq *s = state;
	int r;

	if (way > 0)
		return 0;
	r = apply(s, op, s->last, result, m);
	if (op->fn == TAKE && s->n) {
		s->n--;
		s->last = s->last->before;
	}
	return r;
}

static const struct pd_linear_spec_op queue_ops[] = {{"enqueue", PD_WRITES, 1},
						     {"dequeue", PD_REMOVES, 0},
						     {"peek", PD_PEEKS, 0},
						     {"size", PD_READS, 0},
						     {NULL, 0, 0}};

static const struct pd_linear_spec_op stack_ops[] = {{"push", PD_WRITES, 1},
						     {"pop", PD_REMOVES, 0},
						     {"top", PD_PEEKS, 0},
						     {"size", PD_READS, 0},
						     {NULL, 0, 0}};

const struct pd_linear_spec pd_spec_queue = {
	"queue", queue_ops, sizeof(struct seq),	  apply_queue, NULL, equal, hash,
	NULL,	 NULL,	    PD_FIRST_IN_FIRST_OUT};

const struct pd_linear_spec pd_spec_stack = {
	"stack", stack_ops, sizeof(struct seq),	 apply_stack, NULL, equal, hash,
	NULL,	 NULL,	    PD_LAST_IN_FIRST_OUT};
