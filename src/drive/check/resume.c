/*
 * check/resume.c - a stopped exploration, in a file `state` of its directory, and how it continues.
 * See check.h.
 *
 * What is known is on the board: the tree of recoveries, failures, coverage, torn stores. It
 * contains no pointers to anywhere else, so the file is the board as it is, behind a header. A
 * resumed run does the same as a run whose processes were killed: it walks the schedule that was
 * cut again from its start, knowing everything learned so far, and executes only what has not been
 * executed.
 *
 * That is right as long as the program is the same, at the same addresses, with the same input. So
 * the file begins with the *circumstances*, one line each: a name and a digest. They are computed
 * again before anything is executed, and the first one that differs is reported.
 */
#include "drive/check/check.h"
#include "engine/crash/cover.h"
#include "host/machine.h"
#include "host/outdir.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STATE_NAME "state"

enum { PIECE = 1 << 16, MOST_CIRCUMSTANCES = 16 << 20 };

struct state {
	uint64_t magic;
	uint32_t version, size; /* of the board */
	uint32_t run_size;	/* of what perdure itself knows */
	uint32_t circumstances; /* bytes */
	uint64_t used;		/* of the board */
	struct pd_check_known known;
};

/* ---- circumstances --------------------------------------------------------------------------- */

static void put(FILE *to, const char *what, const char *name, struct pd_digest d)
{
	fprintf(to, "%s%s", what, *name ? " " : "");
	for (; *name; name++) /* the name may contain newlines, but must stay one line */
		fputc(*name == '\n' ? '?' : *name, to);
	fprintf(to, "\t%016lx%016lx\n", (unsigned long)d.a, (unsigned long)d.b);
}

static void put_number(FILE *to, const char *what, uint64_t v)
{
	struct pd_digest d = PD_DIGEST_INIT;

	pd_digest_u64(&d, v);
	put(to, what, "", d);
}

static void put_words(FILE *to, const char *what, const char *const *v, size_t n)
{
	struct pd_digest d = PD_DIGEST_INIT;

	for (size_t i = 0; i < n; i++)
		pd_digest_bytes(&d, v[i], strlen(v[i]));
	put(to, what, "", d);
}

static size_t length(char *const *argv)
{
	size_t n = 0;

	while (argv && argv[n])
		n++;
	return n;
}

static void put_options(FILE *to, const struct pd_check_run *c)
{
	const char *model[] = {c->model}, *given[] = {c->input_dir ? c->input_dir : ""};
	struct pd_digest statuses = PD_DIGEST_INIT;

	pd_digest_bytes(&statuses, c->ok_exit, sizeof(c->ok_exit));
	put_words(to, "the program and its arguments", (const char *const *)c->options.argv,
		  length(c->options.argv));
	put_words(to, "--recover", (const char *const *)c->recover, length(c->recover));
	put_words(to, "--pm", c->options.pm.v, c->options.pm.n);
	put_words(to, "--checksum", c->checksum, c->nchecksum);
	put_words(to, "--model", model, 1);
	put_words(to, "--input", given, 1);
	put(to, "--ok-exit", "", statuses);
	put_number(to, "--crashes", c->crashes);
	put_number(to, "--seed", c->options.seed);
	put_number(to, "--hang", c->hang_ms);
	put_number(to, "--schedules", c->automatic ? 0 : c->asked_schedules);
	put_number(to, "--by-value", c->by_value);
	put_number(to, "--ambiguous", c->ambiguous);
	put_number(to, "--no-torn", c->no_torn);
	put_number(to, "--no-prefix", c->no_prefix);
}

/* Identifies a file without its contents: absent, or its time of modification. */
static void put_file(FILE *to, const char *what, const char *path, const char *more)
{
	struct pd_digest d = PD_DIGEST_INIT;
	struct stat st;

	if (stat(path, &st) == 0) {
		pd_digest_u64(&d, (uint64_t)st.st_size);
		pd_digest_u64(&d, (uint64_t)st.st_mtim.tv_sec);
		pd_digest_u64(&d, (uint64_t)st.st_mtim.tv_nsec);
	}
	pd_digest_bytes(&d, more, strlen(more));
	put(to, what, path, d);
}

