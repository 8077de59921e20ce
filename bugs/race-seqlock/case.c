/*
 * race-seqlock - readers take no lock: they look at a version in PM before and after, and again where it was odd or
 * another one. It is no data: that a crash may lose it is no race.
 */
#include "../pm.h"
#include <pthread.h>
#include <sched.h>

struct node {
	LINE uint64_t version;
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
	for (;;) {
		uint64_t v = __atomic_load_n(&n->version, __ATOMIC_ACQUIRE);

		if (!(v & 1) && __sync_bool_compare_and_swap(&n->version, v, v + 1))
			return;
		sched_yield();
	}
}

static void give(struct node *n)
{
	__atomic_store_n(&n->version, n->version + 1, __ATOMIC_RELEASE);
}

static uint64_t get(void)
{
	for (;;) {
		uint64_t before = __atomic_load_n(&f->node.version, __ATOMIC_ACQUIRE), seen;

		if (!(before & 1)) {
			seen = __atomic_load_n(&f->node.value, __ATOMIC_RELAXED); //@ load
			__atomic_thread_fence(__ATOMIC_ACQUIRE);
			if (__atomic_load_n(&f->node.version, __ATOMIC_RELAXED) == before)
				return seen;
		}
		sched_yield();
	}
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
	for (int i = 0; i < 4; i++) {
		uint64_t seen = get();

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
	f->node.version = 0; /* whoever held it is gone */
	pm_persist(&f->node.version, sizeof(f->node.version));
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
