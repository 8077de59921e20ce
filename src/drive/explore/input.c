/* explore/input.c - the input of a path as a folder of files (drive/input.h), and in words. */
#include "drive/explore/explore.h"
#include "host/outdir.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_BASE = 16 << 20, MAX_SHOWN = 64 };

void pd_explore_folder(char *to, size_t room, uint64_t number)
{
	snprintf(to, room, "inputs/%06lu", (unsigned long)number);
}

/* ---- writing -------------------------------------------------------------------------------- */

static bool write_args(const struct pd_explore_run *x, const uint8_t *input, const char *dir,
		       struct pd_error *e)
{
	char *text = malloc((size_t)x->input_size + PD_EXPLORE_SOURCES);
	size_t n = 0;
	bool any = false, ok;

	for (uint32_t i = 0; text && i < x->nsources; i++) {
		const struct pd_explore_source *s = &x->source[i];
		const char *word = (const char *)input + s->first;
		size_t length = s->kind == PD_SOURCE_ARG ? strnlen(word, s->n) : 0;

		if (s->kind != PD_SOURCE_ARG)
			continue;
		if (any)
			text[n++] = '\0';
		memcpy(text + n, word, length);
		n += length;
		any = true;
	}
	ok = text && (!any || pd_input_put(dir, "args", text, n, e));
	free(text);
	return ok;
}

static bool is_first_of_its_name(const struct pd_explore_run *x, uint32_t i)
{
	for (uint32_t k = 0; k < i; k++)
		if (x->source[k].kind == PD_SOURCE_FILE &&
		    strcmp(x->source[k].name, x->source[i].name) == 0)
			return false;
	return true;
}

/* Writes the whole file, with all its symbolic parts. */
static bool write_file(const struct pd_explore_run *x, uint32_t first, const uint8_t *input,
		       const char *dir, struct pd_error *e)
{
	const char *name = x->source[first].name;
	struct stat st;
	size_t have = 0, n = 0;
	char *base = NULL, *all;
	bool ok;

	if (!x->source[first].whole && stat(name, &st) == 0 &&
	    !(base = pd_file_read(name, MAX_BASE, &have, e)))
		return false;
	n = have;
	for (uint32_t i = first; i < x->nsources; i++)
		if (x->source[i].kind == PD_SOURCE_FILE && strcmp(x->source[i].name, name) == 0)
			n = PD_MAX(n, x->source[i].at + x->source[i].n);
	all = n <= MAX_BASE ? calloc(1, n + 1) : NULL;
	if (all && have)
		memcpy(all, base, have);
	for (uint32_t i = first; all && i < x->nsources; i++)
		if (x->source[i].kind == PD_SOURCE_FILE && strcmp(x->source[i].name, name) == 0)
			memcpy(all + x->source[i].at, input + x->source[i].first, x->source[i].n);
	ok = all ? pd_input_put_named(dir, "files", name, "", all, n, e)
		 : pd_error_set(e, PD_EXIT_USAGE, "'%.300s' is too large for an input", name);
	free(base);
	free(all);
	return ok;
}

static bool write_pm(const struct pd_explore_source *s, const uint8_t *bytes, const char *dir,
		     struct pd_error *e)
{
	char suffix[32];

	snprintf(suffix, sizeof(suffix), "+%lu", (unsigned long)s->at);
	return pd_input_put_named(dir, "pm", s->name, suffix, bytes, s->n, e);
}

static void put_place(FILE *to, const struct pd_explore_fault *f)
{
	if (f->line)
		fprintf(to, " at %.*s:%u", (int)sizeof(f->file) - 1, f->file, f->line);
}

/* One line per call that failed (event/fault.h); also if there is none, so that the input is
 * complete. */
static bool write_faults(const struct pd_explore_fault *f, const char *dir, struct pd_error *e)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);
	bool ok;

	if (!to)
		return pd_error_set(e, PD_EXIT_INTERNAL, "memory ran out");
	fputs("# call function fault\n", to);
	for (uint32_t i = 0; i < PD_EXPLORE_FAULTS && f[i].call; i++) {
		fprintf(to, "%u %s %s", f[i].call, pd_faulty_name((enum pd_faulty)f[i].function),
			pd_fault_name((enum pd_fault)f[i].how));
		put_place(to, &f[i]);
		fputc('\n', to);
	}
	ok = fclose(to) == 0 && pd_input_put(dir, "faults", text, n, e);
	free(text);
	return ok;
}

