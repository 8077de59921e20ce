/* least.c - see least.h. */
#include "engine/crash/least.h"
#include "engine/crash/blame.h"
#include "engine/crash/end.h"

enum {
	TRIALS = 128,
	SLOW_TRIALS = 32, /* for runs that use up their whole budget of events */
	ALONE = 8,	  /* suspects tried alone before the search over all */
};

struct search {
	const struct pd_least *front;
	const struct pd_crash_run *from;
	struct pd_crash_suspect *s; /* those still needed, as far as is known */
	struct pd_crash_suspect *tried;
	uint32_t n;
	uint32_t room;		  /* capacity of `tried` */
	struct pd_crash_run *run; /* of the last trial */
	uint32_t trials;
	uint32_t most;
	bool over;
};

/* ---- suspects ------------------------------------------------------------------------------- */

static uint64_t line_of(const struct search *s, const struct pd_crash_choice *c)
{
	return c->addr >> s->front->model->params.line_shift;
}

/* The suspect of this line and execution. */
static struct pd_crash_suspect *find(struct search *s, uint64_t line, uint32_t dim)
{
	for (uint32_t i = s->n; i-- > 0;) /* most reads are of the same line as the previous one */
		if (s->s[i].line == line && s->s[i].dim == dim)
			return &s->s[i];
	return NULL;
}

/* Choices come last first: the first read of a line says which version it could have been, the last
 * one which it was. */
static void note(struct search *s, const struct pd_crash_choice *c, uint32_t dim)
{
	uint64_t line = line_of(s, c);
	struct pd_crash_suspect *to = find(s, line, dim);

	if (!to) {
		to = &s->s[s->n++];
		*to = (struct pd_crash_suspect){
			.line = line, .dim = dim, .version = c->version[dim]};
	}
	to->newest = c->newest_version[dim];
}

/* Collects the lines that recovery found older than possible, the last ones read first. */
static void collect(struct search *s)
{
	uint32_t lost = 0;

	for (const struct pd_crash_choice *c = s->from->last; c; c = c->before)
		for (uint32_t d = 0; d < c->ndim; d++)
			note(s, c, d);
	for (uint32_t i = 0; i < s->n; i++)
		if (s->s[i].version < s->s[i].newest)
			s->s[lost++] = s->s[i];
	s->n = lost;
}

/* ---- trials --------------------------------------------------------------------------------- */

static bool may_try(const struct search *s)
{
	return !s->over && s->trials < s->most;
}

static bool execute(const struct search *s, const struct pd_crash_suspect *v, uint32_t n,
		    struct pd_crash_run *trial, const struct pd_crash_run **bad)
{
	return s->front->execute(s->front->ctx, (struct pd_suspects){v, n}, trial, bad);
}

/* Whether recovery still fails in the same way with the suspects in `tried`. */
static bool still(struct search *s, uint32_t n)
{
	const struct pd_crash_run *bad;

	if (!may_try(s))
		return false;
	s->trials++;
	s->over = !execute(s, s->tried, n, s->run, &bad);
	return !s->over && pd_end_alike(s->run, s->from);
}

static bool ended_well(const struct search *s)
{
	return s->run->outcome == PD_OUTCOME_GOOD;
}

/* The same without those from `lo` to before `hi`. */
static bool still_without(struct search *s, uint32_t lo, uint32_t hi)
{
	memcpy(s->tried, s->s, lo * sizeof(*s->s));
	memcpy(s->tried + lo, s->s + hi, (s->n - hi) * sizeof(*s->s));
	return still(s, s->n - (hi - lo));
}

static void drop(struct search *s, uint32_t lo, uint32_t hi)
{
	memmove(&s->s[lo], &s->s[hi], (s->n - hi) * sizeof(*s->s));
	s->n -= hi - lo;
}

static bool still_alone(struct search *s, uint32_t i)
{
	s->tried[0] = s->s[i];
	return still(s, 1);
}

/* Drops one part after the other, if it is not needed; returns whether any was dropped. */
static bool leave_out_parts(struct search *s, uint32_t part)
{
	bool left_out = false;

	for (uint32_t lo = 0; s->n > 1 && lo < s->n && may_try(s);) {
		uint32_t hi = PD_MIN(lo + part, s->n);

		if (hi - lo < s->n && still_without(s, lo, hi)) {
			drop(s, lo, hi);
			left_out = true;
		} else {
			lo = hi;
		}
	}
	return left_out;
}

