/*
 * mutex-held - the same with a pthread mutex: it lies in PM, and a crash leaves it locked by a
 * thread that does not exist any more.
 */
#include "../pm.h"
#include <pthread.h>

enum { MAGIC = 0x30ce };

struct file {
	LINE uint64_t magic;
	LINE pthread_mutex_t lock;
	uint64_t count;
};

static void open_locks(struct file *f)
{
	pthread_mutex_init(&f->lock, NULL);
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

#if FIXED
	open_locks(f);
#else
	if (f->magic != MAGIC)
		open_locks(f);
#endif
	if (f->magic != MAGIC) {
		pm_set(&f->magic, MAGIC);
		pm_persist(&f->magic, sizeof(f->magic));
	}
	pthread_mutex_lock(&f->lock); //@ load
	pm_set(&f->count, f->count + 1);
	pm_persist(f, sizeof(*f));
	pthread_mutex_unlock(&f->lock);
	pm_persist(f, sizeof(*f));
	return 0;
}
