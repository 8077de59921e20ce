/*
 * map.h - a map from 64-bit keys to 64-bit values: open addressing, linear probing, in an arena.
 *
 * Keys are never removed one by one: nothing in the core needs it. Key 0 is an ordinary key.
 */
#ifndef PD_BASE_MAP_H
#define PD_BASE_MAP_H

#include "base/arena.h"

struct pd_map_slot {
	uint64_t key; /* key + 1; 0 is an empty slot */
	uint64_t value;
};

struct pd_map {
	struct pd_map_slot *slots;
	uint64_t mask; /* slots - 1 */
	uint64_t n;
};

/* The value's place, or NULL. Valid until the next pd_map_put. */
uint64_t *pd_map_get(const struct pd_map *m, uint64_t key);

/* The value's place, created (as 0) if the key is new; NULL: memory ran out. UINT64_MAX is not a
 * key. */
uint64_t *pd_map_put(struct pd_map *m, struct pd_arena *a, uint64_t key);

#endif
