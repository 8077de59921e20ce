/* check/recover.c - recoveries: from a crash, through choices, to an outcome. See check.h. */
#include "base/out.h"
#include "engine/crash/blame.h"
#include "engine/crash/least.h"
#include "engine/crash/path.h"
#include "protocol/board.h"
#include "model/state.h"
#include "runtime/check/account.h"
#include "runtime/check/check.h"
#include "runtime/check/again.h"
#include "runtime/check/checksum.h"
#include "runtime/check/cover.h"
#include "runtime/check/pace.h"
#include "runtime/check/torn.h"
#include "runtime/check/walker.h"
#include "runtime/pm/pool.h"
#include "runtime/base/quiet.h"
#include "runtime/base/raw.h"
#include "runtime/thread/sched.h"
#include "runtime/session/session.h"
#include "runtime/pm/shadow.h"
#include "runtime/place/site.h"
#include "runtime/thread/snapshot.h"
#include "runtime/access/tso.h"
#include "runtime/pm/veil.h"
#include <string.h>
#include <unistd.h>

static struct {
	struct pd_board_order order;
	struct pd_crash_run *run; /* the record of this process */
	int output;		  /* memfd for its standard output and error */
	struct pd_path path;
	struct pd_arena arena;
	bool threads;		    /* it has created threads */
	const struct pd_view *view; /* of the load at hand, as the program has it */
} recovery = {.output = -1};

/* ---- starting one --------------------------------------------------------------------------- */

static int new_output(int copy_of)
{
	int fd = (int)pd_raw(SYS_memfd_create, (long)"perdure-output", 0, 0, 0, 0, 0);
	char buf[4096];
	long n, at = 0;

	for (; copy_of >= 0; at += n) {
		n = pd_raw(SYS_pread64, copy_of, (long)buf, sizeof(buf), at, 0, 0);
		if (n <= 0)
			break;
		pd_raw_write(fd, buf, (size_t)n);
	}
	return fd;
}

static void use_output(int fd)
{
	/* In the runtime's own range */
	int high = (int)pd_raw(SYS_fcntl, fd, F_DUPFD, pd_session.pipe, 0, 0, 0);

	pd_raw(SYS_dup2, high, STDOUT_FILENO, 0, 0, 0, 0);
	pd_raw(SYS_dup2, high, STDERR_FILENO, 0, 0, 0, 0);
	pd_raw_close(fd);
	if (recovery.output >= 0)
		pd_raw_close(recovery.output);
	recovery.output = high;
}

static struct pd_crash_run *new_run(const struct pd_crash_run *from)
{
	struct pd_crash_run *run = pd_account_take();

	if (!run)
		pd_check_end_unknown(PD_UNKNOWN_BOARD, "");
	memcpy(run, from, offsetof(struct pd_crash_run, noutput));
	run->inherited = run->last;
	return run;
}

void pd_check_waits(bool waits)
{
	if (recovery.run)
		recovery.run->waiting = waits;
}

/*
 * Splits off a recovery that goes on by itself; true in the new one. If no process can be created,
 * the value stays open, and the walk finds it later.
 */
static bool branch(void)
{
	struct pd_crash_run *run = new_run(recovery.run);
	int output = new_output(recovery.output);
	struct pd_check_offsets offsets;
	pid_t pid;

	pd_check_offsets_keep(&offsets);
	pid = pd_snapshot_fork();
	if (pid == 0) {
		recovery.run = run;
		pd_check_quiet_begin(PD_CHECK_RECOVERY);
		use_output(output);
		return true;
	}
	if (pid < 0) {
		pd_account_reuse(run);
		pd_raw_close(output);
		return false;
	}
	pd_check_waits(true);
	pd_account_await(pid, run, output);
	pd_check_waits(false);
	pd_check_offsets_restore(&offsets);
	pd_raw_close(output);
	return false;
}

/* ---- choices -------------------------------------------------------------------------------- */

