/*
 * race-flag - a release store to DRAM says that the data can be used; the persist must come
 * first.
 */
#include "../pm.h"
#include "../race.h"
static int ready;

static void *writer(void *unused)
{
	pm_set(&f->cause, f->cause + 1); //@ store
#if FIXED
	pm_persist(&f->cause, sizeof(f->cause));
#endif
	__atomic_store_n(&ready, 1, __ATOMIC_RELEASE);
#if !FIXED
	pm_persist(&f->cause, sizeof(f->cause)); //@ flush
#endif
	return unused;
}

static void *reader(void *unused)
{
	while (!__atomic_load_n(&ready, __ATOMIC_ACQUIRE))
		__asm__ volatile("pause");
	act(f->cause); //@ load
	return unused;
}

int main(int argc, char **argv)
{
	race_open(argc, argv);
	race_run(writer, reader);
	return 0;
}
