/* term.c - has its watcher told to stop, as timeout would, and waits. */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "term.pm", O_RDWR | O_CREAT, 0666);
	uint64_t *p;

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 1;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return 1;
	*p = 1;
	__builtin_ia32_clflush(p);
	__builtin_ia32_sfence();
	__builtin_ia32_clflush(p);
	__builtin_ia32_sfence();
	kill(atoi(getenv("WATCHER")), SIGTERM);
	for (;;)
		pause();
}
