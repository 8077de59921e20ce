/* cover.c - see cover.h. */
#include "engine/crash/cover.h"
#include "base/hash.h"

/* A key is never 0: its lowest bit is set. */
enum {
	FLAG_BITS = 8,
	RECOVERY_BIT = 1,
	FILE_SHIFT = 2,
	SITE_SHIFT = 12,
};

enum { BEHIND = 64 }; /* crash points: walkers are not further behind, mostly */

static uint64_t key_of(const struct pd_cover_place *p)
{
	uint64_t key = 1 | (uint64_t)p->recovery << RECOVERY_BIT | (uint64_t)p->file << FILE_SHIFT |
		       (uint64_t)p->site << SITE_SHIFT;

	return key << FLAG_BITS;
}

static uint64_t key_in(uint64_t word)
{
	return word >> FLAG_BITS << FLAG_BITS;
}

bool pd_cover_get(uint64_t word, struct pd_cover_place *p, uint32_t *flags)
{
	uint64_t key = word >> FLAG_BITS;

	p->recovery = key >> RECOVERY_BIT & 1;
	p->file = (uint32_t)(key >> FILE_SHIFT) % PD_COVER_FILES;
	p->site = (uint32_t)(key >> SITE_SHIFT);
	*flags = word & ((1u << FLAG_BITS) - 1);
	return word != 0;
}

/* The word of a key, or the free word where it would be added; NULL: the table is full. */
static uint64_t *find(struct pd_cover *c, uint64_t key)
{
	uint64_t i = pd_mix(key) % PD_COVER_PLACES;

	for (uint32_t tries = 0; tries < PD_COVER_PLACES; tries++, i = (i + 1) % PD_COVER_PLACES) {
		uint64_t have = __atomic_load_n(&c->place[i], __ATOMIC_RELAXED);

		if (!have || key_in(have) == key)
			return &c->place[i];
	}
	return NULL;
}

