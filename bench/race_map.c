/*
 * race_map.c - two structures of our own for `perdure lockset`: a hash table with a lock a bucket
 * and an ordered map (a sorted array of runs of sorted keys, a lock a run). `race_map hash|map FILE
 * OPERATIONS THREADS`: half inserts and updates, half lookups, over 4096 keys; everything is made
 * durable under its lock.
 */
#include <emmintrin.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { KEYS = 4096, BUCKETS = 1024, SLOTS = 7, RUNS = 256, RUN = 31 };

struct bucket {
	uint64_t key[SLOTS];
	uint64_t used;
	uint64_t value[SLOTS];
	uint64_t pad;
};

struct run {
	uint64_t n;
	struct {
		uint64_t key;
		uint64_t value;
	} item[RUN];
};

static struct bucket *buckets;
static struct run *runs;
static pthread_mutex_t locks[BUCKETS];
static long per_thread;
static int ordered;

static void persist(void *p, size_t n)
{
	for (uintptr_t l = (uintptr_t)p & ~63UL; l < (uintptr_t)p + n; l += 64)
		_mm_clflush((void *)l);
	_mm_sfence();
}

static uint64_t draw(uint64_t *s)
{
	*s = *s * 6364136223846793005UL + 1442695040888963407UL;
	return *s >> 33;
}

static uint64_t hash_op(uint64_t key, int put)
{
	uint64_t h = key * 0x9e3779b97f4a7c15UL >> 54, found = 0;
	struct bucket *b = &buckets[h];

	pthread_mutex_lock(&locks[h]);
	for (int i = 0; i < SLOTS; i++) {
		if (b->key[i] != key && !(put && !b->key[i]))
			continue;
		if (put) {
			b->value[i] = key * 2;
			persist(&b->value[i], 8);
			b->key[i] = key;
			persist(&b->key[i], 8);
		}
		found = b->value[i];
		break;
	}
	pthread_mutex_unlock(&locks[h]);
	return found;
}

static uint64_t map_op(uint64_t key, int put)
{
	uint64_t r = key * RUNS / (KEYS + 1), found = 0, i = 0;
	struct run *x = &runs[r];

	pthread_mutex_lock(&locks[r]);
	while (i < x->n && x->item[i].key < key)
		i++;
	if (i < x->n && x->item[i].key == key) {
		if (put) {
			x->item[i].value = key * 2;
			persist(&x->item[i].value, 8);
		}
		found = x->item[i].value;
	} else if (put && x->n < RUN) {
		for (uint64_t k = x->n; k > i; k--)
			x->item[k] = x->item[k - 1];
		x->item[i].key = key;
		x->item[i].value = key * 2;
		x->n++;
		persist(x, sizeof(*x));
	}
	pthread_mutex_unlock(&locks[r]);
	return found;
}

static void *work(void *arg)
{
	uint64_t seed = (uint64_t)(uintptr_t)arg, sum = 0;

	for (long i = 0; i < per_thread; i++) {
		uint64_t key = 1 + draw(&seed) % KEYS;
		int put = (int)(draw(&seed) & 1);

		sum += ordered ? map_op(key, put) : hash_op(key, put);
	}
	return (void *)(uintptr_t)sum;
}

int main(int argc, char **argv)
{
	size_t size = BUCKETS * sizeof(struct bucket) + RUNS * sizeof(struct run);
	int fd = argc > 4 ? open(argv[2], O_RDWR | O_CREAT, 0600) : -1, n;
	pthread_t t[64];
	char *p;

	if (fd < 0 || ftruncate(fd, (off_t)size) != 0 ||
	    (p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0)) == MAP_FAILED) {
		fprintf(stderr, "usage: race_map hash|map FILE OPERATIONS THREADS\n");
		return 2;
	}
	ordered = strcmp(argv[1], "map") == 0;
	buckets = (struct bucket *)p;
	runs = (struct run *)(p + BUCKETS * sizeof(struct bucket));
	n = atoi(argv[4]) > 64 ? 64 : atoi(argv[4]);
	per_thread = atol(argv[3]) / n;
	for (int i = 0; i < BUCKETS; i++)
		pthread_mutex_init(&locks[i], NULL);
	for (int i = 0; i < n; i++)
		pthread_create(&t[i], NULL, work, (void *)(uintptr_t)(i + 1));
	for (int i = 0; i < n; i++)
		pthread_join(t[i], NULL);
	return 0;
}
