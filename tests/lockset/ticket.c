/*
 * ticket.c - a ticket lock, which is not recognised in ordinary binaries: --locks has to name it. With BROKEN the flush is
 * after the release.
 */
#define FIXED !BROKEN
#include "../../bugs/pm.h"
#include "../../bugs/race.h"
#include <sched.h>

struct ticket {
	unsigned next;
	unsigned serving;
};

static struct ticket t;

__attribute__((noinline)) void ticket_lock(struct ticket *l)
{
	unsigned mine = __atomic_fetch_add(&l->next, 1, __ATOMIC_RELAXED);

	while (__atomic_load_n(&l->serving, __ATOMIC_RELAXED) != mine)
		sched_yield();
}

__attribute__((noinline)) void ticket_unlock(struct ticket *l)
{
	__atomic_store_n(&l->serving, l->serving + 1, __ATOMIC_RELAXED);
}

static void *writer(void *unused)
{
	for (int i = 0; i < 20; i++) {
		ticket_lock(&t);
		pm_set(&f->cause, f->cause + 1);
#if !BROKEN
		pm_persist(&f->cause, sizeof(f->cause));
#endif
		ticket_unlock(&t);
#if BROKEN
		pm_persist(&f->cause, sizeof(f->cause));
#endif
		sched_yield();
	}
	return unused;
}

static void *reader(void *unused)
{
	for (int i = 0; i < 20; i++) {
		uint64_t seen;

		ticket_lock(&t);
		seen = f->cause;
		ticket_unlock(&t);
		act(seen);
		sched_yield();
	}
	return unused;
}

int main(int argc, char **argv)
{
	race_open(argc, argv);
	race_run(writer, reader);
	return 0;
}
