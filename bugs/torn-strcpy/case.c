/*
 * torn-strcpy - libc copies a string as it likes. The name must be durable before anybody may look at it.
 */
#include "../pm.h"

struct file {
	LINE uint64_t named;
	LINE char name[32];
};

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (pm_get(&f->named) && f->name[0] != 'p') //@ load
		printf("no name yet\n");
	if (pm_get(&f->named))
		return 0;
	strcpy(f->name, argc > 2 ? argv[2] : "persistent"); //@ store
#if FIXED
	pm_persist(f->name, sizeof(f->name));
#endif
	pm_set(&f->named, 1);
	pm_persist(f, sizeof(*f));
	return 0;
}
