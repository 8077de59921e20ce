/*
 * cpu_loop.c - code that never touches PM: what does instrumentation cost it?
 *
 * Kinds of work that programs spend their time on: pointer chasing in a hash table and a tree,
 * sorting, dense arithmetic in loops that clang vectorises, copies, and text. Prints the time that
 * each took and a checksum.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct node {
	struct node *next;
	uint64_t key;
	uint64_t value;
};

static uint64_t hash_table(void)
{
	enum { BUCKETS = 1 << 14, N = 100000 };
	struct node **bucket = calloc(BUCKETS, sizeof(*bucket));
	uint64_t sum = 0;

	for (uint64_t i = 0; i < N; i++) {
		struct node *n = malloc(sizeof(*n));
		uint64_t h = (i * 0x9e3779b97f4a7c15ULL) >> 50;

		*n = (struct node){bucket[h], i, i * i};
		bucket[h] = n;
	}
	for (uint64_t i = 0; i < 10 * N; i++) {
		uint64_t key = i % N;

		for (struct node *n = bucket[(key * 0x9e3779b97f4a7c15ULL) >> 50]; n; n = n->next)
			if (n->key == key) {
				sum += n->value;
				break;
			}
	}
	return sum;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static uint64_t sorting(void)
{
	enum { N = 300000 };
	uint32_t *v = malloc(N * sizeof(*v));
	uint32_t x = 1;

	for (int i = 0; i < N; i++)
		v[i] = x = x * 1664525 + 1013904223;
	qsort(v, N, sizeof(*v), compare);
	return v[0] + v[N / 2];
}

static uint64_t matrix(void)
{
	enum { N = 160 };
	double(*a)[N] = malloc(sizeof(double[N][N])), (*b)[N] = malloc(sizeof(double[N][N]));
	double(*c)[N] = calloc(N, sizeof(double[N]));

	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			a[i][j] = i + j, b[i][j] = i - j;
	for (int r = 0; r < 3; r++)
		for (int i = 0; i < N; i++)
			for (int k = 0; k < N; k++)
				for (int j = 0; j < N; j++)
					c[i][j] += a[i][k] * b[k][j];
	return (uint64_t)(int64_t)c[N / 2][N / 3];
}

static uint64_t text(void)
{
	enum { N = 2000000 };
	char *s = malloc(N + 1);
	uint64_t words = 0, letters[256] = {0};

	for (int i = 0; i < N; i++)
		s[i] = i % 7 == 0 ? ' ' : (char)('a' + i * 31 % 26);
	s[N] = 0;
	for (int r = 0; r < 4; r++)
		for (const char *p = s; *p; p++) {
			words += *p == ' ';
			letters[(unsigned char)*p]++;
		}
	return words + letters['e'];
}

/* Two arrays behind pointers that the compiler knows nothing about. */
static __attribute__((noinline)) void scale_and_add(size_t n, float a, const float *x, float *y)
{
	for (size_t i = 0; i < n; i++)
		y[i] += a * x[i];
}

static uint64_t saxpy(void)
{
	enum { N = 20000 };
	float *x = malloc(N * sizeof(*x)), *y = malloc(N * sizeof(*y));
	uint64_t r;

	for (int i = 0; i < N; i++)
		x[i] = (float)i, y[i] = 1;
	for (int i = 0; i < 2000; i++)
		scale_and_add(N, 0.5f, x, y);
	r = (uint64_t)y[N / 2];
	free(x);
	free(y);
	return r;
}

struct tree {
	struct tree *child[2];
	uint32_t key, count;
};

static uint64_t searching(void)
{
	enum { N = 20000 };
	struct tree *root = NULL, **at;
	uint32_t x = 1;
	uint64_t sum = 0;

	for (int i = 0; i < 20 * N; i++) {
		x = x * 1664525 + 1013904223;
		for (at = &root; *at && (*at)->key != x >> 18;
		     at = &(*at)->child[(*at)->key < x >> 18])
			;
		if (!*at) {
			*at = calloc(1, sizeof(**at));
			(*at)->key = x >> 18;
		}
		sum += ++(*at)->count;
	}
	return sum;
}

/* Library calls, structs that are copied, bytes that are looked at one by one. */
static uint64_t strings(void)
{
	struct word {
		char text[24];
		uint32_t n;
	} *word = calloc(1000, sizeof(*word)), w = {{0}, 0};
	uint64_t sum = 0;

	for (uint32_t i = 0; i < 300000; i++) {
		char *p = w.text;

		for (uint32_t k = i; k; k /= 10)
			*p++ = (char)('0' + k % 10);
		*p = 0;
		w.n = (uint32_t)strlen(w.text);
		word[i % 1000] = w;
		for (const char *c = word[i * 7 % 1000].text; *c; c++)
			sum = sum * 31 + (unsigned char)*c;
		sum += (uint64_t)(strcmp(w.text, word[i * 3 % 1000].text) < 0);
	}
	free(word);
	return sum;
}

int main(void)
{
	static const struct {
		const char *name;
		uint64_t (*run)(void);
	} work[] = {{"hash", hash_table}, {"sort", sorting},   {"matrix", matrix},  {"text", text},
		    {"saxpy", saxpy},	  {"tree", searching}, {"strings", strings}};

	for (size_t i = 0; i < sizeof(work) / sizeof(work[0]); i++) {
		double best = 1e9;
		uint64_t sum = 0;

		for (int r = 0; r < 3; r++) {
			double t = now();

			sum += work[i].run();
			t = now() - t;
			best = t < best ? t : best;
		}
		printf("%s %.6f %lu\n", work[i].name, best, (unsigned long)sum);
	}
	return 0;
}
