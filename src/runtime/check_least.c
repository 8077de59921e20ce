/* check_least.c - see check_least.h. */
#include "runtime/check_least.h"
#include "runtime/check.h"
#include "runtime/check_blame.h"
#include "runtime/session.h"
#include <string.h>

enum {
	SUSPECTS = 64,
	TRIALS = 64,
	SLOW_TRIALS = 32, /* where each takes its whole budget of events */
};

struct search {
	pd_least_execute execute;
	const struct pd_board_run *from;
	struct pd_board_suspect *s; /* that are needed, as far as is known; on the board */
	struct pd_board_suspect *tried;
	uint32_t n;
	struct pd_board_run *run; /* of the last trial */
	uint32_t trials;
	uint32_t most;
	uint64_t mended; /* a bit a suspect: without it recovery ends well, not only otherwise */
	bool over;
};

/* ---- suspects ---------------------------------------------------------------------------------- */

/* Of this line and execution. */
static struct pd_board_suspect *find(struct search *s, uint64_t line, uint32_t dim)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (s->s[i].line == line && s->s[i].dim == dim)
			return &s->s[i];
	return NULL;
}

/* The first read of a line says what it could have been, the last one what it was. */
static void note(struct search *s, const struct pd_board_choice *c, uint32_t dim)
{
	uint64_t line = c->addr >> pd_session.model.params.line_shift;
	struct pd_board_suspect *to = find(s, line, dim);

	if (!to && s->n < SUSPECTS) {
		to = &s->s[s->n++];
		*to = (struct pd_board_suspect){line, dim, 0, c->newest_version[dim]};
	}
	if (to)
		to->version = c->version[dim];
}

static void collect(struct search *s)
{
	uint32_t lost = 0;

	for (uint32_t i = 0; i < PD_MIN(s->from->nchoice, PD_BOARD_CHOICES); i++)
		for (uint32_t d = 0; d < s->from->choice[i].ndim; d++)
			note(s, &s->from->choice[i], d);
	for (uint32_t i = 0; i < s->n; i++)
		if (s->s[i].version < s->s[i].newest)
			s->s[lost++] = s->s[i];
	s->n = lost;
}

/* ---- trials ------------------------------------------------------------------------------------ */

/* Whether it fails in the same way with the suspects that are in `tried`. */
static bool still(struct search *s, uint32_t n)
{
	const struct pd_board_run *bad;

	if (s->over || s->trials == s->most)
		return false;
	s->trials++;
	s->over = !s->execute(s->tried, n, s->run, &bad);
	return !s->over && s->run->outcome == s->from->outcome && s->run->detail == s->from->detail;
}

static bool ended_well(const struct search *s)
{
	return s->run->outcome == PD_OUTCOME_GOOD;
}

/* Those that are needed, but for number i; s->n of them: all. */
static bool still_without(struct search *s, uint32_t i)
{
	uint32_t n = 0;

	for (uint32_t k = 0; k < s->n; k++)
		if (k != i)
			s->tried[n++] = s->s[k];
	return still(s, n);
}

static bool still_alone(struct search *s, uint32_t i)
{
	s->tried[0] = s->s[i];
	return still(s, 1);
}

static void drop(struct search *s, uint32_t i)
{
	memmove(&s->s[i], &s->s[i + 1], (--s->n - i) * sizeof(*s->s));
}

/* One alone, or all that do not go away. The one that was stored to last first: it is nearest to the crash. */
static void find_needed(struct search *s)
{
	for (uint32_t i = s->n; s->n > 1 && i-- > 0;)
		if (still_alone(s, i)) {
			s->s[0] = s->s[i];
			s->n = 1;
			return;
		}
	for (uint32_t i = s->n; s->n > 1 && i-- > 0;)
		if (still_without(s, i))
			drop(s, i);
}

/* The newest version of a needed line with which recovery fails: the store after it is the one. */
static void raise(struct search *s, uint32_t i)
{
	uint32_t fails = s->s[i].version, not = s->s[i].newest;
	bool good = false, tried = false;

	while (not - fails > 1 && !s->over && s->trials < s->most) {
		memcpy(s->tried, s->s, s->n * sizeof(*s->s));
		s->tried[i].version = fails + (not - fails) / 2;
		if (still(s, s->n)) {
			fails = s->tried[i].version;
		} else if (!s->over) {
			not = s->tried[i].version;
			good = ended_well(s);
			tried = true;
		}
	}
	if (!tried && s->trials < s->most) { /* without it at all */
		still_without(s, i);
		good = ended_well(s);
	}
	s->s[i].version = fails;
	s->mended |= (uint64_t)good << i;
}

/* ---- all of it --------------------------------------------------------------------------------- */

static bool is_slow(const struct pd_board_run *run)
{
	return run->outcome == PD_OUTCOME_HANG && !strstr(run->text, "same state");
}

static bool prepare(struct search *s)
{
	s->s = pd_board_alloc(NULL, SUSPECTS * sizeof(*s->s));
	s->tried = pd_board_alloc(NULL, SUSPECTS * sizeof(*s->tried));
	s->run = pd_board_alloc(NULL, sizeof(*s->run));
	return s->s && s->tried && s->run;
}

