/* check/point.c - an execution that may crash: its crash points, and the recoveries that it orders
 * there. See check.h. */
#include "protocol/board.h"
#include "engine/crash/blame.h"
#include "engine/crash/end.h"
#include "engine/crash/walk.h"
#include "model/state.h"
#include "event/control.h"
#include "finding/text.h"
#include "runtime/check/check.h"
#include "runtime/libc/fault.h"
#include "runtime/check/hold.h"
#include "runtime/check/again.h"
#include "runtime/check/cover.h"
#include "runtime/check/eager.h"
#include "runtime/check/torn.h"
#include "runtime/check/walker.h"
#include "runtime/base/env.h"
#include "runtime/pm/pool.h"
#include "runtime/base/outside.h"
#include "runtime/base/raw.h"
#include "runtime/thread/sched.h"
#include "runtime/session/session.h"
#include "runtime/pm/shadow.h"
#include "runtime/thread/thread.h"
#include "runtime/place/stack.h"
#include <string.h>

/* Where recoveries are drawn at random: how many of the known ones are visited, at most. */
enum { VISITED = 1000 };

struct pd_check pd_check;
size_t (*pd_check_history)(void *buf, size_t cap);
uint32_t (*pd_check_under_way)(struct pd_crash_under_way *to, uint32_t room);

static struct {
	struct pd_walk walk;
	bool inside;   /* a crash point is being explored */
	bool counts;   /* this process counts the crash point when it is done */
	bool exported; /* the state of this crash point is on the board */
	struct pd_tree_node *root;
	bool described; /* `crash` describes this crash */
	struct pd_crash crash;
	struct pd_random_known known;
	uint32_t site;
	enum pd_event_kind kind;
	const struct pd_check_test *test; /* the test that power fails for; NULL: none */
} here;

void pd_check_start(const char *settings)
{
	long r = pd_raw_mmap(PD_BOARD_BASE, PD_BOARD_SIZE, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
			     (int)pd_setting_number(settings, "board", (uint64_t)-1), 0);

	if (r != (long)PD_BOARD_BASE)
		pd_rt_fail(4, "cannot map the memory that the processes share (errno %d)", (int)-r);
	if (!pd_board_is_marked(pd_board()))
		pd_rt_fail(4,
			   "the board of this exploration is not one of this version of perdure");
	pd_check_hear_start();
	pd_check_input_start((int)pd_setting_number(settings, "stdin", (uint64_t)-1));
}

/* Whether bytes outlive a crash: not those of a file without a name, nor those behind its end. */
static bool survives(void *ctx, uint64_t addr)
{
	const struct pd_pool *p = pd_pool_slot_owner(PD_PM_BASE + addr);

	(void)ctx;
	return p && p->names && PD_PM_BASE + addr < p->base + PD_PAGE_UP(p->size);
}

void pd_check_begin(enum pd_check_role role, uint32_t depth)
{
	pd_check_input_again(0);
	pd_check.role = role;
	pd_check.depth = depth;
	pd_check_hear(role);
	if (depth) {
		/* A lock that was held at the crash must not look like ours */
		pd_thread_tid_base((uint32_t)pd_env_pid() + depth * 100000);
		/* Faults are numbered in the first execution only */
		pd_faults.decide = NULL;
		/* So do clients come: their connections could not be shared by recoveries */
		pd_outside.over = true;
	}
	pd_walk_init(&here.walk, &pd_mem.model);
	pd_check_torn_begin(depth);
	pd_check_cover_begin();
	pd_mem.model.survives = survives;
	pd_journal_begin();
	pd_survey_begin();
	pd_check_tx_begin();
	if (role == PD_CHECK_FIRST)
		pd_hold_begin();
}

/* ---- executions ----------------------------------------------------------------------------- */

/* The order for the execution that follows this crash. */
static struct pd_board_order *order(void)
{
	return &pd_board()->walker[pd_walker_index()].order[pd_check.depth + 1];
}

static uint8_t *state_area(void)
{
	return (uint8_t *)(PD_BOARD_STATE + (pd_walker_index() * PD_BOARD_DEPTH + pd_check.depth) *
						    PD_BOARD_STATE_SIZE);
}

