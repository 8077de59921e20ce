/*
 * torn-prefetch - a leaf whose entries are durable before the count that makes them found. Recovery
 * prefetches all of it, by inline asm with a memory operand, before it reads the count: a hint reads
 * nothing, so the entries are no race. The count is, unless it is atomic.
 */
#include "../pm.h"

struct entry {
	uint64_t key, value;
};

struct leaf {
	LINE uint64_t n;
	LINE struct entry entry[8];
};

static void prefetch(const void *p, size_t n)
{
	typedef struct {
		char c[64];
	} line;

	for (const char *q = p; q < (const char *)p + n; q += 64)
		__asm__ volatile("prefetcht0 %0" ::"m"(*(const line *)q));
}

static void set_count(struct leaf *l, uint64_t n)
{
#if FIXED
	pm_set(&l->n, n);
#else
	l->n = n; //@ store
#endif
}

static uint64_t count(struct leaf *l)
{
#if FIXED
	return pm_get(&l->n);
#else
	return l->n; //@ load
#endif
}

int main(int argc, char **argv)
{
	struct leaf *l = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*l));
	uint64_t n, sum = 0;

	prefetch(l, sizeof(*l));
	n = count(l);
	for (uint64_t i = 0; i < n; i++)
		sum += l->entry[i].key * l->entry[i].value;
	printf("%llu\n", (unsigned long long)sum);
	for (; n < 3; n++) {
		l->entry[n].key = n + 1;
		l->entry[n].value = n + 2;
		pm_persist(&l->entry[n], sizeof(l->entry[n]));
		set_count(l, n + 1);
		pm_persist(&l->n, sizeof(l->n));
	}
	return 0;
}