uint64_t *pd_cover_make(struct pd_cover *c, const struct pd_cover_place *p)
{
	uint64_t key = key_of(p), *word = find(c, key), nothing = 0;

	while (word && !*word && c->nplace < PD_COVER_PLACES / 2) {
		/* In the list first: a process may be killed here */
		uint32_t i = __atomic_fetch_add(&c->ntaken, 1, __ATOMIC_RELAXED);

		if (i >= PD_COVER_PLACES)
			break;
		c->taken[i] = (uint32_t)(word - c->place) + 1;
		if (__atomic_compare_exchange_n(word, &nothing, key, false, __ATOMIC_RELAXED,
						__ATOMIC_RELAXED)) {
			__atomic_fetch_add(&c->nplace, 1, __ATOMIC_RELAXED);
			return word;
		}
		c->taken[i] = 0;
		nothing = 0;
		word = find(c, key); /* another process has taken the free word */
	}
	if (word && *word)
		return word;
	__atomic_fetch_add(&c->full, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* Skips stores without a place, such as the zeros of a truncated file. */
static void mark(struct pd_cover *c, uint32_t file, const struct pd_history *h,
		 const struct pd_store *s, uint32_t flags)
{
	struct pd_cover_place p = {s->site < PD_COVER_SITES ? s->site : 0, file, h->log->exec > 0};
	uint64_t *word = find(c, key_of(&p));

	if (word && *word)
		pd_cover_add(word, flags);
}

/* By byte: the durable store that it holds; 0: none that counts. */
struct owners {
	uint64_t any;
	uint32_t of[PD_BLOCK];
};

static void take(struct owners *o, uint64_t bytes, uint32_t index)
{
	o->any |= bytes;
	for (; bytes; bytes &= bytes - 1)
		o->of[__builtin_ctzll(bytes)] = index;
}

static void mark_owners(struct pd_cover *c, uint32_t file, const struct pd_history *h,
			const struct owners *o)
{
	uint32_t before = 0;

	for (uint64_t m = o->any; m; m &= m - 1) {
		uint32_t index = o->of[__builtin_ctzll(m)];

		if (index != before)
			mark(c, file, h, pd_log_at(h->log, index - 1), PD_COVER_READ);
		before = index;
	}
}

void pd_cover_read(struct pd_cover *c, uint32_t file, const struct pd_history *h, uint32_t block,
		   uint64_t mask, uint32_t after)
{
	struct owners owners;
	uint32_t i = after ? pd_log_at(h->log, after - 1)->next : h->oldest ? h->oldest : h->first;

	owners.any = 0;
	while (i) {
		const struct pd_store *s = pd_log_at(h->log, i - 1);
		uint64_t bytes =
			s->off / PD_BLOCK == block ? pd_store_mask(s->off, s->size) & mask : 0;

		if (bytes && i > h->must)
			mark(c, file, h, s, PD_COVER_READ | PD_COVER_READ_AT_STAKE);
		else if (bytes)
			take(&owners, bytes, i);
		i = s->next;
	}
	mark_owners(c, file, h, &owners);
}

void pd_cover_met(struct pd_cover *c, const struct pd_history *h, uint32_t site, bool store)
{
	uint32_t before = pd_log_at(h->log, h->last - 1)->site;
	uint64_t key = pd_mix((uint64_t)before << 32 | site) ^ (store ? 2 : 0) ^
		       (h->last <= h->must ? 4 : 0);

	key |= 1;
	for (uint64_t i = key % PD_COVER_PAIRS; c->pair[i] != key; i = (i + 1) % PD_COVER_PAIRS) {
		if (c->pair[i])
			continue;
		/* More would not show better that schedules differ */
		if (c->npair < PD_COVER_PAIRS / 2) {
			c->pair[i] = key;
			c->npair++;
		}
		return;
	}
}

uint64_t pd_cover_size(const struct pd_cover *c)
{
	struct pd_cover_place p;
	uint64_t n = c->npair;
	uint32_t flags;

	for (uint32_t i = 0; i < c->ntaken; i++)
		for (pd_cover_get(pd_cover_word(c, i), &p, &flags); flags; flags &= flags - 1)
			n++;
	return n;
}

static uint32_t known_at(const struct pd_cover *c, uint64_t known, uint32_t crash)
{
	uint32_t at = (uint32_t)(known >> 32);

	if (at <= c->base || at > crash)
		return 0; /* of another execution, or of a later crash */
	return at == crash ? UINT32_MAX : (uint32_t)known;
}

uint32_t pd_cover_known(const struct pd_cover *c, const struct pd_tree_covered *covered,
			uint32_t crash)
{
	uint32_t known = known_at(c, __atomic_load_n(&covered->latest, __ATOMIC_RELAXED), crash);

	return known ? known
		     : known_at(c, __atomic_load_n(&covered->before, __ATOMIC_RELAXED), crash);
}

/* Not where others have come there at a later crash: what is known then need not be of this one. */
void pd_cover_know(struct pd_tree_covered *covered, uint32_t crash, uint32_t newest)
{
	uint64_t latest = __atomic_load_n(&covered->latest, __ATOMIC_RELAXED);
	uint64_t before = __atomic_load_n(&covered->before, __ATOMIC_RELAXED);
	uint64_t mine = (uint64_t)crash << 32 | newest;

	if (latest >= mine)
		return;
	if (crash - (before >> 32) > BEHIND)
		__atomic_store_n(&covered->before, latest, __ATOMIC_RELAXED);
	__atomic_store_n(&covered->latest, mine, __ATOMIC_RELAXED);
}

enum pd_tested pd_cover_tested(const struct pd_cover *c)
{
	enum pd_tested found = PD_TESTED_NO_STORE;
	struct pd_cover_place p;
	uint32_t flags;

	for (uint32_t i = 0; i < c->ntaken; i++) {
		if (!pd_cover_get(pd_cover_word(c, i), &p, &flags) || p.recovery)
			continue;
		if (!(flags & PD_COVER_AT_STAKE)) {
			found = PD_MAX(found, PD_TESTED_NO_STAKE);
			continue;
		}
		if (flags & PD_COVER_READ)
			return PD_TESTED;
		found = PD_TESTED_NO_READ;
	}
	return found;
}
