/*
 * own.c - a ticket machine in PM, with a main and a specification of its own: `take` gives any number
 * that is free, `count` says how many are out. The first argument is the pool. C or C++.
 *
 * BUG 1: a ticket is given before it is durable. 2: the same ticket may be given twice, without any
 * crash. 3: the specification throws dice. 4: it lacks `apply`.
 */
#include <fcntl.h>
#include <emmintrin.h>
#include <perdure.h>
#include <perdure_linear.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef BUG
#define BUG 0
#endif

/* ---- the specification: bit i is set where ticket i is out ---- */

enum { TAKE, COUNT };

static int apply(void *state, const struct pd_linear_op *op, unsigned way,
		 struct pd_linear_value *result, struct pd_linear_memory *m)
{
	static unsigned dice;
	uint64_t *out = (uint64_t *)state;
	unsigned i;

	(void)m;
	if (op->fn == COUNT) {
		result->word = (uint64_t)__builtin_popcountll(*out) + (BUG == 3 ? dice++ : 0);
		return way == 0;
	}
	for (i = 0; i < 64; i++)
		if (!(*out >> i & 1) && way-- == 0) {
			*out |= UINT64_C(1) << i;
			result->word = i;
			return 1;
		}
	return 0;
}

static const struct pd_linear_spec_op ops[] = {
	{"take", PD_WRITES, 0}, {"count", PD_READS, 0}, {NULL, 0, 0}};

static const struct pd_linear_spec tickets = {
	"tickets", ops, sizeof(uint64_t), BUG == 4 ? NULL : apply, NULL, NULL, NULL, NULL, NULL, 0};

PD_LINEAR_SPEC(&tickets)

/* ---- the machine ---- */

static volatile uint64_t *out;

static void take(void)
{
	uint64_t ticket;

	pd_op_begin("take");
	ticket = (uint64_t)__builtin_ctzll(~*out);
	if (BUG == 2 && ticket == 2)
		ticket = 1;
	*out |= UINT64_C(1) << ticket;
	if (BUG != 1)
		_mm_clflush((const void *)out);
	_mm_sfence();
	pd_op_end(ticket);
}

static void count(void)
{
	pd_op_begin("count");
	pd_op_end((uint64_t)__builtin_popcountll(*out));
}

int main(int argc, char **argv)
{
	int fd = open(argv[argc > 1], O_RDWR | O_CREAT, 0644), i;
	void *p = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, 4096) == 0)
		p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return 9;
	out = (volatile uint64_t *)p;
	count();
	for (i = 0; i < 3; i++)
		take();
	count();
	return 0;
}
