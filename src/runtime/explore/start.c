/*
 * start.c - before main. See explore.h.
 *
 * The board says what to explore (mode explore). A fixed input for an ordinary run of any mode is a
 * folder (input=DIR).
 */
#include "event/control.h"
#include "runtime/base/listen.h"
#include "runtime/base/raw.h"
#include "runtime/explore/explore.h"
#include "runtime/libc/fault.h"
#include "runtime/session/session.h"
#include "runtime/symbolic/symbolic.h"

static struct pd_explore *map_board(const char *settings)
{
	int fd = (int)pd_setting_number(settings, "board", (uint64_t)-1);
	long p = pd_raw_mmap(PD_EXPLORE_BASE, PD_EXPLORE_SIZE, PROT_READ | PROT_WRITE,
			     MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0);
	struct pd_explore *b = (struct pd_explore *)p;

	if (p != (long)PD_EXPLORE_BASE || b->magic != PD_EXPLORE_MAGIC ||
	    b->version != PD_EXPLORE_VERSION || b->size != sizeof(*b))
		pd_rt_fail(4, "the shared memory of the exploration cannot be used");
	pd_raw_close(fd);
	return b;
}

/* Labels made before the checkpoint: bytes of the input, in a graph that is never used. */
static void start_labels(struct pd_explore *b)
{
	static struct pd_arena arena;

	pd_labels_map();
	pd_arena_init(&arena, pd_rt_memory());
	pd_symbolic.exprs = pd_exprs_create(&arena, b->input_size);
	if (!pd_symbolic.exprs)
		pd_rt_fail(4, "out of memory");
	pd_explore_number_inputs(pd_symbolic.exprs);
	pd_symbolic.input = b->seed;
	pd_exprs_input(pd_symbolic.exprs, b->seed);
	pd_symbolic.addresses = b->addresses;
	pd_symbolic.lost = pd_result_lost;
	pd_symbolic.pinned = pd_result_pinned;
	pd_symbolic.dropped = pd_result_dropped;
	pd_symbolic.covered = pd_result_covered;
	pd_symbolic.first_use = pd_explore_checkpoint;
	pd_symbolic.on = true;
	__pd_sym_live = 1;
}

/*
 * In a child that the program forks: it has the board, which is shared, but takes no part in the
 * exploration.
 */
static void forget(void)
{
	pd_symbolic.on = false;
	pd_symbolic.first_use = NULL;
	__pd_sym_live = 0;
	pd_faults.decide = NULL;
}

static void end_thread(struct pd_thread *t)
{
	(void)t;
	pd_symbolic_end_thread();
}

static void explore(int argc, char **argv)
{
	static const struct pd_listener listener = {.thread_ending = end_thread, .forked = forget};

	struct pd_explore *b = map_board(pd_session.settings);

	pd_exploring.board = b;
	pd_explore_renew();
	pd_exploring.main = __builtin_thread_pointer();
	pd_rt.needs = PD_BUILD_SYMBOLIC;
	b->symbolic = 1; /* a module compiled otherwise ends the program */
	start_labels(b);
	pd_result_start(pd_session.settings);
	pd_sources_start(argc, argv);
	pd_listen_add(&listener);
}

__attribute__((constructor(PD_START_EXPLORE))) static void start(int argc, char **argv)
{
	const char *dir;
	size_t n = 0;

	pd_rt_init();
	if (!pd_rt.driven)
		return;
	dir = pd_setting(pd_session.settings, "input", &n);
	if (dir)
		pd_sources_fixed(dir, n);
	if (pd_session.exploring)
		explore(argc, argv);
}