/*
 * Reduces the suspects to a single one that suffices, or else to a set of which all are needed:
 * leaves out halves first, then smaller and smaller parts, so that a few needed ones among many are
 * found in few trials.
 */
static void find_needed(struct search *s)
{
	uint32_t part;

	for (uint32_t i = 0; s->n > 1 && i < PD_MIN(s->n, ALONE); i++)
		if (still_alone(s, i)) {
			s->s[0] = s->s[i];
			s->n = 1;
			return;
		}
	for (part = (s->n + 1) / 2; s->n > 1 && may_try(s); part = (PD_MIN(part, s->n) + 1) / 2)
		if (!leave_out_parts(s, part) && part == 1)
			break;
}

/*
 * Raises a needed line to the newest version with which recovery still fails: the next store is the
 * one to blame.
 */
static void raise(struct search *s, uint32_t i)
{
	uint32_t fails = s->s[i].version, not = s->s[i].newest;
	bool good = false, tried = false;

	while (not-fails > 1 && may_try(s)) {
		memcpy(s->tried, s->s, s->n * sizeof(*s->s));
		s->tried[i].version = fails + (not-fails) / 2;
		if (still(s, s->n)) {
			fails = s->tried[i].version;
		} else if (!s->over) {
			not = s->tried[i].version;
			good = ended_well(s);
			tried = true;
		}
	}
	if (!tried && may_try(s)) { /* not lost at all */
		still_without(s, i, i + 1);
		good = ended_well(s);
	}
	s->s[i].version = fails;
	s->s[i].ends_well = good;
}

/* ---- stores that are made in pieces --------------------------------------------------------- */

/* The words of one store: indices in the log. */
struct words {
	uint32_t first;
	uint32_t last;
};

static struct words words_of(const struct pd_log *log, uint32_t i)
{
	struct words w = {i, i};

	while (w.first && pd_log_at(log, w.first)->flags & PD_LOGGED_PART)
		w.first--;
	while (w.last + 1 < log->n && pd_log_at(log, w.last + 1)->flags & PD_LOGGED_PART)
		w.last++;
	return w;
}

static bool has_word(const struct pd_line *line, const struct words *w)
{
	for (uint32_t i = line->cur.log ? line->cur.first : 0; i;
	     i = pd_log_at(line->cur.log, i - 1)->next)
		if (i - 1 >= w->first && i - 1 <= w->last)
			return true;
	return false;
}

/* Makes room for `more` lines in `tried` besides the needed suspects. False: memory ran out. */
static bool make_room(struct search *s, uint32_t more)
{
	const struct pd_tree_memory *mem = &s->front->memory;
	struct pd_crash_suspect *tried;

	if (s->n + more <= s->room)
		return true;
	tried = mem->alloc(mem->ctx, (s->n + more) * sizeof(*tried));
	if (!tried)
		return false;
	s->tried = tried;
	s->room = s->n + more;
	return true;
}

static uint32_t lines_of(const struct search *s, const struct words *w)
{
	uint32_t n = 0;

	for (const struct pd_line *line = s->front->model->lines; line; line = line->next)
		n += has_word(line, w);
	return n;
}

/* Fills `tried` with all needed suspects, and this store lost as a whole; returns how many. */
static uint32_t lose_whole(struct search *s, const struct words *w)
{
	uint32_t n = s->n;

	memcpy(s->tried, s->s, s->n * sizeof(*s->s));
	for (const struct pd_line *line = s->front->model->lines; line; line = line->next) {
		struct pd_crash_suspect *to;

		if (!has_word(line, w))
			continue;
		to = find(s, line->cur.line, 0);
		to = to ? s->tried + (to - s->s) : &s->tried[n++];
		*to = (struct pd_crash_suspect){
			.line = line->cur.line, .version = w->first, .by_order = true};
	}
	return n;
}

/* Whether only a part of the store must be lost: recovery fails in this way neither without all of
 * it nor with all of it. */
