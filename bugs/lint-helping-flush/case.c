/*
 * lint-helping-flush - readers flush what others have published before they act on it. Mostly the publisher was
 * there first, and nothing is left to write back; more often even, it is something old that nobody changes in this
 * run. Still it is needed. What a thread flushes twice of its own is not.
 */
#include "../pm.h"
#include <pthread.h>
#include <sched.h>

enum { N = 8 };

struct file {
	LINE uint64_t shared;
	struct {
		LINE uint64_t value;
	} old[2 * N];
	struct {
		LINE uint64_t value;
	} own[N];
};

static struct file *f;
static pthread_barrier_t turn;

static void *publisher(void *unused)
{
	for (int i = 0; i < N; i++) {
		__atomic_store_n(&f->shared, (uint64_t)i + 1, __ATOMIC_RELEASE);
		pm_persist(&f->shared, sizeof(f->shared));
		pthread_barrier_wait(&turn);
		pthread_barrier_wait(&turn);
	}
	return unused;
}

static uint64_t get(uint64_t *from)
{
	uint64_t seen = __atomic_load_n(from, __ATOMIC_ACQUIRE);

	pm_clwb(from); //@ help
	pm_fence();
	return seen;
}

static void *helper(void *unused)
{
	for (int i = 0; i < N; i++) {
		uint64_t seen;

		pthread_barrier_wait(&turn);
		for (int k = 0; k < 2 * N; k++)
			get(&f->old[k].value);
		seen = get(&f->shared);
		f->own[i].value = seen;
		pm_clwb(&f->own[i]);
		pm_fence();
#if !FIXED
		pm_clwb(&f->own[i]); //@ twice
		pm_fence();
#endif
		pthread_barrier_wait(&turn);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	for (int i = 0; i < 2 * N; i++) {
		f->old[i].value = 1;
		pm_persist(&f->old[i].value, sizeof(f->old[i].value));
	}
	pthread_barrier_init(&turn, NULL, 2);
	pthread_create(&a, NULL, publisher, NULL);
	pthread_create(&b, NULL, helper, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
