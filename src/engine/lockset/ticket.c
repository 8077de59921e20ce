/*
 * ticket.c - ticket locks: two adjacent words, the next number to draw and the number being served.
 *
 * A thread that draws a number by fetch-and-add, waits until another word has that number, and then
 * sets that word to the next number, has held a lock from the end of the wait on. The words are
 * known as a lock once it was released; until then the thread is assumed to hold it, as in spin.c,
 * and then what was reported of the two words is withdrawn.
 *
 * A queue whose writers publish in order looks the same: they draw a slot, and wait for their turn
 * to advance the mark of what is complete. For them it is a lock as well, but a consumer of the
 * queue reads the mark without having drawn a number. So words that a thread loads without a number
 * are data, and stay so.
 *
 * Not recognised: both numbers in one word, locks that are tried by looking at both numbers first.
 */
#include "engine/lockset/state.h"

enum { NEAR = 64 };

/* Found by either address. */
struct ticket_lock {
	uint64_t next;
	uint64_t served;
	uint64_t value; /* number that the holder has drawn */
	uint32_t lock;
	uint32_t size;
	uint16_t tid;
	bool held;
	bool is;   /* was released at least once */
	bool not;  /* is no lock */
	bool data; /* threads without a number read it */
};

static uint64_t value_of(const struct pd_event *e, uint32_t size)
{
	uint64_t v = 0;

	memcpy(&v, e->data, PD_MIN(PD_MIN(e->size, size), sizeof(v)));
	return v;
}

static uint64_t cut(uint64_t v, uint32_t size)
{
	return size < 8 ? v & ((1ULL << 8 * size) - 1) : v;
}

static struct ticket_lock *known(const struct pd_lockset *l, uint64_t addr)
{
	uint64_t *at = l->ntickets ? pd_map_get(&l->tickets, addr) : NULL;

	return at ? (struct ticket_lock *)(uintptr_t)*at : NULL;
}

static bool is_not_data(const struct ticket_lock *k)
{
	return k->is && !k->not && !k->data;
}

static void let_go(struct pd_lockset *l, struct ticket_lock *k)
{
	struct pd_ls_thread *t = k->held ? pd_ls_thread(l, k->tid) : NULL;

	k->held = false;
	if (t)
		pd_ls_give(l, k->tid, k->lock);
}

static void mark(struct pd_lockset *l, const struct ticket_lock *k, bool lock)
{
	const uint64_t both[] = {k->next, k->served};

	for (size_t i = 0; i < PD_LEN(both); i++)
		if (both[i] & PD_ADDR_OUTSIDE)
			continue;
		else if (lock)
			pd_ls_is_lock(l, both[i], k->size);
		else
			pd_ls_is_no_lock(l, both[i], k->size);
}

static void is_none(struct pd_lockset *l, struct ticket_lock *k)
{
	if (is_not_data(k))
		mark(l, k, false);
	let_go(l, k);
	k->not = true;
}

/* ---- drawing a number ----------------------------------------------------------------------- */

static struct pd_ls_ticket *ticket_of(struct pd_ls_thread *t, uint64_t next)
{
	for (uint32_t i = 0; i < PD_LS_TICKETS; i++)
		if (t->ticket[i].seq && t->ticket[i].next == next)
			return &t->ticket[i];
	return NULL;
}

static void draw(struct pd_lockset *l, struct pd_ls_thread *t, const struct pd_event *e)
{
	struct pd_ls_ticket *to = ticket_of(t, e->addr);

	for (uint32_t i = 0; !to && i < PD_LS_TICKETS; i++)
		if (!t->ticket[i].seq)
			to = &t->ticket[i];
	if (!to) { /* replace the oldest one, which is probably no ticket */
		to = &t->ticket[0];
		for (uint32_t i = 1; i < PD_LS_TICKETS; i++)
			if (t->ticket[i].seq < to->seq)
				to = &t->ticket[i];
	}
	t->drawn = true;
	*to = (struct pd_ls_ticket){e->addr, cut(value_of(e, 8) - 1, (uint32_t)e->size), l->seq};
}

bool pd_ls_ticket_rmw(struct pd_lockset *l, const struct pd_event *e)
{
	struct pd_ls_thread *t = l->spin ? pd_ls_thread(l, e->tid) : NULL;
	struct ticket_lock *k = known(l, e->addr);

	if (!t || !e->data || e->aux || e->size > 8)
		return false;
	if (k && e->addr == k->served)
		return pd_ls_ticket_store(l, e);
	draw(l, t, e);
	return k && is_not_data(k);
}