/* Whether to leave the remaining values to other processes, or the worker to other walkers. */
static bool to_be_shared(const struct pd_board_order *o)
{
	return pd_walker_hungry() ||
	       pd_board()->worker[o->worker].order_size >= pd_share_order(&pd_board()->share);
}

/* Splits off a recovery for each value but the one that this recovery sees. */
static uint32_t branch_all(uint32_t n)
{
	const struct pd_board_order *o = &recovery.order;

	if (o->crash.depth == 1 && to_be_shared(o))
		return 0; /* the walk finds what is left open, and hands it to idle workers */
	for (uint32_t i = 1; i < n && !pd_board()->stop && !pd_board()->killed; i++)
		if (branch())
			return i;
	return 0;
}

static uint32_t pick_value(void *ctx, enum pd_choice_kind kind, uint32_t n)
{
	int64_t pick = pd_pick(&recovery.order.wish, recovery.run->nchoice, pd_mem.model.asked,
			       pd_mem.model.classes);

	(void)ctx;
	(void)kind;
	if (pick == PD_PICK_DIVERGED)
		pd_check_end_unknown(PD_UNKNOWN_VALUES, "");
	return pick == PD_PICK_ALL ? branch_all(n) : (uint32_t)pick;
}

static void chose(void *ctx, const struct pd_class *classes, uint32_t n, uint32_t pick)
{
	struct pd_crash_run *run = recovery.run;
	struct pd_crash_choice *c = pd_account_choice();

	(void)ctx;
	run->lost += pick != 0;
	if (recovery.order.wish.quick) /* its path is the list of its picks */
		pd_digest_u64(&run->path, pd_mem.addr << 8 ^ pick);
	if (pick)
		pd_path_lose(&recovery.path, pd_mem.addr & ~(uint64_t)(PD_BLOCK - 1),
			     classes[0].source ? classes[0].source->site : 0);
	*c = pd_blame_choice(classes, n, pick, pd_mem.mask, pd_mem.site, pd_mem.addr);
	c->before = run->last;
	c->number = run->nchoice++;
	run->last = c;
	pd_check_publish(c->load, true);
	if (recovery.order.wish.forced && pick)
		pd_least_blame(recovery.order.wish.suspects, pd_mem.model.asked,
			       pd_mem.model.classes, pd_mem.mask, c);
	if (c->blamed)
		pd_check_publish(c->next.site, c->next.exec > 0);
	if (pd_check.journal)
		pd_journal_choice(c, c->number);
	pd_image_line(pd_mem.addr, &classes[pick].set);
	pd_debug_choice(run->depth, c->number);
}

/* A crashed line is settled: shows it in the program's memory, too. */
static void wrote(void *ctx, uint64_t addr, uint32_t n)
{
	(void)ctx;
	pd_pool_poke(PD_PM_BASE + addr, pd_shadow(addr), n);
	pd_tso_show();
}

/* ---- the path ------------------------------------------------------------------------------- */

static struct pd_unknown_read describe_read(const struct pd_tree_read *read)
{
	const struct pd_site *s = pd_site_get(read->site);
	uint64_t addr = read->block + (uint32_t)__builtin_ctzll(read->mask);
	struct pd_unknown_read to = {.line = s ? s->line : 0};
	const struct pd_pool *p = pd_pool_of_address(PD_PM_BASE + addr, &to.offset);

	if (s)
		strncpy(to.file, s->file, sizeof(to.file) - 1);
	if (p)
		strncpy(to.pm, p->name, sizeof(to.pm) - 1);
	return to;
}

/* Ends: after equal reads, the recovery before did something else. */
static _Noreturn void diverged_at(const struct pd_tree_node *node, const struct pd_tree_read *read)
{
	struct pd_unknown *u = &recovery.run->unknown;

	u->now = describe_read(read);
	if (node->read)
		u->before = describe_read(node->read);
	pd_check_end_unknown(node->read ? PD_UNKNOWN_READ : PD_UNKNOWN_MORE, "");
}

