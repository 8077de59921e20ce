/*
 * pobj.c - the same with libpmemobj: every insert is a transaction that allocates a node and logs a
 * bucket, under a lock in PM.
 *
 *	pobj FILE OPERATIONS THREADS
 */
#include <libpmemobj.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { BUCKETS = 8192, LOCKS = 64, VALUE = 40, THREADS = 64 };
#define SIZE (128UL << 20)

struct node {
	uint64_t key;
	PMEMoid next;
	char value[VALUE];
};

struct root {
	PMEMmutex lock[LOCKS];
	PMEMoid bucket[BUCKETS];
};

static PMEMobjpool *pool;
static PMEMoid root;
static long operations, threads;

static void insert(uint64_t key)
{
	struct root *r = pmemobj_direct(root);
	uint64_t b = (key * 0x9E3779B97F4A7C15ULL >> 40) % BUCKETS;

	TX_BEGIN_PARAM(pool, TX_PARAM_MUTEX, &r->lock[b % LOCKS], TX_PARAM_NONE)
	{
		PMEMoid oid = pmemobj_tx_alloc(sizeof(struct node), 1);
		struct node *n = pmemobj_direct(oid);

		n->key = key;
		n->next = r->bucket[b];
		snprintf(n->value, VALUE, "v%llu", (unsigned long long)key);
		pmemobj_tx_add_range(root, (uint64_t)((char *)&r->bucket[b] - (char *)r),
				     sizeof(PMEMoid));
		r->bucket[b] = oid;
	}
	TX_END
}

static void *work(void *arg)
{
	for (long i = (long)arg; i < operations; i += threads)
		insert((uint64_t)i + 1);
	return NULL;
}

static long count(void)
{
	const struct root *r = pmemobj_direct(root);
	long n = 0;

	for (int i = 0; i < BUCKETS; i++) {
		PMEMoid oid = r->bucket[i];

		for (; !OID_IS_NULL(oid); oid = ((struct node *)pmemobj_direct(oid))->next)
			n++;
	}
	return n;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];

	operations = argc > 3 ? atol(argv[2]) : 0;
	threads = argc > 3 ? atol(argv[3]) : 0;
	if (operations < 1 || threads < 1 || threads > THREADS)
		return 2;
	remove(argv[1]);
	pool = pmemobj_create(argv[1], "bench", SIZE, 0644);
	if (!pool) {
		fprintf(stderr, "%s\n", pmemobj_errormsg());
		return 1;
	}
	root = pmemobj_root(pool, sizeof(struct root));
	for (long i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (long i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	printf("%ld\n", count());
	pmemobj_close(pool);
	return 0;
}
