/*
 * race-cas-lock - a spin lock that the program has made itself, in DRAM.
 */
#include "../pm.h"
#include "../race.h"
static int word;

static void take(void)
{
	int is = 0;

	while (!__atomic_compare_exchange_n(&word, &is, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
		is = 0;
		__asm__ volatile("pause");
	}
}

static void give(void)
{
	__atomic_store_n(&word, 0, __ATOMIC_RELEASE);
}

static void *writer(void *unused)
{
	for (int i = 0; i < 3; i++) {
		take();
		pm_set(&f->cause, f->cause + 1); //@ store
#if FIXED
		pm_persist(&f->cause, sizeof(f->cause));
		give();
#else
		give();
		pm_persist(&f->cause, sizeof(f->cause)); //@ flush
#endif
	}
	return unused;
}

static void *reader(void *unused)
{
	for (int i = 0; i < 3; i++) {
		uint64_t seen;

		take();
		seen = f->cause; //@ load
		give();
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
