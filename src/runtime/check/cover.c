/* check/cover.c - see check/cover.h. */
#include "runtime/check/cover.h"
#include "engine/crash/cover.h"
#include "runtime/base/listen.h"
#include "runtime/check/check.h"
#include "runtime/check/walker.h"
#include "runtime/pm/pool.h"
#include "runtime/pm/shadow.h"
#include "runtime/session/session.h"
#include "runtime/thread/sched.h"
#include <string.h>

enum { NO_FILE = PD_COVER_FILES };

bool pd_check_cover_on;

static struct {
	struct pd_cover *table;
	bool threads; /* one was made */
	bool found;   /* this recovery has found data */
	/* By site: 1 + the pool that it stored to last, which is recorded */
	uint32_t noted[PD_COVER_SITES];
	PD_VEC(struct stored {
		uint64_t *place;
		uint32_t pool;
	})
	new; /* stored to since the last crash point, or in a file without a name */
	PD_VEC(uint32_t) file; /* by pool: 1 + the index of its name; 0: not asked yet */
} cover PD_TABLE;

/* ---- stores --------------------------------------------------------------------------------- */

static const char *keep(const char *name)
{
	size_t n = strlen(name) + 1;
	char *copy = pd_board_alloc(NULL, n);

	return copy ? memcpy(copy, name, n) : NULL;
}

