/* map.h - a hash map in persistent memory, for any number of threads. */
#ifndef MAP_H
#define MAP_H

#include <stdint.h>

struct map;

/* Makes the file, or recovers what is in it. NULL: cannot. */
struct map *map_open(const char *path);
void map_close(struct map *m);

/* The value that was there; `none` if there was none. map_put returns 0 where the map is full. */
int map_put(struct map *m, uint64_t key, uint64_t value, uint64_t *old, uint64_t none);
uint64_t map_get(struct map *m, uint64_t key, uint64_t none);
uint64_t map_remove(struct map *m, uint64_t key, uint64_t none);

#endif
