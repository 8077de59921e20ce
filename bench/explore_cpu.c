/*
 * explore_cpu.c - code whose values have no labels: random numbers, a sort, a hash. Prints the CPU
 * seconds that it took, and a checksum.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { N = 4096 };

static uint32_t value[N];

static int compare(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static void sort(uint32_t *v, int n)
{
	for (int gap = n / 2; gap > 0; gap /= 2)
		for (int i = gap; i < n; i++) {
			uint32_t t = v[i];
			int j = i;

			for (; j >= gap && compare(v[j - gap], t) > 0; j -= gap)
				v[j] = v[j - gap];
			v[j] = t;
		}
}

static uint64_t hash(const unsigned char *p, size_t n)
{
	uint64_t h = 1469598103934665603ULL;

	for (size_t i = 0; i < n; i++)
		h = (h ^ p[i]) * 1099511628211ULL;
	return h;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 300;
	uint32_t x = 12345;
	uint64_t sum = 0;

	for (int r = 0; r < rounds; r++) {
		for (int i = 0; i < N; i++)
			value[i] = x = x * 1664525U + 1013904223U;
		sort(value, N);
		sum += hash((const unsigned char *)value, sizeof(value));
	}
	printf("%.4f %llx\n", (double)clock() / CLOCKS_PER_SEC, (unsigned long long)sum);
	return 0;
}
