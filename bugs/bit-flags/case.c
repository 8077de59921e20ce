/*
 * bit-flags - "valid" and "length" are bit-fields of one word, so they look like one store, but
 * each assignment is a store of its own, and the one that commits comes first.
 */
#include "../pm.h"

struct state {
	uint64_t valid : 1;
	uint64_t dirty : 1;
	uint64_t length : 40;
};

struct file {
	struct entry {
		LINE union {
			struct state bits;
			uint64_t word;
		} state;
	} entry[3];
};

static void fill(struct entry *e, uint64_t length)
{
#if FIXED
	struct state s = {.valid = 1, .length = length};
	uint64_t word;

	memcpy(&word, &s, sizeof(word));
	pm_set(&e->state.word, word);
#else
	e->state.bits.valid = 1;       //@ store
	e->state.bits.length = length; //@ store
#endif
	pm_persist(e, sizeof(*e));
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	for (int i = 0; i < 3; i++) {
		struct entry *e = &f->entry[i];
		uint64_t word = pm_get(&e->state.word); //@ load

		if (!(word & 1))
			fill(e, 12);
		else
			assert(word >> 2 == 12); //@ check
	}
	return 0;
}
