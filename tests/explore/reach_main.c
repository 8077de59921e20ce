/* reach_main.c - stores to PM of its own, through a pointer, and in a library (reach_lib.c); and to memory that is none. */
#include "reach_lib.h"
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static char *note;

__attribute__((noinline)) static void keep(char *to, char c)
{
	to[1] = c; /* PM, through the pointer below */
}

__attribute__((noinline)) static void scratch(char *to, char c)
{
	to[0] = c; /* never PM */
}

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "my.pm", O_RDWR | O_CREAT, 0600);
	void (*how)(char *, char) = argc > 5 ? scratch : keep;
	char *pm, b[2] = {0};

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 2;
	pm = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	note = malloc(16);
	if (pm == MAP_FAILED || !note || read(0, b, 2) < 1)
		return 2;
	if (b[0] == 'a')
		pm[0] = b[1]; /* PM */
	else if (b[0] == 'b')
		how(pm, b[1]);
	else if (b[0] == 'c')
		library_store(pm, b[1]);
	else if (b[0] == 'd')
		library_note(note, b[1]);
	note[3] = b[1]; /* no PM */
	return 0;
}
