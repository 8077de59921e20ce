/* options.c - a program that takes options; what they are decides what it does. */
#include <getopt.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	static const struct option names[] = {{"all", no_argument, NULL, 'a'}, {NULL, 0, NULL, 0}};
	int c;

	opterr = 0;
	while ((c = getopt_long(argc, argv, "ab:", names, NULL)) != -1)
		switch (c) {
		case 'a':
			puts("all");
			break;
		case 'b':
			puts(optarg[0] == '7' ? "seven" : "another");
			break;
		default:
			return 2;
		}
	return optind < argc ? 0 : 1;
}
