/* leaves.c - a program that is not a function of its input: every second run finds something else in a pipe. */
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char c, which;
	int p[2];

	(void)argv;
	if (pipe(p) || write(p[1], "121212", 6) != 6 || read(0, &c, 1) != 1 ||
	    read(p[0], &which, 1) != 1)
		return 1;
	if (which == '1')
		return c == 'a' && getppid() ? 3 : 0;
	if (c == 'b')
		return 2;
	if (argc > 1)
		abort();
	return 0;
}
