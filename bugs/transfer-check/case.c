/*
 * transfer-check - money moves between two accounts in two lines, without a log. Recovery states
 * with pd_check that none was lost, and goes on.
 */
#include "../pm.h"
#include <perdure.h>

enum { MAGIC = 0x7a4 };

struct accounts {
	LINE uint64_t a;
	LINE uint64_t b;
};

struct file {
	LINE uint64_t magic;
	uint64_t current;
	struct accounts accounts[2];
};

static void transfer(struct file *f, uint64_t amount)
{
	struct accounts *now = &f->accounts[f->current];
#if FIXED
	struct accounts *next = &f->accounts[f->current ^ 1];

	next->a = now->a - amount;
	next->b = now->b + amount;
	pm_persist(next, sizeof(*next));
	pm_set(&f->current, f->current ^ 1);
	pm_persist(&f->current, sizeof(f->current));
#else
	now->a -= amount; //@ store
	now->b += amount; //@ store
	pm_persist(now, sizeof(*now));
#endif
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (f->magic == MAGIC) {
		const struct accounts *a = &f->accounts[f->current];

		pd_check(a->a + a->b == 100); //@ load //@ check
	} else {
		f->accounts[0].a = 100;
		pm_persist(&f->accounts[0], sizeof(f->accounts[0]));
		pm_set(&f->magic, MAGIC);
		pm_persist(&f->magic, sizeof(f->magic));
	}
	if (f->accounts[f->current].a >= 60)
		transfer(f, 30);
	return 0;
}
