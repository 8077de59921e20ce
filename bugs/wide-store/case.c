/*
 * wide-store - key and version are written by one instruction of 16 bytes and taken to be there
 * together or not at all. What a crash keeps whole is 8 bytes.
 */
#include "../pm.h"

enum { PAIRS = 3, MAGIC = 0x91de };

struct pair {
	uint64_t key, version;
} __attribute__((aligned(16)));

struct file {
	LINE uint64_t magic;
	LINE struct pair pair[2][PAIRS];
	LINE uint64_t which[PAIRS];
};

static void put(struct file *f, int i, uint64_t version)
{
	__m128i both = _mm_set_epi64x((long long)version, (long long)(version * 10));
#if FIXED
	struct pair *p = &f->pair[f->which[i] ^ 1][i];
#else
	struct pair *p = &f->pair[f->which[i]][i];
#endif

	*(__m128i *)p = both; //@ store
	pm_persist(p, sizeof(*p));
#if FIXED
	pm_set(&f->which[i], f->which[i] ^ 1); /* 8 bytes: this is the commit */
	pm_persist(&f->which[i], sizeof(f->which[i]));
#endif
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (f->magic == MAGIC) {
		for (int i = 0; i < PAIRS; i++) {
			struct pair *p = &f->pair[f->which[i]][i];

			assert(p->key == p->version * 10); //@ load
		}
	} else {
		pm_set(&f->magic, MAGIC);
		pm_persist(&f->magic, sizeof(f->magic));
	}
	for (int i = 0; i < PAIRS; i++)
		put(f, i, 7);
	return 0;
}