static void step(const struct pd_tree_read *read, const uint8_t *bytes)
{
	const struct pd_board_order *o = &recovery.order;
	struct pd_crash_run *run = recovery.run;
	struct pd_tree_memory mem = pd_board_memory();

	mem.last = &recovery.path.last;
	pd_check.changes++;
	if (o->reads)
		recovery.order.reads = pd_check_cover_list(o->reads, read->block, read->mask);
	if (pd_check_torn.marking && !pd_mem.touching)
		pd_check_torn_mark(run->node, read->block, read->mask, read->site);
	if (pd_board()->ambiguous && pd_tree_pending(run->node))
		pd_check_publish(read->site, true);
	if (o->wish.worst) { /* no other recovery follows this path */
		pd_path_note(run, read, bytes);
		return;
	}
	switch (pd_path_step(&recovery.path, run, &mem, read, bytes, o->owner, o->to)) {
	case PD_PATH_DIVERGED:
		diverged_at(run->node, read);
	case PD_PATH_FULL:
		pd_check_end_unknown(PD_UNKNOWN_BOARD, "");
	case PD_PATH_KNOWN:
		pd_check_end(PD_OUTCOME_KNOWN, 0);
	case PD_PATH_ON:
		break;
	}
}

/* The bytes of a block that are zero because this execution has truncated its file. */
static uint64_t cut_here(uint64_t block)
{
	const struct pd_pool *p = pd_check.cut ? pd_pool_slot_owner(PD_PM_BASE + block) : NULL;
	uint64_t at = p ? PD_PM_BASE + block - p->base : 0;

	if (!p || p->kept >= at + PD_BLOCK)
		return 0;
	return UINT64_MAX << (p->kept > at ? p->kept - at : 0);
}

static uint64_t written_here(uint64_t block)
{
	struct pd_line *line = pd_model_line(&pd_mem.model, block);
	uint32_t in_line = (1u << pd_mem.model.params.line_shift) - 1;
	uint64_t written =
		line && line->cur.log ? line->cur.written[(block & in_line) / PD_BLOCK] : 0;

	return written | cut_here(block);
}

/* Whether a load of the block has only one possible result. */
static bool is_settled(uint64_t block)
{
	const struct pd_line *line = pd_model_line(&pd_mem.model, block);

	return !(line && line->crashed);
}

/* Those of the bytes `mask` of a block that may be read again without being heard. */
static uint64_t may_be_quiet(uint64_t block, uint64_t mask)
{
	if (pd_mem.group || pd_mem.touching || !is_settled(block) || !pd_veil_covers(block))
		return 0;
	return pd_check_torn.marking ? mask & ~pd_check_torn_compared(block) : mask;
}

/* The path knows the bytes `mask` of a block: reading them again need not be heard. */
static void keep_quiet(uint64_t block, uint64_t mask)
{
	mask = may_be_quiet(block, mask);
	if (mask)
		pd_quiet_add(block, mask);
}

/*
 * Nobody has stored to the block, and no other recovery follows this path: what it holds is the
 * same in all of them, and no store can be covered by reading it.
 */
static bool is_blank(uint64_t block)
{
	return !pd_model_line(&pd_mem.model, block);
}

/* No read of such blocks need be heard. */
static void keep_page_quiet(uint64_t off, bool (*is_such)(uint64_t block))
{
	uint64_t page = off & ~(uint64_t)(PD_PAGE - 1), blocks = 0;

	if (pd_mem.group || pd_mem.touching || !pd_veil_covers(page))
		return;
	if (pd_quiet_knows(page))
		blocks = (uint64_t)is_such(off) << off % PD_PAGE / PD_BLOCK;
	else
		for (uint32_t i = 0; i < PD_PAGE / PD_BLOCK; i++)
			blocks |= (uint64_t)is_such(page + i * PD_BLOCK) << i;
	pd_quiet_add_blocks(page, blocks);
}

