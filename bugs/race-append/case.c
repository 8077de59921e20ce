/*
 * race-append - threads append to a list by compare-and-swap. Who finds a link that another thread has
 * made persists it before it goes on; who finds none tries to make it, and depends on nothing. (Buggy:
 * links of others are not persisted.)
 */
#include "../pm.h"
#include <pthread.h>

enum { THREADS = 2, EACH = 8, NODES = 1 + THREADS * EACH };

struct node {
	LINE uint64_t next; /* number of a node; 0: none */
};

struct file {
	LINE uint64_t made;
	struct {
		LINE uint64_t n; /* appended by this thread, for good */
	} done[THREADS];
	struct node node[NODES];
};

static struct file *f;

static void append(uint64_t mine)
{
	uint64_t at = 0, next, none = 0;

	for (;;) {
		next = __atomic_load_n(&f->node[at].next, __ATOMIC_ACQUIRE); //@ load
		if (next) {
#if FIXED
			pm_persist(&f->node[at].next, sizeof(uint64_t));
#endif
			at = next;
			continue;
		}
		none = 0;
		if (__atomic_compare_exchange_n(&f->node[at].next, &none, mine, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) //@ store load
			break;
	}
	pm_persist(&f->node[at].next, sizeof(uint64_t)); //@ flush
}

static void *work(void *arg)
{
	uint64_t me = (uint64_t)(uintptr_t)arg;

	for (uint64_t i = 0; i < EACH; i++) {
		append(1 + me * EACH + i);
		pm_set(&f->done[me].n, i + 1);
		pm_persist(&f->done[me].n, sizeof(uint64_t));
	}
	return NULL;
}

static int check(void)
{
	uint64_t seen[THREADS] = {0};

	for (uint64_t at = f->node[0].next; at; at = f->node[at].next)
		seen[(at - 1) / EACH]++;
	for (int i = 0; i < THREADS; i++)
		if (seen[i] < f->done[i].n)
			return 1; /* appended, and not in the list */
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];

	f = (struct file *)pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	if (f->made)
		return check();
	pm_set(&f->made, 1);
	pm_persist(f, sizeof(*f));
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	return check();
}
