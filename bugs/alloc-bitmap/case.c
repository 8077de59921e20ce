/*
 * alloc-bitmap - an allocator with a bitmap. The pointer to a new block is durable before the
 * block's bit is: the block is in use and free, and is given out again. (The other way round a
 * crash leaks a block, which recovery may collect.)
 */
#include "../pm.h"

enum { BLOCKS = 8, OWNERS = 4 };

struct file {
	LINE uint64_t bitmap;
	LINE uint64_t owner[OWNERS]; /* block + 1, or 0 */
};

static void give(struct file *f, int who)
{
	uint64_t map = f->bitmap;
	uint64_t block = (uint64_t)__builtin_ctzll(~map);

	assert(block < BLOCKS);
#if FIXED
	pm_set(&f->bitmap, map | 1ull << block);
	pm_persist(&f->bitmap, sizeof(f->bitmap));
	pm_set(&f->owner[who], block + 1);
	pm_persist(&f->owner[who], sizeof(f->owner[who]));
#else
	pm_set(&f->owner[who], block + 1);		   //@ store
	pm_persist(&f->owner[who], sizeof(f->owner[who])); //@ crash
	pm_set(&f->bitmap, map | 1ull << block);	   //@ store
	pm_persist(&f->bitmap, sizeof(f->bitmap));
#endif
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	uint64_t used = 0;

	for (int i = 0; i < OWNERS; i++) {
		if (!f->owner[i]) //@ load
			give(f, i);
		assert(!(used & 1ull << f->owner[i])); /* nobody else has it */
		used |= 1ull << f->owner[i];
	}
	return 0;
}
