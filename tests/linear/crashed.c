/*
 * crashed.c - registers in PM that perdure linear must not like. WRONG:
 *	1  every third write is forgotten: no crash is needed
 *	2  cannot be opened where a crash was in the middle of a write
 *	3  dies then
 *	4  waits for a lock in PM then
 *	5  keeps its value in ordinary memory
 *	6  cannot be opened at all
 *	7  is read before it is durable, by readers that count themselves in PM
 *	8  nothing: readers wait for the writer with plain loads
 *	9  nothing: a mutex in PM keeps readers and writers apart
 *	10 readers loop without any access of PM where a crash was in the middle of a write
 *	11 dies of the 91st write, which longer workloads have
 */
#include <fcntl.h>
#include <emmintrin.h>
#include <perdure_linear.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

struct reg {
	volatile uint64_t value, writing, readers, writer;
	pthread_mutex_t mutex;
};

static uint64_t writes, own;

static void persist(struct reg *r)
{
	_mm_clflush(r);
	_mm_sfence();
}

static void *open_it(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0644);
	struct reg *r = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, 4096) == 0)
		r = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (WRONG == 6 || r == MAP_FAILED || (WRONG == 2 && r->writing))
		return NULL;
	if (WRONG == 3 && r->writing)
		abort();
	while (WRONG == 4 && r->writing)
		;
	if (WRONG == 8)
		r->writing = r->writer = 0;
	if (WRONG == 9)
		pthread_mutex_init(&r->mutex, NULL);
	return r;
}

static void close_it(void *r)
{
	munmap(r, 4096);
}

static __attribute__((noinline)) void set(struct reg *r, uint64_t value)
{
	r->value = value;
	__atomic_signal_fence(__ATOMIC_SEQ_CST); /* no tail call */
}

static void lock(struct reg *r)
{
	if (WRONG == 9)
		pthread_mutex_lock(&r->mutex);
}

static void unlock(struct reg *r)
{
	if (WRONG == 9)
		pthread_mutex_unlock(&r->mutex);
}

static void put(void *it, struct pd_linear_op *op)
{
	struct reg *r = it;

	lock(r);
	while (WRONG == 8 && __atomic_exchange_n(&r->writer, 1, __ATOMIC_ACQUIRE))
		;
	r->writing = (WRONG >= 2 && WRONG <= 4) || WRONG == 8 || WRONG == 10;
	persist(r);
	own = op->arg[0].word;
	if (WRONG == 11 && ++writes > 90)
		abort();
	if (WRONG != 1 || ++writes % 3)
		set(r, op->arg[0].word);
	if (WRONG == 8)
		persist(r);
	r->writing = 0;
	persist(r);
	if (WRONG == 8)
		__atomic_store_n(&r->writer, 0, __ATOMIC_RELEASE);
	unlock(r);
}

static void get(void *it, struct pd_linear_op *op)
{
	struct reg *r = it;

	lock(r);
	for (volatile uint64_t stuck = WRONG == 10 && r->writing; stuck;)
		stuck = 2;
	if (WRONG == 7)
		__atomic_add_fetch(&r->readers, 1, __ATOMIC_SEQ_CST);
	while (WRONG == 8 && r->writing)
		;
	if (r->value)
		pd_linear_return(op, WRONG == 5 ? own : r->value);
	else
		pd_linear_return(op, WRONG == 5 ? own : 0);
	if (WRONG == 7)
		__atomic_sub_fetch(&r->readers, 1, __ATOMIC_SEQ_CST);
	unlock(r);
}

static const struct pd_linear_entry table[] = {
	{"write", {PD_VALUE}, put, 0}, {"read", {PD_NO_ARG}, get, 0}, PD_LINEAR_END};

PD_LINEAR_DRIVER("register", PD_DURABLE, table, open_it, close_it)
