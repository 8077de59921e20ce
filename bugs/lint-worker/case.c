/* lint-worker - a thread flushes what it did and ends; its creator fences for it. */
#include "../pm.h"
#include <pthread.h>

static uint64_t *p;

static void *work(void *arg)
{
	uint64_t i = (uint64_t)(uintptr_t)arg;

	p[8 * i] = i + 1;    //@ store
	pm_clwb(&p[8 * i]); //@ flush
#if FIXED
	pm_fence();
#endif
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[3];

	p = pm_map(argc > 1 ? argv[1] : NULL, 4096);
	for (uintptr_t i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	p[64] = 1;
	pm_persist(&p[64], 8);
	return 0;
}
