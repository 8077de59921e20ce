/*
 * checksum-marked - a log of records with checksums, each several lines long and written without
 * any order. Recovery reads up to the first record that does not match. perdure is told what is a
 * checksum, so that it needs not try every mixture of lines. The bug: a record's successor is
 * trusted by its number alone.
 */
#include "../pm.h"
#include <perdure.h>

enum { RECORDS = 3, WORDS = 30 };

struct record {
	LINE uint64_t number;
	uint64_t word[WORDS];
	uint64_t sum;
};

struct file {
	struct record record[RECORDS];
};

static uint64_t sum_of(const struct record *r)
{
	uint64_t h = r->number * 0x9e3779b97f4a7c15;

	for (int i = 0; i < WORDS; i++)
		h = (h ^ r->word[i]) * 0x100000001b3;
	return h;
}

static int matches(const struct record *r)
{
	int is;

	pd_checksum_begin(r, sizeof(*r));
	is = r->number != 0 && r->sum == sum_of(r);
	pd_checksum_end(is);
	return is;
}

static void check(const struct record *r)
{
	for (int i = 0; i < WORDS; i += 10)
		assert(r->word[i] == r->number * 100 + (uint64_t)i); //@ load
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	uint64_t n = 0;

#if FIXED
	while (n < RECORDS && matches(&f->record[n]))
#else
	while (n < RECORDS && (n ? f->record[n].number == n + 1 : matches(&f->record[n])))
#endif
		check(&f->record[n++]);
	for (; n < RECORDS; n++) {
		struct record *r = &f->record[n];

		for (int i = 0; i < WORDS; i++)
			r->word[i] = (n + 1) * 100 + (uint64_t)i; //@ store
		r->number = n + 1;
		r->sum = sum_of(r);
		pm_persist(r, sizeof(*r));
	}
	return 0;
}
