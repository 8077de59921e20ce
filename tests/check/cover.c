/*
 * cover.c - programs that `perdure check` can learn something from, and programs that it cannot:
 *
 *	cover MODE	stores, makes it durable, and recovers from what it finds, each in its own way
 *	cover look FILE	reads the mark of FILE and, where that is set, the data
 *	cover remove FILE, cover again FILE	the same, then take out what is there, and fill it again
 *
 * The marks (//@ name) are what cover.t looks for in the report.
 */
#include <fcntl.h>
#include <emmintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct file {
	_Alignas(64) uint64_t mark;
	_Alignas(64) uint64_t data;
	uint64_t never; /* is read by nobody */
	_Alignas(64) uint64_t count;
};

static struct file *map(const char *name, int flags)
{
	int fd = open(name, O_RDWR | O_CREAT | flags, 0600);

	if (fd < 0 || ftruncate(fd, sizeof(struct file)) != 0)
		_exit(9);
	return mmap(NULL, sizeof(struct file), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

static void persist(const void *p)
{
	_mm_clflush(p);
	_mm_sfence();
}

static void fill(struct file *f)
{
	f->data = 7; //@ data
	f->never = 8; //@ never
	persist(&f->data);
	f->mark = 1; //@ mark
	persist(&f->mark);
}

/* The data is read only where the mark says that it is durable. */
static int look(const struct file *f)
{
	return f->mark && f->data != 7;
}

static int plain(const char *name)
{
	struct file *f = map(name, 0);
	int bad = look(f);

	fill(f);
	return bad;
}

static void remove_data(struct file *f)
{
	f->mark = 0;
	persist(&f->mark);
}

/* Takes out what is there; `all`: and fills it again. */
static int again(const char *name, int all)
{
	struct file *f = map(name, 0);
	int bad = look(f);

	remove_data(f);
	if (all)
		fill(f);
	return bad;
}

/* Whole files appear by a rename: nobody ever reads what is at stake. */
static int renamed(void)
{
	int fd = open("whole.pm", O_RDWR);
	int bad = 0;

	if (fd >= 0) {
		const struct file *f = mmap(NULL, sizeof(*f), PROT_READ, MAP_SHARED, fd, 0);

		bad = f->data != 7;
	}
	fill(map("new.pm", O_TRUNC));
	return rename("new.pm", "whole.pm") || bad;
}

/* One place stores to both files; the second is never looked at. */
static int two(void)
{
	struct file *f[] = {map("one.pm", 0), map("two.pm", 0)};
	uint64_t count = f[0]->count;

	for (int i = 0; i < 2; i++) {
		f[i]->count = count + 1; //@ both
		persist(&f[i]->count);
	}
	return 0;
}

static int temporary(void)
{
	struct file *f = map("gone.pm", 0);

	unlink("gone.pm");
	fill(f);
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";

	if (strcmp(mode, "look") == 0)
		return look(map(argv[2], 0));
	if (strcmp(mode, "remove") == 0 || strcmp(mode, "again") == 0)
		return again(argv[2], *mode == 'a');
	if (strcmp(mode, "renamed") == 0)
		return renamed();
	if (strcmp(mode, "two") == 0)
		return two();
	if (strcmp(mode, "temporary") == 0)
		return temporary();
	if (strcmp(mode, "deleted") == 0)
		unlink("f.pm");
	if (strcmp(mode, "emptied") == 0)
		return plain((map("f.pm", O_TRUNC), "f.pm"));
	if (strcmp(mode, "nothing") == 0)
		return look(map("f.pm", 0));
	if (strcmp(mode, "blindly") == 0) {
		fill(map("f.pm", 0));
		return 0;
	}
	return plain("f.pm");
}
