/*
 * race-allocator - items come from a slab with a free list that runs through them, under the slab's
 * lock; their owner fills them under the lock of the bucket they go to. Another life of the same
 * memory is not another access to the same item.
 */
#include "../pm.h"
#include <pthread.h>
#include <sched.h>

enum { ITEMS = 6, BUCKETS = 2, ROUNDS = 6 };

struct item {
	LINE uint64_t next; /* free: the next free one */
	uint64_t value;
};

struct file {
	struct {
		LINE uint64_t at; /* an item */
	} bucket[BUCKETS];
	LINE uint64_t seen[BUCKETS]; /* the newest value that was acted on */
	struct item item[ITEMS];
};

static struct file *f;
static struct item *head; /* of the free ones */
static pthread_mutex_t slab = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t lock[BUCKETS] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};

static __attribute__((noinline)) struct item *slab_alloc(size_t size)
{
	struct item *it;

	assert(size == sizeof(*it));
	pthread_mutex_lock(&slab);
	it = head;
	if (it)
		head = pm_at(f, it->next); //@ load
	pthread_mutex_unlock(&slab);
	return it;
}

static __attribute__((noinline)) void slab_free(struct item *it)
{
	pthread_mutex_lock(&slab);
	it->next = pm_offset(f, head);
	pm_persist(it, sizeof(*it));
	head = it;
	pthread_mutex_unlock(&slab);
}

static void replace(int b, uint64_t value)
{
	struct item *it, *old;

	pthread_mutex_lock(&lock[b]);
	it = slab_alloc(sizeof(*it));
	it->next = 0; //@ store
	it->value = value; //@ store
	if (FIXED || value < 3)
		pm_persist(it, sizeof(*it));
	old = pm_at(f, f->bucket[b].at);
	f->bucket[b].at = pm_offset(f, it);
	pm_persist(&f->bucket[b].at, sizeof(f->bucket[b].at));
	if (old)
		slab_free(old);
	pthread_mutex_unlock(&lock[b]);
	if (!FIXED && value >= 3)
		pm_persist(it, sizeof(*it)); //@ flush
}

static void *producer(void *bucket)
{
	for (uint64_t i = 1; i <= ROUNDS; i++)
		replace((int)(intptr_t)bucket, i);
	return NULL;
}

static void *consumer(void *unused)
{
	for (int left = BUCKETS; left;) {
		left = BUCKETS;
		for (int b = 0; b < BUCKETS; b++) {
			struct item *it;
			uint64_t value = 0;

			pthread_mutex_lock(&lock[b]);
			it = pm_at(f, f->bucket[b].at);
			if (it)
				value = it->value; //@ load
			pthread_mutex_unlock(&lock[b]);
			left -= value == ROUNDS;
			if (value <= f->seen[b])
				continue;
			f->seen[b] = value;
			pm_persist(&f->seen[b], sizeof(f->seen[b]));
		}
		sched_yield();
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t t[BUCKETS + 1];

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	for (int b = 0; b < BUCKETS; b++) {
		struct item *it = pm_at(f, f->bucket[b].at);

		if (f->seen[b] > (it ? it->value : 0)) {
			fprintf(stderr, "what was acted on is gone\n");
			return 1;
		}
	}
	if (f->bucket[0].at || f->bucket[1].at)
		return 0;
	for (int i = 0; i < ITEMS; i++)
		slab_free(&f->item[i]);
	for (intptr_t b = 0; b < BUCKETS; b++)
		pthread_create(&t[b], NULL, producer, (void *)b);
	pthread_create(&t[BUCKETS], NULL, consumer, NULL);
	for (int i = 0; i <= BUCKETS; i++)
		pthread_join(t[i], NULL);
	return 0;
}
