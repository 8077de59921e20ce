/*
 * check/loop.c - takes the state of a recovery, to find out whether it loops for ever
 * (engine/crash/loop.h).
 *
 * The state is the registers and stacks of its threads and all its private memory. It determines
 * what follows only where
 *
 * - no other thread can run, or the schedule draws nothing any more (it is the default one, or PCT
 *   after its last change point, with empty store buffers): who runs next then follows from who
 *   runs now, who can run, in which order and how long each has been spinning, which is part of the
 *   state;
 * - no thread waits for a point in time;
 * - it has not asked for the time or for random numbers, nor read from or waited for any
 *   descriptor;
 * - it handles no signals.
 *
 * Otherwise the budget decides.
 */
#include "engine/crash/loop.h"
#include "runtime/check/check.h"
#include "runtime/base/env.h"
#include "runtime/pm/pool.h"
#include "runtime/base/raw.h"
#include "runtime/thread/sched.h"
#include "runtime/session/session.h"
#include <link.h>
#include <signal.h>
#include <string.h>
#include <unwind.h>

enum { TEXT = 1 << 16 };

#define MEMORY_MAX (512ULL << 20)

static struct {
	struct pd_loop loop;
	uint64_t own_reads;	      /* system calls of the runtime itself */
	uint64_t own_first, own_last; /* range of this library's variables */
	char *proc;
} loop;

/* ---- digests -------------------------------------------------------------------------------- */

static void digest_range(struct pd_loop_state *s, uint64_t from, uint64_t to)
{
	for (from = (from + 7) & ~7ULL; from + 8 <= to; from += 8)
		pd_loop_digest(s, *(const volatile uint64_t *)from);
}

/* ---- registers ------------------------------------------------------------------------------ */

struct frame {
	struct pd_loop_state *s;
	uint64_t sp;
};

/*
 * The program's innermost frame: digests its callee-saved registers, and finds where its stack
 * ends.
 */
static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *arg)
{
	static const int kept[] = {3, 6, 12, 13, 14, 15}; /* rbx, rbp, r12 to r15 */
	struct frame *f = arg;
	uint64_t pc = _Unwind_GetIP(context);

	if (pd_rt_is_own(pc))
		return _URC_NO_REASON;
	f->sp = _Unwind_GetCFA(context);
	pd_loop_digest(f->s, pc);
	pd_loop_digest(f->s, f->sp);
	for (uint32_t i = 0; i < PD_LEN(kept); i++)
		pd_loop_digest(f->s, _Unwind_GetGR(context, kept[i]));
	return _URC_END_OF_STACK;
}

/* ---- memory --------------------------------------------------------------------------------- */

static int find_own(struct dl_phdr_info *info, size_t size, void *arg)
{
	uint64_t here = (uint64_t)&loop;

	(void)size;
	(void)arg;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t first = info->dlpi_addr + p->p_vaddr, last = first + p->p_memsz;

		if (p->p_type != PT_LOAD || here < first || here >= last)
			continue;
		loop.own_first = first & ~4095ULL;
		loop.own_last = (last + 4095) & ~4095ULL;
		return 1;
	}
	return 0;
}

static void find_variables(void)
{
	pd_sched_hold();
	dl_iterate_phdr(find_own, NULL);
	pd_sched_release();
}

/* Reads a whole file of /proc; its length, or 0 if it does not fit. */
static size_t read_text(const char *path)
{
	long fd = pd_raw_open(path, O_RDONLY), n;
	size_t at = 0;

	while (fd >= 0 && at < TEXT && (n = pd_raw_read((int)fd, loop.proc + at, TEXT - at)) >= 0) {
		loop.own_reads++;
		if (!n)
			break;
		at += (size_t)n;
	}
	if (fd >= 0)
		pd_raw_close((int)fd);
	if (at >= TEXT)
		return 0;
	loop.proc[at] = '\0';
	return at;
}

