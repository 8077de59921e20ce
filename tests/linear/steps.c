/* steps.c - an array in PM whose operations are always the same few steps: schedules can be counted. */
#include <emmintrin.h>
#include <fcntl.h>
#include <perdure_linear.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SLOTS = 8 };

struct slot {
	volatile uint64_t value __attribute__((aligned(64)));
};

static void *open_it(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0644);
	void *p = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, 4096) == 0)
		p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return p == MAP_FAILED ? NULL : p;
}

static void close_it(void *it)
{
	munmap(it, 4096);
}

static void put(void *it, struct pd_linear_op *op)
{
	struct slot *s = (struct slot *)it + op->arg[0].word % SLOTS;

	s->value = op->arg[1].word;
	_mm_clflush((void *)s);
	pd_linear_return(op, 1);
}

static void get(void *it, struct pd_linear_op *op)
{
	struct slot *s = (struct slot *)it + op->arg[0].word % SLOTS;

	pd_linear_return(op, s->value);
}

static const struct pd_linear_entry table[] = {
	{"set", {PD_NEW_KEY, PD_VALUE}, put, 0}, {"get", {PD_ANY_KEY}, get, 0}, PD_LINEAR_END};

PD_LINEAR_DRIVER("array", PD_DURABLE, table, open_it, close_it)
