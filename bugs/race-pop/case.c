/*
 * race-pop - who pops a node must make the new head durable before using the node, and so must
 * who reads that head.
 */
#include "../pm.h"
#include <pthread.h>

enum { NODES = 6 };

struct node {
	LINE uint64_t next;
	uint64_t uses; /* by whom it was popped */
};

struct file {
	LINE uint64_t head;
	LINE uint64_t last[2]; /* what each thread has popped last */
	struct node node[NODES];
};

static struct file *f;

static void *pop(void *arg)
{
	uint64_t me = (uint64_t)(uintptr_t)arg;

	for (int i = 0; i < NODES / 2; i++) {
		uint64_t head = pm_get(&f->head); //@ load

		for (;;) {
			uint64_t next;

			if (!head)
				return NULL;
#if FIXED
			pm_persist(&f->head, sizeof(f->head));
#endif
			next = ((struct node *)pm_at(f, head))->next;
			if (pm_cas(&f->head, &head, next)) //@ store //@ load
				break;
		}
#if FIXED
		pm_persist(&f->head, sizeof(f->head));
#endif
		pm_set(&f->last[me], head);
		pm_persist(&f->last[me], sizeof(f->last[me]));
		pm_persist(&f->head, sizeof(f->head)); //@ flush
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	for (int i = 0; i < 2; i++)
		for (uint64_t at = f->head; at; at = ((struct node *)pm_at(f, at))->next)
			if (at == f->last[i]) {
				fprintf(stderr, "popped, and still there\n");
				return 1;
			}
	if (f->last[0] || f->last[1] || f->head)
		return 0;
	for (int i = 0; i < NODES; i++)
		f->node[i].next = i ? pm_offset(f, &f->node[i - 1]) : 0;
	pm_persist(f->node, sizeof(f->node));
	f->head = pm_offset(f, &f->node[NODES - 1]);
	pm_persist(&f->head, sizeof(f->head));
	pthread_create(&a, NULL, pop, (void *)0);
	pthread_create(&b, NULL, pop, (void *)1);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