static uint64_t hex(const char **s)
{
	uint64_t v = 0;

	for (;; (*s)++) {
		char c = **s;

		if (c >= '0' && c <= '9')
			v = v << 4 | (uint64_t)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = v << 4 | (uint64_t)(c - 'a' + 10);
		else
			return v;
	}
}

/* The window of PM and those of the runtime lie below the program. */
static bool is_ours(uint64_t from, const char *line)
{
	uint64_t window = from >> PD_PM_SHIFT;
	const char *end = strchr(line, '\n');
	const char *name = strstr(line, "libperdure_rt.so");

	return (window >= 1 && window <= 4 && !PD_IS_SIDE(from)) ||
	       (from >= loop.own_first && from < loop.own_last) || (name && end && name < end);
}

/* Memory below the end of a stack is not part of the state. */
static uint64_t above_stack(uint64_t from, uint64_t to, uint64_t sp)
{
	uint64_t lowest = sp >= from && sp < to ? sp : UINT64_MAX;

	for (uint32_t i = 0; i < pd_sched.nlive; i++) {
		const struct pd_thread *t = pd_sched.live[i];
		uint64_t parked = (uint64_t)t->sp;

		if (t != pd_sched.cur && parked >= from && parked < to)
			lowest = PD_MIN(lowest, parked);
	}
	return lowest == UINT64_MAX ? from : lowest;
}

/* Where a mapping ends that can be read: pages beyond the end of a file cannot. */
static uint64_t readable_end(uint64_t from, uint64_t to)
{
	uint64_t first = from >> 12, n = (to - from) >> 12;

	if (!n || pd_raw_is_readable(to - 4096))
		return to;
	while (n) {
		uint64_t half = n / 2;

		if (pd_raw_is_readable((first + half) << 12)) {
			first += half + 1;
			n -= half + 1;
		} else {
			n = half;
		}
	}
	return first << 12;
}

/* False: there is too much of it, or it cannot be known. */
static bool digest_memory(struct pd_loop_state *s, uint64_t sp)
{
	uint64_t sum = 0;

	if (!read_text("/proc/self/maps"))
		return false;
	for (const char *p = loop.proc; *p; p = strchr(p, '\n') + 1) {
		const char *at = p;
		uint64_t from = hex(&at), to = (at++, hex(&at));

		if (!strchr(p, '\n'))
			return false;
		if (at[2] != 'w' || at[4] != 'p' || at[1] != 'r' || is_ours(from, p))
			continue;
		to = readable_end(from, to);
		from = above_stack(from, to, sp);
		sum += to - from;
		if (sum > MEMORY_MAX)
			return false;
		digest_range(s, from, to);
	}
	return true;
}

/* ---- what comes from outside ---------------------------------------------------------------- */

static uint64_t number_after(const char *key, bool hexadecimal)
{
	const char *s = strstr(loop.proc, key);
	uint64_t v = 0;

	if (!s)
		return UINT64_MAX;
	for (s += strlen(key); *s == ' ' || *s == '\t'; s++)
		;
	if (hexadecimal)
		return hex(&s);
	for (; *s >= '0' && *s <= '9'; s++)
		v = v * 10 + (uint64_t)(*s - '0');
	return v;
}

/* Whether the program handles signals, apart from those that the runtime or libc handle. */
static bool handles_signals(void)
{
	static const int known[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL, SIGABRT,
				    SIGSYS,  SIGTRAP, 32,     33};
	uint64_t caught;

	if (!read_text("/proc/self/status"))
		return true;
	caught = number_after("SigCgt:", true);
	for (uint32_t i = 0; i < PD_LEN(known); i++)
		caught &= ~(1ULL << (known[i] - 1));
	return caught;
}

/* Digests how often the program has read from a descriptor; false: the kernel does not say. */
static bool digest_reads(struct pd_loop_state *s)
{
	uint64_t own = loop.own_reads, n;

	if (!read_text("/proc/self/io"))
		return false;
	n = number_after("syscr:", false);
	pd_loop_digest(s, n - own);
	return n != UINT64_MAX;
}

