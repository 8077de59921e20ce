/* pairs.c - keys and values in PM, stored in ways that may be torn: for torn.t. */
#include <fcntl.h>
#include <emmintrin.h>
#include <perdure.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct pair {
	uint64_t key;
	uint64_t value;
	uint64_t sum;
	uint64_t pad[5];
};

struct box {
	struct {
		uint32_t w, x;
	} word;
};

struct file {
	struct pair pair;
	uint64_t wide[8];
	volatile uint64_t commit;
	uint64_t row[47];
	char text[64];
	struct box box;
};

static const char *mode;

static int is(const char *m)
{
	return strcmp(mode, m) == 0;
}

static void persist(const volatile void *p)
{
	_mm_clflush((const void *)(uintptr_t)p);
	_mm_sfence();
}

static void set_keys(struct pair *p, int n)
{
	p->key = 1; /* first key */
	persist(p);
	if (n < 4) {
		p->key = 2; /* second key */
		persist(p);
	}
}

static uint64_t sum_of(const struct pair *p)
{
	return (p->key ^ p->value) + 77;
}

static int matches(const struct pair *p)
{
	int ok;

	if (is("summed"))
		pd_checksum_begin(p, sizeof(*p));
	ok = sum_of(p) == __atomic_load_n(&p->sum, __ATOMIC_ACQUIRE);
	if (is("summed"))
		pd_checksum_end(ok);
	return ok;
}

static int plain(struct file *f, int argc)
{
	uint64_t key = f->pair.key; /* load key */

	printf("%lu %lu\n", (unsigned long)key, (unsigned long)f->pair.value);
	if (is("fails") && key == 2)
		return 3;
	set_keys(&f->pair, argc);
	f->pair.value = 5;
	persist(&f->pair);
	return 0;
}

static int summed(struct file *f)
{
	if (matches(&f->pair))
		printf("%lu\n", (unsigned long)f->pair.key);
	f->pair.key = 7;
	f->pair.value = 8;
	__atomic_store_n(&f->pair.sum, (7 ^ 8) + 77, __ATOMIC_RELEASE);
	persist(&f->pair);
	return 0;
}

static void clear(struct file *f, int n)
{
	uint64_t all = 0;

	for (int i = 0; i < 4; i++)
		all += f->row[i];
	printf("%lu\n", (unsigned long)all);
	for (int i = 0; i < 4; i++)
		__atomic_store_n(&f->row[i], 9, __ATOMIC_RELEASE);
	persist(f->row);
	if (n == 4) { /* a few instructions that are wider than a word */
		f->row[0] = 0;
		f->row[1] = 0;
		f->row[2] = 0;
		f->row[3] = 0;
	} else { /* a call of memset */
		for (int i = 0; i < 40; i++)
			f->row[i] = 0;
	}
	for (int i = 0; i < 40; i += 8)
		persist(f->row + i);
}

enum { MAGIC = 0x70647264 };

/* A key that says whether there is anything: what recovery does with it is up to the mode. */
static int magic(struct file *f)
{
	uint64_t local;

	if (is("magic") && f->pair.key == MAGIC) /* only compared */
		return 0;
	if (is("magic-short") && *(volatile uint16_t *)f->text == 0x7071)
		return 0;
	if (is("magic-used") && f->pair.key == MAGIC)
		return printf("%lx\n", (unsigned long)f->pair.key) < 0;
	if (is("magic-refused")) { /* half of it is neither */
		local = f->pair.key;
		if (local == MAGIC)
			return 0;
		if (local != 0)
			return 3;
	}
	if (is("magic-refused-again") && f->pair.key != 0)
		return f->pair.key == MAGIC ? 0 : 3;
	if (is("magic-less") && f->pair.key >= MAGIC)
		return 0;
	f->pair.key = MAGIC;
	*(uint16_t *)f->text = 0x7071;
	persist(&f->pair);
	persist(f->text);
	return 0;
}

/* Zeros, where there are zeros, or are not. */
static void zero(struct file *f)
{
	uint64_t all = 0;

	for (int i = 0; i < 8; i++)
		all += f->wide[i];
	printf("%lu\n", (unsigned long)all);
	if (is("zero-used")) {
		__atomic_store_n(&f->wide[5], 1 | 1 << 9, __ATOMIC_RELEASE);
		persist(f->wide);
	}
	memset(f->wide, 0, sizeof(f->wide)); /* zero */
	persist(f->wide);
}

int main(int argc, char **argv)
{
	const char *path = argv[argc - 1];
	int fd = open(path, O_RDWR | O_CREAT, 0600);
	struct file *f;

	if (argc < 3 || ftruncate(fd, sizeof(*f)) != 0)
		return 2;
	f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	mode = argv[1];
	if (is("plain") || is("fails"))
		return plain(f, argc);
	if (is("summed") || is("summed-unmarked"))
		return summed(f);
	if (strncmp(mode, "magic", 5) == 0)
		return magic(f);
	if (strncmp(mode, "zero", 4) == 0)
		zero(f);
	if (is("clear"))
		clear(f, 40);
	if (is("clear-few"))
		clear(f, 4);
	if (is("copy")) {
		printf("%c\n", f->text[3]);
		memcpy(f->text, path, strlen(path) + 1);
		persist(f->text);
	}
	if (is("word")) {
		struct box b = {{1, (uint32_t)argc}};

		printf("%u\n", f->box.word.w);
		f->box = b;
		persist(&f->box);
	}
	if (is("across")) {
		uint64_t v;

		memcpy(&v, (char *)f->wide + 4, 8);
		printf("%lx\n", (unsigned long)v);
		*(uint64_t *)(void *)((char *)f->wide + 4) = 0x1234567812345678;
		persist(f->wide);
	}
	if (is("volatile")) {
		printf("%lu\n", (unsigned long)f->commit);
		f->commit = 1;
		persist(&f->commit);
	}
	if (is("asm")) {
		printf("%lu\n", (unsigned long)f->pair.key);
		__asm__ volatile("movq %1, %0" : "=m"(f->pair.key) : "r"(1UL));
		persist(&f->pair);
	}
	return 0;
}
