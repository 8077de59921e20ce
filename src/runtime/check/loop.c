/*
 * check/loop.c - a recovery that goes round in circles, noticed before its budget of events is used
 * up.
 *
 * A program whose whole state is what it was before, and that nothing from outside can disturb,
 * will do the same for ever. So from time to time a recovery remembers its state, and if it comes
 * by the same place with the same state again, it hangs: that is proven, and no guess. The state is
 * the registers and the stacks of its threads and all memory of its own. It is only taken for
 * granted where
 *   - no other thread can run, or the schedule draws nothing any more (it is the default one, or
 *     PCT after its last change point, with empty store buffers): who runs next then follows from
 *     who runs now, who can run, in which order and how long each has been spinning, which is part
 *     of the state;
 *   - nobody waits for a point in time;
 *   - since then PM was not changed and nothing of it was read for the first time;
 *   - it has not asked for the time or for random numbers, not read from any descriptor, not waited
 *     for one;
 *   - it handles no signals.
 * Otherwise the budget decides, as before. A state is digested in 128 bits.
 *
 * Threads that wait with plain loads do not give way by themselves: nothing says that they wait.
 * One that comes back to the same state alone does from then on, each time it comes by that place,
 * so that all others have their turns. If one of them has something to do, it does it; if all go
 * round, the state of all of them comes back at last.
 *
 * How often: at 10,000 events and then at twice as many, and so on; what is seen then is compared
 * with what comes by afterwards, a few times. A loop of any length is found at last.
 */
#include "runtime/check/check.h"
#include "runtime/base/env.h"
#include "runtime/pm/pool.h"
#include "runtime/base/raw.h"
#include "runtime/thread/sched.h"
#include "runtime/session/session.h"
#include <dlfcn.h>
#include <link.h>
#include <signal.h>
#include <string.h>
#include <unwind.h>

enum {
	FIRST = 10000,
	TRIES = 4,
	PAUSE = 500, /* events, until the next thread may be going round */
	ROUNDS = 64, /* threads of which that is known */
	TEXT = 1 << 16,
};

#define MEMORY_MAX (512ULL << 20)

struct state {
	uint64_t a, b;
};

static struct {
	bool armed;
	uint32_t site;
	uint32_t tries;
	uint64_t addr;
	uint64_t since;	  /* events */
	uint64_t changes; /* of PM, and so on */
	struct state turn;
	uint64_t switches; /* of threads */
	struct state state;
	uint64_t next; /* events: not before that */
	bool any;
	struct {
		bool on;
		uint32_t site;
		uint64_t addr;
	} round[ROUNDS];    /* by thread: it goes round by this place, and gives way there */
	uint64_t own_reads; /* system calls of ours */
	uint64_t own_first, own_last; /* this library's variables */
	char *text;
} loop;

/* ---- digests -------------------------------------------------------------------------------- */

static void digest_word(struct state *s, uint64_t w)
{
	s->a = (s->a ^ w) * 0x9e3779b97f4a7c15ULL;
	s->a ^= s->a >> 29;
	s->b = (s->b + w + 1) * 0xc2b2ae3d27d4eb4fULL;
	s->b ^= s->b >> 31;
}

static void digest_range(struct state *s, uint64_t from, uint64_t to)
{
	for (from = (from + 7) & ~7ULL; from + 8 <= to; from += 8)
		digest_word(s, *(const volatile uint64_t *)from);
}

/* ---- registers ------------------------------------------------------------------------------ */

struct frame {
	struct state *s;
	uint64_t sp;
};

