/*
 * odd.c - registers in PM whose drivers are not as they should be. ODD:
 *	1  a write is refused or not, by chance: an operation returns something else in each run
 *	2  a write waits for somebody who never comes
 *	3  values above 3 are refused, as the table says
 *	4  the same, and the table does not say so
 *	5  cannot be opened twice
 *	6  its own specification draws what a read returns
 *	7  a write ends the program
 */
#include <emmintrin.h>
#include <fcntl.h>
#include <perdure_linear.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include <x86intrin.h>

struct reg {
	volatile uint64_t value;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *open_it(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | (ODD == 5 ? O_EXCL : 0), 0644);
	struct reg *r = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, 4096) == 0)
		r = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return r == MAP_FAILED ? NULL : r;
}

static void close_it(void *r)
{
	munmap(r, 4096);
}

static void put(void *it, struct pd_linear_op *op)
{
	struct reg *r = it;

	if (ODD == 2) {
		pthread_mutex_lock(&lock);
		pthread_mutex_lock(&lock);
	}
	if (ODD == 1 && (__rdtsc() >> 5 & 1)) {
		pd_linear_return(op, PD_FAILED);
		return;
	}
	if ((ODD == 3 || ODD == 4) && op->arg[0].word > 3) {
		pd_linear_return(op, PD_FAILED);
		return;
	}
	r->value = op->arg[0].word;
	_mm_clflush((void *)r);
	if (ODD == 7)
		exit(0);
	if (ODD >= 3)
		pd_linear_return(op, 1);
}

static void get(void *it, struct pd_linear_op *op)
{
	pd_linear_return(op, ((struct reg *)it)->value);
}

static const struct pd_linear_entry table[] = {{"write", {PD_VALUE}, put, ODD == 1 || ODD == 3 ? PD_MAY_FAIL : 0},
					       {"read", {PD_NO_ARG}, get, 0},
					       PD_LINEAR_END};

#if ODD == 6
static int apply(void *state, const struct pd_linear_op *op, unsigned way,
		 struct pd_linear_value *result, struct pd_linear_memory *m)
{
	uint64_t *value = state;

	(void)m;
	if (way)
		return 0;
	*result = (struct pd_linear_value){0};
	if (op->fn == 0)
		*value = op->arg[0].word;
	result->word = op->fn == 0 ? 1 : *value + __rdtsc() % 1000;
	return 1;
}

static int clone_it(void *to, const void *from, struct pd_linear_memory *m)
{
	(void)m;
	*(uint64_t *)to = *(const uint64_t *)from;
	return 1;
}

static int equal(const void *a, const void *b)
{
	return *(const uint64_t *)a == *(const uint64_t *)b;
}

static uint64_t hash(const void *state)
{
	return *(const uint64_t *)state;
}

static const struct pd_linear_spec_op ops[] = {{"write", PD_WRITES, 1}, {"read", PD_READS, 0}, {0}};
static const struct pd_linear_spec dice = {
	.name = "dice", .ops = ops, .size = 8, .apply = apply, .clone = clone_it, .equal = equal, .hash = hash};

PD_LINEAR_DRIVER_OWN(&dice, PD_DURABLE, table, open_it, close_it)
#else
PD_LINEAR_DRIVER("register", PD_DURABLE, table, open_it, close_it)
#endif
