/* meet.c - see meet.h. */
#include "engine/lockset/meet.h"
#include "base/hash.h"

enum {
	HOLD_STEPS = 3000,
	/* Loads of the same bytes by a reader that has stored nothing since: it does not act on
	 * them */
	AGAIN = 4,
	ONE_IN = 4, /* one in this many stores holds its thread, and early loads wait */
	SCOUTS_A_WINDOW = 3,
	SCOUTS = 60, /* recoveries at effects, in one execution */
	LINE = 64,
};

static bool is_open(const struct pd_meet *m, const struct pd_meet_window *w)
{
	const struct pd_line *line = w->to ? pd_model_line(m->model, w->addr) : NULL;

	return line && line->cur.log && line->cur.must < w->to - 1;
}

void pd_meet_seed(struct pd_meet *m, uint64_t seed)
{
	m->seed = seed;
	m->drawn = seed << 32;
}

/* ---- who runs ------------------------------------------------------------------------------- */

/* A thread other than this one; n: there is none. */
static uint32_t but(uint32_t thread, uint32_t pick, uint32_t n, uint32_t (*number)(uint32_t))
{
	for (uint32_t i = 0; i < n; i++, pick = (pick + 1) % n)
		if (number(pick) != thread)
			return pick;
	return n;
}

/* A thread other than the held one; in three of four cases the reader. */
static uint32_t other(struct pd_meet *m, uint32_t pick, uint32_t n, uint32_t (*number)(uint32_t))
{
	uint32_t to = but(m->next.thread, pick, n, number);

	/* All others wait, perhaps for this thread; or the store is durable, and holding is
	 * pointless */
	if (to == n || ++m->steps > HOLD_STEPS || !is_open(m, &m->next)) {
		m->held = false;
		return pick;
	}
	for (uint32_t i = 0; m->met && m->steps % 4 && i < n; i++)
		if (number(i) == m->reader && m->reader != m->next.thread)
			return i;
	return to;
}

/* A thread other than the one that waits for the store. */
static uint32_t not_early(struct pd_meet *m, uint32_t pick, uint32_t n,
			  uint32_t (*number)(uint32_t))
{
	uint32_t to = but(m->early - 1, pick, n, number);

	if (to == n || ++m->waits > HOLD_STEPS) {
		m->early = 0;
		return pick;
	}
	return to;
}

uint32_t pd_meet_choose(struct pd_meet *m, uint32_t pick, uint32_t n, uint32_t (*number)(uint32_t))
{
	if (m->held)
		return other(m, pick, n, number);
	return m->early ? not_early(m, pick, n, number) : pick;
}

bool pd_meet_is_over(const struct pd_meet *m)
{
	return m->met && m->asked->instance == m->at.number && !is_open(m, &m->at);
}

/* ---- windows -------------------------------------------------------------------------------- */

static void sort_windows(struct pd_meet *m)
{
	for (uint32_t i = 1; i < m->made; i++)
		for (uint32_t k = i; k && m->window[k - 1].from > m->window[k].from; k--) {
			struct pd_meet_window w = m->window[k];

			m->window[k] = m->window[k - 1];
			m->window[k - 1] = w;
		}
	for (uint32_t i = 0; i < m->made; i++)
		m->window[i].number = i + 1;
}

static void find_in_line(struct pd_meet *m, const struct pd_line *line)
{
	uint64_t base = line->cur.line << m->model->params.line_shift;

	for (uint32_t i = line->cur.log ? line->cur.first : 0; i && m->made < PD_MEET_WINDOWS;) {
		const struct pd_store *s = pd_log_at(line->cur.log, i - 1);

		if (s->site == m->asked->store.site && i > line->cur.must)
			m->window[m->made++] =
				(struct pd_meet_window){.addr = base + s->off,
							.end = base + s->off + s->size,
							.from = i,
							.to = i + 1,
							.thread = s->tid};
		i = s->next;
	}
}

void pd_meet_find(struct pd_meet *m)
{
	m->made = m->npassed = m->early = 0;
	m->held = m->met = false;
	m->next = (struct pd_meet_window){0};
	m->steps = 0;
	if (m->asked->store.ncaller)
		return; /* the model knows sites, not callers */
	for (const struct pd_line *line = m->model->lines; line; line = line->next)
		find_in_line(m, line);
	sort_windows(m);
	if (m->made)
		m->next = m->window[m->made - 1];
}

