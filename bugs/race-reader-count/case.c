/*
 * race-reader-count - a node's lock counts its readers, in PM, and a bit of the same word is the writer. It is no data:
 * that a crash may lose it is no race.
 */
#include "../pm.h"
#include <pthread.h>
#include <sched.h>

struct node {
	LINE uint32_t lock;
	LINE uint64_t value;
};

struct file {
	struct node node;
	LINE uint64_t effect;
};

static struct file *f;
static pthread_barrier_t looked;

enum { WRITER = 1, READER = 2 };

static void take(struct node *n)
{
	uint32_t nobody = 0;

	while (!__atomic_compare_exchange_n(&n->lock, &nobody, WRITER, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		nobody = 0;
		sched_yield();
	}
}

static void give(struct node *n)
{
	__atomic_fetch_sub(&n->lock, WRITER, __ATOMIC_RELEASE);
}

static uint64_t get(void)
{
	uint64_t seen;

	while (__atomic_fetch_add(&f->node.lock, READER, __ATOMIC_ACQUIRE) & WRITER) {
		__atomic_fetch_sub(&f->node.lock, READER, __ATOMIC_RELAXED);
		sched_yield();
	}
	seen = f->node.value; //@ load
	__atomic_fetch_sub(&f->node.lock, READER, __ATOMIC_RELEASE);
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
	f->node.lock = 0; /* whoever held it is gone */
	pm_persist(&f->node.lock, sizeof(f->node.lock));
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
