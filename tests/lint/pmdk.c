/*
 * pmdk.c MODE FILE: transactions of Debian's libpmemobj, right and wrong. Built by a plain compiler: what
 * the library does is seen in Valgrind only.
 */
#include <libpmemobj.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct root {
	uint64_t a, b;
	char pad[48];
	uint64_t far[8];
	PMEMoid object;
};

#define IS(name) (strcmp(mode, name) == 0)

static void update(PMEMobjpool *pool, PMEMoid root, const char *mode)
{
	struct root *r = pmemobj_direct(root);

	TX_BEGIN(pool) { //@ begin
		pmemobj_tx_add_range(root, 0, 8);
		r->a = 1;
		if (IS("unlogged"))
			r->b = 2; //@ unlogged
		if (IS("unlogged-unflushed"))
			r->far[0] = 2; //@ unlogged-unflushed
		if (IS("logged")) {
			pmemobj_tx_add_range(root, 8, 8);
			r->b = 2;
		}
		if (IS("log-twice"))
			pmemobj_tx_add_range(root, 0, 8); //@ log-twice
		if (IS("alloc")) {
			uint64_t *p;

			pmemobj_tx_add_range(root, offsetof(struct root, object), sizeof(PMEMoid));
			r->object = pmemobj_tx_alloc(64, 1);
			p = pmemobj_direct(r->object);
			p[0] = 7; /* new: needs no log, and is flushed at the end */
		}
		if (IS("abort"))
			pmemobj_tx_abort(1);
		if (IS("left-open")) {
			fflush(NULL);
			_exit(0);
		}
	} TX_END
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";
	PMEMobjpool *pool;
	PMEMoid root;
	struct root *r;

	if (argc < 3)
		return 2;
	pool = pmemobj_create(argv[2], "lint", PMEMOBJ_MIN_POOL, 0600);
	if (!pool) {
		fprintf(stderr, "%s\n", pmemobj_errormsg());
		return 1;
	}
	root = pmemobj_root(pool, sizeof(struct root));
	r = pmemobj_direct(root);
	update(pool, root, mode);
	if (IS("persist-twice")) {
		r->far[0] = 1;
		pmemobj_persist(pool, &r->far[0], 8);
		pmemobj_persist(pool, &r->far[0], 8); //@ persist-twice
	}
	if (IS("persist-all")) /* all of it for each word; what making the pool costs does not count */
		for (volatile int i = 0; i < 50; i++) {
			r->far[i % 2] = (uint64_t)i;
			pmemobj_persist(pool, r, 128); //@ persist-all
		}
	if (IS("forgotten"))
		r->far[0] = 1; //@ forgotten
	pmemobj_close(pool);
	return 0;
}