/* Describes this crash, for the recoveries from it. */
static const struct pd_crash *crash(void)
{
	struct pd_crash *o = &here.crash;

	if (here.described)
		return o;
	here.described = true;
	o->depth = pd_check.depth + 1;
	o->point = here.test ? here.test->number : pd_check.points;
	o->when = here.walk.when;
	o->seed = here.test ? here.test->name : pd_board()->seed;
	o->work = pd_board()->tests.work_number;
	o->nunder_way =
		pd_check_under_way ? pd_check_under_way(o->under_way, PD_CRASH_UNDER_WAY) : 0;
	o->site = here.site;
	o->kind = here.kind;
	o->last_store = pd_check.last_store;
	o->idle_flush = pd_check.idle_flush;
	o->idle_order = pd_check.idle_order;
	o->length = pd_mem.model.log->n;
	o->parent = pd_check_self();
	o->nstack = pd_rt_stack((uintptr_t *)o->stack, PD_LEN(o->stack));
	pd_check_publish(here.site, pd_check.depth > 0);
	pd_check_publish(pd_check.last_store, pd_check.depth > 0);
	pd_check_publish(pd_check.idle_flush, pd_check.depth > 0);
	return o;
}

static void publish_choice(const struct pd_crash_choice *c)
{
	pd_check_publish(c->load, true);
	pd_check_publish(c->newest, c->newest_exec > 0);
	pd_check_publish(c->seen, c->seen_exec > 0);
	pd_check_publish(c->next.site, c->next.exec > 0);
}

static void bad(void *ctx, const struct pd_tree_node *leaf)
{
	struct pd_crash_run *run = pd_blame_path(&here.walk, leaf, crash(), publish_choice);

	(void)ctx;
	if (!run)
		return; /* the board is full, which is counted */
	pd_board_push(pd_board()->findings, run);
	pd_board_count(pd_board()->nfinding);
}

static void several(void *ctx, const struct pd_tree_node *node, const pd_classes *classes)
{
	struct pd_tree_memory mem = pd_board_memory();

	(void)ctx;
	for (uint32_t i = 0; i < classes->n; i++) {
		const struct pd_crash_several *s =
			pd_several_add(&pd_board()->several, &mem, node, &classes->v[i]);

		/* Sites of earlier executions are published already */
		if (s && s->store.exec == pd_check.depth)
			pd_check_publish(s->store.site, pd_check.depth > 0);
	}
}

static void export_history(struct pd_board_order *o, uint8_t *at, uint64_t room)
{
	if (!pd_check_history)
		return;
	o->history = at;
	o->history_n = pd_check_history(at, room);
	if (!o->history_n || o->history_n > room)
		pd_rt_fail(4, "out of memory for the history of a crash");
}

static void export_state(void)
{
	uint8_t *at = state_area();
	uint64_t files = 1 << 20, history = 64 << 20;
	uint64_t room = PD_BOARD_STATE_SIZE - files - history;
	struct pd_board_order *o = order();

	*o = (struct pd_board_order){.crash = *crash()};
	o->files = at;
	o->files_n = pd_pool_table_save(at, files);
	export_history(o, at + files, history);
	o->state = at + files + history;
	o->state_n = pd_model_export(&pd_mem.model, at + files + history, room);
	if (o->files_n > files || !o->state_n || o->state_n > room)
		pd_rt_fail(4, "out of memory for the state of a crash");
	pd_check_publish_stores();
	pd_board_count(pd_board()->points_run);
	here.exported = true;
}

/* A race is tried in many schedules: all of them use the recoveries of the default one, and so
 * share one tree. */
static uint64_t recovery_seed(void)
{
	return pd_hold_on ? 0 : pd_rt.seed;
}

/* Has a worker carry out the order; false: the worker has died. */
static bool carry_out(struct pd_board_order *o)
{
	struct pd_zygote_order z = {.what = PD_ZYGOTE_CHECK,
				    .depth = o->crash.depth,
				    .walker = o->walker,
				    .seed = recovery_seed()};
	int socket = pd_board()->worker[o->worker].socket[pd_check.depth];
	struct pd_zygote_answer a;
	bool ok;

	pd_check_waits(true);
	ok = pd_raw_write(socket, &z, sizeof(z)) == sizeof(z) &&
	     pd_raw_read(socket, &a, sizeof(a)) == sizeof(a);
	pd_check_waits(false);
	return ok;
}

