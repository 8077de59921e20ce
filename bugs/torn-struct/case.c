/*
 * torn-struct - an assignment of a struct is a copy of some kind. In place it can be there in part. To the
 * other of two places, flushed before that one is made the current one, it cannot.
 */
#include "../pm.h"

struct pair {
	uint64_t key, value;
};

struct file {
	LINE uint64_t which;
	struct {
		LINE struct pair pair;
	} slot[2];
};

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	uint64_t which = pm_get(&f->which);
	struct pair next = {which + 1, 10};

	printf("%llu\n", (unsigned long long)f->slot[which & 1].pair.key); //@ load
#if FIXED
	which++;
#endif
	f->slot[which & 1].pair = next; //@ store
	pm_persist(&f->slot[which & 1], sizeof(f->slot[0]));
	pm_set(&f->which, which);
	pm_persist(&f->which, sizeof(f->which));
	return 0;
}
