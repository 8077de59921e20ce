/*
 * race-helps-locked - a consumer that finds a link flushes it, and what it does next is a compare-and-swap, which is
 * the fence: so the link is durable before anything that depends on it. (Buggy: it does not flush.) If it finds none
 * it counts that, durably, and depends on nothing.
 */
#include "../pm.h"
#include <pthread.h>
#include <sched.h>

enum { LINKS = 6 };

struct file {
	LINE uint64_t made;
	LINE uint64_t empty;
	LINE uint64_t taken; /* links that the consumer has followed */
	struct {
		LINE uint64_t next;
	} link[LINKS];
};

static struct file *f;
static uint64_t tail; /* the consumer's, outside PM */
static pthread_barrier_t looked;

static void *produce(void *unused)
{
	pthread_barrier_wait(&looked);
	for (int i = 0; i < LINKS; i++) {
		pm_set(&f->link[i].next, 1); //@ store
		pm_persist(&f->link[i].next, sizeof(uint64_t));
		sched_yield();
	}
	return unused;
}

static void *consume(void *unused)
{
	uint64_t found = 0;

	for (int i = 0; i < LINKS; i++)
		found += pm_get(&f->link[i].next);
	f->empty += !found;
	pthread_barrier_wait(&looked);
	for (uint64_t i = 0; i < LINKS;) {
		if (!pm_get(&f->link[i].next)) { //@ load
			f->empty++;
			pm_persist(&f->empty, sizeof(f->empty));
			sched_yield();
			continue;
		}
#if FIXED
		pm_flush(&f->link[i].next, sizeof(uint64_t));
#endif
		__sync_bool_compare_and_swap(&tail, i, i + 1);
		f->taken = ++i;
		pm_persist(&f->taken, sizeof(f->taken));
	}
	return unused;
}

/* Links that were followed are there. */
static int check(void)
{
	for (uint64_t i = 0; i < f->taken; i++)
		if (!f->link[i].next)
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	f = (struct file *)pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	if (f->made)
		return check();
	f->made = 1;
	pm_persist(f, sizeof(*f));
	pthread_barrier_init(&looked, NULL, 2);
	pthread_create(&t[0], NULL, produce, NULL);
	pthread_create(&t[1], NULL, consume, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