/* The latest store to these bytes, if it is not durable; else NULL. */
static const struct pd_meet_window *window_of(const struct pd_meet *m, uint64_t off, size_t n,
					      bool *durable)
{
	uint32_t oldest = m->made > PD_MEET_WINDOWS ? m->made - PD_MEET_WINDOWS : 0;

	for (uint32_t i = m->made; i-- > oldest;) {
		const struct pd_meet_window *w = &m->window[i % PD_MEET_WINDOWS];

		if (off < w->end && off + n > w->addr) {
			*durable = !is_open(m, w);
			return *durable ? NULL : w;
		}
	}
	*durable = false;
	return NULL;
}

/* ---- what happens --------------------------------------------------------------------------- */

/* Whether this is the reader, and the store is still not durable. */
static bool is_reader(struct pd_meet *m, uint32_t thread)
{
	m->met = m->met && is_open(m, &m->at);
	return m->met && thread == m->reader;
}

static void reader_stored(struct pd_meet *m, uint64_t off, uint32_t site)
{
	if (off / LINE == m->at.addr / LINE || m->neffect == PD_MEET_EFFECTS)
		return; /* within one line a later store never persists without an earlier one */
	m->effect[m->neffect].line = off / LINE;
	m->effect[m->neffect].site = site;
	m->effect[m->neffect++].flushed = false;
	m->acts = true;
}

static bool is_at(const struct pd_meet *m, const struct pd_meet_place *p, uint32_t site)
{
	return p->site == site &&
	       (!p->ncaller || !m->is_called_by || m->is_called_by(m->ctx, p->caller, p->ncaller));
}

static bool is_wanted(const struct pd_meet *m, uint32_t site)
{
	for (uint32_t i = 0; i < m->asked->nload; i++)
		if (is_at(m, &m->asked->load[i], site))
			return true;
	return false;
}

/* In some executions only one in ONE_IN instances is used, so that each of many can be the one. */
static bool now_and_then(struct pd_meet *m)
{
	return !m->asked->rarely || pd_mix(++m->drawn) % ONE_IN == 0;
}

/* Checks for earlier loads of these bytes by other threads: they were close. */
static void note_passed(struct pd_meet *m, const struct pd_meet_window *w)
{
	for (uint32_t i = 0; i < PD_MIN(m->npassed, PD_MEET_PASSED) && !m->seen->close; i++) {
		const struct pd_meet_passed *p = &m->passed[i];

		m->seen->close = p->addr < w->end && p->end > w->addr && p->thread != w->thread;
	}
}

void pd_meet_stored(struct pd_meet *m, uint32_t thread, uint64_t off, size_t n, uint32_t site)
{
	uint32_t logged = m->model->log->n, words = (uint32_t)(off % 8 + n + 7) / 8;
	struct pd_meet_window *w;

	if (is_reader(m, thread))
		reader_stored(m, off, site);
	if (!is_at(m, &m->asked->store, site))
		return;
	w = &m->window[m->made++ % PD_MEET_WINDOWS];
	*w = (struct pd_meet_window){.addr = off,
				     .end = off + n,
				     .from = logged - words + 1,
				     .to = logged + 1,
				     .thread = thread,
				     .number = m->made};
	m->early = 0;
	note_passed(m, w);
	if (m->held || !now_and_then(m))
		return;
	m->next = *w;
	m->held = m->asked->early;
	m->steps = 0;
}

/* The reader is done with the store: it has made it durable before it acted, or looks no more. */
static void part(struct pd_meet *m, bool helped)
{
	m->met = false;
	m->seen->loose--;
	m->seen->helped += helped;
}

static void help(struct pd_meet *m, uint32_t thread)
{
	if (m->persists && thread == m->reader && !is_open(m, &m->at) && !m->scouted)
		part(m, true);
	m->persists = m->persists && thread != m->reader;
}

void pd_meet_point(struct pd_meet *m, uint32_t thread)
{
	if (m->met && thread == m->reader)
		m->persists = is_open(m, &m->at);
}

void pd_meet_persisting(struct pd_meet *m, uint32_t thread, uint64_t off, bool fence)
{
	if (m->held || !m->next.to || thread != m->next.thread ||
	    (!fence && off / LINE != m->next.addr / LINE))
		return;
	m->held = is_open(m, &m->next) && !m->steps; /* hold it once */
	m->steps = 1;
}

/* Draws one of all instances, each equally likely. */
static bool is_drawn(const struct pd_meet *m, uint32_t *n)
{
	++*n;
	return pd_mix(m->seed ^ (uint64_t)*n << 32) % *n == 0;
}

