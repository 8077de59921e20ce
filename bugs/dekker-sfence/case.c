/*
 * dekker-sfence - two threads want one slot. Each raises its flag, makes that durable, and takes the slot if
 * the other's flag is not up. But sfence does not keep a later load from coming before an earlier
 * store: both flags may still be in the store buffers of their threads when both look, and both
 * take the slot. Recovery finds two owners. With mfence one of them sees the other.
 */
#include "../pm.h"
#include <pthread.h>

struct file {
	LINE uint64_t flag[2][8]; /* a line each */
	LINE uint64_t owner[2][8];
};

static struct file *f;

static void *take(void *arg)
{
	int me = arg != NULL;

	pm_set(&f->flag[me][0], 1); //@ store
	pm_flush(&f->flag[me][0], sizeof(uint64_t));
#if FIXED
	_mm_mfence();
#else
	_mm_sfence(); //@ fence
#endif
	if (!pm_get(&f->flag[!me][0])) { //@ load
		pm_set(&f->owner[me][0], 1); //@ owner
		pm_persist(&f->owner[me][0], sizeof(uint64_t));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[2];

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	assert(!(f->owner[0][0] && f->owner[1][0])); //@ check
	if (f->flag[0][0] || f->flag[1][0])
		return 0;
	pthread_create(&t[0], NULL, take, NULL);
	pthread_create(&t[1], NULL, take, &t[1]);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return 0;
}
