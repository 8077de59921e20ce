/*
 * race-not-looked-for - the reader's effect is durable before its cause, and recovery does not look for the
 * cause: nothing fails.
 */
#include "../pm.h"
#include <pthread.h>
#include <sched.h>

struct file {
	LINE uint64_t cause;
	LINE uint64_t effect;
};

static struct file *f;
static pthread_barrier_t looked;

static void *writer(void *unused)
{
	pthread_barrier_wait(&looked);
	f->cause = 1; //@ store
	sched_yield();
	pm_persist(&f->cause, sizeof(f->cause)); //@ flush
	return unused;
}

static void *reader(void *unused)
{
	uint64_t was = f->cause;

	pthread_barrier_wait(&looked);
	while (*(volatile uint64_t *)&f->cause == was) //@ load
		sched_yield();
#if FIXED
	pm_persist(&f->cause, sizeof(f->cause));
#endif
	f->effect = 1;
	pm_persist(&f->effect, sizeof(f->effect));
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	if (f->effect)
		return 0;
	pthread_barrier_init(&looked, NULL, 2);
	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
