/* lint-tx-return - an early return leaves the transaction open. */
#include "../pm.h"
#include "perdure.h"

static int set(uint64_t *p, uint64_t v)
{
	pd_tx_begin(); //@ transaction
	pd_tx_add(p, 8);
	if (v > 100) {
#if FIXED
		pd_tx_end();
#endif
		return -1;
	}
	*p = v;
	pm_persist(p, 8);
	pd_tx_end();
	return 0;
}

int main(int argc, char **argv)
{
	uint64_t *p = pm_map(argc > 1 ? argv[1] : NULL, 4096);

	set(p, 1);
	set(p, 1000);
	return 0;
}
