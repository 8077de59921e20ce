/*
 * load.c - loads of words, and when they count.
 *
 * A load is kept apart (struct pd_ls_seen) until its thread does something that others can notice;
 * only then is it judged against the windows of the word. A thread that makes durable what it has
 * loaded helps: its load does not count.
 */
#include "base/hash.h"
#include "engine/lockset/state.h"

#define LOAD(l, i)   ((struct pd_ls_load *)pd_pool_at(&(l)->loads, (i)))
#define WINDOW(l, i) ((struct pd_ls_window *)pd_pool_at(&(l)->windows, (i)))
#define GROUP(l, i)  ((struct pd_ls_group *)pd_pool_at(&(l)->groups, (i)))
#define CLOSED(l, i) ((struct pd_ls_closed *)pd_pool_at(&(l)->closed, (i)))

/* Version numbers are used up: starts over, and windows are judged against all loads again. */
static void renumber(struct pd_lockset *l, struct pd_ls_word *w)
{
	for (uint32_t g = w->loads; g; g = GROUP(l, g)->next)
		for (uint32_t i = GROUP(l, g)->first; i; i = LOAD(l, i)->next)
			LOAD(l, i)->version = 1;
	for (uint32_t g = w->closed ? CLOSED(l, w->closed)->first : 0; g; g = GROUP(l, g)->next)
		for (uint32_t i = GROUP(l, g)->first; i; i = WINDOW(l, i)->next)
			WINDOW(l, i)->version = 0;
	w->version = 1;
}

static uint16_t next_version(struct pd_lockset *l, struct pd_ls_word *w)
{
	if (w->version == UINT16_MAX)
		renumber(l, w);
	return ++w->version;
}

/* The entry of a load in a large group. */
static uint64_t *load_of_many(struct pd_lockset *l, const struct pd_ls_load *r)
{
	uint64_t key = pd_mix((uint64_t)r->group << 32 | r->set);

	return pd_map_put(&l->many, l->arena,
			  pd_mix(key ^ (1ULL << 32 | (uint64_t)r->tid << 8 | r->mask)) >> 1);
}

/* A group that has just become large: from now on its members are looked up. Of equal ones the
 * newest counts. */
static void enter_all(struct pd_lockset *l, const struct pd_ls_group *g)
{
	uint32_t member[PD_LS_FEW + 1], n = 0;
	uint64_t *many;

	for (uint32_t i = g->first; i && n < PD_LEN(member); i = LOAD(l, i)->next)
		member[n++] = i;
	while (n--) {
		many = load_of_many(l, LOAD(l, member[n]));
		if (many)
			*many = member[n];
	}
}

static void add_load(struct pd_lockset *l, struct pd_ls_word *w, struct pd_ls_load *r)
{
	struct pd_ls_group member = {.place = r->place,
				     .common = r->set,
				     .only = r->tid + 1U,
				     .threads = pd_ls_group_bit(r->tid)};
	uint32_t i = pd_pool_take(&l->loads, l->arena);
	uint64_t *many;

	pd_ls_window_load(l, w, r->set);
	r->group = pd_ls_group_grow(l, &w->loads, r->group, &member);
	if (!i || !r->group) {
		l->failed = true;
		return;
	}
	r->version = next_version(l, w);
	r->next = GROUP(l, r->group)->first;
	*LOAD(l, i) = *r;
	GROUP(l, r->group)->first = i;
	if (GROUP(l, r->group)->n == PD_LS_FEW + 1)
		enter_all(l, GROUP(l, r->group));
	many = GROUP(l, r->group)->n > PD_LS_FEW + 1 ? load_of_many(l, r) : NULL;
	if (many)
		*many = i;
}

