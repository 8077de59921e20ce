/*
 * explore/source.c - what is symbolic. See explore.h.
 *
 * The input of a path is one sequence of bytes; each source has a part of it, in the order:
 * arguments, standard input, files, PM, packets, calls that can fail, the schedule, memory. A
 * symbolic argument is written @@ in the command; without any @@, symbolic arguments follow the
 * others.
 */
#include "base/hash.h"
#include "drive/explore/explore.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_ARGUMENT = 4096, MAX_PHRASE = 400, FAULT_CALLS = 256 };

/* ---- options -------------------------------------------------------------------------------- */

/* Parses a number of bytes at s, followed by one of `ends` or the end. */
static bool parse_count(const char *s, const char *ends, uint64_t max, uint64_t *v,
			const char **after)
{
	char *end;

	if (*s < '0' || *s > '9')
		return false;
	errno = 0;
	*v = strtoull(s, &end, 0);
	*after = end;
	return !errno && *v <= max && (!*end || strchr(ends, *end));
}

bool pd_explore_take_args(struct pd_explore_run *x, const char *arg, struct pd_error *e)
{
	const char *s = arg;
	uint64_t n;

	do {
		if (x->nlengths == PD_LEN(x->length) ||
		    !parse_count(s, ",", MAX_ARGUMENT, &n, &s) || !n)
			return pd_error_set(
				e, PD_EXIT_USAGE,
				"--sym-args takes the length of each symbolic argument, "
				"1 to %d bytes, with ',' between, not '%.100s'",
				MAX_ARGUMENT, arg);
		x->length[x->nlengths++] = (uint32_t)n;
	} while (*s++ == ',');
	return true;
}

static struct pd_explore_source *add(struct pd_explore_run *x, enum pd_source_kind kind, uint64_t n)
{
	struct pd_explore_source *s = &x->source[x->nsources++];

	*s = (struct pd_explore_source){.kind = kind, .n = (uint32_t)n};
	return s;
}

/* NAME:N or NAME:OFFSET+LEN */
static bool take_named(struct pd_explore_run *x, enum pd_source_kind kind, const char *arg,
		       bool may_be_whole, const char *expected, struct pd_error *e)
{
	const char *colon = strrchr(arg, ':'), *after;
	uint64_t at = 0, n = 0;
	struct pd_explore_source *s;
	bool ok = colon && colon > arg && parse_count(colon + 1, "+", 1ULL << 62, &at, &after);
	bool whole = ok && !*after;

	if (ok && !whole)
		ok = parse_count(after + 1, "", PD_EXPLORE_INPUT, &n, &after) && n;
	if (ok && whole)
		ok = may_be_whole && at && at <= PD_EXPLORE_INPUT;
	if (!ok)
		return pd_error_set(e, PD_EXIT_USAGE, "%s, not '%.200s'", expected, arg);
	if (x->nsources + 3 >= PD_LEN(x->source) || colon - arg >= PD_EXPLORE_NAME)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "at most %d files can be symbolic, with names shorter than %d "
				    "bytes",
				    (int)PD_LEN(x->source) - 3, PD_EXPLORE_NAME);
	s = add(x, kind, whole ? at : n);
	s->whole = whole;
	s->at = whole ? 0 : at;
	memcpy(s->name, arg, (size_t)(colon - arg));
	return true;
}

bool pd_explore_take_file(struct pd_explore_run *x, const char *arg, struct pd_error *e)
{
	return take_named(x, PD_SOURCE_FILE, arg, true,
			  "--sym-file takes NAME:BYTES for a whole file or NAME:OFFSET+BYTES for a "
			  "part of one",
			  e);
}

bool pd_explore_take_pm(struct pd_explore_run *x, const char *arg, struct pd_error *e)
{
	return take_named(x, PD_SOURCE_PM, arg, false, "--sym-pm takes FILE:OFFSET+BYTES", e);
}

bool pd_explore_take_faults(struct pd_explore_run *x, const char *arg, struct pd_error *e)
{
	uint64_t n = 1, calls = FAULT_CALLS;
	const char *after = arg ? arg : "";

	if (*after && (!parse_count(after, ",", PD_EXPLORE_FAULTS, &n, &after) ||
		       (*after && !parse_count(after + 1, "", PD_EXPLORE_INPUT, &calls, &after)) ||
		       !n || !calls))
		return pd_error_set(
			e, PD_EXIT_USAGE,
			"--sym-faults takes how many calls may fail on a path, 1 to %d, "
			"and after a ',' how many may be asked (default: %d), not "
			"'%.100s'",
			PD_EXPLORE_FAULTS, FAULT_CALLS, arg);
	x->faults = (uint32_t)n;
	x->fault_calls = (uint32_t)calls;
	return true;
}

