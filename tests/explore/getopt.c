/*
 * getopt.c - getopt as explore compiles it into programs (cc/symbolic/library.c) against the C library's, on
 * random arguments: results, optind, optarg, optopt, the order of argv after each call, and what is printed.
 *
 *	getopt RUNS
 */
#include "cc/symbolic/library.c"
#include <stdint.h>

enum { WORDS_MOST = 6, CALLS_MOST = 20, TEXT = 8192 };

static uint64_t state;
static int flag;

static uint32_t draw(uint32_t n)
{
	state = state * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(state >> 33) % n;
}

static const char *const words[] = {
	"-a",	   "-b",	"-ab",	   "-bval",    "-b=",  "-c",	  "-cx",     "--alpha",
	"--al",	   "--alpha=1", "--beta",  "--beta=x", "--be", "--gamma", "--gam=y", "--gamma-ray",
	"--",	   "-",		"x",	   "y",	       "--zz", "-z",	  "-:",	     "-abc",
	"--delta", "-alpha",	"-beta=q", "--d",      "-d",   "",
};

static const char *const letters[] = {"ab:c::", "+ab:c", "-ab:c::", ":ab:c::", "+:ab:", "-:ab"};

static const struct option names[] = {
	{"alpha", 0, NULL, 'A'},     {"beta", 1, NULL, 'B'}, {"gamma", 2, NULL, 'G'},
	{"gamma-ray", 0, NULL, 'R'}, {"delta", 0, &flag, 7}, {"dela", 0, &flag, 7},
	{NULL, 0, NULL, 0},
};

struct arguments {
	int argc;
	char *argv[WORDS_MOST + 2];
	const char *letters;
	uint32_t how;
};

static int call(struct arguments *a, bool ours, int *index)
{
	switch (a->how) {
	case 0:
		return (ours ? __pd_lib_getopt : getopt)(a->argc, a->argv, a->letters);
	case 1:
		return (ours ? __pd_lib_getopt_long : getopt_long)(a->argc, a->argv, a->letters,
								   names, index);
	default:
		return (ours ? __pd_lib_getopt_long_only
			     : getopt_long_only)(a->argc, a->argv, a->letters, names, index);
	}
}

/* All calls up to the last, as text; what goes to stderr comes between. */
static void tell(struct arguments a, bool ours, char *text)
{
	FILE *real = stderr, *f = fmemopen(text, TEXT, "w");
	int r, calls = 0;

	stderr = f;
	optind = flag = 0;
	do {
		int index = -1;

		r = call(&a, ours, &index);
		fprintf(f, "%d, optind %d, optarg %s, optopt %d, index %d, flag %d:", r, optind,
			optarg ? optarg : "NULL", r == '?' || r == ':' ? optopt : 0, index, flag);
		for (int i = 0; i < a.argc; i++)
			fprintf(f, " '%s'", a.argv[i]);
		fputs("\n", f);
	} while (r != -1 && ++calls < CALLS_MOST);
	fclose(f);
	stderr = real;
}

int main(int argc, char **argv)
{
	long runs = argc > 1 ? atol(argv[1]) : 0, wrong = 0;

	for (long i = 0; i < runs; i++) {
		struct arguments a = {.argv = {"program"}};
		char theirs[TEXT], ours[TEXT];

		state = (uint64_t)i + 1;
		draw(2);
		a.argc = 1 + (int)draw(WORDS_MOST);
		for (int k = 1; k < a.argc; k++)
			a.argv[k] = (char *)words[draw(sizeof(words) / sizeof(*words))];
		a.letters = letters[draw(sizeof(letters) / sizeof(*letters))];
		a.how = draw(3);
		tell(a, false, theirs);
		tell(a, true, ours);
		if (strcmp(theirs, ours) != 0 && wrong++ == 0)
			printf("run %ld, letters %s, function %u\nthe library:\n%sours:\n%s", i,
			       a.letters, a.how, theirs, ours);
	}
	printf("%ld of %ld differ\n", wrong, runs);
	return wrong != 0 || runs == 0;
}
