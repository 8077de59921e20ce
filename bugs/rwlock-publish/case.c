/*
 * rwlock-publish - readers under a reader lock copy a configuration to where it is kept for each of
 * them. The writer stores under the writer lock and flushes afterwards.
 */
#include "../pm.h"
#include <pthread.h>

enum { READERS = 2 };

struct file {
	LINE uint64_t config;
	struct {
		LINE uint64_t config;
	} reader[READERS];
};

static struct file *f;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *reader(void *arg)
{
	uint64_t *mine = &f->reader[(uintptr_t)arg].config;

	pthread_rwlock_rdlock(&lock);
	pm_set(mine, pm_get(&f->config));
	pm_persist(mine, sizeof(*mine));
	pthread_rwlock_unlock(&lock);
	return NULL;
}

static void *writer(void *unused)
{
	pthread_rwlock_wrlock(&lock);
	pm_set(&f->config, f->config + 1); //@ store
#if FIXED
	pm_persist(&f->config, sizeof(f->config));
#endif
	pthread_rwlock_unlock(&lock);
	pm_persist(&f->config, sizeof(f->config)); //@ flush
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t t[READERS], w;

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	for (int i = 0; i < READERS; i++)
		assert(f->reader[i].config <= f->config); //@ load
	pthread_create(&w, NULL, writer, NULL);
	for (uintptr_t i = 0; i < READERS; i++)
		pthread_create(&t[i], NULL, reader, (void *)i);
	pthread_join(w, NULL);
	for (int i = 0; i < READERS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
