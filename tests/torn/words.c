/*
 * words.c - a list of plain aligned words, used right: nothing of it is torn, as long as the compiler keeps
 * words whole. For portable.t.
 *
 *	words FILE           the list
 *	words FILE named     each node has a name, too, that memcpy writes where recovery looks
 */
#include "../../bugs/pm.h"

enum { NODES = 3 };

struct node {
	LINE uint64_t key;
	uint64_t value;
	uint32_t next; /* index + 1 */
	uint32_t owner;
	uint16_t color;
	uint8_t live;
};

struct list {
	LINE uint32_t head; /* index + 1 */
	uint32_t length;
	LINE char name[24];
	struct node node[NODES];
};

static void insert(struct list *l, uint32_t i)
{
	struct node *n = &l->node[i];

	n->key = i + 1;
	n->value = 0x123456789abcdef0;
	n->next = l->head;
	n->owner = 5;
	n->color = 6;
	n->live = 1;
	pm_persist(n, sizeof(*n));
	l->head = i + 1; /* the commit */
	pm_persist(l, sizeof(*l));
}

static uint64_t walk(const struct list *l)
{
	uint64_t sum = 0;

	for (uint32_t i = l->head; i; i = l->node[i - 1].next) {
		const struct node *n = &l->node[i - 1];

		if (!n->key || n->value != 0x123456789abcdef0 || n->owner != 5 || n->color != 6 || !n->live)
			abort();
		sum += n->key;
	}
	for (uint32_t i = 0; i < NODES; i++) /* looks at nodes that are not yet in the list, and believes nothing */
		sum += l->node[i].key + l->node[i].value + l->node[i].owner + l->node[i].color + l->node[i].live;
	return sum;
}

static void rename_list(struct list *l, const char *name)
{
	memcpy(l->name, name, strlen(name) + 1); /* in place */
	pm_persist(l->name, sizeof(l->name));
}

int main(int argc, char **argv)
{
	struct list *l = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*l));
	int named = argc > 2;

	printf("%lu %c\n", (unsigned long)walk(l), named ? l->name[7] : '-');
	for (uint32_t i = l->head; i < 2; i++)
		insert(l, i);
	if (named)
		rename_list(l, "the-name-of-a-list");
	return 0;
}
