/*
 * A set of a few keys, in one line. Who finds that its key is there already says so, though the one who
 * has put it there has not made it durable yet.
 */
#include "../linear.h"

enum { SLOTS = 8 };

struct set {
	uint64_t key[SLOTS];
};

MAPPED(struct set)

static void add(void *it, struct pd_linear_op *op)
{
	struct set *s = it;

	for (int i = 0; i < SLOTS; i++) {
		uint64_t have = 0;

		if (pm_cas(&s->key[i], &have, op->arg[0].word)) { //@ store
			pm_persist(&s->key[i], 8);
			pd_linear_return(op, 1);
			return;
		}
		if (have == op->arg[0].word) {
#if FIXED
			pm_persist(&s->key[i], 8);
#endif
			pd_linear_return(op, 0);
			return;
		}
	}
	pd_linear_return(op, PD_FAILED);
}

static void contains(void *it, struct pd_linear_op *op)
{
	struct set *s = it;
	int found = 0;

	for (int i = 0; i < SLOTS && !found; i++) {
		found = pm_get(&s->key[i]) == op->arg[0].word; //@ load
		pm_persist(&s->key[i], 8);
	}
	pd_linear_return(op, (uint64_t)found);
}

static const struct pd_linear_entry table[] = {{"add", {PD_NEW_KEY}, add, PD_MAY_FAIL},
					       {"contains", {PD_ANY_KEY}, contains, 0},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("set", PD_DURABLE, table, open_it, close_it)
