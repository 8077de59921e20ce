/* check/torn.c - see check/torn.h. */
#include "runtime/check/torn.h"
#include "protocol/board.h"
#include "engine/crash/tx.h"
#include "engine/crash/walk.h"
#include "engine/torn/torn.h"
#include "runtime/base/listen.h"
#include "runtime/check/again.h"
#include "runtime/check/check.h"
#include "runtime/session/session.h"
#include "runtime/place/site.h"
#include <string.h>

struct pd_check_torn pd_check_torn;

static struct {
	struct pd_torn engine;
	const struct pd_walk *walk;
	enum pd_event_kind kind;
	uint32_t site;
	/* The record of this execution, as of this crash point */
	const struct pd_crash_run *parent;
} torn;

/* ---- an execution that may crash ------------------------------------------------------------ */

static bool is_undone(const struct pd_torn_race *r)
{
	const struct pd_tx *tx = pd_check.depth || r->in_recovery ? NULL : pd_check_tx();
	uint64_t line = r->addr & ~((1ULL << pd_mem.model.params.line_shift) - 1);

	return tx && pd_tx_undoes(tx, r->tid, r->number, line + r->off, r->size);
}

static void race(void *ctx, const struct pd_torn_race *found)
{
	struct pd_torn_table *table = pd_board()->torn;
	const struct pd_site *s =
		found->in_recovery == (pd_check.depth > 0) ? pd_site_get(found->store) : NULL;
	struct pd_torn_race r = *found, *kept;
	uint32_t *picks = NULL;

	(void)ctx;
	r.seed = pd_board()->seed;
	r.depth = pd_check.depth + 1;
	r.point = pd_check.points;
	r.npick = torn.walk->picks.n;
	r.undone = is_undone(found);
	if ((s && s->flags & PD_SITE_ASM) || pd_torn_known(table, &r))
		return;
	kept = pd_board_alloc(NULL, sizeof(*kept));
	if (r.npick)
		picks = pd_board_alloc(NULL, r.npick * sizeof(*picks));
	if (!kept || (r.npick && !picks)) {
		__atomic_fetch_add(&table->failed, 1, __ATOMIC_RELAXED);
		return;
	}
	if (r.npick)
		memcpy(picks, torn.walk->picks.v, r.npick * sizeof(*picks));
	r.picks = picks;
	r.crash = torn.site;
	r.crash_kind = torn.kind;
	if (!torn.parent)
		torn.parent = pd_check_self();
	r.parent = torn.parent;
	if (s)
		pd_check_publish(r.store, pd_check.depth > 0);
	pd_check_publish(r.crash, pd_check.depth > 0);
	pd_check_publish(r.flush, pd_check.depth > 0);
	*kept = r;
	pd_torn_add(table, kept);
}

static bool is_block(void *ctx, uint32_t site, bool in_recovery)
{
	const struct pd_site *s = in_recovery == (pd_check.depth > 0) ? pd_site_get(site) : NULL;

	(void)ctx;
	return s && s->flags & PD_SITE_BLOCK;
}

static uint64_t read_before(void *ctx, uint64_t block)
{
	(void)ctx;
	return pd_check_bytes_read(block);
}

static void hear(struct pd_event *e);

/* Nothing can race before the first thread is created. */
static const struct pd_listener listener = {.wants = PD_EV_BIT(THREAD_CREATE), .event = hear};

static void track(void)
{
	pd_torn_track(&torn.engine);
	pd_listen_wants(&listener, UINT64_MAX);
}

static void hear(struct pd_event *e)
{
	if (e->kind == PD_EV_THREAD_CREATE)
		track();
	pd_torn_event(&torn.engine, e);
}

void pd_check_torn_begin(uint32_t depth)
{
	const struct pd_board *b = pd_board();

	memset(&pd_check_torn, 0, sizeof(pd_check_torn));
	if (!b->torn || b->eager)
		return;
	pd_check_torn.marking = depth > 0;
	pd_check_torn.on = depth < b->crashes;
	if (!pd_check_torn.on)
		return;
	pd_torn_init(&torn.engine, &pd_mem.model, &pd_session.arena, !b->torn->no_prefix);
	torn.engine.race = race;
	torn.engine.is_block = is_block;
	torn.engine.read_before = depth ? read_before : NULL;
	pd_listen_add(&listener);
	if (b->torn->track)
		track();
}

/* ---- going along ---------------------------------------------------------------------------- */

static struct pd_torn_read read_of(const struct pd_tree_node *node)
{
	const struct pd_tree_read *r = node->read;

	return (struct pd_torn_read){r->block, r->mask, node->marked ? r->site : 0, node->guarded};
}

static void visit_read(void *ctx, const struct pd_tree_node *node, const struct pd_history *crashed,
		       const struct pd_vset *set)
{
	struct pd_torn_read r = read_of(node);

	(void)ctx;
	if (r.block < PD_CHECK_HISTORY)
		pd_torn_read(&torn.engine, &r, crashed, set);
}

static void visit_took(void *ctx, const struct pd_tree_node *node, const struct pd_history *crashed,
		       const struct pd_vset *left)
{
	struct pd_torn_read r = read_of(node);

	(void)ctx;
	if (r.block < PD_CHECK_HISTORY)
		pd_torn_took(&torn.engine, &r, crashed, left);
}

static uint32_t visit_mark(void *ctx)
{
	(void)ctx;
	return pd_torn_mark(&torn.engine);
}

