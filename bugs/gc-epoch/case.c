/*
 * gc-epoch - the epoch up to which garbage was reclaimed is stored and never flushed, while the
 * blocks are. Recovery reclaims again what is in use by then.
 */
#include "../pm.h"

enum { MAGIC = 0xe90c, BLOCKS = 4 };

struct file {
	LINE uint64_t magic;
	LINE uint64_t reclaimed; /* blocks retired in epochs up to this one are free again */
	struct block {
		LINE uint64_t retired; /* epoch, 0: in use */
		uint64_t content;
	} block[BLOCKS];
};

static void reclaim(struct file *f, uint64_t epoch)
{
	pm_set(&f->reclaimed, epoch); //@ store
#if FIXED
	pm_persist(&f->reclaimed, sizeof(f->reclaimed));
#endif
}

/* Blocks retired up to the reclaimed epoch may be used. */
static void reuse(struct file *f, struct block *b, uint64_t content)
{
	assert(b->retired && b->retired <= f->reclaimed); //@ load
	pm_set(&b->content, content);
	pm_persist(&b->content, sizeof(b->content));
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (f->magic == MAGIC) {
		for (int i = 0; i < BLOCKS; i++) {
			struct block *b = &f->block[i];

			if (b->content == 100 + (uint64_t)i && b->retired > f->reclaimed) { //@ load
				fprintf(stderr, "block %d is used and not reclaimed\n", i);
				exit(1);
			}
		}
		return 0;
	}
	for (int i = 0; i < BLOCKS; i++) {
		f->block[i].retired = (uint64_t)i + 1;
		f->block[i].content = 0;
	}
	pm_persist(f->block, sizeof(f->block));
	pm_set(&f->magic, MAGIC);
	pm_persist(&f->magic, sizeof(f->magic));
	for (int i = 0; i < 3; i++) {
		reclaim(f, (uint64_t)i + 1);
		reuse(f, &f->block[i], 100 + (uint64_t)i);
	}
	return 0;
}