/* The number of the schedule that a byte stands for. */
static uint64_t schedule_of(const struct pd_explore_run *x, uint8_t byte)
{
	return pd_explore_schedule(x->options.seed, byte < x->schedules ? byte : 0);
}

static bool write_schedule(const struct pd_explore_run *x, uint8_t byte, const char *dir,
			   struct pd_error *e)
{
	char text[40];
	int n = snprintf(text, sizeof(text), "%lu\n", (unsigned long)schedule_of(x, byte));

	return pd_input_put(dir, "schedule", text, (size_t)n, e);
}

/* As written between quotes. */
static void put_text(FILE *to, const uint8_t *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (b[i] == '"' || b[i] == '\\')
			fprintf(to, "\\%c", b[i]);
		else if (b[i] == '\n' || b[i] == '\r')
			fputs(b[i] == '\n' ? "\\n" : "\\r", to);
		else if (b[i] >= 32 && b[i] < 127)
			fputc(b[i], to);
		else
			fprintf(to, "\\x%02x", b[i]);
}

/* The script, with the symbolic bytes filled in. */
static bool write_packets(const struct pd_script *s, const uint8_t *input, const char *dir,
			  struct pd_error *e)
{
	char *text = NULL;
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);
	bool ok;

	if (!to)
		return pd_error_set(e, PD_EXIT_INTERNAL, "memory ran out");
	if (s->port)
		fprintf(to, "port %u\n", s->port);
	for (uint32_t i = 0; i < s->nsteps; i++) {
		const struct pd_script_step *k = &s->step[i];

		fprintf(to, "%s: %s", s->name[k->connection], k->closes ? "close\n" : "\"");
		for (uint32_t at = k->first; at < k->first + k->n; at++)
			put_text(to, s->symbolic[at] ? &input[s->symbolic[at] - 1] : &s->byte[at],
				 1);
		fputs(k->closes ? "" : "\"\n", to);
	}
	ok = fclose(to) == 0 && pd_input_put(dir, "sockets", text, n, e);
	free(text);
	return ok;
}

/* Of the bytes for pd_symbolic(), which most programs do not call. */
static bool is_unused(const struct pd_explore_run *x, uint32_t i)
{
	return x->board && !x->board->source[i].used;
}

bool pd_explore_write_input(const struct pd_explore_run *x, const uint8_t *input,
			    const struct pd_explore_fault *faults, const char *dir,
			    struct pd_error *e)
{
	bool ok = write_args(x, input, dir, e);

	for (uint32_t i = 0; ok && i < x->nsources; i++) {
		const struct pd_explore_source *s = &x->source[i];
		const uint8_t *bytes = input + s->first;

		if (s->kind == PD_SOURCE_STDIN)
			ok = pd_input_put(dir, "stdin", bytes, s->n, e);
		else if (s->kind == PD_SOURCE_FILE && is_first_of_its_name(x, i))
			ok = write_file(x, i, input, dir, e);
		else if (s->kind == PD_SOURCE_PM)
			ok = write_pm(s, bytes, dir, e);
		else if (s->kind == PD_SOURCE_MEMORY && !is_unused(x, i))
			ok = pd_input_put(dir, "memory", bytes, s->n, e);
		else if (s->kind == PD_SOURCE_FAULT)
			ok = write_faults(faults, dir, e);
		else if (s->kind == PD_SOURCE_SCHEDULE)
			ok = write_schedule(x, *bytes, dir, e);
		else if (s->kind == PD_SOURCE_SOCKET)
			ok = write_packets(x->packets, bytes, dir, e);
	}
	return ok;
}

/* ---- reading -------------------------------------------------------------------------------- */

static char *read_part(const char *dir, const char *name, size_t *n)
{
	char path[PATH_MAX];
	struct pd_error ignored;

	*n = 0;
	return snprintf(path, sizeof(path), "%s/%s", dir, name) < (int)sizeof(path)
		       ? pd_file_read(path, MAX_BASE, n, &ignored)
		       : NULL;
}

