/* map_driver.c - what perdure linear needs to know of the map in map.c. */
#include "map.h"
#include <perdure_linear.h>

static void *open_map(const char *path)
{
	return map_open(path);
}

static void close_map(void *m)
{
	map_close(m);
}

static void put(void *m, struct pd_linear_op *op)
{
	uint64_t old;
	int ok = map_put(m, op->arg[0].word, op->arg[1].word, &old, PD_NONE);

	pd_linear_return(op, ok ? old : PD_FAILED);
}

static void get(void *m, struct pd_linear_op *op)
{
	pd_linear_return(op, map_get(m, op->arg[0].word, PD_NONE));
}

static void take(void *m, struct pd_linear_op *op)
{
	pd_linear_return(op, map_remove(m, op->arg[0].word, PD_NONE));
}

static const struct pd_linear_entry table[] = {{"put", {PD_NEW_KEY, PD_VALUE}, put, PD_MAY_FAIL},
					       {"get", {PD_ANY_KEY}, get, 0},
					       {"remove", {PD_OLD_KEY}, take, 0},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("map", PD_DURABLE, table, open_map, close_map)
