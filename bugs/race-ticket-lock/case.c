/*
 * race-ticket-lock - a node's lock is a pair of numbers, in PM: who comes takes the next one, and waits until that
 * is the one that is served. Neither is data: that a crash may lose them is no race.
 */
#include "../pm.h"
#include <pthread.h>
#include <sched.h>

struct node {
	LINE uint32_t next;
	uint32_t serving;
	LINE uint64_t value;
};

struct file {
	struct node node;
	LINE uint64_t effect;
};

static struct file *f;
static pthread_barrier_t looked;

static void take(struct node *n)
{
	uint32_t mine = __atomic_fetch_add(&n->next, 1, __ATOMIC_RELAXED);

	while (__atomic_load_n(&n->serving, __ATOMIC_ACQUIRE) != mine)
		sched_yield();
}

static void give(struct node *n)
{
	__atomic_store_n(&n->serving, n->serving + 1, __ATOMIC_RELEASE);
}

static uint64_t get(void)
{
	uint64_t seen;

	take(&f->node);
	seen = f->node.value; //@ load
	give(&f->node);
	return seen;
}

static void *writer(void *unused)
{
	pthread_barrier_wait(&looked);
	for (int i = 0; i < 4; i++) {
		take(&f->node);
		f->node.value++; //@ store
#if FIXED
		pm_persist(&f->node.value, sizeof(f->node.value));
		give(&f->node);
#else
		give(&f->node);
		pm_persist(&f->node.value, sizeof(f->node.value)); //@ flush
#endif
		sched_yield();
	}
	return unused;
}

static void *reader(void *unused)
{
	get();
	pthread_barrier_wait(&looked);
	for (uint64_t seen = 0; seen < 4;) {
		seen = get();
		if (seen > f->effect) {
			f->effect = seen;
			pm_persist(&f->effect, sizeof(f->effect));
		}
		sched_yield();
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	f->node.next = f->node.serving = 0; /* whoever held it is gone */
	pm_persist(&f->node, 8);
	if (f->effect > f->node.value) {
		fprintf(stderr, "%d was acted on and is gone\n", (int)f->effect);
		return 1;
	}
	if (f->node.value)
		return 0;
	pthread_barrier_init(&looked, NULL, 2);
	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
