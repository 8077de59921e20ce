/*
 * outside.c - two bytes of input take a way around memory and come back: WAY says which. Three paths
 * where they are followed; two, and a word about it, where they are not.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static char in[2];
static char back;

static void through_pipe(void)
{
	int end[2];

	if (pipe(end) || write(end[1], in, 2) != 2 || read(end[0], in, 1) != 1 ||
	    read(end[0], &back, 1) != 1)
		exit(3);
}

static void through_stream(void)
{
	FILE *f = tmpfile();

	fprintf(f, "%c%c", in[0], in[1]);
	rewind(f);
	fgetc(f);
	back = (char)fgetc(f);
}

static void through_memory_stream(void)
{
	char *text;
	size_t n;
	FILE *f = open_memstream(&text, &n);

	fwrite(in, 1, 2, f);
	fclose(f);
	back = text[1];
}

/* A file in PM keeps labels, whichever way they come. */
static void through_pm(void)
{
	int fd = open("way.pm", O_RDWR | O_CREAT, 0600);
	char *p = ftruncate(fd, 4096) ? MAP_FAILED
				      : mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);

	if (p == MAP_FAILED || pwrite(fd, in, 2, 8) != 2 || pread(fd, &back, 1, 9) != 1)
		exit(3);
	munmap(p, 4096);
	p = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	if (p == MAP_FAILED || p[9] != back)
		abort();
	unlink("way.pm");
}

static void through_moved_memory(void)
{
	char *p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	memcpy(p + 100, in, 2);
	p = mremap(p, 4096, 1 << 20, MREMAP_MAYMOVE);
	back = p[101];
}

/* Nothing is lost where the function only looks for something. */
static void through_search(void)
{
	char *found = memmem(in, 2, "\0q", 2);

	back = found ? found[1] : 0;
}

/* An array of strings, as argv: their bytes are looked at. */
static void through_array(void)
{
	char *word[3] = {in, in + 1, NULL};
	char *file[] = {"/bin/true", NULL};

	back = in[1];
	if (in[0] == 'y') {
		execv("/bin/true-is-not-there", word);
		execv("/bin/true-is-not-there", file);
	}
}

int main(int argc, char **argv)
{
	static void (*const way[])(void) = {through_pipe, through_stream, through_memory_stream,
					    through_pm, through_moved_memory, through_search,
					    through_array};

	if (argc != 2 || read(0, in, 2) != 2)
		return 2;
	if (in[0] == 'x')
		return 0;
	way[atoi(argv[1])]();
	if (back == 'q')
		puts("found");
	return 0;
}
