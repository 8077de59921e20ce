/*
 * A map of a few slots that are used again. Each counts the keys that were removed from it. A reader takes no
 * lock: it reads the count, the key, the value, and the count again: if that is the same, the value is the
 * key's. Else, and where the key is not found, it reads once more, behind the writers.
 *
 * Both reads of the count are plain, with nothing but plain reads in between: the compiler drops the second one.
 * So a reader that a removal and an insertion overtake returns the value of another key.
 */
#include "../linear.h"

enum { SLOTS = 8 };

struct slot {
	uint64_t key, value, removed; /* key + 1; 0: free */
	char pad[40];
};

struct map {
	struct slot slot[SLOTS];
};

MAPPED(struct map)

static struct slot *find(struct map *m, uint64_t key)
{
	for (int i = 0; i < SLOTS; i++)
		if (pm_get(&m->slot[i].key) == key)
			return &m->slot[i];
	return NULL;
}

static void insert(void *it, struct pd_linear_op *op)
{
	struct map *m = it;
	uint64_t key = op->arg[0].word + 1, done = 0;
	struct slot *s;

	lock();
	if (!find(m, key)) {
		s = find(m, 0);
		done = s ? 1 : PD_FAILED;
		if (s) {
			pm_set(&s->value, op->arg[1].word);
			pm_set(&s->key, key);
			pm_persist(s, sizeof(*s));
		}
	}
	unlock();
	pd_linear_return(op, done);
}

static void take(void *it, struct pd_linear_op *op)
{
	uint64_t value = PD_NONE;
	struct slot *s;

	lock();
	s = find(it, op->arg[0].word + 1);
	if (s) {
		value = s->value;
		pm_set(&s->removed, pm_get(&s->removed) + 1);
		pm_set(&s->key, 0);
		pm_persist(s, sizeof(*s));
	}
	unlock();
	pd_linear_return(op, value);
}

#if FIXED
#define again(p) pm_get(p)
#else
#define again(p) (*(p))
#endif

/* The value, or PD_NONE: not found without the lock. What is found is durable. */
static uint64_t look(struct map *m, uint64_t key)
{
	for (int i = 0; i < SLOTS; i++) {
		struct slot *s = &m->slot[i];
		uint64_t removed = again(&s->removed), value;

		if (again(&s->key) != key)
			continue;
		value = again(&s->value);
		if (again(&s->removed) != removed)
			continue;
		pm_persist(s, sizeof(*s));
		return value;
	}
	return PD_NONE;
}

static void get(void *it, struct pd_linear_op *op)
{
	uint64_t value = look(it, op->arg[0].word + 1);
	struct slot *s;

	if (value == PD_NONE) {
		lock();
		s = find(it, op->arg[0].word + 1);
		value = s ? s->value : PD_NONE;
		unlock();
	}
	pd_linear_return(op, value);
}

static const struct pd_linear_entry table[] = {{"insert", {PD_NEW_KEY, PD_VALUE}, insert, PD_MAY_FAIL},
					       {"get", {PD_ANY_KEY}, get, 0},
					       {"remove", {PD_OLD_KEY}, take, 0},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("map", PD_DURABLE, table, open_it, close_it)
