/*
 * tx.c - transactions of libpmemobj, as Debian ships it: right, and wrong in one way each.
 *
 *	tx MODE POOL
 */
#include <libpmemobj.h>
#include <stdio.h>
#include <string.h>

struct root {
	uint64_t a;
	uint64_t pad[15];
	uint64_t b;
	PMEMmutex lock;
	PMEMoid next;
};

static PMEMobjpool *pool;
static PMEMoid oid;
static struct root *r;

static void right(void)
{
	TX_BEGIN_PARAM(pool, TX_PARAM_MUTEX, &r->lock, TX_PARAM_NONE)
	{
		pmemobj_tx_add_range_direct(&r->a, sizeof(r->a));
		r->a++;
		pmemobj_tx_add_range(oid, offsetof(struct root, next), sizeof(r->next));
		r->next = pmemobj_tx_zalloc(200, 1);
		memset(pmemobj_direct(r->next), 5, 200);
	}
	TX_END
	r->b = 7;
	pmemobj_persist(pool, &r->b, sizeof(r->b));
	pmemobj_memcpy_persist(pool, r->pad, "some text", 10);
	pmemobj_memset_persist(pool, r->pad + 4, 3, 70);
}

static void unlogged(void)
{
	TX_BEGIN(pool)
	{
		pmemobj_tx_add_range_direct(&r->a, sizeof(r->a));
		r->a++;
		r->b++; //@ unlogged
	}
	TX_END
	pmemobj_persist(pool, &r->b, sizeof(r->b));
}

static void twice(void)
{
	TX_BEGIN(pool)
	{
		pmemobj_tx_add_range_direct(&r->a, sizeof(r->a)); //@ first
		r->a++;
		pmemobj_tx_add_range_direct(&r->a, sizeof(r->a)); //@ again
		r->a++;
	}
	TX_END
}

static void forgotten(void)
{
	r->b = 9; //@ forgotten
}

static void undrained(void)
{
	r->b = 9; //@ undrained
	pmemobj_flush(pool, &r->b, sizeof(r->b));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} modes[] = {{"right", right},	       {"unlogged", unlogged},	 {"twice", twice},
		     {"forgotten", forgotten}, {"undrained", undrained}};

	if (argc < 3)
		return 2;
	pool = pmemobj_create(argv[2], "tx", PMEMOBJ_MIN_POOL, 0600);
	if (!pool) {
		fprintf(stderr, "%s\n", pmemobj_errormsg());
		return 1;
	}
	oid = pmemobj_root(pool, sizeof(struct root));
	r = pmemobj_direct(oid);
	for (unsigned i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(argv[1], modes[i].name) == 0)
			modes[i].run();
	if (strcmp(argv[1], "undrained") != 0) /* closing would drain */
		pmemobj_close(pool);
	return 0;
}
