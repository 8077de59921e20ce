/*
 * map_test.c - a test of the map in map.c with a main and threads of its own. It announces each
 * operation, and what came back, for perdure linear --spec map; without perdure that does nothing.
 */
#include "map.h"
#include <perdure.h>
#include <pthread.h>

static struct map *map;

static void put(uint64_t key, uint64_t value)
{
	uint64_t old;

	pd_op_begin("put", key, value);
	if (map_put(map, key, value, &old, PD_NONE))
		pd_op_end(old);
	else
		pd_op_end_failed(); /* the map is full */
}

static void get(uint64_t key)
{
	uint64_t value;

	pd_op_begin("get", key);
	value = map_get(map, key, PD_NONE);
	pd_op_end(value);
}

static void *odd(void *unused)
{
	(void)unused;
	put(1, 10);
	get(2);
	put(3, 30);
	return NULL;
}

static void *even(void *unused)
{
	(void)unused;
	put(2, 20);
	get(1);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	map = map_open(argc > 1 ? argv[1] : "map.pm");
	if (!map)
		return 1;
	for (uint64_t key = 1; key <= 3; key++)
		get(key); /* after a crash: what is left */
	pthread_create(&a, NULL, odd, NULL);
	pthread_create(&b, NULL, even, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	map_close(map);
	return 0;
}
