/*
 * race-child-pointer - inner nodes are read without a lock. A thread that follows the pointer
 * to a new leaf must make it durable before it puts anything there.
 */
#include "../pm.h"
#include <pthread.h>

#include <sched.h>

enum { KEYS = 6 };

struct node {
	LINE uint64_t key[KEYS];
	uint64_t next;
};

struct file {
	LINE uint64_t child[2]; /* of the inner node, which nobody locks: offsets of leaves */
	LINE uint64_t count; /* keys above 50 that are there for good */
	struct node leaf[2];
};

static struct file *f;
static pthread_mutex_t lock[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER}; /* of leaves */

static volatile int looked; /* in DRAM, and no synchronisation: so that both are there at once */

static void *split(void *unused)
{
	while (!looked)
		sched_yield();
	pthread_mutex_lock(&lock[0]);
	f->leaf[1].key[0] = 50;
	pm_persist(&f->leaf[1], sizeof(f->leaf[1]));
	pm_set(&f->child[1], pm_offset(f, &f->leaf[1])); //@ store
	pm_persist(&f->child[1], sizeof(f->child[1]));   //@ flush
	pthread_mutex_unlock(&lock[0]);
	return unused;
}

/* Into the leaf on the right, once that is there. */
static int insert(uint64_t key)
{
	struct node *leaf = pm_at(f, pm_get(&f->child[1])); //@ load

	if (!leaf)
		return 0;
#if FIXED
	pm_persist(&f->child[1], sizeof(f->child[1]));
#endif
	pthread_mutex_lock(&lock[1]);
	pm_set(&leaf->key[1], key);
	pm_persist(&leaf->key[1], sizeof(leaf->key[1]));
	pthread_mutex_unlock(&lock[1]);
	f->count = 1;
	pm_persist(&f->count, sizeof(f->count));
	return 1;
}

static void *inserts(void *unused)
{
	while (!insert(51)) {
		looked = 1;
		sched_yield();
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	if (f->count && !f->child[1]) {
		fprintf(stderr, "the leaf of a key is gone\n");
		return 1;
	}
	if (f->child[1])
		return 0;
	pthread_create(&a, NULL, split, NULL);
	pthread_create(&b, NULL, inserts, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
