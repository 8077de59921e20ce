/*
 * nodrain - a program over a small library in the manner of libpmem: persist is flush and drain,
 * and copies come with and without a drain. The caller takes the one without.
 */
#include "../pm.h"

enum { BLOCK = 128, MAGIC = 0xd4a1 };

/* ---- the library ---- */

static void flush_clwb(const void *p, size_t n)
{
	pm_flush(p, n);
}

static void (*const lib_flush)(const void *, size_t) = flush_clwb;

static void lib_drain(void)
{
	pm_fence();
}

static void lib_persist(const void *p, size_t n)
{
	lib_flush(p, n);
	lib_drain();
}

static void lib_memcpy_nodrain(void *to, const void *from, size_t n)
{
	memcpy(to, from, n); //@ store
	lib_flush(to, n);    //@ flush
}

static UNUSED void lib_memcpy_persist(void *to, const void *from, size_t n)
{
	lib_memcpy_nodrain(to, from, n);
	lib_drain();
}

/* ---- the program ---- */

struct file {
	LINE uint64_t magic;
	LINE unsigned char block[BLOCK];
};

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	unsigned char text[BLOCK];

	memset(text, 'x', sizeof(text));
	if (f->magic == MAGIC)
		return memcmp(f->block, text, sizeof(text)) != 0; //@ load
#if FIXED
	lib_memcpy_persist(f->block, text, sizeof(text));
#else
	lib_memcpy_nodrain(f->block, text, sizeof(text));
#endif
	pm_set(&f->magic, MAGIC);
	lib_persist(&f->magic, sizeof(f->magic));
	return 0;
}
