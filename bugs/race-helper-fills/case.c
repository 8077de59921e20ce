/*
 * race-helper-fills - a table is filled by two threads, made durable, and published by an exchange
 * of the root. Readers load the root plainly, which on x86 is enough: who finds the new table comes
 * after its flush, although another thread had seen the table before.
 */
#include "../pm.h"
#include <pthread.h>

enum { SLOTS = 4 };

struct table {
	LINE uint64_t slot[SLOTS];
};

struct file {
	LINE uint64_t root;    /* 1: table[1] */
	LINE uint64_t sum[2];  /* what each reader has seen, for good */
	struct table table[2];
};

static struct file *f;

static void fill(struct table *t, int from)
{
	for (int i = from; i < SLOTS; i += 2)
		t->slot[i] = 10; //@ store
}

static void *help(void *t)
{
	fill(t, 1);
	return t;
}

static void *rehash(void *unused)
{
	struct table *t = &f->table[1];
	pthread_t helper;

	t->slot[1] = 1;
	pthread_create(&helper, NULL, help, t);
	fill(t, 0);
	pthread_join(helper, NULL);
#if FIXED
	pm_persist(t, sizeof(*t));
#endif
	__atomic_exchange_n(&f->root, 1, __ATOMIC_SEQ_CST);
	pm_persist(&f->root, sizeof(f->root));
#if !FIXED
	pm_persist(t, sizeof(*t));
#endif
	return unused;
}

static void *reads(void *seen)
{
	uint64_t *sum = seen;

	for (int left = 4; left;) {
		uint64_t n = 0;
		uint64_t root = *(volatile uint64_t *)&f->root;

		pm_persist(&f->root, sizeof(f->root)); /* before it relies on it */
		if (!root)
			continue;
		left--;
		for (int k = 0; k < SLOTS; k++)
			n += f->table[1].slot[k]; //@ load
		if (*sum == n)
			continue;
		pm_set(sum, n);
		pm_persist(sum, sizeof(*sum));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[3];
	uint64_t n = 0;

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	for (int k = 0; k < SLOTS; k++)
		n += f->table[1].slot[k];
	if (n < f->sum[0] || n < f->sum[1]) {
		fprintf(stderr, "what was seen is gone\n");
		return 1;
	}
	if (f->root)
		return 0;
	memset(f, 0, sizeof(*f));
	pm_persist(f, sizeof(*f));
	pthread_create(&t[0], NULL, rehash, NULL);
	pthread_create(&t[1], NULL, reads, &f->sum[0]);
	pthread_create(&t[2], NULL, reads, &f->sum[1]);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
