/*
 * race-c11 - the same with C11's mutex.
 */
#include "../pm.h"
#include "../race.h"
#include <threads.h>

static mtx_t lock;

static void *writer(void *unused)
{
	for (int i = 0; i < 2; i++) {
		mtx_lock(&lock);
		pm_set(&f->cause, f->cause + 1); //@ store
#if FIXED
		pm_persist(&f->cause, sizeof(f->cause));
		mtx_unlock(&lock);
#else
		mtx_unlock(&lock);
		pm_persist(&f->cause, sizeof(f->cause)); //@ flush
#endif
	}
	return unused;
}

static void *reader(void *unused)
{
	for (int i = 0; i < 2; i++) {
		uint64_t seen;

		mtx_lock(&lock);
		seen = f->cause; //@ load
		mtx_unlock(&lock);
		act(seen);
	}
	return unused;
}

int main(int argc, char **argv)
{
	mtx_init(&lock, mtx_plain);
	race_open(argc, argv);
	race_run(writer, reader);
	return 0;
}
