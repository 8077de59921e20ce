/*
 * race-publish - a node is filled without a lock, which is right: nobody knows it yet. It must
 * be durable before somebody does.
 */
#include "../pm.h"
#include <pthread.h>
#include <sched.h>

struct node {
	LINE uint64_t value;
};

struct file {
	LINE uint64_t sum; /* of values that the reader has booked */
	struct node node[4];
};

static struct file *f;
static struct node *volatile shared; /* in DRAM */
static volatile int over;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *unused)
{
	for (int i = 0; i < 4; i++) {
		struct node *n = &f->node[i];

		n->value = (uint64_t)i + 1; //@ store
#if FIXED
		pm_persist(n, sizeof(*n));
#endif
		pthread_mutex_lock(&lock);
		shared = n;
		pthread_mutex_unlock(&lock);
#if !FIXED
		for (int k = 0; k < 100000 && shared == n; k++)
			sched_yield();
		pm_persist(n, sizeof(*n)); //@ flush
#endif
		sched_yield();
	}
	over = 1;
	return unused;
}

static void *reader(void *unused)
{
	while (!over) {
		struct node *n;

		pthread_mutex_lock(&lock);
		n = shared;
		shared = NULL;
		pthread_mutex_unlock(&lock);
		if (!n) {
			sched_yield();
			continue;
		}
		f->sum += n->value; //@ load
		pm_persist(&f->sum, sizeof(f->sum));
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t a, b;
	uint64_t have = 0;

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	for (int i = 0; i < 4; i++)
		have += f->node[i].value;
	if (f->sum > have) {
		fprintf(stderr, "booked what is gone\n");
		return 1;
	}
	if (have)
		return 0;
	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
