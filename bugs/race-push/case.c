/*
 * race-push - pushing needs no help, since head itself is what the next push replaces. Acting
 * elsewhere on what head says does.
 */
#include "../pm.h"
#include <pthread.h>

enum { NODES = 6 };

struct node {
	LINE uint64_t next;
	uint64_t value;
};

struct file {
	LINE uint64_t head;
	LINE uint64_t seen; /* the newest value that the watcher has reported */
	struct node node[NODES];
};

static struct file *f;

/* Right: what is durable of head is durable with all that was there before. */
static void *push(void *unused)
{
	for (uint64_t i = 0; i < NODES; i++) {
		struct node *n = &f->node[i];
		uint64_t head = pm_get(&f->head);

		n->value = i + 1;
		do {
			n->next = head;
			pm_persist(n, sizeof(*n));
		} while (!pm_cas(&f->head, &head, pm_offset(f, n))); //@ store
		pm_persist(&f->head, sizeof(f->head)); //@ flush
	}
	return unused;
}

static void *watch(void *unused)
{
	for (int i = 0; i < NODES; i++) {
		struct node *n = pm_at(f, pm_get(&f->head)); //@ load

#if FIXED
		pm_persist(&f->head, sizeof(f->head));
#endif
		if (n && n->value > f->seen) {
			pm_set(&f->seen, n->value);
			pm_persist(&f->seen, sizeof(f->seen));
		}
	}
	return unused;
}

int main(int argc, char **argv)
{
	struct node *n;
	pthread_t a, b;

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	n = pm_at(f, f->head);
	if (f->seen > (n ? n->value : 0)) {
		fprintf(stderr, "a node was seen and is gone\n");
		return 1;
	}
	if (n)
		return 0;
	pthread_create(&a, NULL, push, NULL);
	pthread_create(&b, NULL, watch, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
