/*
 * list-help - a lock-free list: nodes are durable before they are linked, and whoever has linked
 * one flushes the link. Who goes on from a link that another thread has not flushed yet must flush
 * it first, or its own node hangs on nothing after a crash.
 */
#include "../pm.h"
#include <pthread.h>

struct node {
	LINE uint64_t next;
	uint64_t value;
};

struct file {
	struct node head;
	struct node node[2];
	LINE uint64_t done[2]; /* this thread's node is in the list for good */
};

static struct file *f;

static void *append(void *arg)
{
	uint64_t me = (uint64_t)(uintptr_t)arg;
	struct node *n = &f->node[me], *last = &f->head;
	uint64_t next = 0;

	n->value = me + 1;
	n->next = 0;
	pm_persist(n, sizeof(*n));
	while (!pm_cas(&last->next, &next, pm_offset(f, n))) { //@ store
#if FIXED
		pm_persist(&last->next, sizeof(last->next));
#endif
		last = pm_at(f, next);
		next = 0;
	}
	pm_persist(&last->next, sizeof(last->next)); //@ flush
	pm_set(&f->done[me], 1);
	pm_persist(&f->done[me], sizeof(f->done[me]));
	return NULL;
}

static int has(uint64_t value)
{
	for (struct node *n = pm_at(f, f->head.next); n; n = pm_at(f, n->next)) //@ load
		if (n->value == value)
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	for (uint64_t i = 0; i < 2; i++)
		assert(!f->done[i] || has(i + 1)); //@ check
	if (f->head.next || f->done[0] || f->done[1])
		return 0;
	for (uintptr_t i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, append, (void *)i);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
