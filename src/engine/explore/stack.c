/* stack.c - see node.h. */
#include "engine/explore/node.h"

enum { CHUNK = 32 * 1024, FIRST_SLOTS = 64 };

void *pd_stack_take(struct pd_stack *s, struct pd_arena *a, uint64_t n)
{
	struct pd_stack_chunk *c = s->top, *more;
	uint8_t *p;

	n = (n + 15) & ~15ULL;
	while (c && c->size - c->used < n && c->next) {
		c = c->next;
		c->used = 0;
	}
	if (!c || c->size - c->used < n) {
		more = pd_arena_alloc(a, sizeof(*more) + PD_MAX(n, (uint64_t)CHUNK));
		if (!more)
			return NULL;
		more->size = PD_MAX(n, (uint64_t)CHUNK);
		if (c)
			c->next = more;
		else
			s->first = more;
		c = more;
	}
	s->top = c;
	p = (uint8_t *)(c + 1) + c->used;
	c->used += n;
	return memset(p, 0, n);
}

void pd_stack_give(struct pd_stack *s, void *p)
{
	uint64_t at = (uintptr_t)p;

	for (struct pd_stack_chunk *c = s->first; c; c = c->next) {
		uint64_t base = (uintptr_t)(c + 1);

		if (!p || (at >= base && at < base + c->size)) {
			c->used = p ? at - base : 0;
			s->top = c;
			return;
		}
	}
}

bool pd_interned_init(struct pd_interned *t, struct pd_arena *a)
{
	t->slot = pd_new_array(a, struct pd_slot, FIRST_SLOTS);
	t->v = pd_new_array(a, void *, FIRST_SLOTS / 2);
	if (!t->slot || !t->v)
		return false;
	t->mask = FIRST_SLOTS - 1;
	t->cap = FIRST_SLOTS / 2;
	return true;
}

static void put(struct pd_interned *t, uint32_t hash, uint32_t number)
{
	uint32_t i = hash & t->mask;

	while (t->slot[i].id)
		i = (i + 1) & t->mask;
	t->slot[i] = (struct pd_slot){hash, number + 1};
}

static bool grow(struct pd_interned *t, struct pd_arena *a)
{
	struct pd_slot *old = t->slot;
	uint32_t n = t->mask + 1;
	struct pd_slot *slot = pd_new_array(a, struct pd_slot, 2 * (uint64_t)n);
	void **v = pd_arena_grow(a, t->v, t->cap * sizeof(*v), 2 * (uint64_t)t->cap * sizeof(*v));

	if (!slot || !v)
		return false;
	t->v = v;
	t->cap *= 2;
	t->slot = slot;
	t->mask = 2 * n - 1;
	for (uint32_t i = 0; i < n; i++)
		if (old[i].id)
			put(t, old[i].hash, old[i].id - 1);
	return true;
}

bool pd_interned_add(struct pd_interned *t, struct pd_arena *a, void *p, uint32_t hash)
{
	if (t->n == t->cap && !grow(t, a))
		return false;
	t->v[t->n] = p;
	put(t, hash, t->n++);
	return true;
}
