/* check_first.c - the first execution: crash points. See check.h. */
#include "engine/crash/board.h"
#include "engine/crash/walk.h"
#include "model/state.h"
#include "runtime/check.h"
#include "runtime/pool.h"
#include "runtime/raw.h"
#include "runtime/session.h"
#include "runtime/site.h"
#include <string.h>

struct pd_check pd_check = {.worker = -1};

static struct {
	struct pd_walk walk;
	bool inside;    /* a crash point is being looked at */
	bool exported;  /* the state of this crash point is on the board */
	uint64_t state_n;
	uint64_t files_n;
	uint32_t site;
	enum pd_event_kind kind;
} first;

void pd_check_start(const char *control, int worker)
{
	const char *s = strstr(control, " board=");
	int fd = 0;
	long r;

	for (s = s ? s + 7 : ""; *s >= '0' && *s <= '9'; s++)
		fd = fd * 10 + (*s - '0');
	r = pd_raw_mmap(PD_BOARD_BASE, PD_BOARD_SIZE, PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0);
	if (r != (long)PD_BOARD_BASE)
		pd_rt_fail(4, "cannot map the memory that the processes share (errno %d)", (int)-r);
	pd_check.worker = worker;
}

void pd_check_first(void)
{
	pd_check.role = PD_CHECK_FIRST;
	pd_walk_init(&first.walk, &pd_session.model);
}

/* ---- sites, for the tool --------------------------------------------------------------------- */

static const char *keep(const char *s)
{
	size_t n = strlen(s) + 1;
	char *p = pd_board_alloc(NULL, n);

	return p ? memcpy(p, s, n) : "";
}

static const struct pd_board_site *publish(struct pd_board_site **table, const struct pd_site *s)
{
	struct pd_board_site *to;

	if (!s || s->id >= PD_BOARD_SITES) {
		pd_board()->capped += s != NULL;
		return NULL;
	}
	if (table[s->id])
		return table[s->id];
	to = pd_board_alloc(NULL, sizeof(*to));
	if (!to)
		return NULL;
	to->file = keep(s->file);
	to->function = keep(s->function);
	to->line = s->line;
	to->column = s->column;
	to->inlined_at = publish(table, s->inlined_at);
	table[s->id] = to;
	return to;
}

void pd_check_publish(uint32_t site, bool recovery)
{
	struct pd_board *b = pd_board();

	if (site)
		publish(recovery ? b->recover_site : b->first_site, pd_site_get(site));
}

static void publish_stores(void)
{
	for (struct pd_line *line = pd_session.model.lines; line; line = line->next)
		for (uint32_t i = line->cur.log ? line->cur.first : 0; i;) {
			const struct pd_store *s = pd_log_at(line->cur.log, i - 1);

			pd_check_publish(s->site, false);
			i = s->next;
		}
}

/* What is still open at the end was never made durable by anybody. */
static void count_left_open(void)
{
	struct pd_board *b = pd_board();

	for (struct pd_line *line = pd_session.model.lines; line; line = line->next)
		for (uint32_t i = line->cur.log ? line->cur.first : 0; i;) {
			const struct pd_store *s = pd_log_at(line->cur.log, i - 1);

			if (i > line->cur.must && s->site && s->site < PD_BOARD_SITES) {
				pd_check_publish(s->site, false);
				if (b->first_site[s->site])
					b->first_site[s->site]->left_open++;
			}
			i = s->next;
		}
}

/* ---- executions ------------------------------------------------------------------------------ */

static void export_state(void)
{
	struct pd_board *b = pd_board();
	uint8_t *at = (uint8_t *)PD_BOARD_STATE;
	uint64_t room = PD_BOARD_SIZE - (PD_BOARD_STATE - PD_BOARD_BASE) - (1 << 20);

	first.files_n = pd_pool_table_save(at, 1 << 20);
	if (first.files_n > 1 << 20)
		pd_rt_fail(4, "too many PM files");
	first.state_n = pd_model_export(&pd_session.model, at + (1 << 20), room);
	if (!first.state_n || first.state_n > room)
		pd_rt_fail(4, "out of memory for the state of a crash");
	b->order.files = at;
	b->order.files_n = first.files_n;
	b->order.state = at + (1 << 20);
	b->order.state_n = first.state_n;
	publish_stores();
	pd_check_publish(first.site, false);
	b->points_run++;
	first.exported = true;
}