/* The same for a read that need not be recorded itself. */
static bool keep_blank_quiet(uint64_t off, size_t n)
{
	if (!recovery.order.wish.worst || off % PD_BLOCK + n > PD_BLOCK || !is_blank(off))
		return false;
	keep_page_quiet(off, is_blank);
	return true;
}

void pd_check_wrote(uint64_t off, size_t n, uint32_t site)
{
	uint64_t at = off % PD_BLOCK;

	(void)site;
	if (n < PD_BLOCK && at + n <= PD_BLOCK && !recovery.order.wish.quick)
		keep_quiet(off - at, ((1ULL << n) - 1) << at);
}

/* The shared copy of a load's view. NULL: memory ran out. */
static const struct pd_view *shared_view(const struct pd_view *view)
{
	struct pd_tree_memory mem = pd_board_memory();
	const struct pd_view **at = &pd_board()->view_at[pd_mix((uintptr_t)view) % PD_BOARD_VIEWS];
	const struct pd_view *v = __atomic_load_n(at, __ATOMIC_ACQUIRE);

	if (v && v->steps == view->steps && memcmp(v, view, pd_view_bytes(view)) == 0)
		return v;
	v = pd_tree_view(&pd_board()->views, &mem, view);
	__atomic_store_n(at, v, __ATOMIC_RELEASE);
	return v;
}

/*
 * The view of a load counts only if the crash left all of its bytes: they are in one block, and the
 * recovery has written none of them. Under a checksum, and with by_value, bytes are read as they
 * are.
 */
void pd_check_decide(uint64_t off, size_t n, uint32_t site)
{
	uint64_t at = off % PD_BLOCK, mask;
	struct pd_lens *lens = &pd_mem.lens;

	pd_checksum_read(off, n, site);
	if (!lens->view)
		return;
	if (recovery.order.wish.worst && is_blank(off)) {
		lens->view = NULL;
		return;
	}
	mask = at + n <= PD_BLOCK && n == lens->view->size ? ((1ULL << n) - 1) << at : 0;
	recovery.view = lens->view;
	if (!mask || pd_mem.group || pd_board()->by_value || written_here(off - at) & mask)
		lens->view = NULL;
	else if (!(lens->view = shared_view(lens->view)))
		pd_check_end_unknown(PD_UNKNOWN_BOARD, "");
}

/* Looks at the bytes through the view, and enters the result into the path. */
static void look(uint64_t off, const void *bytes, size_t n, uint32_t site)
{
	uint64_t at = off % PD_BLOCK;
	struct pd_tree_read read = {.block = off - at,
				    .mask = ((1ULL << n) - 1) << at,
				    .site = site,
				    .lens = pd_mem.lens};
	struct pd_path_bytes looked;
	uint8_t block[PD_BLOCK] = {0};

	if (!pd_path_look(&recovery.path, read.block, read.mask, &read.lens, &looked))
		pd_check_end_unknown(PD_UNKNOWN_MEMORY, "");
	if (pd_check_torn.marking && looked.again)
		pd_check_torn_again(read.block, looked.again, site);
	if (looked.fresh) {
		memcpy(block + at, bytes, n);
		step(&read, block);
	}
	if (may_be_quiet(read.block, read.mask) == read.mask) {
		read.lens.view = recovery.view;
		pd_quiet_add_look(off, &read.lens);
	}
}

