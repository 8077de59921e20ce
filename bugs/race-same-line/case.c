/*
 * race-same-line - a count and a value in one line, stored one after the other and flushed too late. Who has the count
 * lost has the value lost, too, and that is what recovery fails for.
 */
#include "../pm.h"
#include <pthread.h>
#include <sched.h>

enum { ROUNDS = 6 };

struct file {
	LINE uint64_t count; /* of changes; recovery looks at it, and tolerates that it is old */
	uint64_t value;
	LINE uint64_t effect; /* a value that somebody has acted on */
	LINE uint64_t counted;
};

static struct file *f;
static pthread_barrier_t looked;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *unused)
{
	pthread_barrier_wait(&looked);
	for (uint64_t i = 1; i <= ROUNDS; i++) {
		pthread_mutex_lock(&lock);
		f->count = i; //@ count
		f->value = i; //@ store
#if FIXED
		pm_persist(f, 64);
#endif
		pthread_mutex_unlock(&lock);
		sched_yield();
#if !FIXED
		pm_persist(f, 64); //@ flush
#endif
	}
	return unused;
}

static void *reader(void *unused)
{
	for (int i = 0; i <= ROUNDS; i++) {
		uint64_t value, count;

		pthread_mutex_lock(&lock);
		count = f->count; //@ load
		value = f->value; //@ load
		pthread_mutex_unlock(&lock);
		if (value > f->effect) {
			f->counted = count;
			pm_set(&f->effect, value);
			pm_persist(&f->effect, 128);
		}
		if (!i)
			pthread_barrier_wait(&looked);
		sched_yield();
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	if ((f->count != f->value && f->count != f->value + 1) || f->effect > f->value) {
		fprintf(stderr, "%d was acted on and is gone\n", (int)f->effect);
		return 1;
	}
	if (f->value || f->effect)
		return 0;
	pthread_barrier_init(&looked, NULL, 2);
	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
