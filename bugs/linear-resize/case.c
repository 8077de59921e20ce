/*
 * A set in a hash table with a lock for each of its stripes; when a bucket is full, all keys are copied
 * to a table that is twice as large. That is done stripe by stripe, each under its lock: what is added
 * to a stripe that was copied already is not in the new table. Fixed, all locks are held meanwhile.
 */
#include "../linear.h"

enum { SLOTS = 1, SMALL = 2, TABLES = 8, STRIPES = 2 };

struct bucket {
	uint64_t key[SLOTS] LINE;
};

/* Table n has SMALL << n buckets, from SMALL * ((1 << n) - 1) on. */
struct hash {
	uint64_t which LINE;
	struct bucket bucket[SMALL * ((1 << TABLES) - 1)];
};

static unsigned char stripe[STRIPES];

static void recover(struct hash *h)
{
	(void)h;
	memset(stripe, 0, sizeof(stripe));
}

RECOVERED(struct hash, recover)

static struct bucket *bucket_number(struct hash *h, uint64_t which, int n)
{
	return &h->bucket[SMALL * ((1 << which) - 1) + n];
}

static struct bucket *bucket_of(struct hash *h, uint64_t which, uint64_t key)
{
	uint64_t mixed = key * 0x9e3779b97f4a7c15u >> 32;

	return bucket_number(h, which, (int)(mixed & ((SMALL << which) - 1)));
}

/* The key's lock, which all tables share. */
static unsigned char *stripe_of(uint64_t key)
{
	return &stripe[(key * 0x9e3779b97f4a7c15u >> 32) & (STRIPES - 1)];
}

static uint64_t *find(struct bucket *b, uint64_t key)
{
	for (int i = 0; i < SLOTS; i++)
		if (b->key[i] == key)
			return &b->key[i];
	return NULL;
}

/* What is in the buckets of one stripe, to the table that is twice as large. */
static void copy_stripe(struct hash *h, uint64_t from, int i)
{
	for (int n = i; n < SMALL << from; n += STRIPES) {
		const struct bucket *b = bucket_number(h, from, n);

		*bucket_number(h, from + 1, n) = (struct bucket){{0}};
		*bucket_number(h, from + 1, n + (SMALL << from)) = (struct bucket){{0}};
		for (int k = 0; k < SLOTS; k++)
			if (b->key[k])
				*find(bucket_of(h, from + 1, b->key[k]), 0) = b->key[k];
		pm_flush(bucket_number(h, from + 1, n), sizeof(*b));
		pm_flush(bucket_number(h, from + 1, n + (SMALL << from)), sizeof(*b));
	}
	pm_fence();
}

static void for_stripes(void (*act)(unsigned char *))
{
	for (int i = 0; i < STRIPES; i++)
		act(&stripe[i]);
}

static void grow_locked(struct hash *h, uint64_t from)
{
#if FIXED
	for_stripes(lock_it);
#endif
	for (int i = 0; i < STRIPES; i++) {
#if FIXED
		copy_stripe(h, from, i);
#else
		lock_it(&stripe[i]);
		copy_stripe(h, from, i);
		unlock_it(&stripe[i]); //@ unlock
#endif
	}
#if !FIXED
	for_stripes(lock_it);
#endif
	pm_set(&h->which, from + 1); //@ store
	pm_persist(&h->which, 8);
	for_stripes(unlock_it);
}

/* 0: there is no larger one. */
static int grow(struct hash *h, uint64_t from)
{
	if (from + 1 == TABLES)
		return 0;
	lock(); /* nobody else grows it */
	if (pm_get(&h->which) == from)
		grow_locked(h, from);
	unlock();
	return 1;
}

static void add(void *it, struct pd_linear_op *op)
{
	struct hash *h = it;
	uint64_t key = op->arg[0].word, which, *slot;

	for (;;) {
		lock_it(stripe_of(key));
		which = h->which;
		if (find(bucket_of(h, which, key), key)) {
			pd_linear_return(op, 0);
			break;
		}
		slot = find(bucket_of(h, which, key), 0);
		if (slot) {
			pm_set(slot, key);
			pm_persist(slot, 8);
			pd_linear_return(op, 1);
			break;
		}
		unlock_it(stripe_of(key));
		if (!grow(h, which)) {
			pd_linear_return(op, PD_FAILED);
			return;
		}
	}
	unlock_it(stripe_of(key));
}

static void contains(void *it, struct pd_linear_op *op)
{
	struct hash *h = it;

	lock_it(stripe_of(op->arg[0].word));
	pd_linear_return(op,
			 find(bucket_of(h, h->which, op->arg[0].word), op->arg[0].word) != NULL);
	unlock_it(stripe_of(op->arg[0].word));
}

static const struct pd_linear_entry table[] = {{"add", {PD_NEW_KEY}, add, PD_MAY_FAIL},
					       {"contains", {PD_ANY_KEY}, contains, 0},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("set", PD_DURABLE, table, open_it, close_it)
