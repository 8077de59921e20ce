/* map.c - see map.h. */
#include "base/map.h"
#include "base/hash.h"

enum { FIRST_SLOTS = 64 };

static struct pd_map_slot *find_slot(const struct pd_map *m, uint64_t stored)
{
	uint64_t i = pd_mix(stored) & m->mask;

	while (m->slots[i].key != 0 && m->slots[i].key != stored)
		i = (i + 1) & m->mask;
	return &m->slots[i];
}

uint64_t *pd_map_get(const struct pd_map *m, uint64_t key)
{
	struct pd_map_slot *s;

	if (!m->slots)
		return NULL;
	s = find_slot(m, key + 1);
	return s->key ? &s->value : NULL;
}

static bool rehash(struct pd_map *m, struct pd_arena *a)
{
	struct pd_map old = *m;
	uint64_t slots = old.slots ? (old.mask + 1) * 2 : FIRST_SLOTS;
	struct pd_map_slot *fresh = pd_new_array(a, struct pd_map_slot, slots);

	if (!fresh)
		return false;
	m->slots = fresh;
	m->mask = slots - 1;
	for (uint64_t i = 0; old.slots && i <= old.mask; i++)
		if (old.slots[i].key)
			*find_slot(m, old.slots[i].key) = old.slots[i];
	return true;
}

uint64_t *pd_map_put(struct pd_map *m, struct pd_arena *a, uint64_t key)
{
	struct pd_map_slot *s;

	/* At most three quarters full. */
	if ((!m->slots || (m->n + 1) * 4 > (m->mask + 1) * 3) && !rehash(m, a))
		return NULL;
	s = find_slot(m, key + 1);
	if (!s->key) {
		s->key = key + 1;
		m->n++;
	}
	return &s->value;
}