bool pd_least_within(const struct pd_board_run *least, const struct pd_board_run *run)
{
	if (least->when != run->when || least->seed != run->seed || least->parent != run->parent ||
	    least->nneed > PD_LEN(least->need))
		return false;
	for (uint32_t k = 0; k < least->nneed; k++) {
		const struct pd_board_suspect *s = &least->need[k];
		uint32_t version = s->newest;

		for (uint32_t i = 0; i < PD_MIN(run->nchoice, PD_BOARD_CHOICES); i++)
			if (run->choice[i].addr >> pd_session.model.params.line_shift == s->line)
				version = run->choice[i].version[s->dim];
		if (version > s->version)
			return false;
	}
	return true;
}

/* In the account of the failure: what came of it. */
static void mark(const struct search *s, struct pd_board_run *least)
{
	least->forced = true;
	least->nneed = s->n;
	memcpy(least->need, s->s, PD_MIN(s->n, PD_LEN(least->need)) * sizeof(*s->s));
	for (uint32_t i = 0; i < PD_MIN(least->nchoice, PD_BOARD_CHOICES); i++) {
		struct pd_board_choice *c = &least->choice[i];

		for (uint32_t k = 0; c->blamed && k < s->n; k++)
			if (s->s[k].line == c->addr >> pd_session.model.params.line_shift)
				c->mended = s->mended >> k & 1;
	}
}

const struct pd_board_run *pd_least(const struct pd_board_run *from, pd_least_execute execute)
{
	struct search s = {.execute = execute, .from = from, .most = is_slow(from) ? SLOW_TRIALS : TRIALS};
	const struct pd_board_run *least = NULL;

	if (!prepare(&s))
		return NULL;
	collect(&s);
	memcpy(s.tried, s.s, s.n * sizeof(*s.s));
	if (s.n && !still(&s, s.n))
		return s.over ? NULL : from;
	if (s.n && still(&s, 0))
		s.n = 0;
	find_needed(&s);
	for (uint32_t i = 0; i < s.n; i++)
		raise(&s, i);
	if (s.over || !execute(s.s, s.n, NULL, &least) || !least)
		return NULL;
	mark(&s, (struct pd_board_run *)least);
	return least;
}

/* ---- in the recovery --------------------------------------------------------------------------- */

/* Whether the set has a point that is as all suspects of the line say; number `but` is at version `newer`. */
static bool has(const struct pd_vset *set, const struct pd_board_order *o, uint64_t line, uint32_t but, uint32_t newer)
{
	for (uint32_t b = 0; b < set->nbox; b++) {
		const struct pd_span *box = set->span + (size_t)b * set->ndim;
		uint32_t i = 0;

		for (; i < o->nsuspect; i++) {
			const struct pd_board_suspect *s = &o->suspect[i];
			uint32_t v = i == but ? newer : s->version;

			if (s->line == line && s->dim < set->ndim && (v < box[s->dim].lo || v > box[s->dim].hi))
				break;
		}
		if (i == o->nsuspect)
			return true;
	}
	return false;
}

static uint32_t class_with(const struct pd_board_order *o, uint64_t line, const pd_classes *classes, uint32_t but,
			   uint32_t newer)
{
	uint32_t i = 0;

	while (i < classes->n && !has(&classes->v[i].set, o, line, but, newer))
		i++;
	return i;
}

uint32_t pd_least_pick(const struct pd_board_order *o, const struct pd_line *line, const pd_classes *classes)
{
	uint32_t i = class_with(o, line->cur.line, classes, UINT32_MAX, 0);

	/* Not there: a checksum allows no such mixture, or another crash. Then newest. */
	return i < classes->n ? i : 0;
}

/* The version after v: with one more store, and all that becomes durable with it. */
static uint32_t version_after(const struct pd_history *h, uint32_t v)
{
	const struct pd_store *s = pd_log_at(h->log, v);

	for (v++; s->flags & PD_LOGGED_OPEN && s->next; s = pd_log_at(h->log, v - 1))
		v = s->next;
	return v;
}

/* The store that makes version v + 1 of version v. */
static struct pd_board_source store_after(const struct pd_history *h, uint32_t v)
{
	const struct pd_store *s = pd_log_at(h->log, v);
	uint32_t order = v < h->log->order.n ? h->log->order.v[v] : v + 1;

	return (struct pd_board_source){.site = s->site, .exec = h->log->exec, .order = order, .tid = s->tid,
					.flush = order <= h->pending ? h->pending : 0};
}

static const struct pd_history *history(const struct pd_line *line, uint32_t dim)
{
	const struct pd_history *h = line->crashed;

	while (h && dim--)
		h = h->older;
	return h;
}

void pd_least_blame(const struct pd_board_order *o, const struct pd_line *line, const pd_classes *classes,
		    uint64_t mask, struct pd_board_choice *c)
{
	uint64_t index = line->cur.line;

	for (uint32_t i = 0; i < o->nsuspect; i++) {
		const struct pd_board_suspect *s = &o->suspect[i];
		const struct pd_history *h = s->line == index ? history(line, s->dim) : NULL;
		uint32_t with = h ? class_with(o, index, classes, i, version_after(h, s->version)) : classes->n;

		if (with == classes->n || with == c->pick)
			continue;
		c->next = store_after(h, s->version);
		c->next.value = pd_blame_source(&classes->v[with], mask).value;
		c->blamed = 1;
		pd_check_publish(c->next.site, c->next.exec > 0);
		return;
	}
}