/* PM files, and files that the commands name. */
static void put_files(FILE *to, const struct pd_check_run *c)
{
	const struct pd_cover *cover = c->board->cover;
	char *const *commands[] = {c->options.argv, c->recover};
	struct stat st;

	for (uint32_t i = 0; i < PD_COVER_FILES && cover->file[i]; i++)
		put_file(to, "the file", cover->file[i], "");
	for (size_t k = 0; k < PD_LEN(commands); k++)
		for (size_t i = 0; i < length(commands[k]); i++)
			if (stat(commands[k][i], &st) == 0 && S_ISREG(st.st_mode))
				put_file(to, "the file", commands[k][i], "");
}

/* The code in a process and its addresses: lines of /proc/PID/maps. */
static void put_code(FILE *to, const struct pd_driven *origin)
{
	char line[PATH_MAX + 200], where[100], path[40], *name;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/maps", origin->pid);
	f = origin->pid > 0 ? fopen(path, "re") : NULL;
	while (f && fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\n")] = '\0';
		name = strchr(line, '/');
		if (!name || sscanf(line, "%99s", where) != 1 || !strstr(line, " r-xp "))
			continue;
		put_file(to, "the code of", name, where);
	}
	if (f)
		fclose(f);
}

/* Variables that shells, terminals and perdure set freely; a '*' at the end matches anything. */
static bool is_incidental(const char *variable, size_t n)
{
	static const char *const names[] = {"_",	"SHLVL",     "PWD",    "OLDPWD",  "COLUMNS",
					    "LINES",	"PERDURE_*", "SSH_*",  "TERM*",	  "DISPLAY",
					    "WINDOWID", "XDG_*",     "DBUS_*", "NO_COLOR"};

	for (size_t i = 0; i < PD_LEN(names); i++) {
		size_t len = strlen(names[i]);

		if (names[i][len - 1] == '*'
			    ? n >= len - 1 && memcmp(variable, names[i], len - 1) == 0
			    : n == len && memcmp(variable, names[i], n) == 0)
			return true;
	}
	return false;
}

static void put_environment(FILE *to)
{
	for (char **v = environ; *v; v++) {
		size_t n = strcspn(*v, "=");
		struct pd_digest d = PD_DIGEST_INIT;
		char name[200];

		if (is_incidental(*v, n))
			continue;
		pd_digest_bytes(&d, *v, strlen(*v));
		snprintf(name, sizeof(name), "%.*s", (int)n, *v);
		put(to, "the variable", name, d);
	}
}

static void put_input(FILE *to, const struct pd_check_run *c)
{
	struct pd_digest d = PD_DIGEST_INIT;
	char buf[PIECE];
	ssize_t n;

	for (off_t at = 0; c->input >= 0 && (n = pread(c->input, buf, sizeof(buf), at)) > 0;
	     at += n)
		pd_digest_bytes(&d, buf, (size_t)n);
	put(to, "standard input", "", d);
}

/* Malloc'ed; NULL: out of memory. */
static char *circumstances(const struct pd_check_run *c, size_t *n)
{
	const char *cwd[] = {getcwd(NULL, 0)};
	char *text = NULL;
	FILE *to = open_memstream(&text, n);

	if (!to || !cwd[0]) {
		free((char *)cwd[0]);
		return NULL;
	}
	put_options(to, c);
	put_words(to, "the current directory", cwd, 1);
	put_input(to, c);
	put_files(to, c);
	put_code(to, &c->origin);
	put_code(to, &c->recover_origin);
	put_environment(to);
	free((char *)cwd[0]);
	return fclose(to) == 0 ? text : NULL;
}

