/*
 * race-create - the store is before the thread is made and the persist after it has ended.
 */
#include "../pm.h"
#include "../race.h"
static void *reader(void *unused)
{
	act(f->cause); //@ load
	return unused;
}

static void *other(void *unused)
{
	return unused;
}

int main(int argc, char **argv)
{
	race_open(argc, argv);
	pm_set(&f->cause, f->cause + 1); //@ store
#if FIXED
	pm_persist(&f->cause, sizeof(f->cause));
#endif
	race_run(reader, other);
	pm_persist(&f->cause, sizeof(f->cause)); //@ flush
	pm_set(&f->cause, f->cause + 1); /* after both: nobody else is there */
	pm_persist(&f->cause, sizeof(f->cause));
	return 0;
}