static char *read_named(const char *dir, const struct pd_explore_source *s, size_t *n)
{
	char name[PATH_MAX];
	size_t at = (size_t)sprintf(name, "%s/", s->kind == PD_SOURCE_PM ? "pm" : "files");

	for (const char *c = s->name; *c; c++)
		at += (size_t)sprintf(name + at, *c == '/' || *c == '%' ? "%%%02X" : "%c",
				      (unsigned)(unsigned char)*c);
	if (s->kind == PD_SOURCE_PM)
		sprintf(name + at, "+%lu", (unsigned long)s->at);
	return read_part(dir, name, n);
}

/* The next argument of a list; NULL: none. */
static const char *next_argument(const char *text, size_t n, const char *at, size_t *length)
{
	if (!at || (size_t)(at - text) > n)
		return NULL;
	*length = strnlen(at, n - (size_t)(at - text));
	return at;
}

static bool read_packets(const char *dir, const struct pd_script *s, uint8_t *to,
			 struct pd_error *e)
{
	size_t n;
	char *text = read_part(dir, "sockets", &n);
	struct pd_script *other = text ? malloc(sizeof(*other)) : NULL;
	const char *why = "it has other packets";
	uint32_t line = 0;
	bool ok = !text || (other && pd_script_parse(other, text, n, &line, &why) &&
			    pd_explore_packets(s, other, to));

	if (!ok)
		pd_error_set(e, PD_EXIT_USAGE, "'%.300s/sockets' is not of this script: %s", dir,
			     why);
	free(other);
	free(text);
	return ok;
}

/* Each fault sets the byte of its call. */
static bool read_faults(const char *dir, const struct pd_explore_source *s, uint8_t *to,
			struct pd_error *e)
{
	size_t n;
	char *text = read_part(dir, "faults", &n), *line, *save = NULL;
	bool ok = true;

	for (line = text ? strtok_r(text, "\n", &save) : NULL; ok && line;
	     line = strtok_r(NULL, "\n", &save)) {
		enum pd_faulty f;
		enum pd_fault how;
		uint32_t call;

		if (*line == '#')
			continue;
		ok = pd_fault_parse(line, &call, &f, &how) && call <= s->n;
		if (ok)
			to[call - 1] = (uint8_t)how;
		else
			pd_error_set(e, PD_EXIT_USAGE,
				     "'%.300s/faults': '%.100s' is no fault of one of the first %u "
				     "calls",
				     dir, line, s->n);
	}
	free(text);
	return ok;
}

static bool read_schedule(const struct pd_explore_run *x, const char *dir, uint8_t *to,
			  struct pd_error *e)
{
	size_t n;
	char *text = read_part(dir, "schedule", &n);
	uint64_t number = text ? strtoull(text, NULL, 10) : 0;
	uint32_t i = 0;

	while (i < x->schedules && schedule_of(x, (uint8_t)i) != number)
		i++;
	free(text);
	if (i == x->schedules)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "'%.300s/schedule' is none of the %u that are tried (--seed)",
				    dir, x->schedules);
	*to = (uint8_t)i;
	return true;
}

bool pd_explore_read_input(const struct pd_explore_run *x, const char *dir, uint8_t *input,
			   struct pd_error *e)
{
	struct pd_input in;
	size_t nargs, length;
	char *args = read_part(dir, "args", &nargs);
	const char *arg = args;
	bool ok = true;

	if (!pd_input_open(&in, dir, e)) {
		free(args);
		return false;
	}
	pd_input_finish(&in);
	for (uint32_t i = 0; ok && i < x->nsources; i++) {
		const struct pd_explore_source *s = &x->source[i];
		uint8_t *to = input + s->first;
		size_t n = 0, from = s->kind == PD_SOURCE_FILE ? (size_t)s->at : 0;
		char *text = NULL;

		if (s->kind == PD_SOURCE_ARG) {
			arg = next_argument(args, nargs, arg, &length);
			if (!arg)
				continue;
			memset(to, 0, s->n);
			memcpy(to, arg, PD_MIN(length, s->n));
			arg += length + 1;
			continue;
		}
		if (s->kind == PD_SOURCE_FAULT || s->kind == PD_SOURCE_SCHEDULE ||
		    s->kind == PD_SOURCE_SOCKET) {
			ok = s->kind == PD_SOURCE_FAULT	     ? read_faults(dir, s, to, e)
			     : s->kind == PD_SOURCE_SCHEDULE ? read_schedule(x, dir, to, e)
							     : read_packets(dir, x->packets, to, e);
			continue;
		}
		text = s->kind == PD_SOURCE_STDIN    ? read_part(dir, "stdin", &n)
		       : s->kind == PD_SOURCE_MEMORY ? read_part(dir, "memory", &n)
						     : read_named(dir, s, &n);
		if (text && n > from)
			memcpy(to, text + from, PD_MIN(n - from, s->n));
		free(text);
	}
	free(args);
	return ok;
}

