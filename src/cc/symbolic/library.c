/*
 * library.c - functions of the C library that are replaced by code compiled with the program.
 *
 * The library's code does not handle labels, and what getopt does has no short summary: it branches
 * on each letter. A module that uses one of these functions gets this file linked in before it is
 * instrumented (link.c), and calls __pd_lib_<name>. They behave like glibc's, including the order
 * of argv and optind between two calls; they print what glibc prints in the C locale.
 *
 * Each module that needs the file has a copy; the linker keeps one.
 */
#include <getopt.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int __pd_lib_getopt(int argc, char *const *argv, const char *letters);
int __pd_lib_getopt_long(int argc, char *const *argv, const char *letters,
			 const struct option *names, int *index);
int __pd_lib_getopt_long_only(int argc, char *const *argv, const char *letters,
			      const struct option *names, int *index);

enum order { IN_ORDER = 1, AT_FIRST, MOVED };

/* State between calls. Elements `from` to `to` of argv are not options and were skipped. */
struct pd_lib_getopt_state {
	bool begun;
	enum order order;
	char *letter; /* next letter of a group, or NULL */
	int from, to;
} __pd_lib_getopt_state;

#define S (&__pd_lib_getopt_state)

struct call {
	int argc;
	char **argv;
	const char *letters;
	const struct option *names;
	int *index;
	bool quiet; /* return ':' for a missing argument and print nothing */
	bool only;  /* a name may begin with one dash */
};

static const char *begin(const char *letters)
{
	if (optind == 0 || !S->begun) {
		if (optind == 0)
			optind = 1;
		S->from = S->to = optind;
		S->letter = NULL;
		S->begun = true;
		S->order = *letters == '-'				  ? IN_ORDER
			   : *letters == '+' || getenv("POSIXLY_CORRECT") ? AT_FIRST
									  : MOVED;
	}
	return *letters == '-' || *letters == '+' ? letters + 1 : letters;
}

static bool is_option(const char *s)
{
	return s[0] == '-' && s[1] != '\0';
}

/* Moves the options behind the skipped elements in front of them. */
static void move(const struct call *c)
{
	int options = optind - S->to;

	for (int i = 0; i < options; i++) {
		char *option = c->argv[S->to + i];

		memmove(&c->argv[S->from + i + 1], &c->argv[S->from + i],
			(size_t)(S->to - S->from) * sizeof(char *));
		c->argv[S->from + i] = option;
	}
	S->from += options;
	S->to = optind;
}

static void pass_over(const struct call *c)
{
	if (S->to > optind)
		S->to = optind;
	if (S->from > optind)
		S->from = optind;
	if (S->order != MOVED)
		return;
	if (S->from != S->to && S->to != optind)
		move(c);
	else if (S->to != optind)
		S->from = optind;
	while (optind < c->argc && !is_option(c->argv[optind]))
		optind++;
	S->to = optind;
}

