/* check/walker.c - see check/walker.h. */
#include "runtime/check/walker.h"
#include "runtime/check/check.h"
#include "runtime/base/raw.h"
#include "runtime/thread/snapshot.h"
#include <linux/futex.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

enum { LONGEST_NAP_NS = 1000000 };

static struct {
	uint32_t index;
	uint32_t worker; /* in a recovery: the worker that it runs in */
	bool inherited;	 /* this is a recovery */
	bool walker;	 /* this process was split off as a walker */
	uint64_t served; /* recoveries served before this crash point, if it explores alone */
	uint32_t nchild;
	int refused; /* errno of the last failure to create a walker */
	pid_t child[PD_SHARE_WALKERS];
} self;

static uint32_t own_pid(void)
{
	return (uint32_t)pd_raw(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

static bool take(uint32_t *pid, uint32_t of)
{
	uint32_t nobody = 0;

	return __atomic_compare_exchange_n(pid, &nobody, of, false, __ATOMIC_ACQ_REL,
					   __ATOMIC_RELAXED);
}

static void give_back(uint32_t *pid)
{
	struct pd_board *b = pd_board();

	__atomic_store_n(pid, 0, __ATOMIC_RELEASE);
	__atomic_fetch_add(&b->released, 1, __ATOMIC_RELEASE);
	pd_raw(SYS_futex, (long)&b->released, FUTEX_WAKE, INT32_MAX, 0, 0, 0);
}

/* Waits until something is released after `seen` was read; a short time at most, since processes
 * may die. */
static void wait_for_release(uint32_t seen)
{
	struct timespec t = {0, 10000000};

	pd_raw(SYS_futex, (long)&pd_board()->released, FUTEX_WAIT, seen, (long)&t, 0, 0);
}

static bool over(void)
{
	const struct pd_board *b = pd_board();

	return __atomic_load_n(&b->stop, __ATOMIC_RELAXED) ||
	       __atomic_load_n(&b->killed, __ATOMIC_RELAXED);
}

/* ---- walkers -------------------------------------------------------------------------------- */

/* A walker was killed: its work has to be done again. */
static void bury(uint32_t pid)
{
	struct pd_board *b = pd_board();

	pd_board_count(b->killed);
	for (uint32_t i = 0; i < b->share.jobs; i++)
		if (b->worker[i].pid == pid)
			b->worker[i].broken = 1;
	for (uint32_t i = 0; i < PD_SHARE_WALKERS; i++)
		if (b->share.walker[i].pid == pid)
			give_back(&b->share.walker[i].pid);
}

static void reap(int how)
{
	for (uint32_t i = 0; i < self.nchild;) {
		int status = 0;
		long r = pd_raw(SYS_wait4, self.child[i], (long)&status, __WALL | how, 0, 0, 0);

		if (r == -EINTR)
			continue;
		if (r == 0) {
			i++;
			continue;
		}
		if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
			pd_rt_fail(4, "a walker died of signal %d; this is a defect in perdure",
				   WTERMSIG(status));
		if (r < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
			bury((uint32_t)self.child[i]);
		self.child[i] = self.child[--self.nchild];
	}
}

static uint32_t free_walker(void)
{
	struct pd_board *b = pd_board();
	uint32_t n = pd_share_walkers(&b->share), me = own_pid();

	for (uint32_t i = 0; i < n && self.nchild < PD_SHARE_WALKERS; i++)
		if (take(&b->share.walker[i].pid, me))
			return i;
	return PD_SHARE_WALKERS;
}

enum split { SPLIT_HERE, SPLIT_NEW, SPLIT_NOT };

/* Returns SPLIT_NEW in the new walker, SPLIT_NOT if no process can be created. */
static enum split split_off(uint32_t index)
{
	struct pd_board *b = pd_board();
	pid_t pid;

	pd_board_count(b->share.walking);
	pid = pd_snapshot_fork();
	if (pid == 0) {
		self.index = index;
		self.walker = true;
		self.nchild = 0;
		b->share.walker[index].served = 0;
		b->share.walker[index].waiting = 0;
		__atomic_store_n(&b->share.walker[index].pid, own_pid(), __ATOMIC_RELEASE);
		return SPLIT_NEW;
	}
	if (pid < 0) {
		__atomic_fetch_sub(&b->share.walking, 1, __ATOMIC_RELAXED);
		give_back(&b->share.walker[index].pid);
		self.refused = -pid;
		return SPLIT_NOT;
	}
	self.child[self.nchild++] = pid;
	return SPLIT_HERE;
}

void pd_walker_inherit(uint32_t walker, uint32_t worker)
{
	self.index = walker;
	self.worker = worker;
	self.inherited = true;
}

void pd_walker_point(void)
{
	struct pd_board *b = pd_board();

	if (!pd_share_is_alone(&b->share) || self.inherited)
		return;
	if (!b->share.walker[0].pid)
		take(&b->share.walker[0].pid, own_pid());
	self.served = b->share.walker[0].served;
}

/* From here on crash points have walkers; this process gives up its slot as walker 0. */
static void begin_sharing(struct pd_board *b)
{
	if (b->share.jobs == 1 || b->share.begun)
		return;
	b->share.begun = 1;
	if (b->share.walker[0].pid == own_pid())
		give_back(&b->share.walker[0].pid);
}

bool pd_walker_attend(void)
{
	struct pd_board *b = pd_board();
	uint32_t index, seen;
	enum split s;

	if (self.walker || self.inherited || pd_share_is_little(&b->share, self.served))
		return true;
	for (;;) {
		seen = __atomic_load_n(&b->released, __ATOMIC_ACQUIRE);
		reap(WNOHANG);
		if (over())
			return false;
		index = free_walker();
		s = index < PD_SHARE_WALKERS ? split_off(index) : SPLIT_NOT;
		if (s == SPLIT_HERE)
			begin_sharing(b);
		if (s != SPLIT_NOT)
			return s == SPLIT_NEW;
		/* No process can be created, and no walker of ours will make room by ending */
		if (index < PD_SHARE_WALKERS && !self.nchild) {
			if (b->share.jobs == 1)
				return true;
			pd_check_starved(self.refused);
		}
		wait_for_release(seen);
	}
}

bool pd_walker_branch(bool *none)
{
	struct pd_board *b = pd_board();

	*none = false;
	for (;;) {
		uint32_t seen = __atomic_load_n(&b->released, __ATOMIC_ACQUIRE), index;
		enum split s;

		reap(b->share.jobs == 1 ? 0 : WNOHANG);
		if (over())
			return false;
		index = free_walker();
		s = index < PD_SHARE_WALKERS ? split_off(index) : SPLIT_NOT;
		if (s == SPLIT_HERE && b->share.jobs == 1)
			reap(0);
		if (s != SPLIT_NOT)
			return s == SPLIT_NEW;
		*none = !self.nchild;
		if (*none)
			return false;
		wait_for_release(seen);
	}
}

uint32_t pd_walker_index(void)
{
	return self.index;
}

uint32_t pd_walker_owner(void)
{
	return own_pid();
}

enum pd_walk_split pd_walker_split(void *ctx)
{
	uint32_t index;
	enum split s;

	(void)ctx;
	if (!self.walker || !pd_walker_hungry() || over())
		return PD_WALK_HERE;
	reap(WNOHANG);
	index = free_walker();
	if (index == PD_SHARE_WALKERS)
		return PD_WALK_HERE;
	s = split_off(index);
	return s == SPLIT_NOT ? PD_WALK_HERE : s == SPLIT_NEW ? PD_WALK_TAKEN : PD_WALK_GIVEN;
}

void pd_walker_drain(void)
{
	reap(0);
}

void pd_walker_end(void)
{
	struct pd_board *b = pd_board();

	if (!self.walker)
		return;
	b->share.walker[self.index].waiting = 0;
	__atomic_fetch_sub(&b->share.walking, 1, __ATOMIC_RELAXED);
	reap(0);
	give_back(&b->share.walker[self.index].pid);
	pd_raw(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

/* Waits for a node that another process has claimed. If that dies, its claim is void. */
static bool await(struct pd_tree_node *node)
{
	struct timespec nap = {0, 20000};
	uint32_t owner;

	while (pd_tree_pending(node) && (owner = __atomic_load_n(&node->owner, __ATOMIC_ACQUIRE))) {
		if (over() || owner == own_pid())
			return false;
		/* Its parent may wait for others before it reaps it. The check costs more than most
		 * waits: only after a while */
		if (nap.tv_nsec == LONGEST_NAP_NS && pd_snapshot_gone((pid_t)owner)) {
			__atomic_compare_exchange_n(&node->owner, &owner, 0, false,
						    __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
			return true;
		}
		pd_raw(SYS_nanosleep, (long)&nap, 0, 0, 0, 0, 0);
		nap.tv_nsec = PD_MIN(nap.tv_nsec * 2, LONGEST_NAP_NS);
	}
	return true;
}

bool pd_walker_await(void *ctx, struct pd_tree_node *node)
{
	struct pd_board *b = pd_board();
	bool known;

	(void)ctx;
	if (self.walker)
		__atomic_fetch_sub(&b->share.walking, 1, __ATOMIC_RELAXED);
	known = await(node);
	if (self.walker)
		pd_board_count(b->share.walking);
	return known;
}

/* ---- workers -------------------------------------------------------------------------------- */

uint32_t pd_walker_hire(void)
{
	struct pd_board *b = pd_board();
	uint32_t me = own_pid(), seen, broken;

	if (self.inherited)
		return self.worker;
	for (;;) {
		seen = __atomic_load_n(&b->released, __ATOMIC_ACQUIRE);
		broken = 0;
		for (uint32_t i = 0; i < b->share.jobs; i++) {
			if (!b->worker[i].broken && pd_share_is_turn(&b->share, self.index) &&
			    take(&b->worker[i].pid, me)) {
				b->worker[i].order_size = 0;
				b->share.walker[self.index].waiting = 0;
				return i;
			}
			broken += b->worker[i].broken;
		}
		b->share.walker[self.index].waiting = 1;
		if (over() || broken == b->share.jobs)
			return PD_BOARD_WORKERS;
		wait_for_release(seen);
	}
}

void pd_walker_release(uint32_t worker)
{
	struct pd_board *b = pd_board();

	if (self.inherited)
		return;
	b->share.walker[self.index].served += PD_MAX(b->worker[worker].order_size, 1);
	give_back(&b->worker[worker].pid);
}

void pd_walker_broken(uint32_t worker)
{
	struct pd_board *b = pd_board();

	b->worker[worker].broken = 1;
	pd_board_count(b->killed);
}

bool pd_walker_hungry(void)
{
	return pd_share_is_hungry(&pd_board()->share);
}
