/*
 * torn-two-threads - one thread stores z and flushes it, another one then sets a flag. In this execution
 * z is durable whenever the flag is set. But nothing orders the two threads: the flag could have been set
 * before the flush, and then z is half there for whoever trusts the flag. The wait below makes the order
 * of this execution, and no order that the language knows: that is what volatile is.
 */
#include "../pm.h"
#include <pthread.h>
#include <sched.h>

struct file {
	LINE uint64_t flag;
	LINE uint64_t z;
};

static struct file *f;
#if FIXED
static _Atomic int flushed;
#else
static volatile int flushed;
#endif

static void *store_z(void *arg)
{
	f->z = 42; //@ store
	_mm_clflush(&f->z); //@ flush
	flushed = 1;
	return arg;
}

static void *set_flag(void *arg)
{
	while (!flushed)
		sched_yield();
	pm_set(&f->flag, 1);
	pm_persist(&f->flag, sizeof(f->flag));
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	if (pm_get(&f->flag)) {
		printf("%llu\n", (unsigned long long)f->z); //@ load
		return 0;
	}
	pthread_create(&t[0], NULL, store_z, NULL);
	pthread_create(&t[1], NULL, set_flag, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
