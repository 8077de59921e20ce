/*
 * race-handed-on - an item goes from one list to another one and back. Each list has a lock of its own, and who has the
 * item in its list works on it under that lock. Different locks, but never at the same time: as long as it is handed on
 * when the work on it is done, and not before.
 */
#include "../pm.h"
#include <pthread.h>
#include <sched.h>

enum { ROUNDS = 12 };

struct item {
	LINE uint64_t value;
	LINE uint64_t stage; /* of work: which list has worked on it last */
};

struct file {
	LINE uint64_t seen; /* the newest value that was acted on */
	struct item item;
};

struct list {
	pthread_mutex_t lock;
	struct item *item;
};

static struct file *f;
static struct list raw = {.lock = PTHREAD_MUTEX_INITIALIZER};
static struct list done = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void put(struct list *l, struct item *it)
{
	pthread_mutex_lock(&l->lock);
	l->item = it;
	pthread_mutex_unlock(&l->lock);
}

static void work(struct item *it, uint64_t value)
{
	it->value = value; //@ store
	pm_persist(&it->value, sizeof(it->value));
	it->stage = 1; //@ stage
	pm_persist(&it->stage, sizeof(it->stage));
}

static void *producer(void *unused)
{
	for (uint64_t i = 1; i <= ROUNDS;) {
		struct item *it;

		pthread_mutex_lock(&raw.lock);
		it = raw.item;
		raw.item = NULL;
		if (it) {
#if FIXED
			work(it, i++);
			put(&done, it);
#else
			put(&done, it);
			work(it, i++);
#endif
		}
		pthread_mutex_unlock(&raw.lock);
		sched_yield();
	}
	return unused;
}

static void *consumer(void *unused)
{
	for (int i = 0; i < ROUNDS;) {
		struct item *it;

		pthread_mutex_lock(&done.lock);
		it = done.item;
		done.item = NULL;
		if (it) {
			uint64_t value = it->value; //@ load

			it->stage = 2; //@ other
			pm_persist(&it->stage, sizeof(it->stage));
			if (value > f->seen) {
				f->seen = value;
				pm_persist(&f->seen, sizeof(f->seen));
			}
			i++;
		}
		pthread_mutex_unlock(&done.lock);
		if (it)
			put(&raw, it);
		sched_yield();
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	if (f->seen > f->item.value) {
		fprintf(stderr, "acted on what is gone\n");
		return 1;
	}
	if (f->item.value)
		return 0;
	put(&raw, &f->item);
	pthread_create(&a, NULL, producer, NULL);
	pthread_create(&b, NULL, consumer, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
