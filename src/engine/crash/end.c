/* end.c - see end.h. */
#include "engine/crash/end.h"
#include "finding/finding.h"

static void put_text(struct pd_digest *d, const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	pd_digest_bytes(d, s, n);
}

static void put_calls(struct pd_digest *d, const struct pd_crash_run *run)
{
	for (uint32_t i = 0; i < run->nfail; i++) {
		uint32_t k = 0;

		while (run->fail[k] != run->fail[i])
			k++;
		if (k == i)
			pd_digest_u64(d, run->fail[i]);
	}
}

uint64_t pd_end_digest(const struct pd_crash_run *run)
{
	struct pd_digest d = PD_DIGEST_INIT;

	pd_digest_u64(&d, (uint64_t)run->outcome << 32 | run->detail);
	if (run->outcome == PD_OUTCOME_CHECK) {
		put_text(&d, run->check_file);
		put_text(&d, run->text);
		pd_digest_u64(&d, run->check_line);
	} else if (run->outcome == PD_OUTCOME_DEADLOCK && run->waits.n > 1) {
		pd_waits_digest(&d, &run->waits);
	} else if (run->outcome != PD_OUTCOME_HANG) {
		put_calls(&d, run);
	}
	return d.a;
}

/* A history that a crash made inexplicable: up to the crash it is explained. */
static bool is_history(const struct pd_crash_run *run)
{
	return run->outcome == PD_OUTCOME_HISTORY && run->detail != PD_KIND_LINEAR_ORDER;
}

bool pd_end_alike(const struct pd_crash_run *a, const struct pd_crash_run *b)
{
	return (is_history(a) && is_history(b)) || pd_end_same(a, b);
}

void pd_end_judge(struct pd_crash_run *run, const struct pd_end_status *s,
		  const uint64_t ok_exit[4])
{
	if (run->outcome != PD_OUTCOME_NONE)
		return;
	run->detail = s->number;
	if (s->signalled)
		run->outcome = s->aborted ? PD_OUTCOME_ABORT : PD_OUTCOME_SIGNAL;
	else
		run->outcome = ok_exit[s->number / 64] >> (s->number % 64) & 1 ? PD_OUTCOME_GOOD
									       : PD_OUTCOME_EXIT;
}

bool pd_end_is_lost_way(const struct pd_crash_run *run, const struct pd_tree_node *to,
			bool *diverged)
{
	*diverged = run && run->outcome < PD_OUTCOME_DIVERGED;
	return to && pd_tree_pending(to);
}

static bool sees_another(const struct pd_crash_choice *x, const struct pd_crash_choice *y)
{
	return x->addr == y->addr && x->size == y->size && x->n == y->n && x->pick == y->pick &&
	       x->seen_value != y->seen_value;
}

bool pd_end_other_values(const struct pd_crash_run *a, const struct pd_crash_run *b)
{
	for (; a && b; a = a->parent, b = b->parent)
		for (const struct pd_crash_choice *x = a->last, *y = b->last; x && y;) {
			if (x->number == y->number && sees_another(x, y))
				return true;
			if (x->number >= y->number)
				x = x->before;
			else
				y = y->before;
		}
	return false;
}