/* ---- in words ------------------------------------------------------------------------------- */

static void put_bytes(FILE *to, const uint8_t *b, uint32_t n)
{
	uint32_t shown = PD_MIN(n, (uint32_t)MAX_SHOWN);

	fputc('"', to);
	put_text(to, b, shown);
	fputc('"', to);
	if (shown < n)
		fprintf(to, "... (%u bytes)", n);
}

/* The name of a source; returns whether there is anything to show. */
static bool put_name(FILE *to, const struct pd_explore_run *x, uint32_t i, const char *sep)
{
	const struct pd_explore_source *s = &x->source[i];

	if (s->kind == PD_SOURCE_MEMORY && is_unused(x, i))
		return false;
	fputs(sep, to);
	if (s->kind == PD_SOURCE_ARG)
		fprintf(to, "argument %lu ", (unsigned long)s->at);
	else if (s->kind == PD_SOURCE_STDIN)
		fputs("stdin ", to);
	else if (s->kind == PD_SOURCE_MEMORY)
		fputs("pd_symbolic() ", to);
	else if (s->kind == PD_SOURCE_SOCKET)
		fputs("packets ", to);
	else if (s->whole)
		fprintf(to, "%s ", s->name);
	else
		fprintf(to, "%s+%lu ", s->name, (unsigned long)s->at);
	return true;
}

static const char *put_faults(FILE *to, const struct pd_explore_fault *f, const char *sep)
{
	for (uint32_t i = 0; i < PD_EXPLORE_FAULTS && f[i].call; i++, sep = ", ") {
		fprintf(to, "%s%s() that %s", sep, pd_faulty_name((enum pd_faulty)f[i].function),
			f[i].how == PD_FAULT_SHORT ? "is short" : "fails with ");
		if (f[i].how != PD_FAULT_SHORT)
			fputs(pd_fault_name((enum pd_fault)f[i].how), to);
		put_place(to, &f[i]);
		fprintf(to, " (call %u)", f[i].call);
	}
	return sep;
}

/* The default schedule is not mentioned. */
static const char *put_schedule(FILE *to, const struct pd_explore_run *x, uint8_t byte,
				const char *sep)
{
	uint64_t number = schedule_of(x, byte);

	if (!number)
		return sep;
	fprintf(to, "%sthread schedule %lu", sep, (unsigned long)number);
	return ", ";
}

const char *pd_explore_show_input(struct pd_explore_run *x, const struct pd_explore_path *p)
{
	char *text = NULL;
	const char *kept = NULL, *sep = "";
	size_t n = 0;
	FILE *to = open_memstream(&text, &n);

	for (uint32_t i = 0; to && i < x->nsources; i++) {
		const struct pd_explore_source *s = &x->source[i];
		const uint8_t *bytes = p->input + s->first;
		uint32_t shown = s->n;

		if (s->kind == PD_SOURCE_FAULT || s->kind == PD_SOURCE_SCHEDULE) {
			sep = s->kind == PD_SOURCE_FAULT ? put_faults(to, p->fault, sep)
							 : put_schedule(to, x, *bytes, sep);
			continue;
		}

		if (s->kind == PD_SOURCE_ARG)
			shown = (uint32_t)strnlen((const char *)bytes, s->n);
		else if (s->kind == PD_SOURCE_MEMORY && x->board)
			shown = PD_MIN(shown, x->board->source[i].used);
		if (!put_name(to, x, i, sep))
			continue;
		put_bytes(to, bytes, shown);
		sep = ", ";
	}
	if (to && fclose(to) == 0)
		kept = pd_arena_strndup(&x->arena, text, n);
	free(text);
	return kept;
}
