/*
 * rerun.c - which failures are run again, and in which order. See failure.h.
 *
 * Failures that use up their whole budget of events come last, since they may take all the time
 * that is left. Those that time or PD_RERUN_MOST leaves out are marked, so that the report can
 * count them.
 */
#include "engine/crash/failure.h"

struct pd_failure *pd_rerun_next(struct pd_rerun *r, bool stopped)
{
	for (;;) {
		struct pd_failure *f;

		if (r->at == r->failures->n) {
			if (r->slow)
				return NULL;
			r->slow = true;
			r->at = 0;
			continue;
		}
		f = &r->failures->v[r->at++];
		if (f->subsumed || pd_run_is_slow(f->run) != r->slow)
			continue;
		if (!stopped && r->done < PD_RERUN_MOST) {
			r->done++;
			return f;
		}
		f->left = true;
		pd_rerun_sort_in(r, f);
	}
}

void pd_rerun_sort_in(struct pd_rerun *r, struct pd_failure *f)
{
	struct pd_failure *v = r->failures->v;

	for (uint32_t k = 0; k < r->failures->n; k++)
		if (v[k].proven && pd_failure_take_in(&v[k], f))
			return;
	for (uint32_t k = 0; k < r->failures->n; k++)
		pd_failure_take_in(f, &v[k]);
}
