/*
 * own.c - an allocator of the program's own, as small as one can be: free lists by size, one lock for all.
 *
 * The lock is a pthread mutex, or with SPIN a word of atomics. free(NULL) takes it, too: correct, if lazy.
 * It yields where it waits, and its critical sections contain a system call now and then, as real ones do.
 */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

enum { CLASSES = 48, FIRST = 5, CHUNK = 1 << 20 };

struct block {
	struct block *next;
	uint32_t class;
	uint32_t alone; /* inside another */
	_Alignas(16) char data[];
};

static struct block *lists[CLASSES];
static char *at, *end;

#ifdef SPIN
static atomic_int word;

static void lock(void)
{
	while (atomic_exchange_explicit(&word, 1, memory_order_acquire))
		sched_yield();
}

static void unlock(void)
{
	atomic_store_explicit(&word, 0, memory_order_release);
}
#else
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void lock(void)
{
	pthread_mutex_lock(&mutex);
}

static void unlock(void)
{
	pthread_mutex_unlock(&mutex);
}
#endif

static uint32_t class_of(size_t n)
{
	uint32_t c = FIRST;

	while (((size_t)1 << c) < n + sizeof(struct block))
		c++;
	return c;
}

static struct block *fresh(uint32_t class)
{
	size_t n = (size_t)1 << class;
	char *p;

	if ((size_t)(end - at) < n) {
		size_t chunk = n > CHUNK ? n : CHUNK;

		at = mmap(NULL, chunk, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (at == MAP_FAILED) {
			at = end = NULL;
			return NULL;
		}
		end = at + chunk;
	}
	p = at;
	at += n;
	return (struct block *)p;
}

void *malloc(size_t n)
{
	uint32_t class = class_of(n);
	struct block *b;

	lock();
	b = lists[class];
	if (b)
		lists[class] = b->next;
	else
		b = fresh(class);
	unlock();
	if (!b)
		return NULL;
	b->class = class;
	b->alone = 0;
	return b->data;
}

void free(void *p)
{
	struct block *b = p ? (struct block *)((char *)p - offsetof(struct block, data)) : NULL;

	lock();
	if (b && !b->alone) {
		b->next = lists[b->class];
		lists[b->class] = b;
	}
	unlock();
}

void *calloc(size_t n, size_t size)
{
	void *p = malloc(n * size);

	return p ? memset(p, 0, n * size) : NULL;
}

void *realloc(void *p, size_t n)
{
	struct block *b = p ? (struct block *)((char *)p - offsetof(struct block, data)) : NULL;
	size_t have = b ? b->alone ? n : ((size_t)1 << b->class) - sizeof(*b) : 0;
	void *to = have >= n && b ? p : malloc(n);

	if (!b || !to || to == p)
		return to;
	memcpy(to, p, have);
	free(p);
	return to;
}

/* All blocks begin at multiples of 16; what is to begin at more has a head of its own and is never used again. */
int posix_memalign(void **to, size_t align, size_t n)
{
	struct block *b;
	char *p = malloc(align > 16 ? n + 2 * align : n);

	if (!p)
		return ENOMEM;
	if (align > 16) {
		p = (char *)(((uintptr_t)p + 2 * align - 1) & ~(align - 1));
		b = (struct block *)(p - offsetof(struct block, data));
		b->class = class_of(n);
		b->alone = 1;
	}
	*to = p;
	return 0;
}

void *aligned_alloc(size_t align, size_t n)
{
	void *p;

	return posix_memalign(&p, align, n) ? NULL : p;
}

void *memalign(size_t align, size_t n);
void *memalign(size_t align, size_t n)
{
	return aligned_alloc(align, n);
}