void pd_check_read(uint64_t off, const void *bytes, size_t n, uint32_t site)
{
	const uint8_t *from = bytes;

	recovery.run->last_load = site;
	recovery.run->last_addr = off;
	if (recovery.order.wish.quick)
		keep_page_quiet(off, is_settled);
	if (recovery.order.wish.quick || keep_blank_quiet(off, n))
		return;
	if (pd_mem.lens.view) {
		look(off, bytes, n, site);
		return;
	}
	while (n) {
		uint32_t at = (uint32_t)(off % PD_BLOCK);
		uint32_t k = (uint32_t)PD_MIN(n, PD_BLOCK - at);
		uint64_t mask = (k == 64 ? UINT64_MAX : (1ULL << k) - 1) << at;
		struct pd_path_bytes read;
		uint8_t block[PD_BLOCK] = {0};

		if (!pd_path_read(&recovery.path, off - at, mask, written_here(off - at), &read))
			pd_check_end_unknown(PD_UNKNOWN_MEMORY, "");
		if (pd_check_torn.marking && !pd_mem.touching && read.again)
			pd_check_torn_again(off - at, read.again, site);
		if (read.fresh) {
			memcpy(block + at, from, k);
			step(&(struct pd_tree_read){.block = off - at,
						    .mask = read.fresh,
						    .site = site,
						    .group = pd_mem.group},
			     block);
		}
		keep_quiet(off - at, mask);
		off += k;
		from += k;
		n -= k;
	}
}

void pd_check_threads(void)
{
	uint8_t block[PD_BLOCK] = {0};

	if (pd_check.role != PD_CHECK_RECOVERY || recovery.threads)
		return;
	recovery.threads = true;
	memcpy(block, &pd_rt.seed, sizeof(pd_rt.seed));
	step(&(struct pd_tree_read){.block = PD_CHECK_SCHEDULE,
				    .mask = (1ULL << sizeof(pd_rt.seed)) - 1,
				    .group = pd_mem.group},
	     block);
}

const void *pd_check_history_left(size_t *n)
{
	*n = recovery.order.history_n;
	return recovery.order.history;
}

void pd_check_history_judged(void)
{
	uint8_t block[PD_BLOCK] = {0};
	struct pd_digest d = PD_DIGEST_INIT;

	pd_digest_bytes(&d, recovery.order.history, recovery.order.history_n);
	memcpy(block, &d, sizeof(d));
	step(&(struct pd_tree_read){.block = PD_CHECK_HISTORY,
				    .mask = (1ULL << sizeof(d)) - 1,
				    .group = pd_mem.group},
	     block);
}

bool pd_check_shows_order(void)
{
	struct pd_named t;

	return recovery.order.crash.kind == PD_EV_EXIT ||
	       (pd_named_of(recovery.order.crash.seed, &t) && pd_named_roles(&t) > 1);
}

uint64_t pd_check_bytes_written(uint64_t block)
{
	return written_here(block);
}

uint64_t pd_check_bytes_read(uint64_t block)
{
	return pd_path_bytes_read(&recovery.path, block);
}

_Noreturn void pd_check_hangs(enum pd_hang why)
{
	recovery.run->hang = why;
	pd_check_publish(recovery.run->last_load, true);
	pd_check_end(PD_OUTCOME_HANG, 0);
}

/* ---- from the crash to main ----------------------------------------------------------------- */

static void stuck(bool deadlock, const struct pd_waits *w)
{
	recovery.run->waits = *w;
	if (!deadlock)
		pd_check_hangs(PD_HANG_LIVELOCK);
	pd_check_publish(recovery.run->last_load, true);
	pd_check_end(PD_OUTCOME_DEADLOCK, 0);
}

static bool is_open(uint64_t off, uint64_t n)
{
	return pd_model_load_is_open(&pd_mem.model, off, n);
}

static void begin_veil(void)
{
	pd_veil_begin(&(struct pd_veil_memory){.overlay = pd_tso_overlay,
					       .touch = pd_mem_touch,
					       .is_open = is_open,
					       .line = 1ULL << pd_mem.model.params.line_shift,
					       .shown = pd_board()->again.debug});
}

