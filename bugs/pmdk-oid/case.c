/* pmdk-oid - an OID of 16 bytes is published by an assignment; recovery reads its halves in different functions. */
#include "../pmdk.h"

struct root {
	PMEMoid spare, node;
};

static volatile uint64_t pool_of_node;

static __attribute__((noinline)) uint64_t *place(const struct root *r)
{
	return r->node.off ? pmemobj_direct(r->node) : NULL;
}

static __attribute__((noinline)) void note(const struct root *r)
{
	pool_of_node = r->node.pool_uuid_lo;
}

static void prepare(PMEMobjpool *p, struct root *r)
{
	TX_BEGIN(p) {
		PMEMoid oid = pmemobj_tx_alloc(8, 1);

		*(uint64_t *)pmemobj_direct(oid) = 77;
		pmemobj_tx_add_range_direct(&r->spare, sizeof(r->spare));
		r->spare = oid;
	} TX_END
}

static void publish(PMEMobjpool *p, struct root *r)
{
#if FIXED
	TX_BEGIN(p) {
		pmemobj_tx_add_range_direct(&r->node, sizeof(r->node));
		r->node = r->spare;
	} TX_END
#else
	r->node = r->spare; //@ publish
	pmemobj_persist(p, &r->node, sizeof(r->node));
#endif
}

int main(int argc, char **argv)
{
	PMEMobjpool *p = pmdk_pool(argc > 1 ? argv[1] : "x.pm");
	struct root *r = pmemobj_direct(pmemobj_root(p, sizeof(*r)));

	note(r);
	if (place(r)) {
		assert(*place(r) == 77);
	} else {
		prepare(p, r);
		publish(p, r);
	}
	pmemobj_close(p);
	return 0;
}
