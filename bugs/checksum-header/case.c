/*
 * checksum-header - a record is trusted if its checksum matches, so no order of flushes is needed.
 * But the checksum is of the header alone.
 */
#include "../pm.h"

enum { WORDS = 9 };

struct file {
	struct record {
		LINE uint64_t sum;
		uint64_t number, length;
		uint64_t payload[WORDS];
	} record;
};

static uint64_t sum_of(const struct record *r)
{
	uint64_t h = 0x9e3779b97f4a7c15;

	h = (h ^ r->number) * 0x100000001b3;
	h = (h ^ r->length) * 0x100000001b3;
#if FIXED
	for (int i = 0; i < WORDS; i++)
		h = (h ^ r->payload[i]) * 0x100000001b3;
#endif
	return h;
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	struct record *r = &f->record;

	if (r->sum == sum_of(r)) {
		for (uint64_t i = 0; i < r->length; i++)
			assert(r->payload[i] == 5 + i); //@ load
		return 0;
	}
	for (int i = 0; i < WORDS; i++)
		r->payload[i] = 5 + (uint64_t)i; //@ store
	r->number = 1;
	r->length = WORDS;
	pm_set(&r->sum, sum_of(r));
	pm_persist(r, sizeof(*r));
	return 0;
}
