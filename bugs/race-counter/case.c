/*
 * race-counter - an atomic increment is visible before it is durable; who acts on it must make
 * it durable first.
 */
#include "../pm.h"
#include "../race.h"
static void *writer(void *unused)
{
	for (int i = 0; i < 3; i++) {
		__atomic_fetch_add(&f->cause, 1, __ATOMIC_SEQ_CST); //@ store
		pm_persist(&f->cause, sizeof(f->cause)); //@ flush
	}
	return unused;
}

static void *reader(void *unused)
{
	for (int i = 0; i < 3; i++) {
		uint64_t seen = pm_get(&f->cause); //@ load

#if FIXED
		pm_persist(&f->cause, sizeof(f->cause));
#endif
		act(seen);
	}
	return unused;
}

int main(int argc, char **argv)
{
	race_open(argc, argv);
	race_run(writer, reader);
	return 0;
}
