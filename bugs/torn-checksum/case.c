/*
 * torn-checksum - a record with a checksum may be torn: recovery notices. If it looks at the record in
 * spite of that, it does not help.
 */
#include "../pm.h"
#include <perdure.h>

struct record {
	LINE uint64_t value[2];
	uint64_t sum;
};

static int matches(const struct record *r)
{
	int is;

	pd_checksum_begin(r, sizeof(*r));
	is = r->sum == (r->value[0] ^ (r->value[1] * 31) ^ 77); //@ sum
	pd_checksum_end(is);
	return is;
}

int main(int argc, char **argv)
{
	struct record *r = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*r));

	if (matches(r))
		printf("%llu\n", (unsigned long long)r->value[0]);
#if !FIXED
	else
		printf("was %llu\n", (unsigned long long)r->value[0]);
#endif
	r->value[0] = 1; //@ store
	r->value[1] = 2;
	r->sum = 1 ^ 62 ^ 77;
	pm_persist(r, sizeof(*r));
	return 0;
}