/* Notes that a recovery ended without the reads that its picks were for, and where it last read. */
static void note_lost_way(const struct pd_crash_run *run)
{
	struct pd_board *b = pd_board();
	const struct pd_board_site *s = pd_board_site(b, true, run->last_load);
	struct pd_unknown *u = &b->why_diverged;

	*u = (struct pd_unknown){.why = PD_UNKNOWN_ENDED};
	if (s) {
		strncpy(u->now.file, s->at.file, sizeof(u->now.file) - 1);
		u->now.line = s->at.line;
	}
}

/* The recovery has ended. If it did not reach `to`, marks that node LOST, so that walkers waiting
 * for it go on. */
static void settle(const struct pd_board_order *o)
{
	struct pd_board *b = pd_board();
	const struct pd_crash_run *run = o->ended;
	bool diverged;

	if (b->stop || b->killed || !pd_end_is_lost_way(run, o->to, &diverged))
		return;
	if (!run && !__atomic_fetch_add(&b->lost, 1, __ATOMIC_RELAXED))
		b->why_lost = (struct pd_unknown){.why = PD_UNKNOWN_PROCESS};
	if (diverged && !__atomic_fetch_add(&b->diverged, 1, __ATOMIC_RELAXED))
		note_lost_way(run);
	pd_tree_end(o->to, PD_OUTCOME_LOST, 0);
}

/*
 * Has a recovery executed, on the way to `to` if that is given; with `trial` it is recorded there
 * and not reported. False: stop, no more executions.
 */
static bool have_executed(const struct pd_wish *w, struct pd_tree_node *to,
			  struct pd_crash_run *trial)
{
	struct pd_board *b = pd_board();
	struct pd_board_order *o = order();

	o->ended = NULL;
	if (b->stop)
		return false;
	pd_debug_crash();
	if (!here.exported)
		export_state();
	o->wish = *w;
	o->wish.narrow = here.walk.watch.only || here.walk.fixed;
	o->to = to;
	o->trial = trial;
	o->root = here.root;
	o->walker = pd_walker_index();
	o->owner = pd_walker_owner();
	o->worker = pd_walker_hire();
	if (o->worker == PD_BOARD_WORKERS)
		return false;
	pd_check_cover_expect(o);
	if (!carry_out(o)) {
		pd_walker_broken(o->worker);
		return false;
	}
	settle(o);
	pd_check_cover_account(o);
	if (o->ended && !pd_end_is_bad(o->ended->outcome))
		o->ended = NULL; /* the worker reuses the record */
	pd_walker_release(o->worker);
	return !b->stop && !b->killed;
}

static bool wish_picks(struct pd_wish *w, const uint32_t *picks, uint32_t n)
{
	uint32_t *kept = n ? pd_board_alloc(NULL, n * sizeof(*kept)) : NULL;

	if (kept)
		memcpy(kept, picks, n * sizeof(*kept));
	*w = (struct pd_wish){.picks = kept, .npick = n};
	return kept || !n;
}

static bool execute(void *ctx, const uint32_t *picks, uint32_t n, struct pd_tree_node *to)
{
	struct pd_wish w;

	(void)ctx;
	return wish_picks(&w, picks, n) && have_executed(&w, to, NULL);
}

static bool execute_random(void *ctx, uint64_t random, uint32_t bias, struct pd_crash_run **bad_run)
{
	bool more = have_executed(&(struct pd_wish){.random = random, .bias = bias}, NULL, NULL);

	(void)ctx;
	*bad_run = (struct pd_crash_run *)order()->ended;
	return more;
}

static bool execute_forced(void *ctx, struct pd_suspects s, struct pd_crash_run *trial,
			   const struct pd_crash_run **bad_run)
{
	bool more = have_executed(&(struct pd_wish){.forced = true, .suspects = s}, NULL, trial);

	(void)ctx;
	*bad_run = order()->ended;
	return more;
}

static struct pd_least least(void)
{
	return (struct pd_least){.execute = execute_forced,
				 .model = &pd_mem.model,
				 .memory = pd_board_memory(),
				 .tx = pd_check.depth ? NULL : pd_check_tx()};
}

