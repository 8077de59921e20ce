/*
 * clht.c - a chained hash table whose buckets are cache lines, after the idea of CLHT (David,
 * Guerraoui, Trigonakis, ASPLOS 2015) as RECIPE made it persistent (Lee et al., SOSP 2019).
 *
 * A bucket is one line: a lock, three keys, three values, the next bucket of the chain. The value
 *is stored before the key, and the key is the commit: both are in one line, so one flush is enough.
 *A full chain gets a new bucket, durable before it is linked. When chains grow too long, the table
 *is copied to one of twice the size, and the root exchanged.
 *
 * BUG (the published ones in brackets):
 *	1  the table's descriptor is not flushed by its constructor (Jaaru #15, #16)
 *	2  the root is not flushed by the constructor (Jaaru #15)
 *	3  a resize flushes the first bucket's chain again and again (Durinn #19)
 *	4  the exchanged root is not flushed (HawkSet H3)
 *	5  a new bucket is linked and never flushed (Durinn DL1)
 *	6  the key is stored before the value
 *	7  recovery leaves locks as they are (PMRace)
 */
#include "driver.h"

enum { SLOTS = 3, FIRST_BUCKETS = 2, LONG_CHAIN = 2 };

struct bucket {
	LINE uint64_t lock;
	uint64_t key[SLOTS];
	uint64_t value[SLOTS];
	uint64_t next;
};

struct table {
	LINE uint64_t buckets;
	uint64_t first;
};

static pthread_rwlock_t resizing = PTHREAD_RWLOCK_INITIALIZER;

static struct table *table_now(void)
{
	return pm_at(pool, pm_get(&pool->root));
}

static struct bucket *bucket_of(struct table *t, uint64_t key)
{
	return (struct bucket *)pm_at(pool, t->first) + mix(key) % t->buckets;
}

static struct bucket *after(struct bucket *b)
{
	return pm_at(pool, pm_get(&b->next));
}

static struct table *table_new(uint64_t buckets)
{
	struct table *t = pm_alloc(sizeof(*t));

	t->buckets = buckets;
	t->first = off(pm_alloc(buckets * sizeof(struct bucket)));
#if BUG != 1
	pm_persist(t, sizeof(*t));
#endif
	return t;
}

static void fill(struct bucket *b, int i, uint64_t key, uint64_t value)
{
#if BUG == 6
	pm_set(&b->key[i], key);
	pm_set(&b->value[i], value);
#else
	pm_set(&b->value[i], value);
	pm_set(&b->key[i], key);
#endif
}

/* Puts the pair into the chain; `persist` is off for a table that nobody can see yet. Returns the
 * length. */
static int chain_put(struct bucket *b, uint64_t key, uint64_t value, int persist)
{
	for (int n = 1;; n++) {
		struct bucket *next;

		for (int i = 0; i < SLOTS; i++) {
			if (b->key[i] == key)
				return n;
			if (b->key[i])
				continue;
			fill(b, i, key, value);
			if (persist)
				pm_persist(b, sizeof(*b));
			return n;
		}
		if ((next = after(b))) {
			b = next;
			continue;
		}
		next = pm_alloc(sizeof(*next));
		fill(next, 0, key, value);
		if (persist && BUG != 5)
			pm_persist(next, sizeof(*next));
		pm_set(&b->next, off(next));
		if (persist)
			pm_persist(&b->next, sizeof(b->next));
		return n + 1;
	}
}

static void resize(struct table *old)
{
	struct table *t;

	pthread_rwlock_wrlock(&resizing);
	if (table_now() != old) {
		pthread_rwlock_unlock(&resizing);
		return;
	}
	t = table_new(old->buckets * 2);
	for (uint64_t i = 0; i < old->buckets; i++)
		for (struct bucket *b = (struct bucket *)pm_at(pool, old->first) + i; b;
		     b = after(b))
			for (int j = 0; j < SLOTS; j++)
				if (b->key[j])
					chain_put(bucket_of(t, b->key[j]), b->key[j], b->value[j],
						  0);
	for (uint64_t i = 0; i < t->buckets; i++)
#if BUG == 3
		for (struct bucket *b = pm_at(pool, t->first); b; b = after(b))
#else
		for (struct bucket *b = (struct bucket *)pm_at(pool, t->first) + i; b; b = after(b))
#endif
			pm_flush(b, sizeof(*b));
	pm_fence();
	__atomic_exchange_n(&pool->root, off(t), __ATOMIC_SEQ_CST);
#if BUG != 4
	pm_persist(&pool->root, sizeof(pool->root));
#endif
	pthread_rwlock_unlock(&resizing);
}

static void st_insert(uint64_t key, uint64_t value)
{
	struct table *t;
	struct bucket *b;
	int length;

	pthread_rwlock_rdlock(&resizing);
	t = table_now();
	b = bucket_of(t, key);
	while (__atomic_exchange_n(&b->lock, 1, __ATOMIC_ACQUIRE))
		_mm_pause();
	length = chain_put(b, key, value, 1);
	__atomic_store_n(&b->lock, 0, __ATOMIC_RELEASE);
	pthread_rwlock_unlock(&resizing);
	if (length > LONG_CHAIN)
		resize(t);
}

static uint64_t st_find(uint64_t key)
{
	for (struct bucket *b = bucket_of(table_now(), key); b; b = after(b))
		for (int i = 0; i < SLOTS; i++)
			if (pm_get(&b->key[i]) == key)
				return b->value[i];
	return 0;
}

static void st_create(void)
{
	pm_set(&pool->root, off(table_new(FIRST_BUCKETS)));
#if BUG != 2
	pm_persist(&pool->root, sizeof(pool->root));
#endif
}

static void st_recover(void)
{
#if BUG != 7
	struct table *t = table_now();

	for (uint64_t i = 0; i < t->buckets; i++)
		__atomic_store_n(&((struct bucket *)pm_at(pool, t->first))[i].lock, 0,
				 __ATOMIC_RELEASE);
#endif
}

/* Every key is in the bucket that it hashes to, and has a value. */
static void st_check(void)
{
	struct table *t = table_now();

	for (uint64_t i = 0; i < t->buckets; i++)
		for (struct bucket *b = (struct bucket *)pm_at(pool, t->first) + i; b; b = after(b))
			for (int j = 0; j < SLOTS; j++)
				if (b->key[j] && (mix(b->key[j]) % t->buckets != i || !b->value[j]))
					lost("in the wrong bucket, or without value", b->key[j]);
}

#define DRIVER_MAIN
#include "driver.h"
