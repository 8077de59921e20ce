/* pmdk-wrong-field - two ends of a list are linked in a transaction, and one of them is logged twice. */
#include "../pmdk.h"

struct node {
	uint64_t next; /* number of a slot; 0: none */
	uint64_t prev;
	char pad[112];
};

struct root {
	struct node slot[8]; /* the first one is the head */
	uint64_t used;
};

static void insert(PMEMobjpool *p, struct root *r)
{
	TX_BEGIN(p) { //@ transaction
		uint64_t i = r->used + 1, after = r->slot[0].next;

		pmemobj_tx_add_range_direct(&r->used, sizeof(r->used));
		pmemobj_tx_add_range_direct(&r->slot[i], sizeof(r->slot[i]));
		pmemobj_tx_add_range_direct(&r->slot[0].next, 8);
#if FIXED
		pmemobj_tx_add_range_direct(&r->slot[after].prev, 8);
#else
		pmemobj_tx_add_range_direct(&r->slot[after].next, 8);
#endif
		r->slot[i].next = after;
		r->slot[i].prev = 0;
		r->slot[after].prev = i; //@ store
		r->slot[0].next = i;
		r->used = i;
	} TX_END
}

int main(int argc, char **argv)
{
	PMEMobjpool *p = pmdk_pool(argc > 1 ? argv[1] : "x.pm");
	struct root *r = pmemobj_direct(pmemobj_root(p, sizeof(*r)));
	uint64_t at = 0;

	do {
		assert(r->slot[r->slot[at].next].prev == at); //@ check
		at = r->slot[at].next;
	} while (at);
	for (int i = 0; i < 2 && r->used < 6; i++)
		insert(p, r);
	pmemobj_close(p);
	return 0;
}
