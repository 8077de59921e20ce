/*
 * notes.c - an append-only file of notes in persistent memory.
 *
 *	notes FILE TEXT...     adds notes, then prints all of them
 *
 * A note is written behind the last one and made durable; then the count is raised and made durable.
 * The count is the commit: what is below it is whole. Compiled with -DBUG, a note is not made durable
 * before the count is.
 */
#include <assert.h>
#include <fcntl.h>
#include <emmintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NOTES = 100, LENGTH = 56 };

struct file {
	uint64_t count;
	uint64_t pad[7];
	struct note {
		uint64_t length;
		char text[LENGTH];
	} note[NOTES];
};

static void persist(const void *p, size_t n)
{
	const char *line = (const char *)((uintptr_t)p & ~(uintptr_t)63);

	for (; line < (const char *)p + n; line += 64)
		_mm_clflush(line);
	_mm_sfence();
}

static void add(struct file *f, const char *text)
{
	struct note *n = &f->note[f->count];

	n->length = strnlen(text, LENGTH);
	memcpy(n->text, text, n->length);
#ifndef BUG
	persist(n, sizeof(*n));
#endif
	__atomic_store_n(&f->count, f->count + 1, __ATOMIC_RELEASE); /* in one piece */
	persist(&f->count, sizeof(f->count));
}

int main(int argc, char **argv)
{
	struct file *f;
	int fd;

	if (argc < 2) {
		fprintf(stderr, "usage: notes FILE TEXT...\n");
		return 2;
	}
	fd = open(argv[1], O_RDWR | O_CREAT, 0644);
	if (fd < 0 || ftruncate(fd, sizeof(*f)) != 0) {
		perror(argv[1]);
		return 1;
	}
	f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (f == MAP_FAILED) {
		perror("mmap");
		return 1;
	}
	for (int i = 2; i < argc && f->count < NOTES; i++)
		add(f, argv[i]);
	for (uint64_t i = 0; i < f->count; i++) {
		assert(f->note[i].length > 0 && f->note[i].length <= LENGTH);
		printf("%.*s\n", (int)f->note[i].length, f->note[i].text);
	}
	munmap(f, sizeof(*f));
	close(fd);
	return 0;
}
