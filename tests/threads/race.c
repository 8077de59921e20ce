/*
 * Two threads add to a variable without a lock, with a scheduling point between load and store. Run
 * with a snapshot for every choice, all schedules are seen: the outcomes are exactly those that can
 * be.
 */
#include "check.h"
#include <pthread.h>
#include <sys/mman.h>

static volatile int x;

static void point(void)
{
	pthread_testcancel(); /* does nothing else */
}

static void *adds(void *arg)
{
	int i;

	for (i = 0; i < (int)(intptr_t)arg; i++) {
		int v = x;

		point();
		x = v + 1;
		point();
	}
	return NULL;
}

int main(int argc, char **argv)
{
	intptr_t n = argc > 1 ? atoi(argv[1]) : 1;
	unsigned long *seen =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_t t[2];
	int i;

	pthread_create(&t[0], NULL, adds, (void *)n);
	pthread_create(&t[1], NULL, adds, (void *)n);
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	seen[x]++;
	if (harness_is_child())
		_exit(0);
	for (i = 0; i <= 2 * n; i++)
		if (seen[i])
			printf("%d ", i);
	printf("\n");
	return 0;
}
