/*
 * race-c11-cond - C11's condition variables: what is signalled must be durable before.
 */
#include "../pm.h"
#include "../race.h"
#include <threads.h>

static mtx_t lock;
static cnd_t filled;
static int ready;

static void *writer(void *unused)
{
	pm_set(&f->cause, f->cause + 1); //@ store
#if FIXED
	pm_persist(&f->cause, sizeof(f->cause));
#endif
	mtx_lock(&lock);
	ready = 1;
	cnd_signal(&filled);
	mtx_unlock(&lock);
#if !FIXED
	pm_persist(&f->cause, sizeof(f->cause)); //@ flush
#endif
	return unused;
}

static void *reader(void *unused)
{
	mtx_lock(&lock);
	while (!ready)
		cnd_wait(&filled, &lock);
	mtx_unlock(&lock);
	act(f->cause); //@ load
	return unused;
}

int main(int argc, char **argv)
{
	mtx_init(&lock, mtx_plain);
	cnd_init(&filled);
	race_open(argc, argv);
	race_run(writer, reader);
	return 0;
}
