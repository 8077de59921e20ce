/*
 * unlock-then-flush - a writer and a reader share a lock. The writer flushes when it has given the
 * lock back: the reader may see, and act on, what a crash then takes away.
 */
#include "../pm.h"
#include <pthread.h>

struct file {
	LINE uint64_t version;
	LINE uint64_t seen;
};

static struct file *f;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *writer(void *unused)
{
	for (int i = 0; i < 2; i++) {
		pthread_mutex_lock(&lock);
		pm_set(&f->version, f->version + 1); //@ store
#if FIXED
		pm_persist(&f->version, sizeof(f->version));
		pthread_mutex_unlock(&lock);
#else
		pthread_mutex_unlock(&lock);
		pm_persist(&f->version, sizeof(f->version)); //@ flush
#endif
	}
	return unused;
}

static void *reader(void *unused)
{
	for (int i = 0; i < 2; i++) {
		uint64_t version;

		pthread_mutex_lock(&lock);
		version = f->version;
		pthread_mutex_unlock(&lock);
		pm_set(&f->seen, version);
		pm_persist(&f->seen, sizeof(f->seen));
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t w, r;

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	if (f->seen > f->version) { //@ load
		fprintf(stderr, "version %d was seen and is gone\n", (int)f->seen);
		return 1;
	}
	pthread_create(&w, NULL, writer, NULL);
	pthread_create(&r, NULL, reader, NULL);
	pthread_join(w, NULL);
	pthread_join(r, NULL);
	return 0;
}
