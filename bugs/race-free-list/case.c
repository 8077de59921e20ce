/*
 * race-free-list - the same as race-slab without locks: nodes come from a stack of free ones, by
 * compare-and-swap, and go back to it.
 */
#include "../pm.h"
#include <pthread.h>
#include <sched.h>

enum { NODES = 3, ROUNDS = 8, TAKEN = 1 };

struct node {
	LINE uint64_t value;
};

struct file {
	LINE uint64_t current; /* a node, for whoever comes; TAKEN: it is being used */
	LINE uint64_t seen;    /* the newest value that was acted on */
	struct node node[NODES];
};

static struct file *f;
static uint64_t head; /* of the free ones: times changed << 8 | number, from 1; not in PM */
static uint64_t next[NODES + 1];

static struct node *take(void)
{
	uint64_t h = pm_get(&head), n;

	do {
		n = h & 0xff;
		if (!n)
			sched_yield();
	} while (!pm_cas(&head, &h, ((h >> 8) + 1) << 8 | pm_get(&next[n])) || !n);
	return &f->node[n - 1];
}

static void give(struct node *x)
{
	uint64_t h = pm_get(&head), n = (uint64_t)(x - f->node) + 1;

	do
		pm_set(&next[n], h & 0xff);
	while (!pm_cas(&head, &h, ((h >> 8) + 1) << 8 | n));
}

static void *producer(void *unused)
{
	for (uint64_t i = 1; i <= ROUNDS; i++) {
		struct node *n = take();
		uint64_t none;

		n->value = i; //@ store
		if (FIXED || i <= NODES)
			pm_persist(n, sizeof(*n));
		for (none = 0; !pm_cas(&f->current, &none, pm_offset(f, n)); none = 0)
			sched_yield();
		pm_persist(&f->current, sizeof(f->current));
		if (!FIXED && i > NODES)
			pm_persist(n, sizeof(*n)); //@ flush
	}
	return unused;
}

static void *consumer(void *unused)
{
	for (int i = 0; i < ROUNDS;) {
		uint64_t at = pm_get(&f->current);
		struct node *n = pm_at(f, at);

		if (!n || !pm_cas(&f->current, &at, at | TAKEN)) {
			sched_yield();
			continue;
		}
		pm_persist(&f->current, sizeof(f->current));
		f->seen = n->value; //@ load
		pm_persist(&f->seen, sizeof(f->seen));
		pm_cas(&f->current, &(uint64_t){at | TAKEN}, 0);
		pm_persist(&f->current, sizeof(f->current));
		give(n);
		i++;
	}
	return unused;
}

int main(int argc, char **argv)
{
	struct node *n;
	pthread_t a, b;

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	n = pm_at(f, f->current & ~(uint64_t)TAKEN);
	if (n && n->value < f->seen) {
		fprintf(stderr, "acted on what is gone\n");
		return 1;
	}
	if (f->seen || n)
		return 0;
	for (int i = 0; i < NODES; i++)
		give(&f->node[i]);
	pthread_create(&a, NULL, producer, NULL);
	pthread_create(&b, NULL, consumer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
