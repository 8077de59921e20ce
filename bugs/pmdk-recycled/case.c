/*
 * pmdk-recycled - setting a stamp reads the old one first, in new memory, too, where it is whatever
 * a transaction that was rolled back has left.
 */
#include "../pmdk.h"

struct stamp {
	uint64_t from, to;
};

struct root {
	PMEMoid node;
	struct stamp stamp;
};

struct node {
	struct stamp stamp;
	char more[48];
};

static volatile uint64_t changed; /* what was replaced last; nobody relies on it */

static __attribute__((noinline)) void set(struct stamp *s, struct stamp to)
{
	struct stamp old = *s; //@ read

	*s = to; //@ set
	changed = old.from ^ old.to;
}

static void add(PMEMobjpool *p, struct root *r, uint64_t i)
{
	TX_BEGIN(p) {
		PMEMoid oid = pmemobj_tx_alloc(sizeof(struct node), 1);
		struct node *n = pmemobj_direct(oid);

		set(&n->stamp, (struct stamp){i, i});
		memset(n->more, 0, sizeof(n->more));
		pmemobj_tx_add_range_direct(&r->node, sizeof(r->node));
		r->node = oid;
	} TX_END
}

/* Says when it ran last. */
static void mark(PMEMobjpool *p, struct root *r, uint64_t i)
{
#if FIXED
	TX_BEGIN(p) {
		pmemobj_tx_add_range_direct(&r->stamp, sizeof(r->stamp));
		set(&r->stamp, (struct stamp){i, i});
	} TX_END
#else
	set(&r->stamp, (struct stamp){i, i});
	pmemobj_persist(p, &r->stamp, sizeof(r->stamp));
#endif
}

int main(int argc, char **argv)
{
	PMEMobjpool *p = pmdk_pool(argc > 1 ? argv[1] : "x.pm");
	struct root *r = pmemobj_direct(pmemobj_root(p, sizeof(*r)));
	uint64_t last = 0;

	if (!OID_IS_NULL(r->node)) {
		struct node *n = pmemobj_direct(r->node);

		assert(n->stamp.from == n->stamp.to && n->stamp.from);
		last = n->stamp.from;
	}
	add(p, r, last + 1);
	mark(p, r, last + 1);
	pmemobj_close(p);
	return 0;
}
