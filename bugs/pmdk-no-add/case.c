/* pmdk-no-add - pushing to a list logs the head, and not the count. */
#include "../pmdk.h"

struct node {
	PMEMoid next;
	uint64_t value;
};

struct root {
	PMEMoid head;
	char name[112];
	uint64_t count;
};

static struct node *node_of(PMEMoid o)
{
	return pmemobj_direct(o);
}

static void push(PMEMobjpool *p, struct root *r, uint64_t value)
{
	TX_BEGIN(p) { //@ transaction
		PMEMoid o = pmemobj_tx_alloc(sizeof(struct node), 1);

		node_of(o)->next = r->head;
		node_of(o)->value = value;
		pmemobj_tx_add_range_direct(&r->head, sizeof(r->head));
#if FIXED
		pmemobj_tx_add_range_direct(&r->count, sizeof(r->count));
#endif
		r->head = o;
		r->count++; //@ store
	} TX_END
}

int main(int argc, char **argv)
{
	PMEMobjpool *p = pmdk_pool(argc > 1 ? argv[1] : "x.pm");
	struct root *r = pmemobj_direct(pmemobj_root(p, sizeof(*r)));
	uint64_t n = 0;

	for (PMEMoid o = r->head; !OID_IS_NULL(o); o = node_of(o)->next)
		n++;
	assert(n == r->count); //@ check
	push(p, r, n);
	push(p, r, n + 1);
	pmemobj_close(p);
	return 0;
}