/* Executes a failure, and reduces it to as few lost stores as it needs. */
static bool execute_least(void *ctx, const uint32_t *picks, uint32_t n, struct pd_tree_node *to)
{
	struct pd_crash_run *trial = pd_board_alloc(NULL, sizeof(*trial));
	struct pd_least front = least();
	struct pd_wish w;

	(void)ctx;
	if (!trial || !wish_picks(&w, picks, n) || !have_executed(&w, to, trial) || !order()->ended)
		return false;
	return pd_least(&front, trial) != trial || /* it could not be reduced */
	       have_executed(&w, to, NULL);
}

/* ---- crash points --------------------------------------------------------------------------- */

static struct pd_digest digest_of_files(void)
{
	struct pd_digest d = PD_DIGEST_INIT;

	/* What recovery is checked against depends on the operations of the workload. */
	pd_digest_u64(&d, pd_board()->tests.work_number);
	/* Times are left out: they differ at every crash point, and no recovery should depend on
	 * them. */
	for (uint32_t i = 0; i < pd_pool_count(); i++) {
		const struct pd_pool *p = pd_pool_get(i);

		pd_digest_u64(&d, p->names);
		if (p->side)
			pd_side_digest(p, &d);
		else
			pd_digest_u64(&d, p->size);
		pd_digest_u64(&d, p->mode);
		pd_digest_bytes(&d, p->name, strlen(p->name));
	}
	return d;
}

/* Power fails for a test, in chosen states instead of all. */
static bool is_worst(void)
{
	const struct pd_board *b = pd_board();

	return here.test && !b->tests.all_states && !b->fixed[0].point;
}

/* The root of the tree for the current state of the files. */
static struct pd_tree_node *root_of_files(void)
{
	struct pd_tree_memory mem = pd_board_memory();
	struct pd_board *b = pd_board();

	/*
	 * A recovery that may crash in turn depends on more than it reads: on the versions left of
	 * the lines that it writes to. Then only recoveries of one crash point share a tree.
	 */
	if (b->no_incremental || pd_check.depth + 1 < b->crashes || is_worst())
		return pd_board_alloc(NULL, sizeof(struct pd_tree_node));
	return pd_root_get(&b->roots, &mem, digest_of_files(), pd_check.depth);
}

static void count_point(struct pd_board *b)
{
	pd_eager_count(b);
	pd_board_count(b->points);
	if (!pd_check.depth)
		b->first_events = pd_check_events();
}

/* The digest that pd_check_history_judged reads. */
static bool digest_history(uint8_t *bytes)
{
	struct pd_digest d = PD_DIGEST_INIT;
	size_t n = pd_check_history ? pd_check_history(NULL, 0) : 0;
	uint8_t *copy = n ? pd_raw_borrow(n) : NULL;

	if (n && !copy)
		pd_rt_fail(4, "out of memory for the history of a crash");
	pd_digest_bytes(&d, copy, n ? pd_check_history(copy, n) : 0);
	memcpy(bytes, &d, sizeof(d));
	if (copy)
		pd_raw_give_back(copy, n);
	return true;
}

static bool content(void *ctx, uint64_t block, uint8_t *bytes)
{
	uint64_t schedule = recovery_seed();
	const struct pd_pool *p;

	(void)ctx;
	memset(bytes, 0, PD_BLOCK);
	if (block == PD_CHECK_HISTORY)
		return digest_history(bytes);
	if (block == PD_CHECK_SCHEDULE) {
		memcpy(bytes, &schedule, sizeof(schedule));
		return true;
	}
	p = pd_pool_slot_owner(PD_PM_BASE + block);
	if (p && PD_PM_BASE + block < p->base + PD_PAGE_UP(p->size))
		memcpy(bytes, pd_shadow(block), PD_BLOCK);
	return p;
}

static bool attend(void *ctx)
{
	uint32_t before = pd_walker_index();

	(void)ctx;
	if (!pd_walker_attend()) {
		here.counts = false;
		return false;
	}
	if (pd_walker_index() != before) { /* this process is a walker now, with its own order */
		here.exported = false;
		here.walk.leaves = 0;
	}
	here.walk.owner = pd_walker_owner();
	return true;
}

static enum pd_walk_split split(void *ctx)
{
	enum pd_walk_split r = pd_walker_split(ctx);

	if (r == PD_WALK_TAKEN) {
		here.counts = false;
		here.exported = false;
		here.walk.owner = pd_walker_owner();
		here.walk.leaves = 0;
	}
	return r;
}