/* Index of a file name, the same in all executions. */
static uint32_t index_of_name(const char *name)
{
	const char **file = cover.table->file, *mine = NULL;

	for (uint32_t i = 0; i < PD_COVER_FILES; i++) {
		const char *have = __atomic_load_n(&file[i], __ATOMIC_ACQUIRE);

		if (!have && !mine && !(mine = keep(name)))
			break;
		if (!have && __atomic_compare_exchange_n(&file[i], &have, mine, false,
							 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
			return i;
		if (strcmp(have, name) == 0)
			return i;
	}
	__atomic_fetch_add(&cover.table->full, 1, __ATOMIC_RELAXED);
	return NO_FILE;
}

/* The file of a pool, identified by the name that it has when it is first stored to: a rename does
 * not change it. */
static uint32_t file_of(const struct pd_pool *p)
{
	while (cover.file.n <= p->id) {
		uint32_t *f = pd_vec_push(&cover.file, &pd_session.arena);

		if (!f)
			return NO_FILE;
		*f = 0;
	}
	if (!cover.file.v[p->id])
		cover.file.v[p->id] = 1 + index_of_name(p->name);
	return cover.file.v[p->id] - 1;
}

static void note(const struct pd_pool *p, uint32_t site)
{
	struct pd_cover_place place = {site, file_of(p), pd_check.depth > 0};
	uint64_t *word = place.file == NO_FILE ? NULL : pd_cover_make(cover.table, &place);
	struct stored *s;

	cover.noted[site] = p->id + 1;
	if (!word || *word & PD_COVER_AT_STAKE)
		return;
	pd_check_publish(site, place.recovery);
	pd_cover_add(word, PD_COVER_STORED);
	s = pd_vec_push(&cover.new, &pd_session.arena);
	if (s)
		*s = (struct stored){word, p->id};
}

static void note_stored(uint64_t off, size_t n, uint32_t site)
{
	const struct pd_pool *p = pd_pool_slot_owner(PD_PM_BASE + off);
	uint32_t at = site < PD_COVER_SITES ? site : 0;

	(void)n;
	if (p && cover.noted[at] != p->id + 1)
		note(p, at);
}

/* Records a meeting of two threads at a line, while there are several threads. */
static void note_access(uint64_t off, uint32_t site, bool store)
{
	const struct pd_line *line =
		pd_check.depth || pd_sched.nlive <= 1 ? NULL : pd_model_line(&pd_mem.model, off);

	if (line && line->cur.last &&
	    pd_log_at(line->cur.log, line->cur.last - 1)->tid != pd_thread_self())
		pd_cover_met(cover.table, &line->cur, site, store);
}

static void note_load(uint64_t off, size_t n, uint32_t site)
{
	(void)n;
	note_access(off, site, false);
}

static void note_store(uint64_t off, const void *data, size_t n, uint32_t site)
{
	(void)data;
	(void)n;
	note_access(off, site, true);
}

static void note_thread(void)
{
	static const struct pd_listener accesses = {.loaded = note_load, .storing = note_store};

	if (!cover.threads)
		pd_listen_add(&accesses);
	cover.threads = true;
}

/* ---- what recoveries try -------------------------------------------------------------------- */

static bool not_zero(const uint8_t *bytes, size_t n, uint64_t but)
{
	for (size_t i = 0; i < n; i++)
		if (bytes[i] && (n > PD_BLOCK || !(but >> i & 1)))
			return true;
	return false;
}

/* Inside one block. */
static void note_found(uint64_t off, const void *bytes, size_t n, uint32_t site)
{
	const struct pd_line *line =
		cover.found ? NULL : pd_model_line(&pd_mem.model, off - off % PD_BLOCK);
	uint32_t in_line = (1u << pd_mem.model.params.line_shift) - 1;
	uint64_t own = line && line->cur.log ? line->cur.written[(off & in_line) / PD_BLOCK] : 0;

	(void)site;
	if (!cover.found)
		cover.found = not_zero(bytes, n, own >> off % PD_BLOCK);
}

static void note_tried(uint64_t off, size_t n, uint32_t site)
{
	uint32_t at = site < PD_COVER_SITES ? site : 0;
	enum pd_cover_did what = cover.found ? PD_COVER_TRIED : PD_COVER_ANEW;

	(void)off;
	(void)n;
	if (pd_cover_did(cover.table, at, what))
		return;
	pd_check_publish(at, true);
	pd_cover_do(cover.table, at, what);
}

/* In the program itself, before the store. */
static void note_changed(uint64_t off, const void *data, size_t n, uint32_t site)
{
	uint32_t at = site < PD_COVER_SITES ? site : 0;

	(void)data;
	if (!pd_cover_did(cover.table, at, PD_COVER_CHANGED) && not_zero(pd_shadow(off), n, 0))
		pd_cover_do(cover.table, at, PD_COVER_CHANGED);
}

void pd_check_cover_begin(void)
{
	static const struct pd_listener stores = {.stored = note_stored,
						  .thread_making = note_thread};
	static const struct pd_listener first = {.storing = note_changed};
	static const struct pd_listener recovery = {
		.takes_quiet = true, .decided = note_found, .stored = note_tried};
	const struct pd_board *b = pd_board();

	cover.table = b->cover;
	pd_check_cover_on = b->cover && pd_check.depth < b->crashes;
	if (pd_check_cover_on)
		pd_listen_add(&stores);
	if (b->cover)
		pd_listen_add(pd_check.depth ? &recovery : &first);
}

void pd_check_cover_point(void)
{
	uint32_t nameless = 0;

	for (uint32_t i = 0; i < cover.new.n; i++) {
		const struct pd_pool *p = pd_pool_get(cover.new.v[i].pool);

		if (p && p->names)
			pd_cover_add(cover.new.v[i].place, PD_COVER_AT_STAKE);
		else if (p)
			cover.new.v[nameless++] = cover.new.v[i];
	}
	cover.new.n = nameless;
}

/* ---- reads ---------------------------------------------------------------------------------- */

/* The number of this crash among those of all executions of the program. */
static uint32_t number_of_crash(void)
{
	return cover.table->base + pd_check.points;
}

/*
 * Records the read for stores of this execution, and of those that crashed before it and left the
 * line open.
 */
static void note_read(uint64_t block, uint64_t mask, const struct pd_line *line, uint32_t after)
{
	const struct pd_pool *p = pd_pool_slot_owner(PD_PM_BASE + block);
	uint32_t in_line = (1u << pd_mem.model.params.line_shift) - 1;
	uint32_t at = (uint32_t)(block & in_line) / PD_BLOCK;
	uint32_t file = p ? file_of(p) : NO_FILE;

	if (file == NO_FILE)
		return;
	if (line->cur.log)
		pd_cover_read(cover.table, file, &line->cur, at, mask, after);
	for (const struct pd_history *h = line->crashed; h; h = h->older)
		pd_cover_read(cover.table, file, h, at, mask, 0);
}

static void note_node(void *ctx, struct pd_tree_node *node)
{
	struct pd_tree_read *read = node->read;
	const struct pd_line *line = pd_model_line(&pd_mem.model, read->block);
	uint32_t after;

	(void)ctx;
	if (!line)
		return;
	/* A recovery has crash points of its own: nothing is remembered */
	after = pd_check.depth ? 0 : pd_cover_known(cover.table, &read->covered, number_of_crash());
	if (after >= line->cur.last && (!line->crashed || after == UINT32_MAX))
		return; /* avoid the write: most processes get here without news */
	note_read(read->block, read->mask, line, after);
	if (!pd_check.depth)
		pd_cover_know(&read->covered, number_of_crash(), line->cur.last);
}

pd_check_cover_reader *pd_check_cover_walk(void)
{
	return pd_check_cover_on && pd_board()->random.mode == PD_RANDOM_OFF ? note_node : NULL;
}

/* ---- random recoveries ---------------------------------------------------------------------- */

void pd_check_cover_expect(struct pd_board_order *o)
{
	struct pd_board_reads **list = &pd_board()->walker[pd_walker_index()].reads[pd_check.depth];

	o->reads = NULL;
	if (!pd_check_cover_on || !(o->wish.random || (o->wish.worst && !o->wish.quick)))
		return;
	if (!*list)
		*list = pd_board_alloc(NULL, sizeof(**list));
	for (struct pd_board_reads *l = *list; l; l = l->next)
		l->n = 0;
	o->reads = *list;
}

void pd_check_cover_account(const struct pd_board_order *o)
{
	for (const struct pd_board_reads *l = o->reads; l; l = l->next)
		for (uint32_t i = 0; i < l->n; i++) {
			const struct pd_line *line = pd_model_line(&pd_mem.model, l->read[i].block);

			if (line)
				note_read(l->read[i].block, l->read[i].mask, line, 0);
		}
}

struct pd_board_reads *pd_check_cover_list(struct pd_board_reads *list, uint64_t block,
					   uint64_t mask)
{
	while (list->n == PD_LEN(list->read)) {
		if (!list->next && !(list->next = pd_board_alloc(NULL, sizeof(*list))))
			return list; /* the board is full, which is counted */
		list = list->next;
	}
	list->read[list->n].block = block;
	list->read[list->n++].mask = mask;
	return list;
}
