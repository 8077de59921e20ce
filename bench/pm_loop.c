/*
 * pm_loop.c - PM accesses through the hook, timed from inside.
 *
 *	pm_loop FILE      prints ns per store (with its share of clwb and sfence) and per load
 *
 * The clock is asked by a raw system call: the runtime shows programs a virtual one.
 */
#include <fcntl.h>
#include <immintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { SIZE = 1 << 20, N = 400000, NODES = 1024 };

static double now(void)
{
	struct timespec t;
	long r;

	__asm__ volatile("syscall"
			 : "=a"(r)
			 : "0"((long)SYS_clock_gettime), "D"((long)CLOCK_MONOTONIC), "S"(&t)
			 : "rcx", "r11", "memory");
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

__attribute__((target("clwb"))) static void stores(uint64_t *pm)
{
	uint64_t x = 88172645463325252ULL;

	for (int i = 0; i < N / 4; i++) {
		uint64_t *node;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		node = pm + (x % NODES) * 32;
		node[0] = x;
		node[1] = x + 1;
		node[2] = x + 2;
		node[3] = x + 3;
		_mm_clwb(node);
		_mm_sfence();
	}
}

static uint64_t loads(const uint64_t *pm)
{
	uint64_t sum = 0;

	for (int i = 0; i < N; i++)
		sum += pm[(i * 37 % NODES) * 32];
	return sum;
}

int main(int argc, char **argv)
{
	double store = 1e9, load = 1e9;
	uint64_t *pm, sum = 0;
	int fd = argc > 1 ? open(argv[1], O_RDWR | O_CREAT, 0600) : -1;

	if (fd < 0 || ftruncate(fd, SIZE) != 0)
		return 1;
	pm = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pm == MAP_FAILED)
		return 1;
	for (int r = 0; r < 5; r++) {
		double a = now(), b, c;

		stores(pm);
		b = now();
		sum += loads(pm);
		c = now();
		store = (b - a) / N < store ? (b - a) / N : store;
		load = (c - b) / N < load ? (c - b) / N : load;
	}
	fprintf(stderr, "%.2f %.2f %lu\n", store * 1e9, load * 1e9, (unsigned long)sum);
	return 0;
}
