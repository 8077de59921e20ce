/*
 * own.c - which thread a byte belongs to.
 *
 * Initialization removal (HawkSet §4.3.2), per byte and for any number of threads in succession: a
 * byte belongs to the thread that is alone with it. Another thread that comes later by
 * happens-before, when all is durable, and stores without reading first, initialises the byte anew
 * and becomes its owner; any other access makes the byte shared, for good. Windows that close while
 * the byte has an owner, and an owner's loads of its own stores, take no part in races: others can
 * have learned of the byte only afterwards. One thread is an exception, the *looker*: it has read
 * the byte before it stored to it, and before the owner came, so it need not learn of it. The
 * owner's windows count against that thread's accesses, and only those. An owner's store to new
 * memory is visible to nobody; but what it has read before it stored was there before, and a
 * recovery may read it.
 */
#include "engine/lockset/state.h"

#define OPEN(l, i) ((struct pd_ls_open *)pd_pool_at(&(l)->opens, (i)))

static uint8_t open_mask(const struct pd_lockset *l, const struct pd_ls_word *w)
{
	uint8_t mask = 0;

	for (uint32_t i = w->open; i; i = OPEN(l, i)->next)
		mask |= OPEN(l, i)->mask;
	return mask;
}

static struct pd_ls_state after(const struct pd_ls_state *s, const struct pd_ls_access *a)
{
	struct pd_ls_state fresh = {.epoch = pd_ls_epoch(a->t, a->tid),
				    .step = pd_ls_step(a->t, a->tid),
				    .owner = (uint16_t)a->tid,
				    .own = a->store ? PD_LS_OWNED : PD_LS_READ,
				    .valid = s->valid};

	if (s->own == PD_LS_SHARED)
		return *s;
	if (s->own != PD_LS_NEW && s->owner == a->tid)
		fresh.own = s->own == PD_LS_READ && a->store ? PD_LS_UPDATED : s->own;
	else if (s->own != PD_LS_NEW && (s->own == PD_LS_RECYCLED || !a->store || a->undurable ||
					 s->epoch > pd_clock_get(&a->t->clock, s->owner)))
		fresh = (struct pd_ls_state){.own = PD_LS_SHARED, .valid = s->valid};
	else if (s->own != PD_LS_NEW && s->own != PD_LS_OWNED)
		fresh.own = PD_LS_INHERITED;
	if (fresh.own == PD_LS_INHERITED)
		fresh.looker = s->own == PD_LS_INHERITED ? s->looker : s->owner;
	return fresh;
}

static bool same_state(const struct pd_ls_state *a, const struct pd_ls_state *b)
{
	return a->own == b->own && a->owner == b->owner && a->epoch == b->epoch &&
	       a->step == b->step && a->looker == b->looker;
}

static struct pd_ls_split *split_of(const struct pd_lockset *l, const struct pd_ls_word *w)
{
	return pd_pool_at(&l->splits, w->state.epoch);
}

static const struct pd_ls_state *state_of(const struct pd_lockset *l, const struct pd_ls_word *w,
					  unsigned byte)
{
	return w->state.own == PD_LS_SPLIT ? &split_of(l, w)->byte[byte] : &w->state;
}

static bool split(struct pd_lockset *l, struct pd_ls_word *w)
{
	uint32_t i = pd_pool_take(&l->splits, l->arena);
	struct pd_ls_split *s;

	if (!i) {
		l->failed = true;
		return false;
	}
	s = pd_pool_at(&l->splits, i);
	for (unsigned b = 0; b < 8; b++)
		s->byte[b] = w->state.valid >> b & 1 ? w->state : (struct pd_ls_state){0};
	w->state = (struct pd_ls_state){.epoch = i, .own = PD_LS_SPLIT, .valid = 0xff};
	return true;
}

/* Applies the access to the state of the whole word, if all its bytes and the rest of the word
 * agree; false: they do not. */
static bool touch_whole(struct pd_ls_word *w, uint8_t mask, const struct pd_ls_access *a)
{
	struct pd_ls_state none = {0}, known = w->state, fresh;

	if (!w->state.valid || !(mask & w->state.valid)) {
		fresh = after(&none, a);
		if (w->state.valid && !same_state(&fresh, &w->state))
			return false;
		w->state = fresh;
		w->state.valid = known.valid | mask;
		return true;
	}
	fresh = after(&known, a);
	if (known.valid & ~mask && !same_state(&fresh, &known))
		return false;
	if (mask & ~known.valid) {
		struct pd_ls_state other = after(&none, a);

		if (!same_state(&fresh, &other))
			return false;
	}
	w->state = fresh;
	w->state.valid = known.valid | mask;
	return true;
}

