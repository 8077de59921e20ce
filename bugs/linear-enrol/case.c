/*
 * A map of a few keys whose threads register when they open it or change it for the first time: each has a
 * record in PM, with a count of its changes. So what an operation stores depends on the thread that executes it. Who
 * reads a value returns it, though the one who has stored it has not made it durable yet.
 */
#include "../linear.h"

enum { KEYS = 64, THREADS = 16, VALUES = 8 };

struct record {
	uint64_t used, changes, last_key;
	char pad[40];
};

struct map {
	uint64_t value[KEYS][VALUES]; /* the first is the value; a line each */
	uint64_t threads;
	char pad[56];
	struct record record[THREADS];
};

static __thread uint64_t own; /* 1 + the record; 0: not registered */

static void enrol(struct map *m)
{
	struct record *r;

	if (own)
		return;
	own = 1 + __atomic_fetch_add(&m->threads, 1, __ATOMIC_SEQ_CST) % THREADS;
	r = &m->record[own - 1];
	pm_set(&r->used, 1);
	pm_set(&r->changes, 0);
	pm_set(&r->last_key, 0);
	pm_persist(r, sizeof(*r));
}

RECOVERED(struct map, enrol)

static uint64_t change(struct map *m, uint64_t key, uint64_t to)
{
	uint64_t *at = m->value[key % KEYS], before;

	if (key >= KEYS)
		return to ? PD_FAILED : PD_NONE;
	enrol(m);
	lock();
	before = pm_get(at);
	pm_set(at, to); //@ store
	pm_persist(at, 8);
	pm_set(&m->record[own - 1].last_key, key);
	pm_set(&m->record[own - 1].changes, pm_get(&m->record[own - 1].changes) + 1);
	pm_persist(&m->record[own - 1], sizeof(struct record));
	unlock();
	return before ? before : PD_NONE;
}

static void put(void *it, struct pd_linear_op *op)
{
	pd_linear_return(op, change(it, op->arg[0].word, op->arg[1].word));
}

static void take(void *it, struct pd_linear_op *op)
{
	pd_linear_return(op, change(it, op->arg[0].word, 0));
}

static void get(void *it, struct pd_linear_op *op)
{
	struct map *m = it;
	uint64_t key = op->arg[0].word, *at = m->value[key % KEYS];
	uint64_t found = key < KEYS ? pm_get(at) : 0;

#if FIXED
	pm_persist(at, 8);
#endif
	pd_linear_return(op, found ? found : PD_NONE);
}

static const struct pd_linear_entry table[] = {{"put", {PD_NEW_KEY, PD_VALUE}, put, PD_MAY_FAIL},
					       {"get", {PD_ANY_KEY}, get, 0},
					       {"remove", {PD_OLD_KEY}, take, 0},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("map", PD_DURABLE, table, open_it, close_it)