/* The first line of `of` that is not in `in`; NULL: none. */
static const char *missing_line(const char *of, const char *in, size_t *n)
{
	for (; *of; of += *n + 1) {
		const char *at = in;

		*n = strcspn(of, "\n");
		while ((at = memmem(at, strlen(at), of, *n)) && at[*n] != '\n')
			at++;
		if (!at)
			return of;
	}
	return NULL;
}

bool pd_check_same(struct pd_check_run *c, struct pd_error *e)
{
	size_t n;
	char *now = circumstances(c, &n);
	const char *differs = now ? missing_line(c->resumed, now, &n) : NULL;

	if (now && !differs)
		differs = missing_line(now, c->resumed, &n);
	if (differs)
		pd_error_set(e, PD_EXIT_USAGE,
			     "--resume: %.*s: this is not as it was when '%.200s' was made; check "
			     "from the start",
			     (int)PD_MIN(strcspn(differs, "\t"), 200), differs, c->resume);
	else if (!now)
		pd_error_set(e, PD_EXIT_INTERNAL, "memory ran out");
	free(now);
	return now && !differs;
}

/* ---- saving --------------------------------------------------------------------------------- */

/* Random recoveries, and those of --no-incremental, are not in a tree that another run can use. */
static bool can_go_on(const struct pd_check_run *c)
{
	return c->cut && strcmp(c->verb, "check") == 0 && !c->random && !c->no_incremental &&
	       !pd_machine()->random && c->board->executions;
}

static void know_recoveries(struct pd_check_run *c, struct pd_check_known *k)
{
	for (uint32_t j = 0; j < c->jobs; j++)
		for (uint32_t d = 0; d < c->crashes; d++) {
			const struct pd_channel *ch = c->worker[j][d].channel;

			for (int i = 0; ch && i < PD_LOSS_N; i++)
				k->lost_later[i] += ch->losses[i];
			if (ch)
				pd_check_know_readers(k, ch);
		}
	for (int i = 0; i < PD_EV_N; i++)
		if (pd_check_recovery_did(c, (enum pd_event_kind)i))
			k->did |= 1ULL << i;
}

/* Zeros, which are most of the board, are not written. */
static void write_board(const struct pd_board *b, FILE *f)
{
	static const char zeros[4096];
	const char *from = (const char *)b;

	for (uint64_t at = 0; at < b->used; at += sizeof(zeros)) {
		size_t n = PD_MIN(sizeof(zeros), b->used - at);

		if (memcmp(from + at, zeros, n) != 0 || at + n == b->used)
			fwrite(from + at, 1, n, f);
		else
			fseeko(f, (off_t)n, SEEK_CUR);
	}
}

bool pd_check_save_state(struct pd_check_run *c, const struct pd_outdir *out, struct pd_error *e)
{
	char path[PATH_MAX], *text;
	struct pd_filewriter w;
	struct state s;
	size_t n;

	if (!pd_outdir_path(out, STATE_NAME, path))
		return pd_error_errno(e, ENAMETOOLONG, "write", out->path);
	if (!can_go_on(c)) {
		unlink(path); /* from an earlier run */
		return true;
	}
	text = circumstances(c, &n);
	if (!text)
		return pd_error_set(e, PD_EXIT_INTERNAL, "memory ran out");
	s = (struct state){PD_BOARD_MAGIC, PD_BOARD_VERSION, sizeof(*c->board), sizeof(s),
			   (uint32_t)n,	   c->board->used,   c->known};
	s.known.seconds = pd_check_seconds(c) + c->known.seconds;
	know_recoveries(c, &s.known);
	if (!pd_file_begin(&w, path, e)) {
		free(text);
		return false;
	}
	fwrite(&s, sizeof(s), 1, w.f);
	fwrite(text, 1, n, w.f);
	write_board(c->board, w.f);
	free(text);
	c->kept = pd_file_commit(&w, e);
	return c->kept;
}