uint8_t pd_ls_in_states(const struct pd_lockset *l, const struct pd_ls_word *w, uint8_t mask,
			unsigned own)
{
	uint8_t out = 0;

	if (w->state.own != PD_LS_SPLIT)
		return own >> w->state.own & 1 ? mask : 0;
	for (unsigned b = 0; b < 8; b++)
		if (mask >> b & 1 && own >> split_of(l, w)->byte[b].own & 1)
			out |= (uint8_t)(1U << b);
	return out;
}

uint8_t pd_ls_given(const struct pd_lockset *l, const struct pd_ls_word *w, uint8_t mask,
		    uint32_t tid)
{
	const struct pd_ls_thread *t = l->threads.v[tid];
	uint8_t out = 0;

	for (unsigned b = 0; b < 8; b++) {
		const struct pd_ls_state *s = state_of(l, w, b);

		if (!(mask & w->state.valid & 1U << b) || s->own == PD_LS_NEW ||
		    s->own == PD_LS_SHARED || s->owner == tid)
			continue;
		if (s->step <= pd_clock_get(&t->run, s->owner) &&
		    (s->own == PD_LS_RECYCLED || s->epoch > pd_clock_get(&t->clock, s->owner)))
			out |= (uint8_t)(1U << b);
	}
	return out;
}

void pd_ls_own_anew(struct pd_lockset *l, struct pd_ls_word *w, uint8_t mask, uint8_t own,
		    uint32_t tid)
{
	const struct pd_ls_thread *t = l->threads.v[tid];
	struct pd_ls_state fresh = {.epoch = own == PD_LS_NEW ? 0 : pd_ls_epoch(t, tid),
				    .step = own == PD_LS_NEW ? 0 : pd_ls_step(t, tid),
				    .owner = (uint16_t)(own == PD_LS_NEW ? 0 : tid),
				    .own = own,
				    .valid = 0xff};

	if (w->state.own != PD_LS_SPLIT && !(w->state.valid & ~mask)) {
		fresh.valid = mask;
		w->state = fresh;
		return;
	}
	if (w->state.own != PD_LS_SPLIT && !split(l, w))
		return;
	for (unsigned b = 0; b < 8; b++)
		if (mask >> b & 1)
			split_of(l, w)->byte[b] = fresh;
}

/* The bytes for which an access of this kind counts. */
uint8_t pd_ls_counting(const struct pd_lockset *l, const struct pd_ls_word *w, uint8_t mask,
		       bool store)
{
	if (!l->init)
		return mask;
	return pd_ls_in_states(l, w, mask,
			       store ? 1U << PD_LS_SHARED | 1U << PD_LS_RECYCLED
				     : 1U << PD_LS_SHARED | 1U << PD_LS_READ | 1U << PD_LS_UPDATED);
}

uint8_t pd_ls_looked(const struct pd_lockset *l, const struct pd_ls_word *w, uint8_t mask,
		     uint32_t *looker)
{
	uint8_t all = l->init ? pd_ls_in_states(l, w, mask, 1U << PD_LS_INHERITED) : 0, out = 0;

	if (!all)
		return 0;
	*looker = state_of(l, w, (unsigned)__builtin_ctz(all))->looker;
	for (unsigned b = 0; b < 8; b++)
		if (all >> b & 1 && state_of(l, w, b)->looker == *looker)
			out |= (uint8_t)(1U << b);
	return out;
}

static uint8_t touched(const struct pd_lockset *l, const struct pd_ls_word *w, uint8_t mask,
		       struct pd_ls_access *a)
{
	a->live = pd_ls_in_states(l, w, mask,
				  1U << PD_LS_SHARED | 1U << PD_LS_UPDATED |
					  1U << PD_LS_INHERITED) != 0;
	return pd_ls_counting(l, w, mask, a->store);
}

uint8_t pd_ls_touch_owned(struct pd_lockset *l, struct pd_ls_word *w, uint8_t mask,
			  struct pd_ls_access *a)
{
	uint8_t open = open_mask(l, w);

	a->undurable = (open & mask) != 0;
	/* If only some of the bytes are open, they differ. */
	if (w->state.own != PD_LS_SPLIT && (!(open & mask) || (open & mask) == mask) &&
	    touch_whole(w, mask, a))
		return touched(l, w, mask, a);
	if (w->state.own != PD_LS_SPLIT && !split(l, w))
		return mask;
	for (unsigned b = 0; b < 8; b++) {
		struct pd_ls_state *s = &split_of(l, w)->byte[b];

		a->undurable = open >> b & 1;
		if (mask >> b & 1)
			*s = after(s, a);
	}
	return touched(l, w, mask, a);
}