/* Ends the exploration of a crash point; in a walker, ends the process. */
static void done(void *ctx)
{
	(void)ctx;
	__atomic_fetch_add(&pd_board()->leaves, here.walk.leaves, __ATOMIC_RELAXED);
	pd_hold_judge(&here.walk.watch);
	if (here.walk.failed)
		pd_rt_fail(4, "out of memory while looking at a crash point");
	if (here.counts && !pd_check.depth)
		pd_board_count(pd_board()->points_done);
	pd_walker_end();
}

static void crash_at_random(void)
{
	struct pd_random *r = &pd_board()->random;
	uint64_t schedule = pd_board()->seed;
	uint32_t share = pd_random_share(r, schedule, pd_check.depth, pd_check.points);
	struct pd_random_front front = {.execute = execute_random, .least = least()};

	if (!share || !attend(NULL))
		return;
	pd_random_draw(r, schedule, here.walk.when, share, &front, &here.known);
	if (!here.walk.visitor)
		return;
	here.walk.only_known = VISITED;
	pd_walk_crash(&here.walk, here.root);
	here.walk.only_known = 0;
}

/* Executes one recovery for each state that the test names, in a tree of its own. */
static void crash_for_test(void)
{
	const struct pd_check_test *t = here.test;
	bool more = attend(NULL);

	for (uint32_t i = 0; more && i < t->n; i++) {
		here.root = pd_board_alloc(NULL, sizeof(struct pd_tree_node));
		if (!here.root)
			return; /* the board is full, which is counted */
		more = have_executed(&t->wish[i], NULL, NULL);
		pd_board_count(pd_board()->tests.run[t->wish[i].worst]);
	}
}

static void crash_here(void *ctx)
{
	const struct pd_board *b = pd_board();
	const struct pd_fixed *fixed = &b->fixed[pd_check.depth];

	pd_walker_point();
	here.counts = true;
	here.exported = false;
	here.described = false;
	here.root = root_of_files();
	if (!here.root)
		pd_rt_fail(4, "the shared memory is full");
	here.walk.attend = attend;
	here.walk.split = split;
	here.walk.await = pd_walker_await;
	here.walk.done = done;
	here.walk.fixed = fixed->point ? fixed : NULL;
	here.walk.execute =
		b->again.least && pd_check.depth + 1 == b->crashes ? execute_least : execute;
	here.walk.bad = bad;
	here.walk.content = content;
	here.walk.several = b->ambiguous ? several : NULL;
	here.walk.read = pd_check_cover_walk();
	here.walk.memory = pd_board_memory();
	here.walk.when = pd_point_when(pd_check.before, pd_check.points,
				       !pd_rt.seed || b->random.mode != PD_RANDOM_OFF);
	here.walk.visitor = pd_check_torn_visitor(&here.walk, here.kind, here.site);
	here.walk.leaves = 0;
	pd_hold_watch(&here.walk.watch);
	if (b->random.mode == PD_RANDOM_DRAW)
		crash_at_random();
	else if (is_worst())
		crash_for_test();
	else
		pd_walk_crash(&here.walk, here.root);
	done(ctx);
}

static void enter(enum pd_event_kind kind, uint32_t site)
{
	here.inside = true;
	pd_sched_hold(); /* the unwinder and others take locks, which are no steps of the program */
	here.site = site;
	here.kind = kind;
	pd_check.points++;
	if (pd_check_cover_on)
		pd_check_cover_point();
	count_point(pd_board());
}

/*
 * A program that used no PM has nothing to recover: the tool reports that, and nothing is run
 * again.
 */
static bool used_pm(void)
{
	for (uint32_t i = 0; i < pd_pool_count(); i++)
		if (!pd_pool_get(i)->side)
			return true;
	return false;
}

/* The thread has flushes that wait for a fence. */
static bool has_pending(void)
{
	const struct pd_model *m = &pd_mem.model;
	uint32_t tid = pd_thread_self();

	return tid < m->threads.n && m->threads.v[tid].pending.n;
}

static struct pd_point point_at(enum pd_event_kind kind)
{
	const struct pd_board *b = pd_board();