/* ---- loading -------------------------------------------------------------------------------- */

/* Nothing is running any more. */
static bool settle(struct pd_check_run *c)
{
	struct pd_board *b = c->board;
	struct pd_arena a;
	bool ok = true;

	b->stop = b->killed = b->last_try = 0;
	b->starved = 0;
	b->strict_memory = pd_machine()->strict;
	if (b->pace.state == PD_PACE_WANTED)
		b->pace.state = PD_PACE_UNKNOWN;
	pd_arena_init(&a, c->arena.host);
	for (uint32_t i = 0; i < b->roots.n && i < PD_ROOTS; i++)
		ok = ok && pd_tree_disown(&b->roots.v[i].node, &a);
	pd_arena_finish(&a);
	return ok;
}

/* Reads into the board, whose memory is zero: does not touch zero pieces. */
static bool read_board(struct pd_check_run *c, uint64_t used, FILE *f)
{
	static const char zeros[PIECE];
	char piece[PIECE];
	uint64_t before = c->board->used;

	for (uint64_t at = 0; at < used; at += PIECE) {
		size_t n = PD_MIN(PIECE, used - at);

		if (fread(piece, 1, n, f) != n)
			return false;
		if (at < before || memcmp(piece, zeros, n) != 0)
			memcpy((char *)c->board + at, piece, n);
	}
	return pd_board_is_marked(c->board) && c->board->used == used;
}

static bool read_state(struct pd_check_run *c, FILE *f, struct pd_error *e)
{
	struct state s = {0};
	char *text;

	if (fread(&s, sizeof(s), 1, f) == 1 &&
	    (s.magic != PD_BOARD_MAGIC || s.version != PD_BOARD_VERSION ||
	     s.size != sizeof(*c->board) || s.run_size != sizeof(s)))
		return pd_error_set(e, PD_EXIT_USAGE,
				    "'%.300s/" STATE_NAME "' is of another version of perdure",
				    c->resume);
	text = s.circumstances < MOST_CIRCUMSTANCES ? pd_arena_alloc(&c->arena, s.circumstances + 1)
						    : NULL;
	if (!text || fread(text, 1, s.circumstances, f) != s.circumstances ||
	    s.used > PD_BOARD_STATE - PD_BOARD_BASE || !read_board(c, s.used, f))
		return pd_error_set(e, PD_EXIT_USAGE, "'%.300s/" STATE_NAME "' is not whole",
				    c->resume);
	text[s.circumstances] = '\0';
	c->resumed = text;
	c->known = s.known;
	return settle(c) || pd_error_set(e, PD_EXIT_INTERNAL, "memory ran out");
}

static bool nothing_kept(const struct pd_check_run *c, struct pd_error *e)
{
	if (c->eager || c->no_incremental)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "--resume: a run with %s cannot be continued; check from the "
				    "start, with a longer --time-limit",
				    c->eager ? "--eager" : "--no-incremental");
	if (c->random)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "--resume: a run with --random cannot be continued; to sample "
				    "more, run it again with another --seed");
	return pd_error_set(e, PD_EXIT_USAGE,
			    "'%.300s' has nothing to go on with: it was not cut short", c->resume);
}

bool pd_check_load_state(struct pd_check_run *c, struct pd_error *e)
{
	char path[PATH_MAX];
	FILE *f;
	bool ok;

	if (!c->resume)
		return true;
	if (snprintf(path, sizeof(path), "%s/" STATE_NAME, c->resume) >= (int)sizeof(path))
		return pd_error_errno(e, ENAMETOOLONG, "read", c->resume);
	f = fopen(path, "re");
	if (!f && errno == ENOENT)
		return nothing_kept(c, e);
	if (!f)
		return pd_error_errno(e, errno, "read", path);
	ok = read_state(c, f, e);
	fclose(f);
	return ok;
}
