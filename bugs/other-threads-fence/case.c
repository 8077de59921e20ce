/*
 * other-threads-fence - a helper writes half of the data and flushes it with clwb; the fence is
 * left to the thread that commits. But a fence waits for the flushes of its own thread alone.
 */
#include "../pm.h"
#include <pthread.h>
#include <sched.h>

enum { MAGIC = 0x07e4 };

struct file {
	LINE uint64_t half[2][8];
	LINE uint64_t magic;
};

static struct file *f;
static int written, committed;

static void await(int *flag)
{
	while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
		sched_yield();
}

static void *helper(void *unused)
{
	f->half[1][0] = 2;   //@ store
	pm_clwb(f->half[1]); //@ flush
#if FIXED
	pm_fence();
#endif
	__atomic_store_n(&written, 1, __ATOMIC_RELEASE);
	await(&committed);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t t;

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	if (f->magic == MAGIC) {
		assert(f->half[0][0] == 1);
		assert(f->half[1][0] == 2); //@ load
		return 0;
	}
	pthread_create(&t, NULL, helper, NULL);
	f->half[0][0] = 1;
	pm_clwb(f->half[0]);
	await(&written);
	pm_fence();
	pm_set(&f->magic, MAGIC);
	pm_persist(&f->magic, sizeof(f->magic));
	__atomic_store_n(&committed, 1, __ATOMIC_RELEASE);
	pthread_join(t, NULL);
	return 0;
}
