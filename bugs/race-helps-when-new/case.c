/*
 * race-helps-when-new - a consumer that finds a link persists it before it acts on it; if it finds none it
 * counts that, durably, and depends on nothing. (Buggy: it acts on the link as it is.) The load that finds
 * none is not helped: only making the race happen shows that the consumer acts on nothing new.
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

static void *produce(void *unused)
{
	for (int i = 0; i < LINKS; i++) {
		pm_set(&f->link[i].next, 1); //@ store
		pm_persist(&f->link[i].next, sizeof(uint64_t));
		sched_yield();
	}
	return unused;
}

static void *consume(void *unused)
{
	for (uint64_t i = 0; i < LINKS;) {
		if (!pm_get(&f->link[i].next)) { //@ load
			f->empty++;
			pm_persist(&f->empty, sizeof(f->empty));
			sched_yield();
			continue;
		}
#if FIXED
		pm_persist(&f->link[i].next, sizeof(uint64_t));
#endif
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
	pthread_create(&t[0], NULL, produce, NULL);
	pthread_create(&t[1], NULL, consume, NULL);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