/* The two have met: holds the thread of the store from now on. */
static void meet(struct pd_meet *m, uint32_t thread, const struct pd_meet_window *w)
{
	m->met = m->held = true;
	m->at = m->next = *w;
	m->reader = thread;
	m->neffect = 0;
	m->acts = false;
	m->scouted = m->again = 0;
	m->persists = false;
	m->steps = 1;
	m->seen->loose++;
	if (!m->asked->instance && is_drawn(m, &m->nmet))
		m->seen->met = w->number;
}

/* A load before the store: waits for it, at times. */
void pd_meet_loading(struct pd_meet *m, uint32_t thread, uint64_t off, size_t n, uint32_t site)
{
	bool durable;

	if (!m->asked->rarely || m->held || m->early || m->met || !is_wanted(m, site) ||
	    window_of(m, off, n, &durable) || !now_and_then(m))
		return;
	m->early = thread + 1;
	m->waits = 0;
}

/* The reader loads the same store again and again: lets go, it may act on a later one. */
static void come_again(struct pd_meet *m, uint32_t thread, const struct pd_meet_window *w)
{
	if (m->acts || thread != m->reader || w->number != m->at.number || ++m->again < AGAIN)
		return;
	m->left = m->at.number;
	part(m, false);
	m->held = false;
}

void pd_meet_loaded(struct pd_meet *m, uint32_t thread, uint64_t off, size_t n, uint32_t site)
{
	const struct pd_meet_window *w;
	bool durable;

	if (!is_wanted(m, site))
		return;
	w = window_of(m, off, n, &durable);
	m->seen->close |= durable;
	if (!w && !durable && !m->seen->close)
		m->passed[m->npassed++ % PD_MEET_PASSED] =
			(struct pd_meet_passed){off, off + n, thread};
	if (!w || w->thread == thread)
		return;
	if (m->met && is_open(m, &m->at))
		come_again(m, thread, w);
	else if (w->number != m->left)
		meet(m, thread, w);
}

/* ---- effects -------------------------------------------------------------------------------- */

/* Tries a recovery with only the store lost. */
static void scout(struct pd_meet *m, uint32_t site)
{
	struct pd_meet_seen *to = m->seen;
	uint32_t judged = to->judged, resets = to->resets, sought = to->sought;

	if (m->scouted > SCOUTS_A_WINDOW || to->scouts == SCOUTS || to->bad)
		return;
	m->scouting = true;
	if (m->scout(m->ctx, site)) {
		to->scouts++;
		to->looked += to->judged > judged;
		to->reset += to->judged == judged && to->resets > resets;
		to->unneeded += to->judged == judged && to->resets == resets && to->sought > sought;
	}
	m->scouting = false;
}

/* An effect is durable before its cause. */
static void durable(struct pd_meet *m, uint32_t i, uint32_t site)
{
	struct pd_meet_seen *to = m->seen;
	uint32_t effect = m->effect[i].site;

	m->effect_line = m->effect[i].line;
	m->effect[i] = m->effect[--m->neffect];
	if (m->asked->instance)
		return;
	if (!m->scouted++ && is_drawn(m, &m->nacted))
		to->acted = m->at.number;
	if (!to->bad)
		to->effect = effect;
	m->acted(m->ctx, effect);
	scout(m, site);
}

void pd_meet_flushed(struct pd_meet *m, uint32_t thread, uint64_t off, bool at_once, uint32_t site)
{
	help(m, thread);
	if (!m->neffect || !is_reader(m, thread))
		return;
	for (uint32_t i = m->neffect; i-- > 0;) {
		if (m->effect[i].line != off / LINE)
			continue;
		m->effect[i].flushed = true;
		if (at_once)
			durable(m, i, site);
	}
}

void pd_meet_fenced(struct pd_meet *m, uint32_t thread, uint32_t site)
{
	help(m, thread);
	if (!m->neffect || !is_reader(m, thread))
		return;
	for (uint32_t i = m->neffect; i-- > 0;)
		if (m->effect[i].flushed)
			durable(m, i, site);
}

/* ---- crashes -------------------------------------------------------------------------------- */

bool pd_meet_is_crash_point(const struct pd_meet *m)
{
	return m->met && m->asked->instance == m->at.number && is_open(m, &m->at) &&
	       (m->acts || !m->asked->acted);
}

uint64_t pd_meet_bytes(const struct pd_meet_seen *s, uint64_t *block)
{
	uint64_t n = s->end - s->addr;

	*block = s->addr & ~(uint64_t)(PD_BLOCK - 1);
	if (s->end <= s->addr || s->end > *block + PD_BLOCK)
		return 0;
	return (n == PD_BLOCK ? UINT64_MAX : (1ULL << n) - 1) << (s->addr - *block);
}
