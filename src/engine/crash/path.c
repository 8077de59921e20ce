/* path.c - see path.h. */
#include "engine/crash/path.h"
#include "model/line.h"

bool pd_path_read(struct pd_path *p, uint64_t block, uint64_t mask, uint64_t written,
		  struct pd_path_bytes *bytes)
{
	uint64_t *seen = pd_map_put(&p->read, p->arena, block / PD_BLOCK);

	if (!seen)
		return false;
	mask &= ~written;
	bytes->again = mask & *seen;
	bytes->fresh = mask & ~*seen;
	*seen |= mask;
	return true;
}

uint64_t pd_path_bytes_read(const struct pd_path *p, uint64_t block)
{
	const uint64_t *seen = pd_map_get(&p->read, block / PD_BLOCK);

	return seen ? *seen : 0;
}

void pd_path_lose(struct pd_path *p, uint64_t block, uint32_t site)
{
	if (p->nlost == PD_LEN(p->lost))
		return;
	p->lost[p->nlost].block = block;
	p->lost[p->nlost++].site = site;
}

/* What was lost at this read, for the signature: as the walk counts it (walk.c). */
static void count_lost(struct pd_path *p, struct pd_crash_run *run, uint64_t block)
{
	for (uint32_t i = 0; i < p->nlost; i++)
		if (p->lost[i].block == block) {
			run->signature += pd_tree_lost(run->node, p->lost[i].site);
			p->lost[i--] = p->lost[--p->nlost];
		}
}

static void digest(struct pd_crash_run *run, uint64_t block, uint64_t mask, const uint8_t *bytes,
		   uint8_t *value)
{
	uint32_t n = pd_tree_pack(bytes, mask, value);

	pd_digest_u64(&run->path, block);
	pd_digest_bytes(&run->path, value, n);
}

void pd_path_note(struct pd_crash_run *run, uint64_t block, uint64_t mask, const uint8_t *bytes)
{
	uint8_t value[PD_BLOCK];

	digest(run, block, mask, bytes, value);
}

enum pd_path_step pd_path_step(struct pd_path *p, struct pd_crash_run *run,
			       const struct pd_tree_memory *mem, uint64_t block, uint64_t mask,
			       uint32_t group, const uint8_t *bytes, uint32_t owner,
			       const struct pd_tree_node *to)
{
	uint8_t value[PD_BLOCK];
	struct pd_tree_node *next;
	bool diverged;

	digest(run, block, mask, bytes, value);
	count_lost(p, run, block);
	next = pd_tree_step(run->node, mem, block, mask, group, value, owner, &diverged);
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