static void visit_back(void *ctx, uint32_t mark)
{
	(void)ctx;
	pd_torn_back(&torn.engine, mark);
	if (pd_torn_failed(&torn.engine))
		pd_rt_fail(4, "out of memory for torn stores; --no-torn does without them");
}

const struct pd_walk_visitor *pd_check_torn_visitor(const struct pd_walk *w,
						    enum pd_event_kind kind, uint32_t site)
{
	static const struct pd_walk_visitor visitor = {NULL, visit_read, visit_took, visit_mark,
						       visit_back};

	if (!pd_check_torn.on)
		return NULL;
	torn.walk = w;
	torn.kind = kind;
	torn.site = site;
	torn.parent = NULL;
	pd_torn_begin(&torn.engine);
	return &visitor;
}

/* ---- a recovery ----------------------------------------------------------------------------- */

struct guarded {
	struct pd_tree_node *node;
	uint64_t block;
	uint64_t mask;
	uint32_t next; /* rejected before in the same block; number from 1 */
};

static struct {
	struct pd_arena arena;
	PD_VEC(struct guarded) reads;	 /* of the checksum that began last */
	PD_VEC(struct guarded) rejected; /* reads of checksums that did not match */
	struct pd_map last;		 /* block -> number of the last rejected read */
} sums;

static void note_guarded(struct pd_tree_node *node, uint64_t block, uint64_t mask)
{
	struct guarded *g;

	if (!sums.arena.host.grow)
		pd_arena_init(&sums.arena, pd_rt_memory());
	g = pd_vec_push(&sums.reads, &sums.arena);
	if (g)
		*g = (struct guarded){node, block, mask, 0};
}

static void reject(const struct guarded *read)
{
	struct guarded *g = pd_vec_push(&sums.rejected, &sums.arena);
	uint64_t *last = g ? pd_map_put(&sums.last, &sums.arena, read->block) : NULL;

	if (!last)
		pd_rt_fail(4, "out of memory for torn stores; --no-torn does without them");
	*g = *read;
	g->next = (uint32_t)*last;
	*last = sums.rejected.n;
}

/* A read whose value was only compared with a constant. */
struct compared {
	uint64_t block;
	uint64_t mask;
	uint32_t site;
	uint32_t next; /* read before in the same block; number from 1 */
};

static struct {
	struct pd_arena arena;
	PD_VEC(struct compared) reads; /* each once */
	struct pd_map last;	       /* block -> number of its last read */
} compared;

static uint32_t last_compared(uint64_t block)
{
	const uint64_t *last = pd_map_get(&compared.last, block);

	return last ? (uint32_t)*last : 0;
}

static void note_compared(uint64_t block, uint64_t mask, uint32_t site)
{
	struct compared *c;
	uint64_t *last;

	if (!compared.arena.host.grow)
		pd_arena_init(&compared.arena, pd_rt_memory());
	for (uint32_t i = last_compared(block); i; i = compared.reads.v[i - 1].next) {
		c = &compared.reads.v[i - 1];
		if (c->mask == mask && c->site == site)
			return;
	}
	c = pd_vec_push(&compared.reads, &compared.arena);
	last = c ? pd_map_put(&compared.last, &compared.arena, block) : NULL;
	if (!last)
		pd_rt_fail(4, "out of memory for torn stores; --no-torn does without them");
	*c = (struct compared){block, mask, site, (uint32_t)*last};
	*last = compared.reads.n;
}

/* Bytes that were only compared are read elsewhere: they matter after all. */
static void note_reused(uint64_t block, uint64_t mask, uint32_t site)
{
	struct pd_board_site *const *table = pd_board()->recover_site;

	for (uint32_t i = last_compared(block); i; i = compared.reads.v[i - 1].next) {
		const struct compared *c = &compared.reads.v[i - 1];

		if (c->mask & mask && c->site != site && table[c->site])
			table[c->site]->reused = 1;
	}
}

void pd_check_torn_mark(struct pd_tree_node *node, uint64_t block, uint64_t mask, uint32_t site)
{
	bool guarded = pd_mem.group != 0;
	const struct pd_site *s = pd_site_get(site);

	/* A node stands for the same read in every execution: concurrent writers write the same
	 * values. */
	if (!node->marked) {
		pd_check_publish(site, true);
		node->guarded = guarded;
		node->marked = 1;
	}
	if (guarded)
		note_guarded(node, block, mask);
	if (s && s->flags & PD_SITE_EQUAL && site < PD_BOARD_SITES)
		note_compared(block, mask, site);
}

uint64_t pd_check_torn_compared(uint64_t block)
{
	uint64_t mask = sums.reads.n || sums.rejected.n ? UINT64_MAX : 0;

	for (uint32_t i = last_compared(block); i; i = compared.reads.v[i - 1].next)
		mask |= compared.reads.v[i - 1].mask;
	return mask;
}

void pd_check_torn_again(uint64_t block, uint64_t mask, uint32_t site)
{
	const uint64_t *last = pd_map_get(&sums.last, block);

	note_reused(block, mask, site);
	for (uint64_t i = last ? *last : 0; i; i = sums.rejected.v[i - 1].next)
		if (sums.rejected.v[i - 1].mask & mask)
			/* Used although it was rejected */
			sums.rejected.v[i - 1].node->guarded = 0;
}

void pd_check_torn_checksum(bool begin, bool matched)
{
	if (!pd_check_torn.marking)
		return;
	for (uint32_t i = 0; i < sums.reads.n && !begin && !matched; i++)
		reject(&sums.reads.v[i]);
	sums.reads.n = 0;
}