bool pd_explore_take_script(struct pd_explore_run *x, const char *arg, struct pd_error *e)
{
	const char *why = "";
	uint32_t line = 0;
	size_t n = 0;
	char *text = pd_file_read(arg, PD_SCRIPT_TEXT - 1, &n, e);

	if (!text)
		return false;
	x->packets = pd_new(&x->arena, struct pd_script);
	x->script = pd_arena_strndup(&x->arena, text, n);
	free(text);
	if (!x->packets || !x->script)
		return pd_error_set(e, PD_EXIT_INTERNAL, "memory ran out");
	if (strlen(x->script) != n || !pd_script_parse(x->packets, x->script, n, &line, &why))
		return pd_error_set(e, PD_EXIT_USAGE, "'%.300s', line %u: %s", arg, line,
				    *why ? why : "a NUL");
	if (!x->packets->nsymbolic)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "'%.300s' has no symbolic bytes, such as <4>; --input plays a "
				    "script without",
				    arg);
	return true;
}

/* ---- the input ------------------------------------------------------------------------------ */

/* Without any @@ the symbolic arguments come last. */
static bool complete_argv(struct pd_explore_run *x, struct pd_error *e)
{
	uint32_t places = pd_input_places(x->options.argv), n = (uint32_t)x->options.argc;
	char **to;

	if (places && !x->nlengths)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "the command has " PD_INPUT_PLACE
				    ": say with --sym-args how many "
				    "bytes that argument has");
	if (places && places != x->nlengths)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "--sym-args has %u lengths, and the command has " PD_INPUT_PLACE
				    " %u times",
				    x->nlengths, places);
	if (places || !x->nlengths)
		return true;
	to = pd_new_array(&x->arena, char *, n + x->nlengths + 1);
	if (!to)
		return pd_error_set(e, PD_EXIT_INTERNAL, "memory ran out");
	memcpy(to, x->options.argv, n * sizeof(*to));
	for (uint32_t i = 0; i < x->nlengths; i++)
		to[n + i] = (char *)(uintptr_t)PD_INPUT_PLACE;
	x->options.argv = to;
	x->options.argc += (int)x->nlengths;
	return true;
}

static uint64_t digest_of(const char *text)
{
	struct pd_digest d = PD_DIGEST_INIT;

	pd_digest_bytes(&d, text, strlen(text));
	return d.a;
}

/* Arguments come first: the named sources were added while the options were read. */
static void order_sources(struct pd_explore_run *x)
{
	struct pd_explore_source named[PD_EXPLORE_SOURCES];
	uint32_t n = x->nsources, k = 0;

	memcpy(named, x->source, sizeof(named));
	x->nsources = 0;
	for (int i = 0; i < x->options.argc; i++)
		if (strcmp(x->options.argv[i], PD_INPUT_PLACE) == 0)
			add(x, PD_SOURCE_ARG, x->length[k++])->at = (uint64_t)i;
	if (x->stdin_bytes)
		add(x, PD_SOURCE_STDIN, x->stdin_bytes);
	for (uint32_t i = 0; i < n; i++)
		x->source[x->nsources++] = named[i];
	if (x->packets)
		add(x, PD_SOURCE_SOCKET, x->packets->nsymbolic)->at = digest_of(x->script);
	if (x->faults)
		add(x, PD_SOURCE_FAULT, x->fault_calls);
	if (x->schedules > 1)
		add(x, PD_SOURCE_SCHEDULE, 1);
	if (x->memory_bytes)
		add(x, PD_SOURCE_MEMORY, x->memory_bytes);
}

bool pd_explore_lay_out(struct pd_explore_run *x, struct pd_error *e)
{
	uint64_t size = 0;

	if (!complete_argv(x, e))
		return false;
	if (x->nsources + x->nlengths + 5 > PD_EXPLORE_SOURCES)
		return pd_error_set(e, PD_EXIT_USAGE, "more than %d things are symbolic",
				    PD_EXPLORE_SOURCES - 5);
	order_sources(x);
	for (uint32_t i = 0; i < x->nsources; i++) {
		x->source[i].first = (uint32_t)size;
		size += x->source[i].n;
	}
	if (size > PD_EXPLORE_INPUT)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "%lu bytes are symbolic, and at most %d can be",
				    (unsigned long)size, PD_EXPLORE_INPUT);
	x->input_size = (uint32_t)size;
	return true;
}

char **pd_explore_argv(struct pd_explore_run *x)
{
	char **to = pd_new_array(&x->arena, char *, (size_t)x->options.argc + 1);

	if (!to)
		return NULL;
	memcpy(to, x->options.argv, (size_t)x->options.argc * sizeof(*to));
	for (uint32_t i = 0; i < x->nsources; i++) {
		const struct pd_explore_source *s = &x->source[i];
		char *word = s->kind == PD_SOURCE_ARG ? pd_arena_alloc(&x->arena, s->n + 1) : NULL;

		if (s->kind != PD_SOURCE_ARG)
			continue;
		if (!word)
			return NULL;
		memset(word, 'a', s->n);
		word[s->n] = '\0';
		to[s->at] = word;
	}
	return to;
}

