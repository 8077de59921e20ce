/*
 * A map in leaves, each a list of slots for the keys from `low` on; a full leaf is split, and its upper
 * half goes to a new one. That takes more keys than a leaf has slots. The new leaf is written, flushed
 * and linked; of its slots the first line alone is flushed. Fixed, all are.
 */
#include "../linear.h"

#ifndef SLOTS
#define SLOTS 28
#endif

enum { LEAVES = 64 };

struct slot {
	uint64_t key, value; /* key 0: it is free */
};

struct leaf {
	uint64_t low LINE;
	uint64_t next; /* number of the leaf after it; 0: none */
	struct slot slot[SLOTS] LINE;
};

/* Leaf 0 is there from the start; `used` others are. */
struct map {
	uint64_t used LINE;
	struct leaf leaf[LEAVES];
};

static void recover(struct map *m)
{
	(void)m;
	busy = 0;
}

RECOVERED(struct map, recover)

static struct leaf *leaf_of(struct map *m, uint64_t key)
{
	struct leaf *l = &m->leaf[0];

	while (pm_get(&l->next) && m->leaf[l->next].low <= key)
		l = &m->leaf[l->next];
	return l;
}

static struct slot *find(struct leaf *l, uint64_t key)
{
	for (int i = 0; i < SLOTS; i++)
		if (pm_get(&l->slot[i].key) == key)
			return &l->slot[i];
	return NULL;
}

static uint64_t middle(const struct leaf *l)
{
	uint64_t low = UINT64_MAX, high = 0;

	for (int i = 0; i < SLOTS; i++) {
		low = l->slot[i].key < low ? l->slot[i].key : low;
		high = l->slot[i].key > high ? l->slot[i].key : high;
	}
	return low + (high - low) / 2 + 1;
}

static void copy_upper(struct leaf *to, const struct leaf *from, uint64_t low)
{
	int n = 0;

	memset(to->slot, 0, sizeof(to->slot));
	for (int i = 0; i < SLOTS; i++)
		if (from->slot[i].key >= low)
			to->slot[n++] = from->slot[i]; //@ store
#if FIXED
	pm_flush(to->slot, sizeof(to->slot));
#else
	pm_flush(to->slot, sizeof(to->slot[0]));
#endif
}

/* The keys that went to the new leaf are free in the old one; nobody looks for them there any more. */
static void clear_upper(struct leaf *l, uint64_t low)
{
	for (int i = 0; i < SLOTS; i++)
		if (l->slot[i].key >= low)
			pm_set(&l->slot[i].key, 0);
	pm_persist(l->slot, sizeof(l->slot));
}

/* 0: there is no room for it. */
static int split(struct map *m, struct leaf *l)
{
	uint64_t n = m->used + 1, low = middle(l);

	if (n == LEAVES)
		return 0;
	pm_set(&m->used, n);
	pm_persist(&m->used, 8);
	copy_upper(&m->leaf[n], l, low);
	m->leaf[n].low = low;
	m->leaf[n].next = l->next;
	pm_flush(&m->leaf[n], 16);
	pm_fence();
	pm_set(&l->next, n);
	pm_persist(&l->next, 8);
	clear_upper(l, low);
	return 1;
}

/* With the lock held: a slot for a key that is not there; NULL: no room. */
static struct slot *make_room(struct map *m, uint64_t key)
{
	struct slot *s;

	while (!(s = find(leaf_of(m, key), 0)))
		if (!split(m, leaf_of(m, key)))
			return NULL;
	return s;
}

static void put(void *it, struct pd_linear_op *op)
{
	struct map *m = it;
	uint64_t key = op->arg[0].word, old = PD_NONE;
	struct slot *s;

	lock();
	s = find(leaf_of(m, key), key);
	if (s) {
		old = s->value;
		pm_set(&s->value, op->arg[1].word);
		pm_persist(&s->value, 8);
	} else {
		s = make_room(m, key);
		if (s) {
			pm_set(&s->value, op->arg[1].word);
			pm_persist(&s->value, 8);
			pm_set(&s->key, key);
			pm_persist(&s->key, 8);
		}
	}
	unlock();
	pd_linear_return(op, s ? old : PD_FAILED);
}

static void get(void *it, struct pd_linear_op *op)
{
	struct map *m = it;
	struct slot *s;

	lock();
	s = find(leaf_of(m, op->arg[0].word), op->arg[0].word);
	pd_linear_return(op, s ? s->value : PD_NONE);
	unlock();
}

static void take(void *it, struct pd_linear_op *op)
{
	struct map *m = it;
	struct slot *s;

	lock();
	s = find(leaf_of(m, op->arg[0].word), op->arg[0].word);
	pd_linear_return(op, s ? s->value : PD_NONE);
	if (s) {
		pm_set(&s->key, 0);
		pm_persist(&s->key, 8);
	}
	unlock();
}

static const struct pd_linear_entry table[] = {{"put", {PD_NEW_KEY, PD_VALUE}, put, PD_MAY_FAIL},
					       {"get", {PD_ANY_KEY}, get, 0},
					       {"remove", {PD_OLD_KEY}, take, 0},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("map", PD_DURABLE, table, open_it, close_it)
