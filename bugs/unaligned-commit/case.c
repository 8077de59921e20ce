/*
 * unaligned-commit - a packed header puts the commit word across two lines: half of it may be
 * durable.
 */
#include "../pm.h"
#include <stddef.h>

enum { HEADER = 60 };

struct __attribute__((packed)) header {
	char name[HEADER];
#if FIXED
	char pad[4];
#endif
	uint64_t length; /* the commit: bytes below it are whole */
};

struct file {
	LINE struct header header;
	LINE char data[256];
};

static void set_length(struct file *f, uint64_t length)
{
	uint64_t *p = (uint64_t *)(void *)((char *)f + offsetof(struct header, length));

#if FIXED
	pm_set(p, length);
#else
	*p = length; //@ store
#endif
	pm_persist(p, sizeof(*p));
}

static uint64_t length_of(const struct file *f)
{
	return f->header.length; //@ load
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	uint64_t n = length_of(f);

	if (n != 0 && n != 0x100000001 && n != 0x200000002) {
		fprintf(stderr, "length %llx was never stored\n", (unsigned long long)n);
		return 1;
	}
	set_length(f, 0x100000001);
	set_length(f, 0x200000002);
	return 0;
}
