/*
 * race-failed-cas - it has stored nothing, but it has read.
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
	for (int i = 0; i < 6; i++) {
		uint64_t seen = UINT64_MAX;

		pm_cas(&f->cause, &seen, 0); //@ load
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
