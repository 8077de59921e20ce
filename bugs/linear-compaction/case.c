/*
 * A log-structured map: changes are appended to one of two areas, and what is still valid of a full one is copied to the
 * other. A record is there if its checksum, which knows how many times the map was compacted, fits; readers look at records
 * up to a tail in ordinary memory, which moves when a record is durable. Broken, a compaction flushes the first line of
 * what it has copied alone.
 */
#include "../linear.h"
enum { ROOM = 40 };
struct rec {
	uint64_t key, value, sum;
	uint64_t pad;
};
struct kv {
	uint64_t gen LINE;
	struct rec area[2][ROOM] LINE;
};
static uint64_t tail; /* in DRAM: records that are there, durably */
static uint64_t sum(uint64_t gen, const struct rec *r)
{
	uint64_t x = gen * 0x9e3779b97f4a7c15u ^ r->key * 0xff51afd7ed558ccdu ^
		     (r->value + 1) * 0xc4ceb9fe1a85ec53u;
	return (x ^ x >> 29) | 1;
}
static void recover(struct kv *m)
{
	uint64_t g = pm_get(&m->gen);
	struct rec *a = m->area[g & 1];
	busy = 0;
	for (tail = 0; tail < ROOM && a[tail].sum == sum(g, &a[tail]) && a[tail].sum; tail++)
		;
	pm_persist(a, tail * sizeof(*a));
}
RECOVERED(struct kv, recover)
static void append(struct rec *a, uint64_t at, uint64_t g, uint64_t k, uint64_t v)
{
	struct rec r = {k, v, 0, 0};
	pm_set(&a[at].key, k);
	pm_set(&a[at].value, v);
	pm_set(&a[at].sum, sum(g, &r)); //@ store
}
static uint64_t find(const struct rec *a, uint64_t n, uint64_t key)
{
	while (n-- > 0)
		if (pm_get(&a[n].key) == key)
			return pm_get(&a[n].value);
	return PD_NONE;
}
static void compact(struct kv *m)
{
	uint64_t g = m->gen, n = 0;
	struct rec *from = m->area[g & 1], *to = m->area[(g + 1) & 1];
	for (uint64_t i = 0; i < tail; i++) {
		int later = 0;
		for (uint64_t j = i + 1; j < tail; j++)
			later |= from[j].key == from[i].key;
		if (!later && from[i].value != PD_NONE)
			append(to, n++, g + 1, from[i].key, from[i].value);
	}
	/* what follows must not look like a record */
	if (n < ROOM)
		pm_set(&to[n].sum, 0);
#if FIXED
	pm_persist(to, sizeof(m->area[0]));
#else
	pm_persist(to, 64);
#endif
	pm_set(&m->gen, g + 1);
	pm_persist(&m->gen, 8);
	tail = n;
}
static void change(struct kv *m, struct pd_linear_op *op, uint64_t v)
{
	uint64_t key = op->arg[0].word, old;
	struct rec *a;
	lock();
	if (tail == ROOM)
		compact(m);
	a = m->area[m->gen & 1];
	if (tail == ROOM) {
		unlock();
		pd_linear_return(op, PD_FAILED);
		return;
	}
	old = find(a, tail, key);
	append(a, tail, m->gen, key, v);
	pm_persist(&a[tail], sizeof(*a));
	__atomic_store_n(&tail, tail + 1, __ATOMIC_RELEASE);
	unlock();
	pd_linear_return(op, old);
}
static void put(void *m, struct pd_linear_op *op)
{
	change(m, op, op->arg[1].word);
}
static void take(void *m, struct pd_linear_op *op)
{
	change(m, op, PD_NONE);
}
static void get(void *it, struct pd_linear_op *op)
{
	struct kv *m = it;
	uint64_t g, v;
	do {
		g = __atomic_load_n(&m->gen, __ATOMIC_ACQUIRE);
		v = find(m->area[g & 1], __atomic_load_n(&tail, __ATOMIC_ACQUIRE), op->arg[0].word);
	} while (g != __atomic_load_n(&m->gen, __ATOMIC_ACQUIRE));
	pd_linear_return(op, v);
}
static const struct pd_linear_entry table[] = {{"put", {PD_NEW_KEY, PD_VALUE}, put, PD_MAY_FAIL},
					       {"get", {PD_ANY_KEY}, get, 0},
					       {"remove", {PD_OLD_KEY}, take, PD_MAY_FAIL},
					       PD_LINEAR_END};
PD_LINEAR_DRIVER("map", PD_DURABLE, table, open_it, close_it)