/* The program's innermost frame: what it keeps across calls, and where its stack ends. */
static _Unwind_Reason_Code visit(struct _Unwind_Context *context, void *arg)
{
	static const int kept[] = {3, 6, 12, 13, 14, 15}; /* rbx, rbp, r12 to r15 */
	struct frame *f = arg;
	uint64_t pc = _Unwind_GetIP(context);
	Dl_info info, own;

	if (dladdr((void *)pc, &info) && dladdr((void *)visit, &own) &&
	    info.dli_fbase == own.dli_fbase)
		return _URC_NO_REASON;
	f->sp = _Unwind_GetCFA(context);
	digest_word(f->s, pc);
	digest_word(f->s, f->sp);
	for (uint32_t i = 0; i < PD_LEN(kept); i++)
		digest_word(f->s, _Unwind_GetGR(context, kept[i]));
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

/* A whole file of /proc; its length, or 0 where there is no room. */
static size_t read_text(const char *path)
{
	long fd = pd_raw_open(path, O_RDONLY), n;
	size_t at = 0;

	while (fd >= 0 && at < TEXT && (n = pd_raw_read((int)fd, loop.text + at, TEXT - at)) >= 0) {
		loop.own_reads++;
		if (!n)
			break;
		at += (size_t)n;
	}
	if (fd >= 0)
		pd_raw_close((int)fd);
	if (at >= TEXT)
		return 0;
	loop.text[at] = '\0';
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

/* The window of PM and the windows of the runtime lie below the program. */
static bool is_ours(uint64_t from, const char *line)
{
	uint64_t window = from >> PD_PM_SHIFT;
	const char *end = strchr(line, '\n');
	const char *name = strstr(line, "libperdure_rt.so");

	return (window >= 1 && window <= 4 && !PD_IS_SIDE(from)) ||
	       (from >= loop.own_first && from < loop.own_last) || (name && end && name < end);
}

/* What lies below the end of a stack is nothing. */
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

/* False: it is too much, or cannot be known. */
static bool digest_memory(struct state *s, uint64_t sp)
{
	uint64_t sum = 0;

	if (!read_text("/proc/self/maps"))
		return false;
	for (const char *p = loop.text; *p; p = strchr(p, '\n') + 1) {
		const char *at = p;
		uint64_t from = hex(&at), to = (at++, hex(&at));

		if (!strchr(p, '\n'))
			return false;
		if (at[2] != 'w' || at[4] != 'p' || at[1] != 'r' || is_ours(from, p))
			continue;
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
	const char *s = strstr(loop.text, key);
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

/* Signals that the runtime watches for itself, and libc's own. */
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

/* How often the program has read from a descriptor; false where the kernel does not say. */
static bool digest_reads(struct state *s)
{
	uint64_t own = loop.own_reads, n;

	if (!read_text("/proc/self/io"))
		return false;
	n = number_after("syscr:", false);
	digest_word(s, n - own);
	return n != UINT64_MAX;
}

/* ---- threads -------------------------------------------------------------------------------- */

/* Whose turn it is, and for how long. False: what comes next does not follow from that. */
static bool digest_turn(struct state *s)
{
	bool alone = pd_sched.nlive - pd_sched.nblocked <= 1;

	*s = (struct state){1, 2};
	if (pd_sched.nlive <= 1)
		return true;
	if (pd_sched.early_timeouts || pd_rt.buffered || (!alone && !pd_sched_settled()))
		return false;
	digest_word(s, pd_sched.cur->number);
	for (uint32_t i = 0; i < pd_sched.nlive; i++) {
		const struct pd_thread *t = pd_sched.live[i];

		if (t->state == PD_THREAD_BLOCKED && t->deadline != PD_NEVER)
			return false;
		digest_word(s, t->number);
		digest_word(s, t->state);
		digest_word(s, alone ? 0 : t->spins);
		digest_word(s, alone ? 0 : pd_sched_rank(t));
		digest_word(s, t == pd_sched.cur ? 0 : (uint64_t)t->sp);
	}
	return true;
}

/* ---- looking -------------------------------------------------------------------------------- */

/* Everybody who can run had a turn since, and it is the same one's again. Cheap: a place is passed
 * often. */
static bool same_turn(void)
{
	uint32_t can = pd_sched.nlive - pd_sched.nblocked;
	struct state now;

	return (can <= 1 || pd_sched.switches - loop.switches >= can) && digest_turn(&now) &&
	       now.a == loop.turn.a && now.b == loop.turn.b;
}

static bool take_state(struct state *s)
{
	struct frame f = {.s = s};

	if (!digest_turn(s))
		return false;
	if (!loop.text)
		loop.text = pd_raw_borrow(TEXT + 1);
	if (!loop.own_last)
		find_variables();
	if (!loop.text || !loop.own_last || handles_signals())
		return false;
	digest_word(s, pd_env_asked());
	pd_sched_hold(); /* the unwinder takes locks */
	_Unwind_Backtrace(visit, &f);
	pd_sched_release();
	return f.sp && digest_reads(s) && digest_memory(s, f.sp);
}

/* After so many events somebody looks again; at each one, while threads have to give way. */
static void look_at(uint64_t events)
{
	loop.next = events;
	pd_check.look = loop.any ? pd_check.events + 1 : events;
}

static void arm(uint64_t off, uint32_t site)
{
	loop.switches = pd_sched.switches;
	loop.armed = digest_turn(&loop.turn) && take_state(&loop.state);
	loop.site = site;
	loop.addr = off;
	loop.since = pd_check.events;
	loop.changes = pd_check.changes;
	loop.tries = 0;
	look_at(loop.armed ? pd_check.events + 1 : 2 * pd_check.events);
}

static void disarm(void)
{
	loop.armed = false;
	look_at(2 * loop.since);
}

static bool has_company(void)
{
	return pd_sched.nlive - pd_sched.nblocked > 1 && pd_sched.cur->number < ROUNDS;
}

/* A thread that is known to go round gives way at its next step. */
static void give_way(uint64_t off, uint32_t site)
{
	if (!loop.any || !has_company() || !loop.round[pd_sched.cur->number].on)
		return;
	if (loop.round[pd_sched.cur->number].site != site ||
	    loop.round[pd_sched.cur->number].addr != off)
		return;
	pd_sched.cur->tired = true;
	pd_sched.passed = 0;
}

/* This thread alone has come back to where it was. */
static void goes_round(uint64_t off, uint32_t site)
{
	loop.any = true;
	loop.round[pd_sched.cur->number].on = true;
	loop.round[pd_sched.cur->number].site = site;
	loop.round[pd_sched.cur->number].addr = off;
	loop.armed = false;
	look_at(pd_check.events + PAUSE);
	give_way(off, site);
}

/* Nobody else had a turn since, though somebody could have. */
static bool is_alone_in_it(void)
{
	return has_company() && pd_sched.switches == loop.switches &&
	       !loop.round[pd_sched.cur->number].on;
}

static void look(uint64_t off, uint32_t site)
{
	struct state now;
	bool alone;

	give_way(off, site);
	pd_check.look = pd_check.events + 1;
	if (!loop.armed) {
		if (pd_check.events >= loop.next)
			arm(off, site);
		return;
	}
	if (loop.changes != pd_check.changes || pd_check.events >= 2 * loop.since) {
		loop.any = loop.any && loop.changes == pd_check.changes;
		disarm();
		return;
	}
	if (loop.site != site || loop.addr != off)
		return;
	alone = is_alone_in_it();
	if (!alone && !same_turn())
		return;
	if (!take_state(&now) || (now.a != loop.state.a && ++loop.tries >= TRIES)) {
		disarm();
		return;
	}
	if (now.a != loop.state.a || now.b != loop.state.b)
		return;
	if (!alone)
		pd_check_loops();
	goes_round(off, site);
}

void pd_loop_look(uint64_t off, uint32_t site)
{
	uint64_t idle = pd_sched.idle, stale = pd_sched.stale;
	uint32_t spins = pd_sched.cur ? pd_sched.cur->spins : 0;

	look(off, site);
	pd_sched.idle = idle; /* the unwinder's locks are no progress of the program's */
	pd_sched.stale = stale;
	if (pd_sched.cur)
		pd_sched.cur->spins = spins;
}

void pd_loop_begin(void)
{
	loop.next = pd_check.look = FIRST;
}
