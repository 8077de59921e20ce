/*
 * race-xchg-lock-pm - the lock is in PM, beside the data; it is not data itself, and needs not
 * be durable.
 */
#include "../pm.h"
#include <pthread.h>

struct bucket {
	LINE uint8_t lock;
	uint64_t value;
};

struct file {
	struct bucket bucket;
	LINE uint64_t effect;
};

static struct file *f;

static void take(uint8_t *lock)
{
	while (__atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE))
		__asm__ volatile("pause");
}

static void give(uint8_t *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
}

static void *writer(void *unused)
{
	for (int i = 0; i < 3; i++) {
		take(&f->bucket.lock);
		pm_set(&f->bucket.value, f->bucket.value + 1); //@ store
#if FIXED
		pm_persist(&f->bucket.value, sizeof(f->bucket.value));
		give(&f->bucket.lock);
#else
		give(&f->bucket.lock);
		pm_persist(&f->bucket.value, sizeof(f->bucket.value)); //@ flush
#endif
	}
	return unused;
}

static void *reader(void *unused)
{
	for (int i = 0; i < 3; i++) {
		uint64_t seen;

		take(&f->bucket.lock);
		seen = f->bucket.value; //@ load
		give(&f->bucket.lock);
		if (seen > f->effect) {
			pm_set(&f->effect, seen);
			pm_persist(&f->effect, sizeof(f->effect));
		}
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	f->bucket.lock = 0; /* whoever held it is gone */
	if (f->effect > f->bucket.value) {
		fprintf(stderr, "%d was acted on and is gone\n", (int)f->effect);
		return 1;
	}
	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