	return (struct pd_point){
		.kind = kind,
		.pending = has_pending(),
		.stores = pd_check.stores,
		.returned = pd_check.returned && pd_eager_several(),
		.depth = pd_check.depth,
		.crashes = b->crashes,
		.random = b->random.mode,
		.fixed = pd_check.depth < PD_BOARD_DEPTH ? b->fixed[pd_check.depth].point : 0,
		.number = pd_check.points + 1};
}

/* Completes the records of a first execution that has reached its end. */
static void finish_first(struct pd_board *b)
{
	pd_walker_drain();
	pd_check_count_left_open();
	pd_survey_end();
	pd_check_mark_stores();
	b->finished++;
	b->ended = 1;
}

static bool is_at_end(const struct pd_board *b, enum pd_event_kind kind)
{
	return kind == PD_EV_EXIT && b->fixed[0].point == PD_POINT_AT_END;
}

/* No power failure, or one that takes nothing of them: what was stored to side files is there. */
static void keep_side_files(struct pd_board *b)
{
	for (uint32_t i = 0; i < pd_pool_count(); i++) {
		struct pd_digest was = PD_DIGEST_INIT, now = PD_DIGEST_INIT;
		struct pd_pool *p = pd_pool_get(i);

		if (!p->side)
			continue;
		pd_side_digest(p, &was);
		pd_side_sync(p, 0, p->size);
		pd_side_digest(p, &now);
		if (p->names && !*b->unsynced && memcmp(&was, &now, sizeof(was)) != 0)
			strncpy(b->unsynced, pd_text_base(p->name), sizeof(b->unsynced) - 1);
	}
}

void pd_check_point(enum pd_event_kind kind, uint32_t site)
{
	struct pd_board *b;
	struct pd_point p;

	if (pd_check.role == PD_CHECK_NONE || here.inside)
		return;
	b = pd_board();
	if (pd_check.tests && !is_at_end(b, kind)) {
		if (kind == PD_EV_EXIT)
			finish_first(b);
		return; /* tests decide when power fails */
	}
	if (b->stop && kind == PD_EV_EXIT && !pd_check.depth)
		/* Walkers would die with this process, and leave workers running */
		pd_walker_drain();
	if (kind == PD_EV_EXIT && pd_check.role == PD_CHECK_RECOVERY && b->hold.asked.store.site)
		pd_hold_recovered();
	if (b->stop || b->killed)
		return;
	p = point_at(kind);
	if (!pd_point_is(&p))
		return;
	if (pd_hold_on && !pd_hold_here()) {
		if (kind == PD_EV_EXIT)
			pd_walker_drain();
		return;
	}
	p.used_pm = used_pm();
	if (is_at_end(b, kind) || (b->keeps_side && !p.depth && pd_point_is_tried(&p)))
		keep_side_files(b);
	enter(kind, site);
	if (pd_point_is_tried(&p)) {
		pd_journal_crash();
		pd_check_on_own_stack(crash_here);
	}
	if (kind == PD_EV_EXIT && !pd_check.depth)
		finish_first(b);
	pd_check.stores = 0;
	pd_sched_release();
	here.inside = false;
}

void pd_check_returned(void)
{
	pd_survey_returned();
	if (pd_check.depth >= pd_board()->crashes || pd_check.tests)
		return;
	pd_check.returned = true;
	pd_check_point(PD_EV_MARK, 0);
	pd_check.returned = false;
}

bool pd_check_crash(enum pd_event_kind kind, uint32_t site)
{
	const struct pd_board *b = pd_board();

	if (here.inside || b->stop || b->killed)
		return false;
	enter(kind, site);
	if (here.test || !b->fixed[0].point || b->fixed[0].point == pd_check.points) {
		pd_journal_crash();
		pd_check_on_own_stack(crash_here);
	}
	pd_sched_release();
	here.inside = false;
	return !b->stop && !b->killed;
}

bool pd_check_test(const struct pd_check_test *t, enum pd_event_kind kind, uint32_t site)
{
	uint32_t fixed = pd_board()->fixed[0].point;
	bool more;

	if (here.inside)
		return true;
	if (fixed && fixed != t->number)
		return true;
	if (pd_board()->tests.all_states && !fixed)
		pd_board_count(pd_board()->tests.run[PD_WORST_NOT]);
	here.test = t;
	more = pd_check_crash(kind, site);
	here.test = NULL;
	return more;
}
