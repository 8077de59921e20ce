/*
 * explore/resume.c - a stopped exploration, in a file `state` of its directory: the rest of the
 * frontier, coverage and counters. See explore.h.
 *
 * The file is valid for this machine and version: a header, then parts of the board as they are,
 * then the records. It belongs to the program and to what was symbolic; both are compared when it
 * is read.
 */
#include "drive/explore/explore.h"
#include "report/report.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STATE_NAME "state"

struct state {
	uint64_t magic;
	uint32_t version, size; /* of the board */
	uint64_t program[2];	/* size and time of its file */
	uint32_t input_size, nsources, faults, schedules;
	uint64_t schedule_seed;
	uint64_t records;
};

/* The parts of the board that are saved. */
struct part {
	size_t at, n;
};

#define PART(first, last)                                                                          \
	{offsetof(struct pd_explore, first),                                                       \
	 offsetof(struct pd_explore, last) - offsetof(struct pd_explore, first)}

static const struct part parts[] = {
	PART(source, limits),  PART(paths, checkpoint), PART(diverged_at, symbolic),
	PART(nfindings, edge), PART(edge, worker),
};

static void identify(const struct pd_explore_run *x, struct state *s)
{
	struct stat st;

	*s = (struct state){.magic = PD_EXPLORE_MAGIC,
			    .version = PD_EXPLORE_VERSION,
			    .size = sizeof(struct pd_explore),
			    .input_size = x->input_size,
			    .nsources = x->nsources,
			    .faults = x->faults,
			    .schedules = x->schedules,
			    .schedule_seed = x->schedules > 1 ? x->options.seed : 0};
	if (stat(x->options.argv[0], &st) == 0) {
		s->program[0] = (uint64_t)st.st_size;
		s->program[1] =
			(uint64_t)st.st_mtim.tv_sec * 1000000000 + (uint64_t)st.st_mtim.tv_nsec;
	}
}

/* ---- saving --------------------------------------------------------------------------------- */

static void write_record(void *ctx, const struct pd_record *r)
{
	FILE *f = ctx;

	fwrite(r, sizeof(*r), 1, f);
	fwrite(pd_record_input(r), 1, r->size, f);
	fwrite(pd_record_pins(r), sizeof(uint64_t), r->npins, f);
}

bool pd_explore_save_state(struct pd_explore_run *x, struct pd_error *e)
{
	const struct pd_explore *b = x->board;
	char path[PATH_MAX];
	struct pd_filewriter w;
	struct state s;

	if (!pd_outdir_path(&x->out, STATE_NAME, path))
		return pd_error_errno(e, ENAMETOOLONG, "write", x->out.path);
	if (!b->search.n) {
		unlink(path); /* of the run that was continued */
		return true;
	}
	identify(x, &s);
	s.records = b->search.n;
	if (!pd_file_begin(&w, path, e))
		return false;
	fwrite(&s, sizeof(s), 1, w.f);
	for (size_t i = 0; i < PD_LEN(parts); i++)
		fwrite((const char *)b + parts[i].at, 1, parts[i].n, w.f);
	pd_search_each(&b->search, write_record, w.f);
	return pd_file_commit(&w, e);
}

/* ---- loading -------------------------------------------------------------------------------- */

static struct pd_search_worth no_worth(void *ctx, const struct pd_record *r)
{
	(void)ctx;
	(void)r;
	return (struct pd_search_worth){0};
}

static bool read_record(struct pd_explore_run *x, FILE *f, uint8_t *input, uint64_t *pins)
{
	const struct pd_search_judge judge = {.worth = no_worth};
	struct pd_record r;

	if (fread(&r, sizeof(r), 1, f) != 1 || r.size != x->input_size || r.npins > PD_PATH_PINS ||
	    fread(input, 1, r.size, f) != r.size ||
	    fread(pins, sizeof(*pins), r.npins, f) != r.npins)
		return false;
	if (!pd_search_put(&x->board->search, &r, input, pins, &judge))
		x->board->frontier_cut++;
	return true;
}

static bool is_same(const struct pd_explore_run *x, const struct state *s, struct pd_error *e)
{
	struct state mine;

	identify(x, &mine);
	if (s->magic != mine.magic || s->version != mine.version || s->size != mine.size)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "'%.300s/" STATE_NAME
				    "' was made by another version of perdure",
				    x->resume);
	if (memcmp(s->program, mine.program, sizeof(mine.program)) != 0)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "'%.200s' has changed since '%.200s' was made; explore it from "
				    "the start",
				    x->options.argv[0], x->resume);
	return true;
}

static bool is_same_input(const struct pd_explore_run *x, const struct state *s)
{
	struct state mine;

	identify(x, &mine);
	return s->input_size == mine.input_size && s->nsources == mine.nsources &&
	       s->faults == mine.faults && s->schedules == mine.schedules &&
	       s->schedule_seed == mine.schedule_seed;
}

/* Compares what is symbolic, but not how much of it was used so far. */
static bool has_same_sources(const struct pd_explore_run *x)
{
	for (uint32_t i = 0; i < x->nsources; i++) {
		const struct pd_explore_source *a = &x->source[i], *b = &x->board->source[i];

		if (a->kind != b->kind || a->whole != b->whole || a->at != b->at || a->n != b->n ||
		    strcmp(a->name, b->name) != 0)
			return false;
	}
	return true;
}

static bool read_state(struct pd_explore_run *x, FILE *f, struct pd_error *e)
{
	uint64_t pins[PD_PATH_PINS];
	uint8_t *input = malloc(x->input_size + 1);
	struct state s;
	bool ok;

	ok = input && fread(&s, sizeof(s), 1, f) == 1;
	if (ok && !is_same(x, &s, e)) {
		free(input);
		return false;
	}
	for (size_t i = 0; ok && i < PD_LEN(parts); i++)
		ok = fread((char *)x->board + parts[i].at, 1, parts[i].n, f) == parts[i].n;
	if (ok && !(is_same_input(x, &s) && has_same_sources(x))) {
		free(input);
		return pd_error_set(e, PD_EXIT_USAGE,
				    "'%.300s' had something else symbolic; give the same --sym "
				    "options, --schedules and --seed",
				    x->resume);
	}
	for (uint64_t i = 0; ok && i < s.records; i++)
		ok = read_record(x, f, input, pins);
	free(input);
	return ok || pd_error_set(e, PD_EXIT_USAGE,
				  "'%.300s/" STATE_NAME "' is cut short or damaged", x->resume);
}

bool pd_explore_load_state(struct pd_explore_run *x, struct pd_error *e)
{
	char path[PATH_MAX];
	FILE *f;
	bool ok;

	if (snprintf(path, sizeof(path), "%s/" STATE_NAME, x->resume) >= (int)sizeof(path))
		return pd_error_errno(e, ENAMETOOLONG, "read", x->resume);
	f = fopen(path, "re");
	if (!f && errno == ENOENT)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "nothing is left to do in '%.300s': it has no '" STATE_NAME "'",
				    x->resume);
	if (!f)
		return pd_error_errno(e, errno, "read", path);
	ok = read_state(x, f, e);
	fclose(f);
	return ok;
}

bool pd_explore_load_findings(struct pd_explore_run *x, struct pd_error *e)
{
	struct pd_result old;

	if (!x->resume)
		return true;
	if (!pd_result_load(&old, &x->arena, x->resume, e))
		return false;
	for (uint32_t i = 0; i < old.settings.n; i++)
		pd_result_settings(&x->result, old.settings.v[i]);
	pd_findings_join(&x->result.findings, &old.findings);
	return true;
}
