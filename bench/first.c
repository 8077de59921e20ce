/*
 * first.c - a program that does little but use PM: the map of examples/, filled, read four times,
 * half emptied.
 *
 *	first FILE KEYS
 */
#include "map.h"
#include <stdlib.h>

int main(int argc, char **argv)
{
	struct map *m = argc == 3 ? map_open(argv[1]) : NULL;
	uint64_t n = m ? strtoull(argv[2], NULL, 10) : 0, old, sum = 0;

	for (uint64_t i = 1; i <= n; i++)
		map_put(m, i, i, &old, 0);
	for (uint64_t i = 0; i < 4 * n; i++)
		sum += map_get(m, i % n + 1, 0);
	for (uint64_t i = 1; i <= n; i += 2)
		map_remove(m, i, 0);
	if (m)
		map_close(m);
	return sum == 0;
}
