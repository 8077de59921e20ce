/*
 * removed.c MODE FILE: what PMDK tells pmemcheck before it unmaps, and of its locks; see pmdk.t.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <valgrind/valgrind.h>

enum { PAGE = 4096, REMOVE = 'P' << 24 | 'C' << 16 | 2 };

static void removed(char *a, size_t n)
{
	VALGRIND_DO_CLIENT_REQUEST_STMT(REMOVE, a, n, 0, 0, 0);
}

int main(int argc, char **argv)
{
	int fd = open(argv[argc - 1], O_RDWR | O_CREAT, 0600);
	size_t size = strcmp(argv[1], "short") ? 3 * PAGE : 100;
	char *pm;

	if (fd < 0 || ftruncate(fd, size))
		return 2;
	pm = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pm == MAP_FAILED)
		return 2;
	if (!strcmp(argv[1], "locks")) {
		removed(pm + PAGE + 64, 64);
		pm[PAGE + 64] = 1;
	} else {
		size_t from = strcmp(argv[1], "middle") ? 0 : PAGE, n = from ? PAGE : size - 20;

		pm[from] = 1; //@ lost
		removed(pm + from, n);
		munmap(pm + from, n);
	}
	return 0;
}
