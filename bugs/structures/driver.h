/*
 * driver.h - what the structures share: a pool with a bump allocator, and the program around them.
 *
 *	prog FILE KEYS THREADS
 *
 * inserts KEYS keys, each thread its share. A thread's count of inserts that have returned is
 *durable before the next insert begins. On a file from before, recovery repairs the structure,
 *checks it, checks that every counted key is there with its value, and goes on.
 *
 * A structure defines st_create, st_recover, st_insert, st_find and st_check before it includes the
 * second half of this file (DRIVER_MAIN). BUG selects what is wrong with it; 0 is nothing.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef DRIVER_H
#define DRIVER_H

#ifndef BUG
#error "compile with -DBUG=0 (right) or the number of a bug"
#endif
#ifndef FIXED
#define FIXED (BUG == 0)
#endif

#include "../pm.h"
#include <pthread.h>

enum { MAX_THREADS = 8, HEAP = 1 << 19, POOL_MAGIC = 0x57c7 };

struct pool {
	LINE uint64_t magic;
	LINE uint64_t root; /* offset of the structure's own root */
	LINE uint64_t used; /* of the heap; durable before what it covers is used */
	struct {
		LINE uint64_t count;
	} done[MAX_THREADS];
	LINE char heap[HEAP];
};

static struct pool *pool;
static pthread_mutex_t alloc_lock = PTHREAD_MUTEX_INITIALIZER;

/* Lines of zeros that nobody ever had. A crash leaks them. */
static void *pm_alloc(size_t n)
{
	uint64_t at;

	pthread_mutex_lock(&alloc_lock);
	at = pool->used;
	n = (n + 63) & ~(size_t)63;
	if (at + n > HEAP) {
		fprintf(stderr, "the pool is full\n");
		exit(2);
	}
	pm_set(&pool->used, at + n);
	pm_persist(&pool->used, sizeof(pool->used));
	pthread_mutex_unlock(&alloc_lock);
	return pool->heap + at;
}

static UNUSED uint64_t off(const void *p)
{
	return p ? pm_offset(pool, p) : 0;
}

static UNUSED uint64_t mix(uint64_t key)
{
	key *= 0x9e3779b97f4a7c15;
	return key ^ key >> 29;
}

static UNUSED void lost(const char *what, uint64_t key)
{
	fprintf(stderr, "%s: key %llu\n", what, (unsigned long long)key);
	exit(1);
}

static void st_create(void);
static void st_recover(void);
static void st_insert(uint64_t key, uint64_t value);
static uint64_t st_find(uint64_t key); /* its value, or 0 */
static void st_check(void);

#endif

#ifdef DRIVER_MAIN

static unsigned keys, threads;

/* The i-th key; all different below 1009. */
static uint64_t key_of(uint64_t i)
{
	return i * 373 % 1009 + 1;
}

static void *insert_share(void *arg)
{
	uint64_t me = (uint64_t)(uintptr_t)arg;
	uint64_t *done = &pool->done[me].count;

	for (uint64_t i = *done; i * threads + me < keys; i++) {
		uint64_t key = key_of(i * threads + me);

		st_insert(key, key * 10 + 3);
		pm_set(done, i + 1);
		pm_persist(done, sizeof(*done));
	}
	return NULL;
}

static void check_all(void)
{
	st_check();
	for (uint64_t t = 0; t < threads; t++)
		for (uint64_t i = 0; i < pool->done[t].count; i++) {
			uint64_t key = key_of(i * threads + t);

			if (st_find(key) != key * 10 + 3)
				lost("lost", key);
		}
}

int main(int argc, char **argv)
{
	pthread_t thread[MAX_THREADS];

	if (argc != 4 || (keys = (unsigned)atoi(argv[2])) > 1000 ||
	    (threads = (unsigned)atoi(argv[3])) < 1 || threads > MAX_THREADS) {
		fprintf(stderr, "usage: prog FILE KEYS THREADS\n");
		return 2;
	}
	pool = pm_map(argv[1], sizeof(*pool));
	if (pool->magic == POOL_MAGIC) {
		st_recover();
		check_all();
	} else {
		st_create();
		pm_set(&pool->magic, POOL_MAGIC);
		pm_persist(&pool->magic, sizeof(pool->magic));
	}
	for (uintptr_t t = 1; t < threads; t++)
		pthread_create(&thread[t], NULL, insert_share, (void *)t);
	insert_share(NULL);
	for (uintptr_t t = 1; t < threads; t++)
		pthread_join(thread[t], NULL);
	return 0;
}

#endif