/* ---- threads -------------------------------------------------------------------------------- */

/* Which thread runs, and for how long. False: the next step does not follow from that. */
static bool digest_turn(void *ctx, struct pd_loop_state *s)
{
	bool alone = pd_sched.nlive - pd_sched.nblocked <= 1;

	(void)ctx;
	*s = (struct pd_loop_state){1, 2};
	if (pd_sched.nlive <= 1)
		return true;
	if (pd_sched.early_timeouts || pd_rt.buffered || (!alone && !pd_sched_settled()))
		return false;
	pd_loop_digest(s, pd_sched.cur->number);
	for (uint32_t i = 0; i < pd_sched.nlive; i++) {
		const struct pd_thread *t = pd_sched.live[i];

		if (t->state == PD_THREAD_BLOCKED && t->deadline != PD_NEVER)
			return false;
		pd_loop_digest(s, t->number);
		pd_loop_digest(s, t->state);
		pd_loop_digest(s, alone ? 0 : t->spins);
		pd_loop_digest(s, alone ? 0 : pd_sched_rank(t));
		pd_loop_digest(s, t == pd_sched.cur ? 0 : (uint64_t)t->sp);
	}
	return true;
}

/* ---- looking -------------------------------------------------------------------------------- */

/* Digests the registers; sets f->sp to the end of the program's stack. */
static bool digest_registers(struct frame *f)
{
	pd_loop_digest(f->s, pd_env_asked());
	pd_sched_hold(); /* the unwinder takes locks */
	_Unwind_Backtrace(visit, f);
	pd_sched_release();
	return f->sp;
}

static bool take_here(void *ctx, struct pd_loop_state *s)
{
	struct frame f = {.s = s};

	(void)ctx;
	*s = (struct pd_loop_state){1, 2};
	return digest_registers(&f);
}

static bool take_state(void *ctx, struct pd_loop_state *s)
{
	struct frame f = {.s = s};

	if (!digest_turn(ctx, s))
		return false;
	if (!loop.proc)
		loop.proc = pd_raw_borrow(TEXT + 1);
	if (!loop.own_last)
		find_variables();
	if (!loop.proc || !loop.own_last || handles_signals())
		return false;
	return digest_registers(&f) && digest_reads(s) && digest_memory(s, f.sp);
}

void pd_loop_reached(uint64_t off, uint32_t site)
{
	static const struct pd_loop_front front = {
		.turn = digest_turn, .state = take_state, .here = take_here};
	uint64_t idle = pd_sched.idle, stale = pd_sched.stale;
	uint32_t spins = pd_sched.cur ? pd_sched.cur->spins : 0, flags;
	struct pd_loop_now now = {.events = pd_check.events,
				  .changes = pd_check.changes,
				  .addr = off,
				  .site = site,
				  .thread = pd_sched.cur ? pd_sched.cur->number : 0,
				  .can_run = pd_sched.nlive - pd_sched.nblocked,
				  .switches = pd_sched.switches};

	flags = pd_loop_look(&loop.loop, &now, &front);
	pd_check.look = loop.loop.look;
	if (flags & PD_LOOP_ENDLESS)
		pd_check_loops();
	pd_sched.idle = idle; /* the unwinder's locks are not progress of the program */
	pd_sched.stale = stale;
	if (!pd_sched.cur)
		return;
	pd_sched.cur->spins = spins;
	if (flags & PD_LOOP_GIVE_WAY) {
		pd_sched.cur->tired = true;
		pd_sched.passed = 0;
	}
}

void pd_loop_next(void)
{
	if (!pd_check.look)
		return;
	pd_loop_advance(&loop.loop, pd_check_events());
	pd_check.look = loop.loop.look;
}

void pd_loop_begin(void)
{
	pd_loop_init(&loop.loop);
	pd_check.look = loop.loop.look;
}
