/* lint-log-twice - every step of a loop logs the whole node. */
#include "../pm.h"
#include "perdure.h"

struct node {
	LINE uint64_t n;
	uint64_t key[7];
};

static char undo[4096];

static void log_range(void *p, size_t n)
{
	memcpy(undo, p, n);
	pd_tx_add(p, n);
}

static void shift(struct node *node)
{
	pd_tx_begin();
#if FIXED
	log_range(node, sizeof(*node));
#endif
	for (uint64_t i = 6; i > 0; i--) {
#if !FIXED
		log_range(node, sizeof(*node)); //@ log
#endif
		node->key[i] = node->key[i - 1];
	}
	node->key[0] = 9;
	node->n++;
	pm_persist(node, sizeof(*node));
	pd_tx_end();
}

int main(int argc, char **argv)
{
	struct node *node = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*node));

	shift(node);
	return 0;
}
