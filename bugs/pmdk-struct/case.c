/* pmdk-struct - a record of several cache lines is changed in a transaction, and none of it logged. */
#include "../pmdk.h"

struct record {
	uint64_t id;
	char name[64];
	uint64_t price;
	char text[64];
	uint64_t stock;
};

struct root {
	uint64_t version;
	char pad[56];
	struct record record;
};

static __attribute__((noinline)) void set_stock(struct record *r, uint64_t n)
{
	r->stock = n; //@ store
}

static void set(PMEMobjpool *p, struct root *r, uint64_t v)
{
	TX_BEGIN(p) { //@ transaction
		pmemobj_tx_add_range_direct(&r->version, sizeof(r->version));
#if FIXED
		pmemobj_tx_add_range_direct(&r->record, sizeof(r->record));
#endif
		r->record.id = v; //@ store
		r->record.price = v * 10; //@ store
		set_stock(&r->record, v * 100);
		r->version = v;
	} TX_END
}

int main(int argc, char **argv)
{
	PMEMobjpool *p = pmdk_pool(argc > 1 ? argv[1] : "x.pm");
	struct root *r = pmemobj_direct(pmemobj_root(p, sizeof(*r)));

	assert(r->record.id == r->version); //@ check
	assert(r->record.price == r->version * 10); //@ check
	assert(r->record.stock == r->version * 100); //@ check
	set(p, r, r->version + 1);
	set(p, r, r->version + 1);
	pmemobj_close(p);
	return 0;
}
