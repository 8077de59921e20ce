/*
 * map.c - a hash map in persistent memory, for any number of threads.
 *
 * A fixed number of buckets, each with its slots, and a lock for each in ordinary memory. A slot is written in this order: value,
 * key, and then `used`, which is what counts; each is durable before the next one is stored, and all
 * of it before the lock is given back, so nobody acts on what a crash could take back. A value that
 * is there is replaced in place, by one store.
 *
 * Compiled with -DBUG, a new slot is not flushed: after a crash a put that returned may be gone.
 */
#include "map.h"
#include <fcntl.h>
#include <emmintrin.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BUCKETS = 1024, SLOTS = 64 };

struct slot {
	_Atomic uint64_t used;
	uint64_t key;
	_Atomic uint64_t value;
	uint64_t pad;
};

struct bucket {
	struct slot slot[SLOTS];
};

struct map {
	struct bucket *bucket; /* persistent */
	atomic_flag lock[BUCKETS];
};

static void persist(const void *p)
{
	_mm_clflush(p);
	_mm_sfence();
}

struct map *map_open(const char *path)
{
	size_t size = BUCKETS * sizeof(struct bucket);
	int fd = open(path, O_RDWR | O_CREAT, 0644);
	struct map *m = calloc(1, sizeof(*m));
	void *p = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, (off_t)size) == 0)
		p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (fd >= 0)
		close(fd);
	if (!m || p == MAP_FAILED) {
		free(m);
		return NULL;
	}
	m->bucket = p;
	return m;
}

void map_close(struct map *m)
{
	munmap(m->bucket, BUCKETS * sizeof(struct bucket));
	free(m);
}

static unsigned lock(struct map *m, uint64_t key)
{
	unsigned i = key * 0x9e3779b97f4a7c15u >> 54;

	while (atomic_flag_test_and_set(&m->lock[i]))
		_mm_pause();
	return i;
}

static void unlock(struct map *m, unsigned i)
{
	atomic_flag_clear(&m->lock[i]);
}

static struct slot *find(struct bucket *b, uint64_t key)
{
	for (int i = 0; i < SLOTS; i++)
		if (b->slot[i].used && b->slot[i].key == key)
			return &b->slot[i];
	return NULL;
}

static struct slot *find_free(struct bucket *b)
{
	for (int i = 0; i < SLOTS; i++)
		if (!b->slot[i].used)
			return &b->slot[i];
	return NULL;
}

int map_put(struct map *m, uint64_t key, uint64_t value, uint64_t *old, uint64_t none)
{
	unsigned i = lock(m, key);
	struct slot *s = find(&m->bucket[i], key), *fresh = s ? NULL : find_free(&m->bucket[i]);

	*old = s ? s->value : none;
	if (s) {
		s->value = value;
		persist(&s->value);
	} else if (fresh) {
		fresh->value = value;
		fresh->key = key;
#ifndef BUG
		persist(fresh);
#endif
		fresh->used = 1;
#ifndef BUG
		persist(fresh);
#endif
	}
	unlock(m, i);
	return s || fresh;
}

uint64_t map_get(struct map *m, uint64_t key, uint64_t none)
{
	unsigned i = lock(m, key);
	struct slot *s = find(&m->bucket[i], key);
	uint64_t value = s ? s->value : none;

	unlock(m, i);
	return value;
}

uint64_t map_remove(struct map *m, uint64_t key, uint64_t none)
{
	unsigned i = lock(m, key);
	struct slot *s = find(&m->bucket[i], key);
	uint64_t value = s ? s->value : none;

	if (s) {
		s->used = 0;
		persist(s);
	}
	unlock(m, i);
	return value;
}
