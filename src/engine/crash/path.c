/* path.c - see path.h. */
#include "engine/crash/path.h"
#include "model/line.h"

enum { NEAR = 8, CHUNK = 64, FIRST_SLOTS = 64 };

/* What the path knows of blocks that lie together. */
struct pd_path_near {
	uint64_t read[NEAR];   /* bytes read so far */
	uint64_t looked[NEAR]; /* bytes looked at through a view */
};

static uint32_t place_of(uint64_t block)
{
	return block / PD_BLOCK % NEAR;
}

static struct pd_path_near *find_near(const struct pd_path *p, uint64_t block)
{
	const uint64_t *at = pd_map_get(&p->near, block / PD_BLOCK / NEAR);

	return at ? (struct pd_path_near *)(uintptr_t)*at : NULL;
}

/* NULL: memory ran out. */
static struct pd_path_near *make_near(struct pd_path *p, uint64_t block)
{
	uint64_t *at = pd_map_put(&p->near, p->arena, block / PD_BLOCK / NEAR);

	if (at && !*at)
		*at = (uintptr_t)pd_new(p->arena, struct pd_path_near);
	return at ? (struct pd_path_near *)(uintptr_t)*at : NULL;
}

bool pd_path_read(struct pd_path *p, uint64_t block, uint64_t mask, uint64_t written,
		  struct pd_path_bytes *bytes)
{
	struct pd_path_near *near = make_near(p, block);
	uint32_t i = place_of(block);

	if (!near)
		return false;
	mask &= ~written;
	bytes->fresh = mask & ~near->read[i];
	bytes->again = mask & (near->read[i] | near->looked[i]);
	near->read[i] |= mask;
	return true;
}

static bool is_asked(const struct pd_path_asked *a, const struct pd_path_asked *b)
{
	return a->block == b->block && a->mask == b->mask &&
	       memcmp(&a->lens, &b->lens, sizeof(a->lens)) == 0;
}

static uint32_t hash_of(const struct pd_path_asked *a)
{
	uint64_t hash = pd_mix(a->block + pd_mix(a->mask) + (uintptr_t)a->lens.view);

	for (uint32_t i = 0; i < PD_VIEW_OPERANDS; i++)
		hash = pd_mix(hash ^ a->lens.operand[i]);
	return (uint32_t)(hash >> 32);
}

struct pd_path_slot {
	uint32_t hash;
	uint32_t number; /* of the question, from 1; 0: empty */
};

static struct pd_path_asked *asked_at(const struct pd_path_asks *a, uint32_t number)
{
	return &a->chunks.v[(number - 1) / CHUNK][(number - 1) % CHUNK];
}

/* Its slot, or the one that it would have. */
static struct pd_path_slot *find_slot(const struct pd_path_asks *a, uint32_t hash,
				      const struct pd_path_asked *asked)
{
	uint32_t i = hash & a->mask;

	while (a->slots[i].number &&
	       !(a->slots[i].hash == hash && is_asked(asked_at(a, a->slots[i].number), asked)))
		i = (i + 1) & a->mask;
	return &a->slots[i];
}

static bool make_slots(struct pd_path_asks *a, struct pd_arena *arena)
{
	struct pd_path_asks old = *a;
	uint32_t n = old.slots ? 4 * (old.mask + 1) : FIRST_SLOTS;

	a->slots = pd_new_array(arena, struct pd_path_slot, n);
	if (!a->slots)
		return false;
	a->mask = n - 1;
	for (uint32_t k = 0; old.slots && k <= old.mask; k++) {
		uint32_t i = old.slots[k].hash & a->mask;

		while (a->slots[i].number)
			i = (i + 1) & a->mask;
		if (old.slots[k].number)
			a->slots[i] = old.slots[k];
	}
	return true;
}

/* Adds a question; NULL: memory ran out. */
static struct pd_path_asked *add_asked(struct pd_path_asks *a, struct pd_arena *arena)
{
	struct pd_path_asked **chunk;

	if (a->n % CHUNK == 0) {
		chunk = pd_vec_push(&a->chunks, arena);
		if (!chunk || !(*chunk = pd_new_array(arena, struct pd_path_asked, CHUNK)))
			return NULL;
	}
	return asked_at(a, ++a->n);
}

/* Records a question; *known: it was asked before. False: memory ran out. */
static bool note_asked(struct pd_path *p, const struct pd_path_asked *asked, bool *known)
{
	struct pd_path_asks *a = &p->asks;
	uint32_t hash = hash_of(asked);
	struct pd_path_asked *to;
	struct pd_path_slot *s;

	/* At most three quarters full */
	if ((!a->slots || a->n >= (a->mask + 1) / 4 * 3) && !make_slots(a, p->arena))
		return false;
	s = find_slot(a, hash, asked);
	*known = s->number;
	if (*known)
		return true;
	to = add_asked(a, p->arena);
	if (!to)
		return false;
	*to = *asked;
	*s = (struct pd_path_slot){hash, a->n};
	return true;
}

bool pd_path_look(struct pd_path *p, uint64_t block, uint64_t mask, const struct pd_lens *lens,
		  struct pd_path_bytes *bytes)
{
	const struct pd_path_asked asked = {.block = block, .mask = mask, .lens = *lens};
	struct pd_path_near *near = make_near(p, block);
	uint32_t i = place_of(block);
	bool known;

	if (!near || !note_asked(p, &asked, &known))
		return false;
	bytes->again = mask & (near->looked[i] | near->read[i]);
	bytes->fresh = known || !(mask & ~near->read[i]) ? 0 : mask;
	near->looked[i] |= mask;
	return true;
}

uint64_t pd_path_bytes_read(const struct pd_path *p, uint64_t block)
{
	const struct pd_path_near *near = find_near(p, block);

	return near ? near->read[place_of(block)] | near->looked[place_of(block)] : 0;
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