static bool is_torn(struct search *s, const struct pd_crash_choice *c)
{
	const struct pd_log *log = s->front->model->log;
	struct words w;

	if (!c->blamed || c->next.exec != log->exec || !c->next.order || c->next.order > log->n ||
	    !may_try(s))
		return false;
	w = words_of(log, c->next.order - 1);
	return w.first != w.last && make_room(s, lines_of(s, &w)) && !still(s, lose_whole(s, &w)) &&
	       !s->over;
}

/* ---- stores that no transaction has logged -------------------------------------------------- */

/* Lines with such stores, each as it was before the first of them: later stores to it are lost,
 * too. */
struct lines {
	struct pd_crash_suspect *v;
	uint32_t n;
	struct pd_crash_suspect *less; /* scratch, as large */
};

/* The first store to the line that an open transaction has not logged, and that may be lost: its
 * index in the log; 0: there is none. */
static uint32_t first_unlogged(const struct pd_line *line, const struct pd_tx *tx)
{
	for (uint32_t i = line->cur.log ? line->cur.first : 0; i;
	     i = pd_log_at(line->cur.log, i - 1)->next) {
		const struct pd_unlogged *u = pd_unlogged_find(tx->found.v, tx->found.n, i);

		if (u && i > line->cur.must && pd_unlogged_is_open(tx, u))
			return i;
	}
	return 0;
}

/* False: memory ran out. */
static bool collect_unlogged(struct search *s, struct lines *u)
{
	const struct pd_tree_memory *mem = &s->front->memory;
	const struct pd_tx *tx = s->front->tx;
	uint32_t room = 0, first;

	for (const struct pd_line *line = s->front->model->lines; line; line = line->next)
		room += first_unlogged(line, tx) != 0;
	u->v = mem->alloc(mem->ctx, (room + 1) * sizeof(*u->v));
	u->less = mem->alloc(mem->ctx, (room + 1) * sizeof(*u->less));
	if (!u->v || !u->less || !make_room(s, room))
		return false;
	for (const struct pd_line *line = s->front->model->lines; line; line = line->next)
		if ((first = first_unlogged(line, tx)))
			u->v[u->n++] = (struct pd_crash_suspect){
				.line = line->cur.line, .version = first - 1, .by_order = true};
	return true;
}

enum without { FAILS, ENDS_WELL, UNTRIED };

/* How recovery ends with the needed stores lost and, in the lines `v`, the unlogged ones. */
static enum without without(struct search *s, const struct pd_crash_suspect *v, uint32_t n)
{
	uint32_t all = s->n;

	if (!n)
		return FAILS; /* that is the failure itself */
	if (!may_try(s))
		return UNTRIED;
	memcpy(s->tried, s->s, s->n * sizeof(*s->s));
	for (uint32_t i = 0; i < n; i++) {
		struct pd_crash_suspect *there = find(s, v[i].line, 0);

		if (there) /* already lost, as far as needed */
			s->tried[there - s->s] = v[i];
		else
			s->tried[all++] = v[i];
	}
	still(s, all);
	return s->over ? UNTRIED : ended_well(s) ? ENDS_WELL : FAILS;
}

/* Drops parts of `u`, if the rest is enough. */
static void keep_part(struct search *s, struct lines *u, uint32_t part)
{
	for (uint32_t lo = 0; lo < u->n && u->n > part && may_try(s);) {
		uint32_t hi = PD_MIN(lo + part, u->n), left = u->n - (hi - lo);

		memcpy(u->less, u->v, lo * sizeof(*u->v));
		memcpy(u->less + lo, u->v + hi, (u->n - hi) * sizeof(*u->v));
		if (without(s, u->less, left) == ENDS_WELL) {
			memcpy(u->v, u->less, left * sizeof(*u->v));
			u->n = left;
		} else {
			lo = hi;
		}
	}
}

/* As few lines as it takes. */
static void keep_fewest(struct search *s, struct lines *u)
{
	for (uint32_t part = (u->n + 1) / 2; part && u->n > 1; part /= 2)
		keep_part(s, u, part);
}

static const struct pd_line *line_at(const struct search *s, uint64_t index)
{
	const struct pd_line *line = s->front->model->lines;

	while (line && line->cur.line != index)
		line = line->next;
	return line;
}

