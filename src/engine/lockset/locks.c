/* locks.c - see locks.h. */
#include "engine/lockset/locks.h"
#include "base/hash.h"

bool pd_locks_init(struct pd_locks *l, struct pd_arena *a)
{
	struct pd_lock_set *empty;

	memset(l, 0, sizeof(*l));
	l->arena = a;
	empty = pd_vec_push(&l->sets, a);
	if (empty)
		memset(empty, 0, sizeof(*empty));
	return empty != NULL;
}

static bool number(struct pd_locks *l, uint64_t addr, uint64_t *known)
{
	struct pd_lock *fresh = known ? pd_vec_push(&l->locks, l->arena) : NULL;

	if (!fresh)
		return false;
	*fresh = (struct pd_lock){.addr = addr};
	*known = l->locks.n;
	return true;
}

uint32_t pd_locks_at(struct pd_locks *l, uint64_t addr)
{
	uint64_t *known = pd_map_put(&l->by_addr, l->arena, addr);

	if (!known || (!*known && !number(l, addr, known)))
		return UINT32_MAX;
	return (uint32_t)*known - 1;
}

bool pd_locks_anew(struct pd_locks *l, uint64_t addr)
{
	return number(l, addr, pd_map_put(&l->by_addr, l->arena, addr));
}

/* ---- sets ----------------------------------------------------------------------------------- */

static uint64_t hash_of(const uint32_t *v, uint32_t n)
{
	uint64_t h = n;

	for (uint32_t i = 0; i < n; i++)
		h = pd_mix(h ^ v[i]) + i;
	return h >> 1; /* UINT64_MAX is no key */
}

static bool equal(const struct pd_lock_set *s, const uint32_t *v, uint32_t n)
{
	return s->n == n && memcmp(s->lock, v, n * sizeof(*v)) == 0;
}

/* The number of a sorted list of locks. If memory runs out it is the empty set: more is reported,
 * not less. */
static uint32_t intern(struct pd_locks *l, const uint32_t *v, uint32_t n)
{
	uint64_t *head = n ? pd_map_put(&l->by_hash, l->arena, hash_of(v, n)) : NULL;
	struct pd_lock_set *s;
	uint32_t *copy;

	if (!head)
		return 0;
	for (uint32_t i = (uint32_t)*head; i; i = l->sets.v[i].next)
		if (equal(&l->sets.v[i], v, n))
			return i;
	copy = pd_new_array(l->arena, uint32_t, n);
	s = copy ? pd_vec_push(&l->sets, l->arena) : NULL;
	if (!s)
		return 0;
	memcpy(copy, v, n * sizeof(*v));
	*s = (struct pd_lock_set){.n = (uint16_t)n, .next = (uint32_t)*head, .lock = copy};
	for (uint32_t i = 0; i < n; i++)
		s->excludes |= !(v[i] & 1);
	*head = l->sets.n - 1;
	return l->sets.n - 1;
}

static uint32_t alone(struct pd_locks *l, uint32_t code)
{
	uint32_t *set = &l->locks.v[code / 2].alone[code & 1];

	if (!*set)
		*set = intern(l, &code, 1);
	return *set;
}

/* Locks in a set; a thread's locks beyond that are left out, so more is reported; left_out says
 * so. */
enum { HELD_MAX = 256 };

uint32_t pd_locks_still(struct pd_locks *l, const struct pd_holds *h, uint32_t clock)
{
	uint32_t v[HELD_MAX], n = 0, more = 0;

	for (uint32_t i = 0; i < h->held.n; i++) {
		const struct pd_held *x = &h->held.v[i];
		uint32_t code = 2 * x->lock + x->shared, k = n;

		if (x->since > clock)
			continue;
		if (n == HELD_MAX) {
			more++;
			continue;
		}
		for (; k && v[k - 1] > code; k--)
			v[k] = v[k - 1];
		v[k] = code;
		n++;
	}
	l->left_out += more != 0;
	return n == 1 ? alone(l, v[0]) : intern(l, v, n);
}

/* The set of all held locks. Most threads hold one lock, or none. */
static uint32_t held_set(struct pd_locks *l, const struct pd_holds *h)
{
	if (h->held.n > 1)
		return pd_locks_still(l, h, h->clock);
	return h->held.n ? alone(l, 2 * h->held.v[0].lock + h->held.v[0].shared) : 0;
}

/* ---- taking and giving ---------------------------------------------------------------------- */

static struct pd_held *find(struct pd_holds *h, uint32_t lock)
{
	for (uint32_t i = h->held.n; i-- > 0;)
		if (h->held.v[i].lock == lock)
			return &h->held.v[i];
	return NULL;
}

const struct pd_held *pd_locks_held(const struct pd_holds *h, uint32_t lock)
{
	for (uint32_t i = h->held.n; i-- > 0;)
		if (h->held.v[i].lock == lock)
			return &h->held.v[i];
	return NULL;
}