static void read_part(const struct pd_explore_source *s, uint8_t *to)
{
	int fd = open(s->name, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return; /* the program makes it, or it starts as 0 */
	n = pread(fd, to, s->n, (off_t)s->at);
	(void)n;
	close(fd);
}

bool pd_explore_packets(const struct pd_script *s, const struct pd_script *other, uint8_t *to)
{
	if (s->nbytes != other->nbytes || s->nsteps != other->nsteps)
		return false;
	for (uint32_t i = 0; i < s->nbytes; i++)
		if (s->symbolic[i])
			to[s->symbolic[i] - 1] = other->byte[i];
	return true;
}

bool pd_explore_first(struct pd_explore_run *x, uint8_t *input, struct pd_error *e)
{
	memset(input, 0, x->input_size);
	for (uint32_t i = 0; i < x->nsources; i++)
		if (x->source[i].kind == PD_SOURCE_FILE || x->source[i].kind == PD_SOURCE_PM)
			read_part(&x->source[i], input + x->source[i].first);
		else if (x->source[i].kind == PD_SOURCE_SOCKET)
			pd_explore_packets(x->packets, x->packets, input + x->source[i].first);
	return !x->begin_with || pd_explore_read_input(x, x->begin_with, input, e);
}

/* ---- in words ------------------------------------------------------------------------------- */

static void put_source(FILE *to, const struct pd_explore_source *s, uint32_t nth)
{
	switch ((enum pd_source_kind)s->kind) {
	case PD_SOURCE_ARG:
		fprintf(to, "argument %u", nth);
		break;
	case PD_SOURCE_STDIN:
		fputs("stdin", to);
		break;
	case PD_SOURCE_FILE:
	case PD_SOURCE_PM:
		fputs(s->name, to);
		if (!s->whole)
			fprintf(to, " from %lu on", (unsigned long)s->at);
		break;
	case PD_SOURCE_MEMORY:
		fputs("pd_symbolic()", to);
		break;
	case PD_SOURCE_FAULT:
		fputs("failing calls", to);
		break;
	case PD_SOURCE_SCHEDULE:
		fputs("schedule", to);
		break;
	case PD_SOURCE_SOCKET:
		fputs("packets", to);
		break;
	}
}

/* The number of symbolic bytes of a source to report; 0: do not mention it. */
static uint32_t said_of(const struct pd_explore_run *x, uint32_t i)
{
	const struct pd_explore_source *s = &x->source[i];

	if (s->kind == PD_SOURCE_FAULT || s->kind == PD_SOURCE_SCHEDULE)
		return 0;
	return s->kind == PD_SOURCE_MEMORY ? PD_MIN(x->board->source[i].used, s->n) : s->n;
}

static void put_faults(FILE *to, uint32_t most, const char *before)
{
	if (most)
		fprintf(to, "%sat most %u failing call%s", before, most, most == 1 ? "" : "s");
}

/* If some path creates threads. */
static void put_schedules(FILE *to, const struct pd_explore_run *x, const char *before)
{
	for (uint32_t i = 0; i < x->nsources; i++)
		if (x->source[i].kind == PD_SOURCE_SCHEDULE && x->board->source[i].used)
			fprintf(to, "%s%u schedules of its threads", before, x->schedules);
}

static void put_scope(FILE *to, const struct pd_explore_run *x)
{
	uint32_t size = 0, used = 0;

	for (uint32_t i = 0; i < x->nsources; i++) {
		size += said_of(x, i);
		used += said_of(x, i) > 0;
	}
	if (!size && x->faults) {
		put_faults(to, x->faults, "with ");
		put_schedules(to, x, ", ");
		return;
	}
	fprintf(to, "for inputs of %u byte%s", size, size == 1 ? "" : "s");
	for (uint32_t i = 0, k = 0; used > 1 && i < x->nsources; i++)
		if (said_of(x, i)) {
			fputs(k++ ? ", " : " (", to);
			put_source(to, &x->source[i],
				   x->source[i].kind == PD_SOURCE_ARG ? (uint32_t)x->source[i].at
								      : 0);
			fprintf(to, ": %u", x->source[i].n);
		}
	fputs(used > 1 ? ")" : "", to);
	put_faults(to, x->faults, " and ");
	put_schedules(to, x, x->faults ? ", " : " and ");
}

const char *pd_explore_scope(struct pd_explore_run *x)
{
	char *text = NULL;
	const char *kept;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	if (!to)
		return NULL;
	put_scope(to, x);
	fclose(to);
	kept = text ? pd_arena_strndup(&x->arena, text, PD_MIN(n, (size_t)MAX_PHRASE)) : NULL;
	free(text);
	return kept;
}