/* Of loads that differ only in time, the latest stands for all. True: it is among them already. */
static bool replace_loads(struct pd_lockset *l, const struct pd_ls_word *w, struct pd_ls_load *r,
			  const struct pd_ls_then *then)
{
	struct pd_ls_group *g = GROUP(l, r->group);

	for (uint32_t i, *link = &g->first; (i = *link);) {
		struct pd_ls_load *x = LOAD(l, i);
		bool now = x->set == r->set && x->tid == r->tid && x->epoch == r->epoch;

		if (now && !(r->mask & ~x->mask)) {
			x->step = r->step;
			return true;
		}
		/*
		 * It happened before this one, which covers its bytes. If it is of another thread,
		 * this thread's own open windows may still need it.
		 */
		if (x->after != r->after) {
			link = &x->next;
			continue;
		}
		if (now || (x->set == r->set && !(x->mask & ~r->mask) &&
			    (x->tid == r->tid ? x->epoch <= r->epoch
					      : !w->open && pd_ls_knows(then, x->tid, x->epoch)))) {
			if (now)
				r->mask |= x->mask;
			*link = x->next;
			pd_pool_give(&l->loads, i);
			g->n--;
			continue;
		}
		link = &x->next;
	}
	return false;
}

/*
 * The load of these bytes, thread and locks in a large group. True: it was there, and is updated.
 */
static bool replace_one(struct pd_lockset *l, struct pd_ls_word *w, const struct pd_ls_load *r)
{
	const uint64_t *known = load_of_many(l, r);
	struct pd_ls_load *x = known && *known ? LOAD(l, (uint32_t)*known) : NULL;

	if (!x || x->group != r->group || x->set != r->set || x->tid != r->tid ||
	    x->mask != r->mask || x->after != r->after)
		return false;
	x->step = r->step;
	if (x->epoch == r->epoch)
		return true;
	x->epoch = r->epoch;
	x->version = next_version(l, w);
	pd_ls_window_load(l, w, r->set);
	return true;
}

static void keep_load(struct pd_lockset *l, struct pd_ls_word *w, struct pd_ls_load r,
		      const struct pd_ls_then *then)
{
	const struct pd_ls_group *g;

	r.group = pd_ls_group_find(l, w->loads, r.place, 0);
	g = r.group ? GROUP(l, r.group) : NULL;
	/* Loads of other threads are searched only when there are many. */
	if (g && (g->threads & pd_ls_group_bit(r.tid) || g->n == PD_LS_FEW) &&
	    (g->n > PD_LS_FEW ? replace_one(l, w, &r) : replace_loads(l, w, &r, then)))
		return;
	add_load(l, w, &r);
}

/* Whether the ownership of these bytes cannot change any more. */
static bool is_settled(const struct pd_lockset *l, const struct pd_ls_word *w, uint8_t mask)
{
	return !l->init || (w->state.own == PD_LS_SHARED && !(mask & ~w->state.valid));
}

static void commit(struct pd_lockset *l, uint32_t tid, const struct pd_ls_seen *s)
{
	struct pd_ls_load r = {.place = s->place,
			       .set = s->set,
			       .epoch = s->epoch,
			       .step = s->step,
			       .tid = (uint16_t)tid,
			       .mask = s->mask};
	struct pd_ls_word *w = pd_ls_word_known(l, s->word);

	if (w)
		r.mask &= (uint8_t)~w->locks;
	if (w && r.mask) {
		r.after = w->open ? pd_ls_after(l, w, &r, s) : 0;
		pd_ls_judge_load(l, s->word, w, &r, s);
		keep_load(l, w, r, s->then);
		if (is_settled(l, w, r.mask))
			pd_ls_load_remember(l, s->word, &r);
	}
	pd_ls_drop(l, s->then);
	pd_ls_drop(l, s->run);
}

void pd_ls_effect(struct pd_lockset *l, uint32_t tid, uint64_t line)
{
	struct pd_ls_thread *t = pd_ls_thread(l, tid);
	uint32_t n = 0;

	if (!t)
		return;
	for (uint32_t i = 0; i < t->seen.n; i++) {
		if (t->seen.v[i].word / PD_LS_LINE == line)
			t->seen.v[n++] = t->seen.v[i];
		else
			commit(l, tid, &t->seen.v[i]);
	}
	t->seen.n = n;
}