static void load_state(const struct pd_board_order *o)
{
	struct pd_model *m = &pd_mem.model;
	const char *why = "";

	pd_pool_init();
	if (!pd_pool_table_load(o->files, o->files_n, &why))
		pd_check_end_unknown(PD_UNKNOWN_FILES, why);
	for (uint32_t i = 0; i < pd_pool_count(); i++)
		if (!pd_pool_get(i)->side)
			pd_shadow_pool(pd_pool_get(i));
	if (!pd_model_import(m, o->state, o->state_n))
		pd_check_end_unknown(PD_UNKNOWN_MEMORY, "");
	begin_veil();
	for (struct pd_line *line = m->lines; line; line = line->next) {
		uint64_t addr = line->cur.line << m->params.line_shift;

		wrote(NULL, addr, 1u << m->params.line_shift);
	}
}

/* Decides every line, as an eager checker would, whether recovery reads it or not. For tests. */
static void decide_all(void)
{
	struct pd_model *m = &pd_mem.model;

	for (struct pd_line *line = m->lines; line; line = line->next) {
		uint64_t addr = line->cur.line << m->params.line_shift;
		uint8_t bytes[1 << PD_LINE_SHIFT_MAX];

		for (uint32_t i = 0; i < 1u << m->params.line_shift; i += PD_BLOCK) {
			pd_mem.addr = addr + i;
			pd_mem.mask = UINT64_MAX;
			pd_model_load(m, 0, addr + i, bytes + i, PD_BLOCK, &pd_mem.value_chooser);
			pd_check_read(addr + i, bytes + i, PD_BLOCK, 0);
		}
	}
}

static void become_recovery(const struct pd_board_order *o, struct pd_crash_run *run, int output)
{
	recovery.run = run;
	recovery.order = *o; /* a recovery from this one overwrites the board's */
	if (o->wish.quick)
		pd_digest_u64(&run->path, o->crash.seed);
	pd_check_begin(PD_CHECK_RECOVERY, o->crash.depth);
	pd_check.before = o->crash.when;
	pd_check.journal = pd_check.journal && !o->trial;
	pd_walker_inherit(o->walker, o->worker);
	pd_check.event_limit = pd_pace_events(o->trial);
	pd_arena_init(&recovery.arena, pd_rt_memory());
	recovery.path.arena = &recovery.arena;
	use_output(output);
	pd_sched_report_stuck = stuck;
	pd_sched_peek = pd_veil_read;
	pd_mem.value_chooser = (struct pd_chooser){pick_value, NULL};
	pd_mem.model.chose = chose;
	pd_mem.model.wrote = wrote;
	load_state(o);
	pd_image_begin();
	pd_debug_start(o->crash.depth);
	pd_veil_signals();
	pd_fail_watch();
	pd_loop_begin();
	if (pd_board()->eager)
		decide_all();
}

const struct pd_crash_run *pd_check_self(void)
{
	struct pd_crash_run *run = recovery.run ? pd_board_alloc(NULL, sizeof(*run)) : NULL;

	if (run) {
		memcpy(run, recovery.run, sizeof(*run));
		pd_board_keep_choices(run);
	}
	return run;
}

struct pd_crash_run *pd_check_own(void)
{
	return recovery.run;
}

bool pd_check_supervise(uint32_t depth, uint32_t walker)
{
	struct pd_board_order *o = &pd_board()->walker[walker].order[depth];
	struct pd_crash_run *run;
	int output = new_output(-1);
	pid_t pid;

	pd_account_begin(o->worker);
	if (o->trial) {
		pd_account_reuse_choices(o->trial);
		memset(o->trial, 0, sizeof(*o->trial));
	}
	run = o->trial ? o->trial : pd_account_take();
	if (!run || output < 0)
		return false;
	o->ended = run;
	run->trial = o->trial != NULL;
	run->forced = o->wish.forced;
	run->node = o->root;
	run->inside = o->root == o->to;
	pd_blame_crash(run, &o->crash);
	pid = pd_snapshot_fork();
	if (pid == 0) {
		become_recovery(o, run, output);
		return true;
	}
	if (pid > 0)
		pd_account_await(pid, run, output);
	else
		pd_check_starved(-pid);
	pd_raw_close(output);
	return false;
}

