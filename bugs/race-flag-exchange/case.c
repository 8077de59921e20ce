/*
 * race-flag-exchange - as race-flag, but the flag is set and asked for by locked instructions: those
 * are seen in any binary.
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
	__atomic_exchange_n(&ready, 1, __ATOMIC_ACQ_REL);
#if !FIXED
	pm_persist(&f->cause, sizeof(f->cause)); //@ flush
#endif
	return unused;
}

static void *reader(void *unused)
{
	int is = 1;

	while (!__atomic_compare_exchange_n(&ready, &is, 2, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		is = 1;
		__asm__ volatile("pause");
	}
	act(f->cause); //@ load
	return unused;
}

int main(int argc, char **argv)
{
	race_open(argc, argv);
	race_run(writer, reader);
	return 0;
}
