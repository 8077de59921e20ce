/* pmdk-tx-return - a function returns inside of its transaction, which stays open. */
#include "../pmdk.h"

enum { LAST = 2 };

struct root {
	uint64_t total;
	char pad[56];
	_Atomic uint64_t done;
};

static int add(PMEMobjpool *p, struct root *r, uint64_t n)
{
	volatile int ret = 0;

	TX_BEGIN(p) { //@ transaction
		pmemobj_tx_add_range_direct(&r->total, sizeof(r->total));
		r->total += n;
#if FIXED
		ret = 1;
#else
		return 1;
#endif
	} TX_END
	return ret;
}

static void restart(PMEMobjpool *p, struct root *r)
{
	TX_BEGIN(p) {
		pmemobj_tx_add_range_direct(r, sizeof(*r));
		r->total = 0;
		r->done = 0;
	} TX_END
}

int main(int argc, char **argv)
{
	PMEMobjpool *p = pmdk_pool(argc > 1 ? argv[1] : "x.pm");
	struct root *r = pmemobj_direct(pmemobj_root(p, sizeof(*r)));

	if (r->done == LAST) /* all of it was done: starts anew */
		restart(p, r);
	assert(r->total == r->done || r->total == r->done + 1); //@ check
	for (uint64_t i = r->done; i < LAST; i++) {
		if (r->total == i)
			add(p, r, 1);
		r->done = i + 1;
		pmemobj_persist(p, &r->done, sizeof(r->done));
	}
	pmemobj_close(p);
	return 0;
}
