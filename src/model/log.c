/* log.c - see log.h. */
#include "model/log.h"

static bool add_chunk(struct pd_log *log, struct pd_arena *a)
{
	uint32_t k = 31 - (uint32_t)__builtin_clz(log->n / PD_LOG_FIRST + 1);

	if (k >= PD_LOG_CHUNKS) {
		a->failed = true;
		return false;
	}
	log->chunk[k] = pd_new_array(a, struct pd_store, PD_LOG_FIRST << k);
	if (!log->chunk[k])
		return false;
	log->tip = log->chunk[k] - log->n;
	log->tip_end = log->n + (PD_LOG_FIRST << k);
	return true;
}

struct pd_store *pd_log_next(struct pd_log *log, struct pd_arena *a)
{
	if (pd_unlikely(log->n == log->tip_end) && !add_chunk(log, a))
		return NULL;
	return &log->tip[log->n];
}