void pd_check_starved(int err)
{
	struct pd_board *b = pd_board();

	b->starved = err;
	pd_board_count(b->killed);
}

/* ---- how it ends ---------------------------------------------------------------------------- */

_Noreturn void pd_check_end(uint32_t outcome, uint32_t detail)
{
	if (recovery.run) {
		recovery.run->outcome = outcome;
		recovery.run->detail = detail;
		if (outcome == PD_OUTCOME_HANG || outcome == PD_OUTCOME_DEADLOCK)
			pd_fail_here();
	}
	pd_raw(SYS_exit_group, 1, 0, 0, 0, 0, 0);
	__builtin_unreachable();
}

_Noreturn void pd_check_end_unknown(enum pd_unknown_why why, const char *text)
{
	if (recovery.run) {
		struct pd_unknown *u = &recovery.run->unknown;

		u->why = why;
		strncpy(u->text, text, sizeof(u->text) - 1);
	}
	pd_check_end(pd_unknown_is_divergence(why) ? PD_OUTCOME_DIVERGED : PD_OUTCOME_LOST, 0);
}

void pd_check_failed(const char *text, const char *file, int line)
{
	if (pd_check.role != PD_CHECK_RECOVERY || recovery.run->outcome)
		return;
	pd_fail_here();
	recovery.run->outcome = PD_OUTCOME_CHECK;
	recovery.run->check_line = (uint32_t)line;
	strncpy(recovery.run->check_file, file, sizeof(recovery.run->check_file) - 1);
	strncpy(recovery.run->text, text, sizeof(recovery.run->text) - 1);
}

/* Whether the oldest store that the read missed belongs to an interrupted operation. */
static bool is_of_interrupted(const struct pd_crash_choice *c)
{
	const struct pd_crash *crash = &recovery.order.crash;
	bool next = c->next.order != 0;
	uint32_t tid = next ? c->next.tid : c->newest_tid;
	uint32_t order = next ? c->next.order : c->newest_order;

	if ((next ? c->next.exec : c->newest_exec) + 1 != crash->depth)
		return false;
	for (uint32_t i = 0; i < crash->nunder_way && i < PD_CRASH_UNDER_WAY; i++)
		if (crash->under_way[i].tid == tid && order > crash->under_way[i].from)
			return true;
	return false;
}

enum pd_losers pd_check_losers(void)
{
	const struct pd_crash_run *run = recovery.run;

	for (const struct pd_crash_choice *c = run->last; c; c = c->before)
		if (c->pick && !is_of_interrupted(c))
			return PD_LOSERS_OTHERS;
	return run->lost ? PD_LOSERS_INTERRUPTED : PD_LOSERS_NONE;
}

void pd_check_linear(const char *interrupted)
{
	recovery.run->linear = true;
	strncpy(recovery.run->operation, interrupted, sizeof(recovery.run->operation) - 1);
}

void pd_check_answered(bool left, bool announced)
{
	if (left && announced)
		pd_board()->judged = 1;
	recovery.run->silent = left && !announced;
}

void pd_check_reads(uintptr_t code)
{
	if (!code || recovery.run->nfail)
		return;
	recovery.run->fail[0] = code + 1; /* like a return address */
	recovery.run->nfail = 1;
}

struct pd_diagram *pd_check_diagram(void)
{
	return &recovery.run->diagram;
}

void pd_check_unexplained(uint32_t kind, const char *response, const char *operation, bool in_part)
{
	struct pd_crash_run *run = recovery.run;

	if (run->outcome)
		return;
	run->outcome = PD_OUTCOME_HISTORY;
	run->detail = kind;
	strncpy(run->text, response, sizeof(run->text) - 1);
	memset(run->operation, 0, sizeof(run->operation));
	strncpy(run->operation, operation, sizeof(run->operation) - 1);
	run->in_part = in_part;
}
