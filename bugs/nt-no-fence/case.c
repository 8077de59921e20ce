/*
 * nt-no-fence - a block is written past the cache, with non-temporal stores: they need no flush,
 * but a fence before what they are published by.
 */
#include "../pm.h"

enum { WORDS = 12, MAGIC = 0x27 };

struct file {
	LINE uint64_t magic;
	LINE long long word[WORDS];
};

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (f->magic == MAGIC) {
		for (int i = 0; i < WORDS; i++)
			assert(f->word[i] == i + 1); //@ load
		return 0;
	}
	for (int i = 0; i < WORDS; i++)
		_mm_stream_si64(&f->word[i], i + 1); //@ store
#if FIXED
	_mm_sfence();
#endif
	pm_set(&f->magic, MAGIC);
	pm_persist(&f->magic, sizeof(f->magic));
	return 0;
}
