/* path.c - see path.h. */
#include "engine/crash/path.h"
#include "model/line.h"

static uint64_t looked_at(const struct pd_path *p, uint64_t block)
{
	const uint64_t *looked = pd_map_get(&p->looked, block / PD_BLOCK);

	return looked ? *looked : 0;
}

bool pd_path_read(struct pd_path *p, uint64_t block, uint64_t mask, uint64_t written,
		  struct pd_path_bytes *bytes)
{
	uint64_t *seen = pd_map_put(&p->read, p->arena, block / PD_BLOCK);

	if (!seen)
		return false;
	mask &= ~written;
	bytes->fresh = mask & ~*seen;
	bytes->again = mask & (*seen | looked_at(p, block));
	*seen |= mask;
	return true;
}

static bool is_asked(const struct pd_path_asked *a, const struct pd_path_asked *b)
{
	return a->block == b->block && a->mask == b->mask &&
	       memcmp(&a->lens, &b->lens, sizeof(a->lens)) == 0;
}

static uint64_t hash_of(const struct pd_path_asked *a)
{
	uint64_t hash = pd_mix(a->block + pd_mix(a->mask) + (uintptr_t)a->lens.view);

	for (uint32_t i = 0; i < PD_VIEW_OPERANDS; i++)
		hash = pd_mix(hash ^ a->lens.operand[i]);
	return hash >> 1;
}

/* Records a question; *known: it was asked before. False: memory ran out. */
static bool note_asked(struct pd_path *p, const struct pd_path_asked *asked, bool *known)
{
	struct pd_path_asked *to;
	uint64_t *at;

	for (uint64_t key = hash_of(asked);; key++) {
		at = pd_map_put(&p->asked, p->arena, key);
		if (!at)
			return false;
		*known = *at && is_asked(&p->asks.v[*at - 1], asked);
		if (*known)
			return true;
		if (!*at)
			break;
	}
	to = pd_vec_push(&p->asks, p->arena);
	if (!to)
		return false;
	*to = *asked;
	*at = p->asks.n;
	return true;
}

bool pd_path_look(struct pd_path *p, uint64_t block, uint64_t mask, const struct pd_lens *lens,
		  struct pd_path_bytes *bytes)
{
	const struct pd_path_asked asked = {.block = block, .mask = mask, .lens = *lens};
	const uint64_t *seen = pd_map_get(&p->read, block / PD_BLOCK);
	uint64_t *looked = pd_map_put(&p->looked, p->arena, block / PD_BLOCK);
	bool known;

	if (!looked || !note_asked(p, &asked, &known))
		return false;
	bytes->again = mask & (*looked | (seen ? *seen : 0));
	bytes->fresh = known || (seen && !(mask & ~*seen)) ? 0 : mask;
	*looked |= mask;
	return true;
}

uint64_t pd_path_bytes_read(const struct pd_path *p, uint64_t block)
{
	const uint64_t *seen = pd_map_get(&p->read, block / PD_BLOCK);

	return (seen ? *seen : 0) | looked_at(p, block);
}

void pd_path_lose(struct pd_path *p, uint64_t block, uint32_t site)
{
	if (p->nlost == PD_LEN(p->lost))
		return;
	p->lost[p->nlost].block = block;
	p->lost[p->nlost++].site = site;
}

/* Adds what this read lost to the signature, in the same way as the walk (walk.c). */
static void count_lost(struct pd_path *p, struct pd_crash_run *run, uint64_t block)
{
	for (uint32_t i = 0; i < p->nlost; i++)
		if (p->lost[i].block == block) {
			run->signature += pd_tree_lost(run->node, p->lost[i].site);
			p->lost[i--] = p->lost[--p->nlost];
		}
}

static void digest(struct pd_crash_run *run, const struct pd_tree_read *read, const uint8_t *bytes,
		   uint8_t *value)
{
	const struct pd_lens *lens = read->lens.view ? &read->lens : NULL;
	uint32_t n = pd_tree_value(bytes, read->mask, lens, value);

	pd_digest_u64(&run->path, read->block);
	pd_digest_bytes(&run->path, value, n);
}

void pd_path_note(struct pd_crash_run *run, const struct pd_tree_read *read, const uint8_t *bytes)
{
	uint8_t value[PD_BLOCK];

	digest(run, read, bytes, value);
}

enum pd_path_step pd_path_step(struct pd_path *p, struct pd_crash_run *run,
			       const struct pd_tree_memory *mem, const struct pd_tree_read *read,
			       const uint8_t *bytes, uint32_t owner, const struct pd_tree_node *to)
{
	uint8_t value[PD_BLOCK];
	struct pd_tree_node *next;
	bool diverged;

	digest(run, read, bytes, value);
	count_lost(p, run, read->block);
	next = pd_tree_step(run->node, mem, read, value, owner, &diverged);
	if (diverged)
		return PD_PATH_DIVERGED;
	if (!next)
		return PD_PATH_FULL;
	run->node = next;
	if (run->inside && next->owner != owner)
		return PD_PATH_KNOWN;
	run->inside = run->inside || next == to;
	return PD_PATH_ON;
}
