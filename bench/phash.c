/*
 * phash.c - a hash table in a mapped file: threads insert, then look up. Every insert stores a node
 * of 64 bytes and a bucket, flushes and fences both.
 *
 *	phash FILE OPERATIONS THREADS
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <immintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BUCKETS = 65536, LOCKS = 256, VALUE = 44, THREADS = 64 };
#define SIZE (64UL << 20)

struct node {
	uint64_t key;
	uint64_t next;
	uint32_t len;
	char val[VALUE];
};

struct root {
	uint64_t magic;
	uint64_t bump;
	uint64_t bucket[BUCKETS];
	uint64_t count[BUCKETS / 64];
};

static struct root *root;
static char *base;
static pthread_mutex_t locks[LOCKS];
static long operations, threads;

static void persist(const void *p, size_t n)
{
	for (uintptr_t a = (uintptr_t)p & ~63UL; a < (uintptr_t)p + n; a += 64)
		_mm_clflush((void *)a);
	_mm_sfence();
}

static uint64_t hash(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdULL;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53ULL;
	return x ^ (x >> 33);
}

static void put(uint64_t key)
{
	char value[VALUE];
	int len = snprintf(value, sizeof(value), "value-%llu-%08x", (unsigned long long)key,
			   (unsigned)hash(key));
	uint64_t b = hash(key) % BUCKETS, off;
	struct node *n;

	pthread_mutex_lock(&locks[b % LOCKS]);
	off = __atomic_fetch_add(&root->bump, sizeof(*n), __ATOMIC_SEQ_CST);
	n = (struct node *)(base + off);
	n->key = key;
	n->next = root->bucket[b];
	n->len = (uint32_t)len;
	memcpy(n->val, value, (size_t)len + 1);
	persist(n, sizeof(*n));
	root->bucket[b] = off;
	persist(&root->bucket[b], sizeof(root->bucket[b]));
	pthread_mutex_unlock(&locks[b % LOCKS]);
}

static long get(uint64_t key)
{
	uint64_t b = hash(key) % BUCKETS;
	long found = 0;

	pthread_mutex_lock(&locks[b % LOCKS]);
	for (uint64_t off = root->bucket[b]; off && !found;) {
		const struct node *n = (const struct node *)(base + off);

		if (n->key == key)
			found = n->len;
		off = n->next;
	}
	pthread_mutex_unlock(&locks[b % LOCKS]);
	return found;
}

static void *work(void *arg)
{
	long sum = 0;

	for (long i = (long)arg; i < operations; i += threads)
		put((uint64_t)i * 7 + 1);
	for (long i = (long)arg; i < operations; i += threads)
		sum += get((uint64_t)i * 7 + 1);
	return (void *)sum;
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	long sum = 0;
	void *r;
	int fd;

	operations = argc > 3 ? atol(argv[2]) : 0;
	threads = argc > 3 ? atol(argv[3]) : 0;
	if (operations < 1 || threads < 1 || threads > THREADS)
		return 2;
	fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0644);
	if (fd < 0 || ftruncate(fd, SIZE) != 0)
		return 1;
	base = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	root = (struct root *)base;
	root->bump = (sizeof(*root) + 63) & ~63UL;
	root->magic = 42;
	persist(root, 16);
	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_init(&locks[i], NULL);
	for (long i = 0; i < threads; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (long i = 0; i < threads; i++) {
		pthread_join(t[i], &r);
		sum += (long)r;
	}
	printf("%ld\n", sum);
	return 0;
}
