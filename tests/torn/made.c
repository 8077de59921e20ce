/* made.c - stores of words, and what a compiler makes of them at -O2. For portable.t: made MODE FILE. */
#define FIXED 1
#include "../../bugs/pm.h"

struct halves {
	uint32_t a, b;
};

struct mixed {
	float f;
	int32_t i;
};

struct bits {
	unsigned low : 16, high : 16;
};

struct file {
	LINE struct halves halves;
	LINE struct mixed mixed;
	LINE uint64_t row[40];
	LINE uint64_t word;
	LINE struct bits bits;
	LINE uint32_t flags;
};

#define APART __attribute__((noinline)) static

/* A struct of one word, put together from two arguments: two stores. */
APART void split(struct file *f, uint32_t a, uint32_t b)
{
	struct halves h = {a, b};

	f->halves = h;
}

/* One store to the optimiser, two to the code generator: a float and a number are cheaper apart. */
APART void mixed(struct file *f, float a, int32_t b)
{
	struct mixed m = {a, b};

	f->mixed = m;
}

APART void set(struct file *f)
{
	for (int i = 0; i < 40; i++)
		f->row[i] = 0;
}

/* The first store is dead to a compiler, which knows of no crash. */
APART void removed(struct file *f)
{
	f->word = 1;
	f->flags = 1;
	f->word = 0;
}

APART void constant(struct file *f)
{
	f->word = 0x123456789abcdef1;
}

/* Four words in two instructions. */
APART void row(struct file *f)
{
	f->row[0] = 0;
	f->row[1] = 0;
	f->row[2] = 0;
	f->row[3] = 0;
}

APART void count(struct file *f)
{
	f->word++;
}

/* One store for both. */
APART void branch(struct file *f, int n)
{
	if (n > 7)
		f->word = (uint64_t)n;
	else
		f->word = 9;
}

/* One store, behind the loop. */
APART void loop(struct file *f, const char *s)
{
	while (*s++ > ' ')
		f->word++;
}

/* A part of a word: a store of that part alone, or a change of it in place. */
APART void bits(struct file *f, unsigned n)
{
	f->bits.high = n;
}

APART void or(struct file *f)
{
	f->flags |= 0x100;
}

static void flush_all(struct file *f)
{
	pm_persist(f, sizeof(*f));
}

int main(int argc, char **argv)
{
	const char *mode = argc > 2 ? argv[1] : "";
	struct file *f = pm_map(argc > 2 ? argv[2] : NULL, sizeof(*f));
	uint64_t seen = f->word + f->row[0] + f->halves.a + f->flags + f->bits.high + (uint64_t)f->mixed.i;

	printf("%lu\n", (unsigned long)seen);
	pm_set(&f->row[0], 7);
	pm_set(&f->word, 7);
	flush_all(f);
	if (strcmp(mode, "split") == 0)
		split(f, (uint32_t)argc, (uint32_t)argc + 1);
	else if (strcmp(mode, "mixed") == 0)
		mixed(f, (float)argc, argc);
	else if (strcmp(mode, "set") == 0)
		set(f);
	else if (strcmp(mode, "removed") == 0)
		removed(f);
	else if (strcmp(mode, "constant") == 0)
		constant(f);
	else if (strcmp(mode, "row") == 0)
		row(f);
	else if (strcmp(mode, "count") == 0)
		count(f);
	else if (strcmp(mode, "branch") == 0)
		branch(f, argc);
	else if (strcmp(mode, "loop") == 0)
		loop(f, mode);
	else if (strcmp(mode, "bits") == 0)
		bits(f, (unsigned)argc);
	else if (strcmp(mode, "or") == 0)
		or(f);
	flush_all(f);
	return 0;
}
