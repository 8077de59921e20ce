/* lint-pointer-flushed - the variable that holds the pointer is flushed, not what it points to. */
#include "../pm.h"

struct node {
	LINE uint64_t key, next;
};

static void add(struct node *n, uint64_t key)
{
	n->key = key;
	n->next = 0; //@ store
#if FIXED
	pm_persist(n, sizeof(*n));
#else
	pm_persist(&n, sizeof(n)); //@ flush
#endif
}

int main(int argc, char **argv)
{
	struct node *n = pm_map(argc > 1 ? argv[1] : NULL, 4096);

	add(&n[0], 1);
	add(&n[1], 2);
	return 0;
}
