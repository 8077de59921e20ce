/* pmdk-copies - one object is not logged; whole structs are copied to its members, from variables that live in registers. */
#include "../pmdk.h"

struct link {
	uint64_t pool, off;
};

struct node {
	struct link parent;
	char pad[112];
	struct link child[2];
	char more[96];
	uint64_t turns;
};

static void turn(PMEMobjpool *p, struct node *n, uint64_t i)
{
	struct link child = n->child[i % 2], parent = n->parent;

	TX_BEGIN(p) { //@ transaction
		pmemobj_tx_add_range_direct(&n->turns, sizeof(n->turns));
#if FIXED
		pmemobj_tx_add_range_direct(n, sizeof(*n));
#endif
		child.off++;
		n->child[i % 2] = child; //@ child
		parent.off++;
		n->parent = parent; //@ parent
		n->turns = i + 1;
	} TX_END
}

int main(int argc, char **argv)
{
	PMEMobjpool *p = pmdk_pool(argc > 1 ? argv[1] : "x.pm");
	struct node *n = pmemobj_direct(pmemobj_root(p, sizeof(*n)));

	assert(n->parent.off == n->turns);
	assert(n->child[0].off + n->child[1].off == n->turns);
	turn(p, n, n->turns);
	turn(p, n, n->turns);
	pmemobj_close(p);
	return 0;
}
