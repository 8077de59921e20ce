/*
 * words.c - words FILE ARGS: stores x and then y without any flush, so recovery may see y without x. Recovery fails on
 * that only where all is as it was for the first run: the digest of all words, of some variables and of standard input is
 * in the file, and printed. `words recover ARGS` is a recovery of its own, which fails only where its words are the wanted ones.
 */
#include <fcntl.h>
#include <emmintrin.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct pm {
	uint64_t digest;
	uint64_t pad[7];
	uint64_t x[8];
	uint64_t y[8];
};

static uint64_t add(uint64_t h, const char *s)
{
	if (!s)
		return h * 31 + 7;
	for (; *s; s++)
		h = (h ^ (unsigned char)*s) * 0x100000001b3ULL;
	return h * 31 + 1;
}

static uint64_t world(int argc, char **argv)
{
	static const char *const variables[] = {"PMEM_WORDS", "LD_WORDS", "LC_WORDS"};
	char cwd[4096], input[256];
	ssize_t n = read(0, input, sizeof(input) - 1);
	uint64_t h = 1;

	input[n > 0 ? n : 0] = '\0';
	h = add(h, input);
	h = add(h, getcwd(cwd, sizeof(cwd)));
	for (int i = 1; i < argc; i++)
		h = add(h, argv[i]);
	for (int i = 0; i < 3; i++)
		h = add(h, getenv(variables[i]));
	return h;
}

static int is_wanted(int argc, char **argv)
{
	return argc == 5 && !strcmp(argv[2], "two words") && !strcmp(argv[3], "") && !strcmp(argv[4], "a\nb");
}

int main(int argc, char **argv)
{
	int own = argc > 1 && !strcmp(argv[1], "recover");
	int fd = open(argc > 1 && !own ? argv[1] : "words.pm", O_RDWR | O_CREAT, 0600);
	struct pm *p;

	if (ftruncate(fd, 4096) != 0)
		return 9;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p->digest) {
		uint64_t y = p->y[0], x = p->x[0];

		if (y && !x && (own ? is_wanted(argc, argv) : p->digest == world(argc, argv)))
			return printf("digest %lx\n", (unsigned long)p->digest), 3;
		return 0;
	}
	if (own)
		return 0;
	p->digest = world(argc, argv);
	_mm_clflush(&p->digest);
	_mm_sfence();
	*(volatile uint64_t *)&p->x[0] = 1;
	*(volatile uint64_t *)&p->y[0] = 1;
	_mm_clflush(&p->y[0]);
	_mm_sfence();
	_mm_clflush(&p->x[0]);
	return 0;
}
