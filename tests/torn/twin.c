/* twin.c - see twin.h. */
#include "twin.h"
#include <string.h>

struct world {
	const struct program *p;
	int n; /* events before the crash */
	bool before[EVENTS][EVENTS];
};

static bool is_store(enum op op)
{
	return op == PLAIN || op == RELAXED || op == RELEASE || op == SEQ_CST || op == RMW;
}

static bool is_fence(enum op op) /* to the machine */
{
	return op == SFENCE || op == MFENCE || op == RMW || op == SEQ_CST || op == A_RMW;
}

static int line_of(int word)
{
	return word / WORDS_A_LINE;
}

/* ---- happens before ------------------------------------------------------------------------------- */

static bool is_outside(enum op op)
{
	return op == A_LOAD || op == A_STORE || op == A_RMW;
}

static bool is_rmw(enum op op)
{
	return op == A_RMW || op == RMW;
}

static bool is_write(enum op op) /* of an atomic, or a plain one */
{
	return is_store(op) || op == A_STORE || op == A_RMW;
}

/* Its memory order releases, if it writes; acquires, if it reads. */
static bool is_strong(const struct event *e)
{
	return is_outside(e->op) ? e->strong : e->op == RELEASE || e->op == SEQ_CST || e->op == RMW;
}

/* The last write of the same object before event i; -1: none. */
static int last_write(const struct world *w, int i)
{
	const struct event *e = w->p->e;

	for (int k = i; k-- > 0;)
		if (is_write(e[k].op) && is_outside(e[k].op) == is_outside(e[i].op) && e[k].at == e[i].at)
			return k;
	return -1;
}

/* The release operations whose effect an atomic write of this object carries on. */
static void sources(const struct world *w, int write, bool out[EVENTS])
{
	const struct event *e = w->p->e;
	int from = is_rmw(e[write].op) ? last_write(w, write) : -1;

	if (e[write].op == PLAIN)
		return;
	if (is_strong(&e[write]))
		out[write] = true;
	else
		for (int i = write; i-- > 0;) /* a relaxed one: of the last fence before it */
			if (e[i].tid == e[write].tid && (e[i].op == FENCE_REL || e[i].op == MFENCE))
				out[i] = true;
	if (from >= 0)
		sources(w, from, out);
}

/* An atomic read of the object: from whom, and what that synchronises with. */
static void read_edges(struct world *w, int read)
{
	const struct event *e = w->p->e;
	bool from[EVENTS] = {0};

	if (last_write(w, read) >= 0)
		sources(w, last_write(w, read), from);
	for (int i = 0; i < read; i++) {
		if (!from[i])
			continue;
		if (is_strong(&e[read]))
			w->before[i][read] = true;
		for (int k = read + 1; k < w->n; k++)
			if (e[k].tid == e[read].tid && (e[k].op == FENCE_ACQ || e[k].op == MFENCE))
				w->before[i][k] = true;
	}
}

static void close_transitively(struct world *w)
{
	for (int k = 0; k < w->n; k++)
		for (int i = 0; i < w->n; i++)
			for (int j = 0; j < w->n; j++)
				if (w->before[i][k] && w->before[k][j])
					w->before[i][j] = true;
}

static void order(struct world *w)
{
	const struct event *e = w->p->e;

	for (int j = 0; j < w->n; j++) {
		for (int i = 0; i < j; i++) {
			if (e[i].tid == e[j].tid)
				w->before[i][j] = true;
			if (e[i].op == UNLOCK && e[j].op == LOCK && e[i].at == e[j].at)
				w->before[i][j] = true;
		}
		if (e[j].op == A_LOAD || is_rmw(e[j].op))
			read_edges(w, j);
	}
	close_transitively(w);
}

/* ---- what is on the medium -------------------------------------------------------------------------- */

/* The event that completes flush f, -1: none before the crash. */
static int completed_by(const struct world *w, int f)
{
	const struct event *e = w->p->e;

	if (e[f].op == CLFLUSH)
		return f;
	for (int i = f + 1; i < w->n; i++)
		if (e[i].tid == e[f].tid && is_fence(e[i].op))
			return i;
	return -1;
}

static bool is_flush(const struct event *e)
{
	return e->op == CLFLUSH || e->op == CLWB;
}

/* Stores to the line before this event are certainly on the medium. */
static int certain(const struct world *w, int line)
{
	int must = 0;

	for (int f = 0; f < w->n; f++)
		if (is_flush(&w->p->e[f]) && line_of(w->p->e[f].at) == line && completed_by(w, f) >= 0)
			must = f;
	return must;
}

/* Who wrote the word, if the line is as it was before event v; -1: nobody. */
static int writer(const struct world *w, int word, int v)
{
	for (int i = v; i-- > 0;)
		if (is_store(w->p->e[i].op) && w->p->e[i].at == word)
			return i;
	return -1;
}

/* ---- the definition --------------------------------------------------------------------------------- */

static bool is_release(enum op op)
{
	return op == RELEASE || op == SEQ_CST || op == RMW;
}

/* (3), (4): a flush of s's line after s, complete, and with prefixes: before something that was read. */
static bool flushed(const struct world *w, int s, const int *seen, int nseen, bool prefix)
{
	const struct event *e = w->p->e;

	for (int f = 0; f < w->n; f++) {
		int g;

		if (!is_flush(&e[f]) || line_of(e[f].at) != line_of(e[s].at) || !w->before[s][f])
			continue;
		g = completed_by(w, f);
		if (g < 0)
			continue;
		if (!prefix)
			return true;
		for (int i = 0; i < nseen; i++)
			if (seen[i] >= 0 && (w->before[g][seen[i]] || (g == seen[i] && g != f)))
				return true;
	}
	return false;
}

/* One combination of versions. */
static void judge(const struct world *w, const int version[LINES], bool prefix, bool race[EVENTS][READS])
{
	const struct event *e = w->p->e;
	int seen[READS];

	for (int r = 0; r < w->p->nread; r++) {
		int word = w->p->read[r], s = writer(w, word, version[line_of(word)]);
		bool safe = false;

		seen[r] = s;
		if (s < 0 || e[s].op != PLAIN) /* (1) */
			continue;
		for (int i = 0; i < r; i++) /* (2) */
			if (seen[i] >= 0 && line_of(w->p->read[i]) == line_of(word) &&
			    is_release(e[seen[i]].op) && w->before[s][seen[i]])
				safe = true;
		if (!safe && !flushed(w, s, seen, r, prefix))
			race[s][r] = true;
	}
}

bool twin_unchanged(const struct program *p, int e)
{
	const struct world w = {.p = p, .n = p->n};
	int last = writer(&w, p->e[e].at, e);

	return p->e[e].value == (last < 0 ? 0 : p->e[last].value);
}

void twin_races(const struct program *p, int crash, bool prefix, bool race[EVENTS][READS])
{
	struct world w = {.p = p, .n = crash};
	int version[LINES];

	order(&w);
	for (version[0] = certain(&w, 0); version[0] <= crash; version[0]++)
		for (version[1] = certain(&w, 1); version[1] <= crash; version[1]++)
			judge(&w, version, prefix, race);
}