/* "--": ends the options. */
static void stop_here(const struct call *c)
{
	optind++;
	if (S->from != S->to && S->to != optind)
		move(c);
	else if (S->from == S->to)
		S->from = optind;
	S->to = c->argc;
	optind = c->argc;
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool same_option(const struct option *a, const struct option *b)
{
	return a->has_arg == b->has_arg && a->flag == b->flag && a->val == b->val;
}

/* The option that a full name, or an unambiguous prefix, selects. -1: none, -2: several. */
static int find_name(const struct call *c, const char *name, size_t n)
{
	int found = -1;

	for (int i = 0; c->names[i].name; i++)
		if (strncmp(c->names[i].name, name, n) == 0 && strlen(c->names[i].name) == n)
			return i;
	for (int i = 0; c->names[i].name; i++) {
		if (strncmp(c->names[i].name, name, n) != 0)
			continue;
		if (found < 0)
			found = i;
		else if (c->only || !same_option(&c->names[found], &c->names[i]))
			return -2;
	}
	return found;
}

static void complain_several(const struct call *c, const char *prefix, const char *name, size_t n)
{
	fprintf(stderr, "%s: option '%s%s' is ambiguous; possibilities:", c->argv[0], prefix, name);
	for (int i = 0; c->names[i].name; i++)
		if (strncmp(c->names[i].name, name, n) == 0)
			fprintf(stderr, " '%s%s'", prefix, c->names[i].name);
	fputs("\n", stderr);
}

static int wrong_name(const struct call *c, const char *prefix, const char *name, size_t n,
		      bool several)
{
	if (opterr && !c->quiet && several)
		complain_several(c, prefix, name, n);
	else if (opterr && !c->quiet)
		fprintf(stderr, "%s: unrecognized option '%s%s'\n", c->argv[0], prefix, name);
	S->letter = NULL;
	optind++;
	optopt = 0;
	return '?';
}

static int take_argument(const struct call *c, const struct option *o, const char *prefix,
			 char *value)
{
	if (value && o->has_arg == no_argument) {
		if (opterr && !c->quiet)
			fprintf(stderr, "%s: option '%s%s' doesn't allow an argument\n", c->argv[0],
				prefix, o->name);
		optopt = o->val;
		return '?';
	}
	optarg = value;
	if (o->has_arg == required_argument && !value) {
		if (optind >= c->argc) {
			if (opterr && !c->quiet)
				fprintf(stderr, "%s: option '%s%s' requires an argument\n",
					c->argv[0], prefix, o->name);
			optopt = o->val;
			return c->quiet ? ':' : '?';
		}
		optarg = c->argv[optind++];
	}
	return 0;
}

/* -1: not an option; it may be letters. */
static int take_name(const struct call *c, const char *prefix)
{
	char *name = S->letter;
	size_t n = strcspn(name, "=");
	int i = find_name(c, name, n), wrong;
	const struct option *o = &c->names[i];

	if (i == -1 && c->only && c->argv[optind][1] != '-' && strchr(c->letters, *name))
		return -1;
	if (i < 0)
		return wrong_name(c, prefix, name, n, i == -2);
	optind++;
	S->letter = NULL;
	wrong = take_argument(c, o, prefix, name[n] ? name + n + 1 : NULL);
	if (wrong)
		return wrong;
	if (c->index)
		*c->index = i;
	if (!o->flag)
		return o->val;
	*o->flag = o->val;
	return 0;
}

/* ---- letters --------------------------------------------------------------------------------- */

static int take_letter(const struct call *c)
{
	char letter = *S->letter++;
	const char *found = strchr(c->letters, letter);

	if (*S->letter == '\0')
		optind++;
	if (!found || letter == ':' || letter == ';') {
		if (opterr && !c->quiet)
			fprintf(stderr, "%s: invalid option -- '%c'\n", c->argv[0], letter);
		optopt = letter;
		return '?';
	}
	if (found[1] != ':')
		return letter;
	if (*S->letter) {
		optarg = S->letter;
		optind++;
	} else if (found[2] != ':' && optind == c->argc) {
		if (opterr && !c->quiet)
			fprintf(stderr, "%s: option requires an argument -- '%c'\n", c->argv[0],
				letter);
		optopt = letter;
		letter = c->quiet ? ':' : '?';
	} else if (found[2] != ':') {
		optarg = c->argv[optind++];
	}
	S->letter = NULL;
	return letter;
}

/* ---- all ------------------------------------------------------------------------------------- */

/* -1: a letter is next; else the result of the call. */
static int next_element(const struct call *c, bool *end)
{
	char *s;

	pass_over(c);
	*end = false;
	if (optind != c->argc && strcmp(c->argv[optind], "--") == 0)
		stop_here(c);
	*end = optind == c->argc;
	if (*end) {
		if (S->from != S->to)
			optind = S->from;
		return -1;
	}
	s = c->argv[optind];
	if (!is_option(s)) {
		*end = S->order == AT_FIRST;
		if (*end)
			return -1;
		optarg = c->argv[optind++];
		return 1;
	}
	S->letter = s + 1;
	if (c->names && s[1] == '-') {
		S->letter++;
		return take_name(c, "--");
	}
	if (c->names && c->only && (s[2] || !strchr(c->letters, s[1])))
		return take_name(c, "-");
	return -1;
}

static int get(struct call *c)
{
	int taken = -1;
	bool end = false;

	if (c->argc < 1)
		return -1;
	optarg = NULL;
	c->letters = begin(c->letters);
	c->quiet = *c->letters == ':';
	if (!S->letter || !*S->letter)
		taken = next_element(c, &end);
	return end || taken != -1 ? taken : take_letter(c);
}

int __pd_lib_getopt(int argc, char *const *argv, const char *letters)
{
	struct call c = {.argc = argc, .argv = (char **)argv, .letters = letters};

	return get(&c);
}

int __pd_lib_getopt_long(int argc, char *const *argv, const char *letters,
			 const struct option *names, int *index)
{
	struct call c = {argc, (char **)argv, letters, names, index, false, false};

	return get(&c);
}

int __pd_lib_getopt_long_only(int argc, char *const *argv, const char *letters,
			      const struct option *names, int *index)
{
	struct call c = {argc, (char **)argv, letters, names, index, false, true};

	return get(&c);
}
