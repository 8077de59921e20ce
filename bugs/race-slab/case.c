/*
 * race-slab - items come from a free list and go back to it, under a lock of its own. Who has taken one off is
 * alone with it, however often it was shared before; but it must be durable when it is published, each time.
 */
#include "../pm.h"
#include <pthread.h>
#include <sched.h>

enum { ITEMS = 3, ROUNDS = 8 };

struct item {
	LINE uint64_t value;
};

struct file {
	LINE uint64_t current; /* an item, for whoever comes */
	LINE uint64_t seen;    /* the newest value that was acted on */
	struct item item[ITEMS];
};

static struct file *f;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what is current */
static pthread_mutex_t slab = PTHREAD_MUTEX_INITIALIZER;
static struct item *slots[ITEMS]; /* free ones; not in PM */
static int nslots;

static struct item *take(void)
{
	struct item *n = NULL;

	while (!n) {
		pthread_mutex_lock(&slab);
		n = nslots ? slots[--nslots] : NULL;
		pthread_mutex_unlock(&slab);
		sched_yield();
	}
	return n;
}

static void give(struct item *n)
{
	pthread_mutex_lock(&slab);
	slots[nslots++] = n;
	pthread_mutex_unlock(&slab);
}

static int publish(struct item *n)
{
	int done;

	pthread_mutex_lock(&lock);
	done = !f->current;
	if (done) {
		f->current = pm_offset(f, n);
		pm_persist(&f->current, sizeof(f->current));
	}
	pthread_mutex_unlock(&lock);
	return done;
}

static void *producer(void *unused)
{
	for (uint64_t i = 1; i <= ROUNDS; i++) {
		struct item *n = take();

		n->value = i; //@ store
		if (FIXED || i <= ITEMS)
			pm_persist(n, sizeof(*n));
		while (!publish(n))
			sched_yield();
		if (!FIXED && i > ITEMS)
			pm_persist(n, sizeof(*n)); //@ flush
	}
	return unused;
}

static void *consumer(void *unused)
{
	for (int i = 0; i < ROUNDS;) {
		struct item *n;

		pthread_mutex_lock(&lock);
		n = pm_at(f, f->current);
		if (n) {
			f->seen = n->value; //@ load
			pm_persist(&f->seen, sizeof(f->seen));
			f->current = 0;
			pm_persist(&f->current, sizeof(f->current));
		}
		pthread_mutex_unlock(&lock);
		if (n) {
			give(n);
			i++;
		}
		sched_yield();
	}
	return unused;
}

int main(int argc, char **argv)
{
	struct item *n;
	pthread_t a, b;

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	n = pm_at(f, f->current);
	if (n && n->value < f->seen) {
		fprintf(stderr, "acted on what is gone\n");
		return 1;
	}
	if (f->seen || n)
		return 0;
	for (int i = 0; i < ITEMS; i++)
		slots[nslots++] = &f->item[i];
	pthread_create(&a, NULL, producer, NULL);
	pthread_create(&b, NULL, consumer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
