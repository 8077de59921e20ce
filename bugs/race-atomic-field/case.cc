/*
 * race-atomic-field - a list with a head, which recovery needs, and a tail, which may be stale: the next
 * operation repairs it. Both are atomics of one type, so that all they store and load goes through one
 * line of a header; what comes of one says nothing of the other.
 */
#include "../pm.h"
#include <atomic>
#include <pthread.h>
#include <sched.h>

struct node {
	LINE uint64_t value;
};

struct list {
	LINE std::atomic<struct node *> head;
	LINE std::atomic<struct node *> tail;
	LINE uint64_t acted;
	LINE uint64_t noted;
	struct node node;
};

static struct list *l;
static pthread_barrier_t looked;

static void *writer(void *unused)
{
	pthread_barrier_wait(&looked);
	l->node.value = 1;
	pm_persist(&l->node, sizeof(l->node));
	l->head.store(&l->node); //@ store
	pm_persist(&l->head, sizeof(l->head));
	l->tail.store(&l->node); //@ tail
	pm_persist(&l->tail, sizeof(l->tail));
	return unused;
}

static void *reader(void *unused)
{
	struct node *none = l->head.load(), *neither = l->tail.load();

	pthread_barrier_wait(&looked);
	while (l->head.load() == none) //@ load
		sched_yield();
#if FIXED
	pm_persist(&l->head, sizeof(l->head));
#endif
	l->acted = 1;
	pm_persist(&l->acted, sizeof(l->acted));
	while (l->tail.load() == neither)
		sched_yield();
	l->noted = 1;
	pm_persist(&l->noted, sizeof(l->noted));
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	l = (struct list *)pm_map(argc > 1 ? argv[1] : NULL, sizeof(*l));
	if (l->acted && !l->head.load()) {
		fprintf(stderr, "the node that was acted on is gone\n");
		return 1;
	}
	if (l->head.load() && !l->tail.load()) { /* behind */
		l->tail.store(l->head.load());
		pm_persist(&l->tail, sizeof(l->tail));
	}
	if (l->head.load())
		return 0;
	pthread_barrier_init(&looked, NULL, 2);
	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
