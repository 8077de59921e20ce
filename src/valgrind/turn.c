/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * turn.c - which thread runs.
 *
 * Valgrind runs one thread at a time, the one that gets its lock first: luck, and with it what
 * lockset finds. Most of it depends on when the first instruction of a new thread comes. So one
 * thread has the turn. It keeps it until it waits in the kernel, ends, or has run for long enough.
 * Then the turn goes to a thread that has not run yet, if there are any, selected by numbers that
 * follow from --seed: a new thread can run as soon as it is created, although it may take a moment
 * to arrive. If there is none, the turn goes, at the end of a slice, to another thread selected in
 * the same way, and else to the first one that arrives: usually few threads wait for each other,
 * and in order. Any other thread that gets the lock has its slice ended before its first
 * instruction. That costs one acquisition of the lock per thread, so it is only done where it is
 * rare.
 *
 * A slice is ended as Valgrind itself does it, by the counter of blocks that translated code
 * decrements (host_EvC_COUNTER). ThreadState says whether a thread can run; only its first two
 * members are used. If they are others in some version, nothing is done here, and luck decides.
 */
#include "vg.h"
#include "base/hash.h"
#include "core.h"
#include "libvex_guest_amd64.h"
#include "pub_tool_libcproc.h"

enum status { EMPTY, INIT, RUNNABLE, IN_KERNEL, YIELDING, ZOMBIE };

/* The start of Valgrind's ThreadState, for which tools have no header. */
struct state {
	ThreadId tid;
	UInt status; /* enum status */
};
extern struct state *VG_(get_ThreadState)(ThreadId tid);

enum {
	SLICE = 100000, /* in blocks, like Valgrind's own slices */
	SLEEP_NS = 50000,
	PATIENCE_MS = 1000, /* how long to wait for a thread that can run */
};

static struct {
	Bool wanted;
	Bool on;
	Bool *waits; /* per thread: in a system call that may block */
	Bool *new;   /* per thread: it has not had a turn yet */
	ThreadId holder;
	ThreadId last; /* the highest number of a thread so far */
	UInt given;    /* when the holder got the turn, in ms */
	UInt others;   /* how often others have run since it was last seen running */
	ULong began;   /* count of blocks when it was last seen running */
	ULong used;    /* blocks used of its turn */
	ULong random;
} turn;

static UInt status(ThreadId tid)
{
	return VG_(get_ThreadState)(tid)->status;
}

static Bool can_run(ThreadId tid)
{
	switch (status(tid)) {
	case INIT:
	case RUNNABLE:
	case YIELDING:
		return True;
	case IN_KERNEL:
		return !turn.waits[tid];
	default:
		return False;
	}
}

static void give_to(ThreadId tid)
{
	turn.holder = tid;
	turn.new[tid] = False;
	turn.given = VG_(read_millisecond_timer)();
	turn.used = 0;
	turn.others = 0;
}

static UInt draw(UInt n)
{
	turn.random = turn.random * 6364136223846793005ULL + 1442695040888963407ULL;
	return (UInt)(turn.random >> 33) % n;
}

/* How many threads besides the holder can run, either new ones or others; `which` is the k-th of
 * them. */
static UInt look(Bool new, UInt k, ThreadId *which)
{
	UInt n = 0;

	for (ThreadId tid = 1; tid <= turn.last; tid++)
		if (tid != turn.holder && turn.new[tid] == new &&
		    (new || status(tid) == YIELDING) && n++ == k)
			*which = tid;
	return n;
}

/* Passes the turn to another thread; False: there is none of this kind. */
static Bool pass(Bool new)
{
	ThreadId to = 0;
	UInt n = look(new, 0, &to);

	if (!n)
		return False;
	look(new, draw(n), &to);
	give_to(to);
	return True;
}

static void end_slice(ThreadId tid)
{
	UInt none = 0;

	VG_(set_shadow_regs_area)(tid, 0, offsetof(VexGuestAMD64State, host_EvC_COUNTER),
				  sizeof(none), (const UChar *)&none);
}

/*
 * All other threads have had the lock, in order, since the holder last ran: the kernel, which may
 * be busy, has not let the holder ask for the lock yet. Passing the lock around once more would
 * only take processor time from it.
 */
static void sleep(void)
{
	const struct vki_timespec time = {0, SLEEP_NS};

	vg_sys(__NR_nanosleep, (UWord)&time, 0, 0, 0, 0, 0);
}

/* The first thread is about to run. */
static void begin(ThreadId tid)
{
	const struct state *s = VG_(get_ThreadState)(tid);

	turn.on = s->tid == tid && s->status == RUNNABLE;
	turn.wanted = False;
}

void vg_turn_run(ThreadId tid, ULong blocks)
{
	if (turn.wanted)
		begin(tid);
	if (!turn.on)
		return;
	if (!turn.holder || vg_threads_alive() < 2)
		give_to(tid);
	if (turn.holder == tid && turn.used >= SLICE && !pass(True) && !pass(False))
		give_to(tid);
	if (turn.holder != tid && !can_run(turn.holder) && !pass(True))
		give_to(tid);
	if (turn.holder != tid && VG_(read_millisecond_timer)() - turn.given > PATIENCE_MS) {
		turn.waits[turn.holder] = True; /* otherwise it would have arrived */
		give_to(tid);
	}
	if (turn.holder == tid) {
		turn.began = blocks;
		turn.others = 0;
		return;
	}
	if (turn.others++ > vg_threads_alive())
		sleep();
	end_slice(tid);
}

void vg_turn_stop(ThreadId tid, ULong blocks)
{
	if (turn.on && turn.holder == tid)
		turn.used += blocks - turn.began;
}

void vg_turn_thread(ThreadId tid)
{
	turn.last = PD_MAX(turn.last, tid);
	if (!turn.waits)
		return;
	turn.waits[tid] = False;
	turn.new[tid] = True;
}

static Bool is_waiting(UInt number)
{
	switch (number) {
	case __NR_open:
	case __NR_openat:
	case __NR_close:
	case __NR_write:
	case __NR_pwrite64:
	case __NR_mmap:
	case __NR_munmap:
	case __NR_mprotect:
	case __NR_madvise:
	case __NR_msync:
	case __NR_fsync:
	case __NR_fdatasync:
	case __NR_ftruncate:
	case __NR_fallocate:
	case __NR_clone:
	case __NR_getrandom:
		return False;
	default:
		return True;
	}
}

void vg_turn_syscall(ThreadId tid, UInt number)
{
	if (turn.on)
		turn.waits[tid] = is_waiting(number);
}

void vg_turn_returned(ThreadId tid)
{
	if (turn.on)
		turn.waits[tid] = False;
}

void vg_turn_start(ULong seed)
{
	turn.waits = vg_alloc(VG_N_THREADS * sizeof(*turn.waits));
	turn.new = vg_alloc(VG_N_THREADS * sizeof(*turn.new));
	turn.wanted = True;
	turn.random = pd_mix(seed);
}