void pd_ls_commit(struct pd_lockset *l, uint32_t tid, uint64_t from, uint64_t to)
{
	struct pd_ls_thread *t = l->threads.v[tid];
	uint32_t n = 0;

	for (uint32_t i = 0; t && i < t->seen.n; i++) {
		if (t->seen.v[i].word >= from && t->seen.v[i].word < to)
			commit(l, tid, &t->seen.v[i]);
		else
			t->seen.v[n++] = t->seen.v[i];
	}
	if (t)
		t->seen.n = n;
}

static bool is_kept(struct pd_lockset *l, const struct pd_ls_load *want)
{
	const struct pd_ls_group *g = GROUP(l, want->group);
	const uint64_t *known;

	if (!(g->threads & pd_ls_group_bit(want->tid)))
		return false;
	known = g->n > PD_LS_FEW ? load_of_many(l, want) : NULL;
	for (uint32_t i = known ? (uint32_t)*known : g->first; i;
	     i = known ? 0 : LOAD(l, i)->next) {
		struct pd_ls_load *x = LOAD(l, i);

		if (x->group == want->group && x->tid == want->tid && x->set == want->set &&
		    x->epoch == want->epoch && !(want->mask & ~x->mask)) {
			x->step = want->step;
			return true;
		}
	}
	return false;
}

/* It is known, but may have come close to a window that the earlier one was apart from. */
static void judge_again(struct pd_lockset *l, uint64_t at, const struct pd_ls_word *w,
			const struct pd_event *e, const struct pd_ls_load *r)
{
	struct pd_ls_thread *t = l->threads.v[e->tid];
	struct pd_ls_seen s = {.seq = l->seq, .then = pd_ls_now(l, t), .run = pd_ls_run(l, t)};

	if (s.then && s.run)
		pd_ls_judge_load(l, at, w, r, &s);
}

/* Whether this very load, or an equivalent one in the same epoch, is known already. */
static bool load_known(struct pd_lockset *l, uint64_t at, const struct pd_ls_word *w,
		       const struct pd_event *e, uint8_t mask, const struct pd_ls_thread *t)
{
	struct pd_ls_load want = {.place = e->site,
				  .set = t->holds.set,
				  .epoch = pd_ls_epoch(t, e->tid),
				  .step = pd_ls_step(t, e->tid),
				  .tid = e->tid,
				  .mask = mask};

	want.group = pd_ls_group_find(l, w->loads, want.place, 0);
	if (!want.group || !is_kept(l, &want))
		return false;
	if (w->closed && CLOSED(l, w->closed)->apart)
		judge_again(l, at, w, e, &want);
	if (is_settled(l, w, mask))
		pd_ls_load_remember(l, at, &want);
	return true;
}

/*
 * The same load, repeated: whatever happens to it would have happened to the earlier one, too. A
 * thread that waits for a store to appear loads a thousand times before it has anything to help
 * with.
 */
static bool is_again(const struct pd_ls_seen *s, const struct pd_event *e, uint64_t at,
		     uint8_t mask, const struct pd_ls_thread *t)
{
	return s->word == at && s->place == e->site && !s->flushed && s->then == t->now &&
	       s->step == pd_ls_step(t, e->tid) && s->set == t->holds.set &&
	       s->epoch == pd_ls_epoch(t, e->tid) && !(mask & ~s->mask);
}

static void see(struct pd_lockset *l, const struct pd_event *e, uint64_t at, uint8_t mask,
		struct pd_ls_thread *t)
{
	struct pd_ls_then *now = pd_ls_now(l, t);
	uint16_t *again = &t->again[(at * 31 + e->site) % PD_LS_AGAIN];
	struct pd_ls_seen *s;

