/*
 * An array that is resized out of place: its elements are copied to a new block, and then its place
 * and its length change, one after the other. Fixed, the length is part of the block.
 */
#include "../linear.h"

enum { WORDS = 4000, MOST = 100 };

struct array {
	uint64_t used LINE;   /* words of all blocks so far, one behind the other */
	uint64_t block LINE;  /* where it begins; 0: there is none yet */
	uint64_t length LINE; /* of it */
	uint64_t word[WORDS] LINE;
};

MAPPED(struct array)

static uint64_t *elements(struct array *a)
{
	return &a->word[a->block + 1]; /* its first word is the length */
}

static uint64_t length_of(struct array *a)
{
	return FIXED ? a->word[a->block] : a->length;
}

/* 0: there is no room. */
static int resize_locked(struct array *a, uint64_t n)
{
	uint64_t fresh = a->used ? a->used : 1, keep = a->block ? length_of(a) : 0;

	keep = keep < n ? keep : n;
	if (n > MOST || fresh + n + 1 > WORDS)
		return 0;
	pm_set(&a->used, fresh + n + 1);
	pm_persist(&a->used, 8);
	a->word[fresh] = n;
	memcpy(&a->word[fresh + 1], elements(a), keep * 8);
	pm_persist(&a->word[fresh], (n + 1) * 8);
#if !FIXED
	pm_set(&a->length, n); //@ store
	pm_persist(&a->length, 8);
#endif
	pm_set(&a->block, fresh); //@ store
	pm_persist(&a->block, 8);
	return 1;
}

static void resize(void *it, struct pd_linear_op *op)
{
	lock();
	pd_linear_return(op, resize_locked(it, op->arg[0].word) ? 1 : PD_FAILED);
	unlock();
}

static void set(void *it, struct pd_linear_op *op)
{
	struct array *a = it;
	uint64_t i = op->arg[0].word;

	lock();
	if (!a->block) {
		pd_linear_return(op, PD_FAILED);
	} else if (i >= length_of(a)) {
		pd_linear_return(op, 0);
	} else {
		pm_set(&elements(a)[i], op->arg[1].word);
		pm_persist(&elements(a)[i], 8);
		pd_linear_return(op, 1);
	}
	unlock();
}

static void get(void *it, struct pd_linear_op *op)
{
	struct array *a = it;
	uint64_t i = op->arg[0].word;

	lock();
	if (!a->block)
		pd_linear_return(op, 0);
	else
		pd_linear_return(op, i < length_of(a) ? elements(a)[i] : PD_NONE);
	unlock();
}

static void length(void *it, struct pd_linear_op *op)
{
	struct array *a = it;

	lock();
	pd_linear_return(op, a->block ? length_of(a) : PD_NONE);
	unlock();
}

static const struct pd_linear_entry table[] = {{"resize", {PD_COUNT}, resize, PD_MAY_FAIL},
					       {"set", {PD_ANY_KEY, PD_VALUE}, set, PD_MAY_FAIL},
					       {"get", {PD_ANY_KEY}, get, 0},
					       {"length", {PD_NO_ARG}, length, 0},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("array", PD_DURABLE, table, open_it, close_it)