/* ---- waiting for it ------------------------------------------------------------------------- */

static struct ticket_lock *make(struct pd_lockset *l, uint64_t next, const struct pd_event *e)
{
	struct ticket_lock *k = pd_new(l->arena, struct ticket_lock);
	uint64_t *a = pd_map_put(&l->tickets, l->arena, next),
		 *b = a ? pd_map_put(&l->tickets, l->arena, e->addr) : NULL;

	if (!k || !a || !b) {
		l->failed = true;
		return NULL;
	}
	a = pd_map_get(&l->tickets, next); /* the second insertion may have moved it */
	if (*a || *b)
		return NULL; /* one of them belongs to another lock */
	k->next = next;
	k->served = e->addr;
	k->size = (uint32_t)e->size;
	k->lock = pd_locks_at(&l->locks, e->addr);
	if (k->lock == UINT32_MAX) {
		l->failed = true;
		return NULL;
	}
	*a = *b = (uintptr_t)k;
	l->ntickets++;
	return k;
}

static void take(struct pd_lockset *l, const struct pd_event *e, const struct pd_ls_ticket *ticket)
{
	struct ticket_lock *k = known(l, e->addr);

	if (!k)
		k = make(l, ticket->next, e);
	if (!k || k->not|| k->next != ticket->next || k->served != e->addr ||
	    (k->held && k->tid == e->tid))
		return;
	if (k->held) {
		is_none(l, k);
		return;
	}
	if (!pd_ls_take(l, e->tid, k->lock, false, true, e->site))
		return;
	l->locks.locks.v[k->lock].guess = !k->is;
	k->held = true;
	k->tid = e->tid;
	k->value = ticket->value;
}

/* A thread has loaded one of its words: without a number it reads data. */
static bool is_only_lock(struct pd_lockset *l, struct pd_ls_thread *t, const struct pd_event *e)
{
	struct ticket_lock *k = known(l, e->addr);

	if (!k || k->not)
		return false;
	if (!k->data && !(k->held && k->tid == e->tid) && !ticket_of(t, k->next)) {
		if (is_not_data(k))
			mark(l, k, false);
		k->data = true;
	}
	return is_not_data(k);
}

/*
 * Whether the load may be one that waits. A plain one is of the word beside the other: others may
 * have the same value by chance.
 */
static bool waits(const struct pd_ls_ticket *k, const struct pd_event *e)
{
	uint64_t near = e->order == PD_ORDER_NONE ? e->size + 1 : NEAR;

	return k->seq && k->next != e->addr && e->addr - k->next + near - 1 < 2 * near - 1 &&
	       e->size <= 8 && value_of(e, 8) == cut(k->value, (uint32_t)e->size);
}

bool pd_ls_ticket_load(struct pd_lockset *l, const struct pd_event *e)
{
	struct pd_ls_thread *t = l->spin ? pd_ls_thread(l, e->tid) : NULL;

	if (!t)
		return false;
	for (uint32_t i = 0; i < PD_LS_TICKETS && e->data; i++)
		if (waits(&t->ticket[i], e)) {
			take(l, e, &t->ticket[i]);
			break;
		}
	return l->ntickets && is_only_lock(l, t, e);
}

/* ---- giving it back ------------------------------------------------------------------------- */

static void give_back(struct pd_lockset *l, struct ticket_lock *k, struct pd_ls_thread *t)
{
	struct pd_ls_ticket *ticket = t ? ticket_of(t, k->next) : NULL;

	let_go(l, k);
	if (ticket)
		*ticket = (struct pd_ls_ticket){0};
	l->locks.locks.v[k->lock].guess = false;
	if (k->is)
		return;
	k->is = true;
	if (!k->data)
		mark(l, k, true);
}

bool pd_ls_ticket_store(struct pd_lockset *l, const struct pd_event *e)
{
	struct ticket_lock *k = known(l, e->addr);

	if (!k || k->not|| e->addr != k->served || !e->data)
		return false;
	if (k->held && k->tid == e->tid && value_of(e, k->size) == cut(k->value + 1, k->size))
		give_back(l, k, pd_ls_thread(l, e->tid));
	else
		is_none(l, k);
	return is_not_data(k);
}