	if (!now || (*again < t->seen.n && is_again(&t->seen.v[*again], e, at, mask, t)))
		return;
	if (t->seen.n == PD_LS_SEEN) { /* commit the older half early */
		for (uint32_t i = 0; i < PD_LS_SEEN / 2; i++)
			commit(l, e->tid, &t->seen.v[i]);
		t->seen.n -= PD_LS_SEEN / 2;
		memmove(t->seen.v, t->seen.v + PD_LS_SEEN / 2, t->seen.n * sizeof(*s));
	}
	s = pd_vec_push(&t->seen, l->arena);
	if (!s) {
		l->failed = true;
		return;
	}
	*s = (struct pd_ls_seen){.word = at,
				 .seq = l->seq,
				 .then = pd_ls_keep(now),
				 .run = pd_ls_keep_run(l, t),
				 .step = pd_ls_step(t, e->tid),
				 .place = e->site,
				 .set = t->holds.set,
				 .epoch = pd_ls_epoch(t, e->tid),
				 .mask = mask};
	*again = (uint16_t)(t->seen.n - 1);
}

/*
 * A plain load of a word that locked instructions change: on x86 it acquires, and it may be a look
 * at a version (look.c).
 */
static void load_published(struct pd_lockset *l, const struct pd_event *e, bool is_lock)
{
	uint64_t value = 0;

	if (e->data) {
		memcpy(&value, e->data, PD_MIN(e->size, sizeof(value)));
		pd_ls_look(l, e, value, true);
	}
	if (!is_lock)
		pd_ls_atomic(l, e->tid, e->addr, true, false, PD_ORDER_ACQUIRE);
}

static void load_word(struct pd_lockset *l, const struct pd_event *e, uint64_t at, uint8_t mask,
		      struct pd_ls_thread *t)
{
	struct pd_ls_word *w = pd_ls_word(l, at);
	struct pd_ls_access a = {.tid = e->tid, .t = t};

	if (!w)
		return;
	if (w->loads)
		__builtin_prefetch(GROUP(l, w->loads));
	mask &= (uint8_t)~w->locks;
	if (w->sync && e->order == PD_ORDER_NONE && at == e->addr / 8)
		load_published(l, e, !mask);
	mask = mask ? pd_ls_touch(l, w, mask, &a) : 0;
	if (!mask || load_known(l, at, w, e, mask, t))
		return;
	if (w->closed) /* needed when it is committed */
		__builtin_prefetch(CLOSED(l, w->closed));
	see(l, e, at, mask, t);
}

void pd_ls_load(struct pd_lockset *l, const struct pd_event *e)
{
	struct pd_ls_thread *t = pd_ls_thread(l, e->tid);
	uint64_t end = e->addr + e->size;

	if (!t || !e->size)
		return;
	/* For other loads the time of the last one matters (recycle.c). */
	if (e->order == PD_ORDER_NONE &&
	    pd_known_load(&l->known, &t->known, e->addr, e->size, e->site))
		return;
	l->stat_loads++;
	for (uint64_t at = e->addr / 8; at * 8 < end; at++)
		load_word(l, e, at, pd_ls_mask_of(at, e->addr, end), t);
}

/* ---- helping -------------------------------------------------------------------------------- */

void pd_ls_help_line(struct pd_ls_thread *t, uint64_t line)
{
	for (uint32_t i = 0; i < t->seen.n; i++)
		if (t->seen.v[i].word / PD_LS_LINE == line)
			t->seen.v[i].flushed = true;
}

void pd_ls_forget_helped(struct pd_lockset *l, struct pd_ls_thread *t, uint64_t line)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->seen.n; i++) {
		struct pd_ls_seen *s = &t->seen.v[i];

		if (s->flushed && (line == UINT64_MAX || s->word / PD_LS_LINE == line)) {
			pd_ls_drop(l, s->then);
			pd_ls_drop(l, s->run);
			l->stat_helped++;
		} else {
			t->seen.v[n++] = *s;
		}
	}
	t->seen.n = n;
}