static void note_place(struct pd_lock *l, uint32_t who, uint32_t place)
{
	uint32_t i = 0;

	if (pd_likely(l->taken[0].place && l->taken[0].who == who)) {
		l->taken[0].place = place;
		return;
	}
	while (i < PD_LOCK_TAKEN && l->taken[i].place && l->taken[i].who != who)
		i++;
	i = PD_MIN(i, PD_LOCK_TAKEN - 1);
	memmove(l->taken + 1, l->taken, i * sizeof(l->taken[0]));
	l->taken[0].who = who;
	l->taken[0].place = place;
}

uint32_t pd_locks_place(const struct pd_locks *l, uint32_t lock, uint32_t tid)
{
	const struct pd_lock *x = &l->locks.v[lock / 2];

	for (uint32_t i = 0; i < PD_LOCK_TAKEN; i++)
		if (x->taken[i].who == 2 * tid + lock % 2 && x->taken[i].place)
			return x->taken[i].place;
	/* Any place where a lock was taken in this mode */
	for (uint32_t i = 0; i < PD_LOCK_TAKEN; i++)
		if (x->taken[i].who % 2 == lock % 2 && x->taken[i].place)
			return x->taken[i].place;
	return x->taken[0].place;
}

bool pd_locks_take(struct pd_locks *l, struct pd_holds *h, uint32_t lock, bool shared, bool guessed,
		   uint32_t tid, uint32_t place)
{
	struct pd_held *x = find(h, lock);

	if (x) {
		x->count++;
		return true;
	}
	x = pd_vec_push(&h->held, l->arena);
	if (!x)
		return false;
	*x = (struct pd_held){.lock = lock,
			      .since = ++h->clock,
			      .count = 1,
			      .shared = shared,
			      .guessed = guessed};
	l->locks.v[lock].held++;
	note_place(&l->locks.v[lock], 2 * tid + shared, place);
	h->set = held_set(l, h);
	return true;
}

bool pd_locks_give(struct pd_locks *l, struct pd_holds *h, uint32_t lock)
{
	struct pd_held *x = find(h, lock);

	if (!x)
		return false;
	if (--x->count)
		return true;
	memmove(x, x + 1, (size_t)(h->held.v + h->held.n - (x + 1)) * sizeof(*x));
	h->held.n--;
	l->locks.v[lock].held--;
	h->set = held_set(l, h);
	return true;
}

uint32_t pd_locks_looked(struct pd_locks *l, uint32_t set, uint32_t lock, uint32_t tid,
			 uint32_t place)
{
	const struct pd_lock_set *s = &l->sets.v[set];
	uint32_t v[HELD_MAX], n = 0, i = 0;

	note_place(&l->locks.v[lock], 2 * tid + 1, place);
	for (; i < s->n && s->lock[i] / 2 < lock; i++)
		v[n++] = s->lock[i];
	if (s->n == HELD_MAX || (i < s->n && s->lock[i] / 2 == lock))
		return set;
	v[n++] = 2 * lock + 1;
	for (; i < s->n; i++)
		v[n++] = s->lock[i];
	return intern(l, v, n);
}

uint32_t pd_locks_certain(struct pd_locks *l, uint32_t set)
{
	uint32_t v[HELD_MAX], n = 0;

	for (uint32_t i = 0; i < l->sets.v[set].n; i++)
		if (!l->locks.v[l->sets.v[set].lock[i] / 2].guess)
			v[n++] = l->sets.v[set].lock[i];
	return intern(l, v, n);
}

/* ---- two sets ------------------------------------------------------------------------------- */

uint32_t pd_locks_meet(struct pd_locks *l, uint32_t a, uint32_t b)
{
	const struct pd_lock_set *x = &l->sets.v[a], *y = &l->sets.v[b];
	uint32_t v[HELD_MAX], n = 0;

	if (a == b)
		return a;
	for (uint32_t i = 0, k = 0; i < x->n && k < y->n;) {
		uint32_t p = x->lock[i], q = y->lock[k];

		if (p / 2 == q / 2)
			v[n++] = p | q;
		if (p / 2 <= q / 2)
			i++;
		if (q / 2 <= p / 2)
			k++;
	}
	return intern(l, v, n);
}

bool pd_locks_exclude_any(const struct pd_locks *l, uint32_t a, uint32_t b)
{
	const struct pd_lock_set *x = &l->sets.v[a], *y = &l->sets.v[b];

	for (uint32_t i = 0, k = 0; i < x->n && k < y->n;) {
		uint32_t p = x->lock[i], q = y->lock[k];

		if (p / 2 == q / 2 && !(p & q & 1))
			return true;
		if (p / 2 <= q / 2)
			i++;
		if (q / 2 <= p / 2)
			k++;
	}
	return false;
}

uint32_t pd_locks_common(const struct pd_locks *l, uint32_t a, uint32_t b)
{
	const struct pd_lock_set *x = &l->sets.v[a], *y = &l->sets.v[b];

	for (uint32_t i = 0, k = 0; i < x->n && k < y->n;) {
		uint32_t p = x->lock[i] / 2, q = y->lock[k] / 2;

		if (p == q)
			return p;
		if (p < q)
			i++;
		else
			k++;
	}
	return UINT32_MAX;
}
