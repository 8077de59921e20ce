/*
 * early.c - a shared library whose constructor calls into the program, which maps PM and stores to
 * it before any constructor of the program itself has run. -DLIBRARY: the library.
 */
#ifdef LIBRARY

void *take(void);

__attribute__((constructor)) static void first(void)
{
	*(char *)take() = 1;
}

#else

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static char *pm;
static int taken;

void *take(void);
void *take(void)
{
	int fd = pm ? -1 : open("early.pm", O_RDWR | O_CREAT, 0600);

	if (!pm) {
		if (fd < 0 || ftruncate(fd, 4096))
			abort();
		pm = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		if (pm == MAP_FAILED)
			abort();
	}
	pm[64]++;
	return &pm[taken++];
}

int main(void)
{
	*(char *)take() = 2;
	printf("%d %d %d\n", pm[0], pm[1], pm[64]);
	return 0;
}

#endif
