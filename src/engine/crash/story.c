/*
 * story.c - looks things up in the journals of a failure's rerun. See failure.h.
 */
#include "engine/crash/failure.h"

enum { SPINS = 8, ROUND = 32 };

bool pd_again_stores(const struct pd_again_event *e)
{
	return e->kind == PD_EV_STORE || e->kind == PD_EV_NTSTORE || e->kind == PD_EV_RMW;
}

bool pd_again_flushes(const struct pd_again_event *e)
{
	return e->kind == PD_EV_CLFLUSH || e->kind == PD_EV_CLFLUSHOPT || e->kind == PD_EV_CLWB ||
	       e->kind == PD_EV_MSYNC;
}

const struct pd_again_event *pd_story_store(const struct pd_story *s,
					    const struct pd_crash_source *lost)
{
	if (!s || lost->exec > PD_CRASH_DEPTH || !lost->order)
		return NULL;
	for (uint32_t i = 0; i < s->n[lost->exec]; i++) {
		const struct pd_again_event *e = &s->event[lost->exec][i];

		if (pd_again_stores(e) && e->before < lost->order && lost->order <= e->after)
			return e;
	}
	return NULL;
}

/* The last store of this site before the crash of execution `depth`. */
static const struct pd_again_event *last_store_of(const struct pd_story *s, uint32_t depth,
						  uint32_t site)
{
	for (uint32_t i = s ? s->crash[depth] : 0; i-- > 0;)
		if (pd_again_stores(&s->event[depth][i]) && s->event[depth][i].site == site)
			return &s->event[depth][i];
	return NULL;
}

const struct pd_again_event *pd_story_load(const struct pd_story *s, uint32_t depth,
					   uint32_t number)
{
	for (uint32_t i = 0; s && i < s->n[depth]; i++)
		if (s->event[depth][i].chosen && s->event[depth][i].choice == number)
			return &s->event[depth][i];
	return NULL;
}

struct pd_fact pd_story_address(const struct pd_story *s, uint64_t addr)
{
	struct pd_fact fact = {.number = addr};

	for (uint32_t i = 0; s && i < s->nfile && !fact.text; i++)
		if (addr - s->file[i].base < s->file[i].size) {
			fact.number = addr - s->file[i].base;
			fact.text = s->file[i].name;
		}
	return fact;
}

/* ---- what it waits for ---------------------------------------------------------------------- */

/* Whether the event changes nothing: a read, or a locked instruction that stores the old value. */
static bool only_looks(const struct pd_again_event *e, const struct pd_again_event *before)
{
	return e->kind == PD_EV_LOAD || e->kind == PD_EV_RMW_FAILED ||
	       (e->kind == PD_EV_RMW && before->kind == PD_EV_RMW && before->value == e->value);
}

bool pd_story_spins(const struct pd_story *s, uint32_t depth, uint64_t *addr)
{
	uint32_t n = s ? s->n[depth] : 0;

	if (n <= SPINS)
		return false;
	*addr = s->event[depth][n - 1].addr;
	for (uint32_t i = n - SPINS; i < n; i++) {
		const struct pd_again_event *e = &s->event[depth][i];

		if (e->addr != *addr || e->size > 8 || !only_looks(e, e - 1))
			return false;
	}
	return true;
}

const struct pd_again_event *pd_failure_early_store(const struct pd_failure *f, uint32_t i)
{
	struct pd_crash_source s = {.order = i < f->run->nearly ? f->run->early[i] : 0};

	return f->undisturbed ? NULL : pd_story_store(f->story, &s);
}

const struct pd_again_event *pd_failure_last_store(const struct pd_failure *f)
{
	uint32_t depth = f->run->depth - 1;
	const struct pd_again_event *early = pd_failure_early_store(f, 0);
	uint64_t addr;

	if (!pd_story_spins(f->story, f->run->depth, &addr))
		return early ? early : last_store_of(f->story, depth, f->run->last_store);
	for (uint32_t i = f->story->crash[depth]; i-- > 0;) {
		const struct pd_again_event *e = &f->story->event[depth][i];

		if (pd_again_stores(e) && addr - e->addr < e->size)
			return e;
	}
	return last_store_of(f->story, depth, f->run->last_store);
}

uint32_t pd_story_circles(const struct pd_story *s, uint32_t depth, uint64_t *addr, uint32_t max)
{
	uint32_t n = s ? s->n[depth] : 0, k = 0;

	for (uint32_t i = n; i-- > 0 && i + ROUND >= n;) {
		const struct pd_again_event *e = &s->event[depth][i];
		uint32_t have = 0;

		while (have < k && addr[have] != e->addr)
			have++;
		if (e->kind != PD_EV_LOAD || (have == k && k == max))
			return 0;
		addr[have] = e->addr;
		k += have == k;
	}
	return n > ROUND ? k : 0;
}
