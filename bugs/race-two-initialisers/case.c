/*
 * race-two-initialisers - main fills a node with what is always there, a second thread with the
 * rest; a third one reads it.
 */
#include "../pm.h"
#include <pthread.h>
#include <sched.h>

struct node {
	LINE uint64_t value;
	uint64_t extra;
};

struct file {
	LINE uint64_t sum;
	struct node node[2];
};

static struct file *f;
static struct node *volatile shared; /* in DRAM */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *reader(void *unused)
{
	struct node *n = NULL;

	while (!n) {
		pthread_mutex_lock(&lock);
		n = shared;
		shared = NULL;
		pthread_mutex_unlock(&lock);
		sched_yield();
	}
	f->sum += n->value + n->extra; //@ load
	pm_persist(&f->sum, sizeof(f->sum));
	return unused;
}

static void *filler(void *arg)
{
	struct node *n = arg;

	n->value = 2; //@ store
	n->extra = 3; //@ store
#if FIXED
	pm_persist(n, sizeof(*n));
#endif
	pthread_mutex_lock(&lock);
	shared = n;
	pthread_mutex_unlock(&lock);
#if !FIXED
	for (int k = 0; k < 100000 && shared == n; k++)
		sched_yield();
	for (int k = 0; k < 20; k++)
		sched_yield();
	pm_persist(n, sizeof(*n)); //@ flush
#endif
	return NULL;
}

int main(int argc, char **argv)
{
	struct node *n;
	pthread_t a, b;

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	n = &f->node[0];
	if (f->sum > n->value + n->extra) {
		fprintf(stderr, "booked what is gone\n");
		return 1;
	}
	if (f->sum)
		return 0;
	pthread_create(&b, NULL, reader, NULL);
	n->value = 1;
	n->extra = 1;
	pm_persist(n, sizeof(*n));
	pthread_create(&a, NULL, filler, n);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
