/* pmdk-add-late - the range is logged after it was changed: what is written back is the new value. */
#include "../pmdk.h"

struct root {
	uint64_t total;
	char pad[56];
	uint64_t parts[2];
};

static void add(PMEMobjpool *p, struct root *r, uint64_t n)
{
	TX_BEGIN(p) { //@ transaction
		pmemobj_tx_add_range_direct(r->parts, sizeof(r->parts));
#if FIXED
		pmemobj_tx_add_range_direct(&r->total, sizeof(r->total));
#endif
		r->total += 2 * n; //@ store
#if !FIXED
		pmemobj_tx_add_range_direct(&r->total, sizeof(r->total));
#endif
		r->parts[0] += n;
		r->parts[1] += n;
	} TX_END
}

int main(int argc, char **argv)
{
	PMEMobjpool *p = pmdk_pool(argc > 1 ? argv[1] : "x.pm");
	struct root *r = pmemobj_direct(pmemobj_root(p, sizeof(*r)));

	assert(r->parts[0] + r->parts[1] == r->total); //@ check
	add(p, r, 1);
	add(p, r, 2);
	pmemobj_close(p);
	return 0;
}