/* The first store that this suspect has lost: an index in the log; 0: there is none. */
static uint32_t first_lost_of(const struct search *s, const struct pd_crash_suspect *v)
{
	const struct pd_line *line = line_at(s, v->line);

	for (uint32_t i = line && line->cur.log ? line->cur.first : 0; i;
	     i = pd_log_at(line->cur.log, i - 1)->next)
		if (i > v->version)
			return i;
	return 0;
}

/* Whether all that is lost was stored by the transaction of `u`, or by what it calls, after `u`. */
static bool is_lost_after(const struct search *s, const struct pd_unlogged *u)
{
	for (uint32_t k = 0; k < s->n; k++) {
		uint32_t i = s->s[k].dim ? 0 : first_lost_of(s, &s->s[k]);

		if (i <= u->last || pd_log_at(s->front->model->log, i - 1)->tid != u->tid)
			return false;
	}
	return true;
}

/* No crash can take it any more: the commit has flushed its line for something else, say. */
static bool is_durable(const struct search *s, const struct pd_unlogged *u)
{
	const struct pd_line *line = line_at(s, u->addr >> s->front->model->params.line_shift);

	return line && line->cur.log && u->last <= line->cur.must;
}

/*
 * Losing the unlogged stores does not help: they are durable; or they were logged after they were
 * stored, so they are not undone, but restored as they are. Everything else that an open
 * transaction has stored is undone, and lost stores of its own log and commit do not change that;
 * so these are to blame. Where nothing is lost, so are all others.
 */
static void take_open(const struct search *s, struct pd_crash_run *least)
{
	const struct pd_tx *tx = s->front->tx;

	for (uint32_t i = 0; i < tx->found.n; i++) {
		const struct pd_unlogged *u = &tx->found.v[i];
		bool stays = u->late || is_durable(s, u);

		if (pd_unlogged_is_open(tx, u) && (stays ? is_lost_after(s, u) : !s->n) &&
		    least->nunlogged < PD_LEN(least->unlogged))
			least->unlogged[least->nunlogged++] = u->first;
	}
}

/* All that are left, if they are needed or few: of more, those that are needed may be the
 * others. */
static void take_needed(const struct search *s, const struct lines *u, struct pd_crash_run *least)
{
	if (u->n > PD_LEN(least->unlogged) && !may_try(s))
		return;
	least->nunlogged = PD_MIN(u->n, PD_LEN(least->unlogged));
	for (uint32_t i = 0; i < least->nunlogged; i++)
		least->unlogged[i] = u->v[i].version + 1;
}

/*
 * The dual of forcing stores durable: which stores, if lost, would let recovery end well? Of a
 * transaction that did not commit, these are the ones that are not undone. What could not be tried
 * is not blamed.
 */
static void find_unlogged(struct search *s, struct pd_crash_run *least)
{
	const struct pd_tx *tx = s->front->tx;
	struct lines u = {0};
	enum without all;

	if (!tx || !tx->found.n || s->front->model->log->exec || !collect_unlogged(s, &u))
		return;
	all = without(s, u.v, u.n);
	if (all == FAILS)
		take_open(s, least);
	if (all != ENDS_WELL)
		return;
	keep_fewest(s, &u);
	take_needed(s, &u, least);
}

/* ---- stores that recovery sees too early ---------------------------------------------------- */

/* Each line without all that a crash here could take of it. False: memory ran out. */
static bool collect_open(struct search *s, struct lines *u)
{
	const struct pd_tree_memory *mem = &s->front->memory;
	uint32_t room = 0;

	for (const struct pd_line *line = s->front->model->lines; line; line = line->next)
		room += line->cur.log && line->cur.last > line->cur.must;
	u->v = mem->alloc(mem->ctx, (room + 1) * sizeof(*u->v));
	u->less = mem->alloc(mem->ctx, (room + 1) * sizeof(*u->less));
	if (!u->v || !u->less || !make_room(s, room))
		return false;
	for (const struct pd_line *line = s->front->model->lines; line; line = line->next)
		if (line->cur.log && line->cur.last > line->cur.must)
			u->v[u->n++] = (struct pd_crash_suspect){.line = line->cur.line,
								 .version = line->cur.must,
								 .newest = line->cur.last,
								 .by_order = true};
	return true;
}

/* The store of its line, before the last one, that comes about halfway after this version; 0: there
 * is none. */
