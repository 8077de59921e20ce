/*
 * story.c - looks things up in the journals of a failure's rerun. See failure.h.
 */
#include "engine/crash/failure.h"
#include "event/layout.h"

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

/* Collects the words, `max` at most, that it only looks at in its last `last` events; 0: there are
 * more, or it does something else. */
static uint32_t looked_at(const struct pd_story *s, uint32_t depth, uint32_t last, uint64_t *addr,
			  uint32_t max)
{
	uint32_t n = s ? s->n[depth] : 0, k = 0;

	for (uint32_t i = n; n > last && i-- > n - last;) {
		const struct pd_again_event *e = &s->event[depth][i];
		uint32_t have = 0;

		while (have < k && addr[have] != e->addr)
			have++;
		if (e->size > 8 || !only_looks(e, e - 1) || (have == k && k == max))
			return 0;
		addr[have] = e->addr;
		k += have == k;
	}
	return k;
}

/* The last store to the word before the crash of execution `depth`; NULL: not in the story. */
static const struct pd_again_event *last_store_to(const struct pd_story *s, uint32_t depth,
						  uint64_t addr)
{
	for (uint32_t i = s->crash[depth]; i-- > 0;) {
		const struct pd_again_event *e = &s->event[depth][i];

		if (pd_again_stores(e) && addr - e->addr < e->size)
			return e;
	}
	return NULL;
}

static const struct pd_again_event *last_look_at(const struct pd_story *s, uint32_t depth,
						 uint64_t addr)
{
	const struct pd_again_event *e = &s->event[depth][s->n[depth] - 1];

	while (e->addr != addr)
		e--;
	return e;
}

/* Whether the value, as an address or as an offset in the file, leads to one of these words. */
static bool leads_to(const struct pd_story *s, uint64_t value, const uint64_t *addr, uint32_t n)
{
	enum { LINE = 64, NODE = 512 };
	uint64_t home = value >= PD_LAYOUT_PM ? value - PD_LAYOUT_PM : value;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t off = pd_story_address(s, addr[i]).number;

		if (value >= LINE && ((addr[i] + NODE > home && home + NODE > addr[i]) ||
				      (off + NODE > value && value + NODE > off)))
			return true;
	}
	return false;
}

/*
 * Of several words one is the lock if it is the only one that a locked instruction has set, or that
 * recovery tries to set. A list whose links are exchanged may go round in circles, too: so no value
 * of the lock leads to a word of the loop.
 */
static bool find_lock(const struct pd_story *s, uint32_t depth, const uint64_t *addr, uint32_t n,
		      uint64_t *lock)
{
	uint32_t found = 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct pd_again_event *set = last_store_to(s, depth - 1, addr[i]);
		const struct pd_again_event *look = last_look_at(s, depth, addr[i]);

		if (look->kind == PD_EV_LOAD && !(set && set->kind == PD_EV_RMW))
			continue;
		*lock = addr[i];
		if (found++ || leads_to(s, look->value, addr, n))
			return false;
	}
	return found > 0;
}

/* The last store to the word before the crash of execution `depth` that left this value there. */
static const struct pd_again_event *who_set(const struct pd_story *s, uint32_t depth, uint64_t addr,
					    uint64_t value)
{
	for (uint32_t i = s->crash[depth]; i-- > 0;) {
		const struct pd_again_event *e = &s->event[depth][i];

		if (pd_again_stores(e) && e->addr == addr && e->value == value)
			return e;
	}
	return NULL;
}

bool pd_story_spins(const struct pd_story *s, uint32_t depth, struct pd_spin *spin)
{
	const struct pd_again_event *set, *look;
	uint64_t addr[PD_STORY_WORDS];
	uint32_t n = looked_at(s, depth, SPINS, addr, 1);

	if (!n)
		n = depth ? looked_at(s, depth, ROUND, addr, PD_STORY_WORDS) : 0;
	if (!n || (n > 1 && !find_lock(s, depth, addr, n, &addr[0])))
		return false;
	look = last_look_at(s, depth, addr[0]);
	set = depth ? who_set(s, depth - 1, addr[0], look->value) : NULL;
	*spin = (struct pd_spin){.addr = addr[0], .load = look->site, .taken = set ? set->site : 0};
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
	const struct pd_again_event *set = NULL;
	struct pd_spin spin;

	if (f->run->outcome == PD_OUTCOME_HANG && pd_story_spins(f->story, f->run->depth, &spin))
		set = last_store_to(f->story, depth, spin.addr);
	else
		set = early;
	return set ? set : last_store_of(f->story, depth, f->run->last_store);
}

const struct pd_again_event *pd_failure_reader(const struct pd_failure *f)
{
	const struct pd_blamed *b = f->n ? &f->blame[0] : NULL;
	const struct pd_crash_choice *trusts = pd_cause_trusts(f);
	const struct pd_again_event *found = NULL;

	if (!f->story || !b || b->lost.exec || !b->lost.order ||
	    (trusts && trusts->seen_tid == b->lost.tid))
		return NULL;
	for (uint32_t i = 0; i < f->story->nread; i++) {
		const struct pd_again_event *e = &f->story->read[i];

		if (e->tid != b->lost.tid && e->before >= b->lost.order &&
		    e->addr < b->choice->addr + b->choice->size &&
		    b->choice->addr < e->addr + e->size &&
		    (!trusts || (e->tid == trusts->seen_tid && e->before < trusts->seen_order)))
			found = e;
	}
	return found;
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
