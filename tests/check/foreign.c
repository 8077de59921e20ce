/*
 * foreign.c - a program and a library (-DLIBRARY) that was compiled by somebody else.
 *
 *	foreign HOW FILE
 *
 * The library stores and flushes as it should; whoever cannot see that takes its data for lost.
 * What HOW says makes the word durable that recovery trusts: the program itself (own), the library
 * (persist), the library when it is loaded later (later), code that is made at run time (made), a
 * child (child); or the wrong word (wrong).
 */
#include <emmintrin.h>
#include <stdint.h>

int pmem_is_pmem(const void *p, uint64_t n);
void pmem_persist(const void *p, uint64_t n);
void *pmem_memcpy_persist(void *to, const void *from, uint64_t n);
void put(uint64_t *to, uint64_t v);

#ifdef LIBRARY
int pmem_is_pmem(const void *p, uint64_t n)
{
	return p && n;
}

void pmem_persist(const void *p, uint64_t n)
{
	(void)n;
	_mm_clflush(p);
	_mm_sfence();
}

void *pmem_memcpy_persist(void *to, const void *from, uint64_t n)
{
	__builtin_memcpy(to, from, n);
	pmem_persist(to, n);
	return to;
}

void put(uint64_t *to, uint64_t v)
{
	*to = v;
	_mm_clflush(to);
	_mm_sfence();
}
#else
#include <assert.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static void persist(void *p)
{
	_mm_clflush(p);
	_mm_sfence();
}

/* One thread makes its store durable when it has given the lock back. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *early(void *p)
{
	volatile uint64_t *word = p;

	pthread_mutex_lock(&lock);
	*word = 1;
	pthread_mutex_unlock(&lock);
	persist(p);
	return NULL;
}

static void persist_later(void *p)
{
	void *library = dlopen("./liblater.so", RTLD_NOW);
	void (*f)(const void *, uint64_t) =
		library ? (void (*)(const void *, uint64_t))dlsym(library, "pmem_persist") : 0;

	assert(f);
	f(p, 8);
}

static void persist_made(void *p)
{
	static const uint8_t code[] = {0x0f, 0xae, 0x3f, /* clflush (%rdi) */
				       0x0f, 0xae, 0xf8, /* sfence */
				       0xc3};
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS,
			-1, 0);

	memcpy(at, code, sizeof(code));
	((void (*)(void *))at)(p);
}

static void persist_child(volatile uint64_t *p)
{
	pid_t child = fork();

	if (child == 0) {
		*p = 7;
		persist((void *)p);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static void race(uint64_t *pm)
{
	pthread_t t;

	put(pm + 40, 7);
	pthread_create(&t, NULL, early, pm + 24);
	pthread_mutex_lock(&lock);
	pm[32] = pm[24];
	persist(pm + 32);
	pthread_mutex_unlock(&lock);
	pthread_join(t, NULL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";
	int fd = open(argc > 2 ? argv[2] : "", O_RDWR | O_CREAT, 0600);
	volatile uint64_t *pm, *valid, *more;
	uint64_t local = 1, seven = 7;

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 1;
	pm = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (strcmp(how, "race") == 0) {
		race((uint64_t *)pm);
		return 0;
	}
	valid = pm + 8;
	more = pm + 16;
	if (*valid) {
		assert(*pm == 7);
		assert(strcmp(how, "forgets") || *more == 7);
		return 0;
	}
	if (strcmp(how, "put") == 0 || strcmp(how, "forgets") == 0)
		put((uint64_t *)pm, 7);
	else if (strcmp(how, "child") == 0)
		persist_child(pm);
	else
		*pm = 7;
	if (strcmp(how, "persist") == 0)
		pmem_persist((void *)pm, 8);
	else if (strcmp(how, "wrong") == 0)
		pmem_persist((void *)valid, 8);
	else if (strcmp(how, "memcpy") == 0)
		pmem_memcpy_persist((void *)pm, &seven, 8);
	else if (strcmp(how, "later") == 0)
		persist_later((void *)pm);
	else if (strcmp(how, "made") == 0)
		persist_made((void *)pm);
	else if (strcmp(how, "own") == 0 && pmem_is_pmem((void *)pm, 8))
		persist((void *)pm);
	pmem_persist(&local, sizeof(local));
	*more = 7;
	*valid = 1;
	persist((void *)valid);
	return 0;
}
#endif
