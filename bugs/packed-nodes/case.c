/*
 * A list of nodes of 56 bytes in an array, so that most share a cache line with the next one. A node is
 * filled in and only its first word is made durable: the rest of the last one never is, that of the
 * others when the next node is, which is after they were linked.
 */
#include "../pm.h"

enum { NODES = 8, VALUES = 6 };

struct node {
	uint64_t value[VALUES];
	uint64_t next;
};

struct list {
	LINE uint64_t head;
	LINE struct node node[NODES];
};

static void fill(struct node *n, uint64_t from, uint64_t next)
{
	n->next = next;
	for (int i = 0; i < VALUES; i++)
		n->value[i] = from + (uint64_t)i; //@ store
}

static void push(struct list *l, uint64_t i)
{
	struct node *n = &l->node[i];

	fill(n, i * 10, l->head);
#if FIXED
	pm_persist(n, sizeof(*n));
#else
	pm_persist(n, sizeof(n->value[0]));
#endif
	pm_set(&l->head, i);
	pm_persist(&l->head, sizeof(l->head));
}

int main(int argc, char **argv)
{
	struct list *l = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*l));
	uint64_t last = pm_get(&l->head);

	for (uint64_t at = last; at; at = l->node[at].next)
		for (uint64_t i = 0; i < VALUES; i++)
			assert(at < NODES && l->node[at].value[i] == at * 10 + i); //@ load
	for (uint64_t i = last + 1; i <= 3; i++)
		push(l, i);
	return 0;
}
