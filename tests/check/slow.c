/*
 * slow.c - programs that take their time: slow HOW FILE
 *
 * early, late	compute before they touch PM, or after their first crash point
 * many		reads PM millions of times
 * stuck	like early, and recovery goes on computing without end
 * asleep	recovery waits for a signal
 */
#include <fcntl.h>
#include <emmintrin.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct file {
	uint64_t a, pad[7];
	uint64_t b;
};

enum { STEPS = 50 * 1000 * 1000, READS = 4200 * 1000 };

static volatile uint64_t result;

/* Each step waits for the one before: tens of milliseconds on any machine. */
static void compute(void)
{
	uint64_t x = 1;

	for (uint64_t i = 0; i < STEPS; i++)
		x = x * 6364136223846793005ULL + i;
	result = x;
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";
	int fd = open(argc > 2 ? argv[2] : "", O_RDWR | O_CREAT, 0600);
	struct file *f;

	if (fd < 0 || ftruncate(fd, sizeof(*f)) != 0)
		return 9;
	f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!strcmp(how, "early") || !strcmp(how, "stuck"))
		compute();
	if (!strcmp(how, "stuck") && f->a)
		for (;;)
		compute();
	if (!strcmp(how, "asleep") && f->a)
		pause(); //@ asleep
	if (f->a > 1)
		return 9;
	f->a = 1;
	_mm_clflush(&f->a);
	if (!strcmp(how, "late"))
		compute();
	for (uint64_t i = 0; !strcmp(how, "many") && i < READS; i++)
		result = *(volatile uint64_t *)&f->a;
	f->b = 1;
	_mm_clflush(&f->b);
	return 0;
}
