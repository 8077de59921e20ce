/* child.c - the first to look at the input is a child process; its parent looks, too. */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <x86intrin.h>

int main(int argc, char **argv)
{
	int fd = open("child.pm", O_RDWR | O_CREAT, 0666), status = 0;
	pid_t child;
	long *p;

	if (argc < 2 || fd < 0 || ftruncate(fd, 4096))
		return 1;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	child = fork();
	if (!child)
		_exit(argv[1][0] == 'x' ? 3 : 0);
	waitpid(child, &status, 0);
#ifdef BEYOND /* the end of the argument */
	if (argv[1][1] == 'y')
#else
	if (argv[1][0] && argv[1][1] == 'y')
#endif
		p[0] = 1; /* never flushed */
	return 0;
}