static bool execute(void *ctx, const uint32_t *picks, uint32_t n)
{
	struct pd_zygote_order o = {.what = PD_ZYGOTE_CHECK, .seed = pd_rt.seed};
	struct pd_zygote_answer a;
	struct pd_board *b = pd_board();
	uint32_t *kept = n ? pd_board_alloc(NULL, n * sizeof(*kept)) : NULL;

	(void)ctx;
	if (b->stop || (n && !kept))
		return false;
	if (!first.exported)
		export_state();
	if (n)
		memcpy(kept, picks, n * sizeof(*kept));
	b->order.picks = kept;
	b->order.npick = n;
	b->order.point = b->points;
	b->order.crash_site = first.site;
	b->order.crash_kind = first.kind;
	if (pd_raw_write(pd_check.worker, &o, sizeof(o)) != sizeof(o) ||
	    pd_raw_read(pd_check.worker, &a, sizeof(a)) != sizeof(a))
		pd_rt_fail(4, "the zygote of recoveries is gone");
	return !b->stop;
}

/* ---- crash points ---------------------------------------------------------------------------- */

/* The tree for the files as they are now. */
static struct pd_tree_node *root_of_files(void)
{
	struct pd_digest d = PD_DIGEST_INIT;
	struct pd_board *b = pd_board();

	/* Times are left out: they differ at every crash point, and no recovery should depend on them. */
	for (uint32_t i = 0; i < pd_pool_count(); i++) {
		const struct pd_pool *p = pd_pool_get(i);

		pd_digest_u64(&d, p->names);
		pd_digest_u64(&d, p->size);
		pd_digest_u64(&d, p->mode);
		pd_digest_bytes(&d, p->name, strlen(p->name));
	}
	for (uint32_t i = 0; i < b->nroot; i++)
		if (b->root[i].files.a == d.a && b->root[i].files.b == d.b)
			return &b->root[i].node;
	if (b->nroot == PD_BOARD_ROOTS) {
		b->capped++;
		return NULL;
	}
	b->root[b->nroot].files = d;
	return &b->root[b->nroot++].node;
}

/* log10(10^a + 10^b), near enough for a figure of which the integer part matters. */
static double add_log10(double a, double b)
{
	double d = a > b ? a - b : b - a, m = a > b ? a : b;

	return d > 6 ? m : m + 0.30103 * (1 - d / 6);
}

void pd_check_point(enum pd_event_kind kind, uint32_t site)
{
	struct pd_board *b = pd_board();
	struct pd_tree_node *root;

	if (pd_check.role != PD_CHECK_FIRST || first.inside || b->stop)
		return;
	if (!pd_check.stores && kind != PD_EV_EXIT)
		return;
	first.inside = true;
	first.exported = false;
	first.site = site;
	first.kind = kind;
	b->points++;
	b->first_events = pd_check.events;
	b->eager_log10 = b->points == 1 ? pd_model_eager_log10(&pd_session.model)
					: add_log10(b->eager_log10,
						    pd_model_eager_log10(&pd_session.model));
	root = root_of_files();
	if (root) {
		b->order.root = root;
		first.walk.execute = execute;
		first.walk.leaves = 0;
		pd_walk_crash(&first.walk, root);
		b->leaves += first.walk.leaves;
	}
	if (first.walk.failed)
		pd_rt_fail(4, "out of memory while looking at a crash point");
	if (kind == PD_EV_EXIT) {
		count_left_open();
		b->finished = 1;
	}
	pd_check.stores = 0;
	first.inside = false;
}