static uint32_t halfway(const struct search *s, const struct pd_crash_suspect *v, uint32_t last)
{
	const struct pd_line *line = s->front->model->lines;
	uint32_t slow = 0, n = 0;

	while (line && line->cur.line != v->line)
		line = line->next;
	for (uint32_t i = line ? line->cur.first : 0; i && i < last;
	     i = pd_log_at(line->cur.log, i - 1)->next) {
		if (i <= v->version)
			continue;
		if (!slow || n++ % 2)
			slow = slow ? pd_log_at(line->cur.log, slow - 1)->next : i;
	}
	return slow;
}

/* Raises line k to the newest version with which recovery ends well: returns the first store that
 * has to be lost. */
static uint32_t first_lost(struct search *s, struct lines *u, uint32_t k)
{
	uint32_t first = u->v[k].newest, next;

	while ((next = halfway(s, &u->v[k], first)) && may_try(s)) {
		uint32_t good = u->v[k].version;

		u->v[k].version = next;
		if (without(s, u->v, u->n) != ENDS_WELL) {
			u->v[k].version = good;
			first = next;
		}
	}
	return first;
}

/*
 * Nothing is lost: which stores, if they were, would let recovery end well? Those are seen before
 * what belongs to them is complete. The same search as for unlogged stores, among all that a crash
 * could take here, and without anybody having announced a transaction. What could not be tried is
 * not blamed.
 */
static void find_early(struct search *s, struct pd_crash_run *least)
{
	struct lines u = {0};

	if (s->n || least->nunlogged || s->front->model->log->exec || least->linear ||
	    !collect_open(s, &u) || without(s, u.v, u.n) != ENDS_WELL)
		return;
	keep_fewest(s, &u);
	if (u.n > PD_LEN(least->early))
		return;
	for (uint32_t i = 0; i < u.n; i++)
		least->early[i] = first_lost(s, &u, i);
	least->nearly = may_try(s) ? u.n : 0;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static bool prepare(struct search *s)
{
	const struct pd_tree_memory *mem = &s->front->memory;

	s->room = 1;
	for (const struct pd_crash_choice *c = s->from->last; c; c = c->before)
		s->room += c->ndim;
	s->s = mem->alloc(mem->ctx, s->room * sizeof(*s->s));
	s->tried = mem->alloc(mem->ctx, s->room * sizeof(*s->tried));
	s->run = mem->alloc(mem->ctx, sizeof(*s->run));
	return s->s && s->tried && s->run;
}

bool pd_least_within(const struct pd_crash_run *least, const struct pd_crash_run *run,
		     uint32_t line_shift)
{
	if (least->when != run->when || least->seed != run->seed || least->parent != run->parent ||
	    least->nneed > PD_LEN(least->need))
		return false;
	for (uint32_t k = 0; k < least->nneed; k++) {
		const struct pd_crash_suspect *s = &least->need[k];
		const struct pd_crash_choice *c = run->last;

		while (c && c->addr >> line_shift != s->line)
			c = c->before;
		if ((c ? c->version[s->dim] : s->newest) > s->version)
			return false;
	}
	return true;
}

/* Records the result in the failure. */
static void mark(const struct search *s, struct pd_crash_run *least)
{
	least->forced = true;
	least->nneed = s->n;
	memcpy(least->need, s->s, PD_MIN(s->n, PD_LEN(least->need)) * sizeof(*s->s));
	for (struct pd_crash_choice *c = least->last; c; c = c->before)
		for (uint32_t k = 0; c->blamed && k < s->n; k++)
			if (s->s[k].line == line_of(s, c))
				c->ends_well = s->s[k].ends_well;
}

const struct pd_crash_run *pd_least(const struct pd_least *front, const struct pd_crash_run *from)
{
	struct search s = {
		.front = front, .from = from, .most = pd_run_is_slow(from) ? SLOW_TRIALS : TRIALS};
	const struct pd_crash_run *least = NULL;
	struct pd_crash_run *to;

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
	if (s.over || !execute(&s, s.s, s.n, NULL, &least) || !least)
		return NULL;
	to = (struct pd_crash_run *)least;
	mark(&s, to);
	for (struct pd_crash_choice *c = least->last; c; c = c->before)
		c->torn = is_torn(&s, c);
	find_unlogged(&s, to);
	to->proven = may_try(&s);
	find_early(&s, to);
	return least;
}

/* ---- in the recovery ------------------------------------------------------------------------ */

static const struct pd_history *history(const struct pd_line *line, uint32_t dim)
{
	const struct pd_history *h = line->crashed;

	while (h && dim--)
		h = h->older;
	return h;
}

/* The index that a store had in the log of the execution that made it. */
static uint32_t order_of(const struct pd_history *h, uint32_t number)
{
	return number <= h->log->order.n ? h->log->order.v[number - 1] : number;
}

/* The version of the line that a suspect asks for, in this recovery's log. */
static uint32_t version_of(const struct pd_crash_suspect *s, const struct pd_line *line)
{
	const struct pd_history *h = s->by_order ? history(line, s->dim) : NULL;
	uint32_t i;

	if (!h || !h->first)
		return s->version;
	i = h->first - 1;
	for (uint32_t next = h->first; next && order_of(h, next) <= s->version;
	     next = pd_log_at(h->log, next - 1)->next)
		i = next;
	return i;
}

/* Whether the set has a point at which all suspects of the line are as they say, but suspect `but`
 * at version `newer`. */
static bool has(const struct pd_vset *set, struct pd_suspects all, const struct pd_line *line,
		uint32_t but, uint32_t newer)
{
	for (uint32_t b = 0; b < set->nbox; b++) {
		const struct pd_span *box = set->span + (size_t)b * set->ndim;
		uint32_t i = 0;

		for (; i < all.n; i++) {
			const struct pd_crash_suspect *s = &all.v[i];
			uint32_t v = i == but			 ? newer
				     : s->line == line->cur.line ? version_of(s, line)
								 : 0;

			if (s->line == line->cur.line && s->dim < set->ndim &&
			    (v < box[s->dim].lo || v > box[s->dim].hi))
				break;
		}
		if (i == all.n)
			return true;
	}
	return false;
}

static uint32_t class_with(struct pd_suspects all, const struct pd_line *line,
			   const pd_classes *classes, uint32_t but, uint32_t newer)
{
	uint32_t i = 0;

	while (i < classes->n && !has(&classes->v[i].set, all, line, but, newer))
		i++;
	return i;
}

uint32_t pd_least_pick(struct pd_suspects all, const struct pd_line *line,
		       const pd_classes *classes)
{
	uint32_t i = class_with(all, line, classes, UINT32_MAX, 0);

	/* No such class: a checksum rules out this mixture, or the crash is another one. Then
	 * newest. */
	return i < classes->n ? i : 0;
}

/* The version after v: one more store, and all that become durable with it. */
static uint32_t version_after(const struct pd_history *h, uint32_t v)
{
	const struct pd_store *s = pd_log_at(h->log, v);

	for (v++; s->flags & PD_LOGGED_OPEN && s->next; s = pd_log_at(h->log, v - 1))
		v = s->next;
	return v;
}

/* The store that leads from version v to v + 1. */
static struct pd_crash_source store_after(const struct pd_history *h, uint32_t v)
{
	const struct pd_store *s = pd_log_at(h->log, v);
	uint32_t order = order_of(h, v + 1);

	return (struct pd_crash_source){.site = s->site,
					.exec = h->log->exec,
					.order = order,
					.tid = s->tid,
					.written = s->flags & PD_LOGGED_WHOLE,
					.flush = order <= h->pending ? h->pending : 0};
}

void pd_least_blame(struct pd_suspects all, const struct pd_line *line, const pd_classes *classes,
		    uint64_t mask, struct pd_crash_choice *c)
{
	for (uint32_t i = 0; i < all.n; i++) {
		const struct pd_crash_suspect *s = &all.v[i];
		const struct pd_history *h =
			s->line == line->cur.line ? history(line, s->dim) : NULL;
		uint32_t v = h ? version_of(s, line) : 0;
		uint32_t with = h && v < h->log->n
					? class_with(all, line, classes, i, version_after(h, v))
					: classes->n;

		if (with == classes->n || with == c->pick)
			continue;
		c->next = store_after(h, v);
		c->next.value =
			pd_blame_source(&classes->v[with], &classes->v[c->pick], mask).value;
		pd_blame_show(&c->next, &classes->v[with], &classes->v[c->pick], mask);
		c->blamed = true;
		return;
	}
}
