/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg.h - what the files of the Valgrind tool share.
 *
 * The tool watches an unmodified program and says what it does to PM as events, to the trace and
 * to an engine (engine/observer.h), inside the same process. The way of an access:
 *
 *	instrument.c  puts a check behind every access of the program's code: is the address in the PM
 *	              window? Only then a function of access.c is called
 *	access.c      makes an event of it; place.c gives the call stack a number
 *	session.c     hands the event on: to the trace (the channel), to the engine
 *
 * and of a file: syscall.c sees every system call before Valgrind does and may change it; pool.c
 * keeps the copies that the program works on instead of PM files, and the mappings in the window.
 *
 * Thread rule: Valgrind runs one thread of the program at a time; everything here is called with
 * its lock held.
 */
#ifndef PD_VALGRIND_VG_H
#define PD_VALGRIND_VG_H

#include "engine/known.h"
#include "pub_tool_basics.h"
#include "pub_tool_libcassert.h"
#include "pub_tool_libcbase.h"
#include "pub_tool_libcfile.h"
#include "pub_tool_libcprint.h"
#include "pub_tool_libcproc.h"
#include "pub_tool_machine.h"
#include "pub_tool_threadstate.h"
#include "pub_tool_tooliface.h"
#include "pub_tool_vki.h"
#include "pub_tool_vkiscnums.h"

#include "base/arena.h"
#include "base/map.h"
#include "base/vec.h"
#include "event/channel.h"
#include "event/event.h"

/* ---- session.c ------------------------------------------------------------------------------ */

/* One instruction of the program that makes events; made when its code is translated. */
struct vg_insn {
	Addr ip;
	UChar kind; /* enum pd_event_kind; of a locked one: PD_EV_RMW */
	UChar order;
	UShort size;
	Bool exchange;		 /* xchg, cmpxchg */
	Bool keeps;		 /* it takes no locks outside PM; given.c */
	UChar kept;		 /* words that it has changed and nobody put back */
	Bool system;		 /* in libc or the dynamic linker */
	struct vg_stack *stacks; /* where it was called from, the latest first; place.c */
	struct vg_hooks *hooks;	 /* of a function that begins here; hook.c */
};

/* As the size of an instruction without a kind (PD_EV_N): its place is that of the caller. */
enum { VG_AT_CALLER = 1 };

struct vg_session {
	struct pd_arena arena;
	struct pd_channel *channel;
	Bool following;		/* False in a child of the program, and after the end */
	Bool locks;		/* the engine asks which words are locks; given.c */
	ULong wants;		/* kinds of events that somebody takes: bits */
	struct pd_known *known; /* loads that need not be reported; NULL: all must be */
	const HChar *settings;
};

extern struct vg_session vg_session;

Bool vg_session_option(const HChar *arg);
void vg_session_start(void);
/* After that: the functions that are to be reported. */
void vg_session_hooks(void);
/* The program ends by itself (orderly), or is killed. */
void vg_session_end(Bool orderly);
void vg_session_forked(void);

static inline Bool vg_wants(UInt kind)
{
	return (vg_session.wants >> kind & 1) != 0;
}

/* Whether a file that is no PM of ours is mapped there for writing. */
Bool vg_is_foreign_file(Addr a);
/* New code may have been loaded. */
void vg_session_modules(void);

/* Fills in the thread and hands the event on. */
void vg_emit(struct pd_event *e);
/* Of another thread than the one that runs. */
void vg_emit_as(UInt number, struct pd_event *e);
/* An access to PM will come. */
void vg_soon(Addr a);
void vg_loss(enum pd_loss kind, UInt place, const HChar *what);

/* Ends the run: one line for the user, through the channel. */
void vg_fail(Int status, const HChar *fmt, ...) __attribute__((noreturn, format(printf, 2, 3)));

void *vg_alloc(SizeT n); /* zeroed, for ever */
/* Zeroed, until the next call. */
void *vg_scratch(SizeT n);
const HChar *vg_strdup(const HChar *s);

/* ---- access.c: called by the program's translated code -------------------------------------- */

VG_REGPARM(3) void vg_on_access(Addr a, struct vg_insn *i, Addr sp);
void vg_on_locked(Addr a, struct vg_insn *i, UWord done, UWord found);
VG_REGPARM(2) void vg_on_flush(Addr a, struct vg_insn *i);
VG_REGPARM(1) void vg_on_fence(struct vg_insn *i);
VG_REGPARM(0) void vg_on_masked(Addr a, struct vg_insn *i, UWord low, UWord high);
VG_REGPARM(1) void vg_on_unknown(Addr ip);
VG_REGPARM(2) void vg_on_xbegin(struct vg_insn *i, Addr sp);
/* An access that the instruction has made, or is about to make, of any size. */
void vg_announce(UInt kind, Addr a, SizeT n, struct vg_insn *i, Addr sp);
/* System calls that read or write the program's memory. */
void vg_on_sys_read(CorePart part, ThreadId tid, const HChar *s, Addr a, SizeT n);
void vg_on_sys_write(CorePart part, ThreadId tid, Addr a, SizeT n);

/* ---- repeat.c ------------------------------------------------------------------------------- */

/* In front of rep stos (moves: rep movs): does what is left of it, or nothing. */
void vg_on_repeat(void *state, struct vg_insn *i, UWord moves, UWord width);

/* ---- place.c -------------------------------------------------------------------------------- */

/* The number of the call stack of this instruction now; never 0. */
UInt vg_place(struct vg_insn *i, ThreadId tid);
/* The same, with the stack pointer as it is. */
UInt vg_place_at(struct vg_insn *i, ThreadId tid, Addr sp);
/* The same from where the thread is in Valgrind's eyes: in system calls and requests. */
UInt vg_place_here(ThreadId tid);
/* Whether the system call that the thread is in looks at memory without reading what is there. */
Bool vg_syscall_only_looks(ThreadId tid);
/* Stacks may be gone: this memory is unmapped. */
void vg_place_unmapped(Addr a, SizeT n);

struct pd_wire_frame;
/* The frames as addresses, for the tool to look up; and with names, found here. */
UInt vg_place_frames(void *ctx, UInt place, struct pd_wire_frame *to, UInt max);
UInt vg_place_names(UInt place, struct pd_wire_frame *to, UInt max);

struct pd_wire_writer;
/* Reports the files of code that have come since the last call. */
void vg_place_modules(struct pd_wire_writer *t);
void vg_place_mapped(Addr a, SizeT n, Bool r, Bool w, Bool x, ULong handle);

/* ---- instrument.c --------------------------------------------------------------------------- */

struct vg_insn *vg_insn_new(Addr ip, UInt kind, UInt size);

#include "libvex_basictypes.h"
#include "libvex_ir.h"
#include "libvex.h"

IRSB *vg_instrument(VgCallbackClosure *closure, IRSB *in, const VexGuestLayout *layout,
		    const VexGuestExtents *extents, const VexArchInfo *arch, IRType guest_word,
		    IRType host_word);

/* ---- thread.c ------------------------------------------------------------------------------- */

void vg_thread_init(void);
/* Before Valgrind starts. */
void vg_thread_register(void);
UInt vg_threads_alive(void);
/* Numbers of threads as events have them: from 0, in the order of their making, never reused. */
UInt vg_thread_number(ThreadId tid);

/* The thread that runs, while the program's code does. */
struct vg_running {
	ThreadId tid;
	UInt number;
	/* What the engine knows of its loads; NULL: not asked yet */
	const struct pd_known_thread *known;
};

extern struct vg_running vg_running;
/* By glibc's pthread_t: the number plus one; 0: unknown. */
UInt vg_thread_of_handle(Addr handle);
void vg_thread_joined(Addr handle);

/* ---- given.c -------------------------------------------------------------------------------- */

/* A locked instruction outside PM; `found`: before, if it was an exchange. */
void vg_given_locked(Addr a, struct vg_insn *i, UInt place, Bool done, ULong found);
/* Reports what this thread has stored to such words since. */
void vg_given_look(UInt number);
extern UInt vg_given_words; /* that are looked at; 0: mostly */

/* ---- turn.c --------------------------------------------------------------------------------- */

/* Threads take turns, by this seed. */
void vg_turn_start(ULong seed);
void vg_turn_thread(ThreadId tid);
void vg_turn_run(ThreadId tid, ULong blocks);
void vg_turn_stop(ThreadId tid, ULong blocks);
void vg_turn_syscall(ThreadId tid, UInt number);
void vg_turn_returned(ThreadId tid);

/* ---- request.c ------------------------------------------------------------------------------ */

/* An address as events have it. */
uint64_t vg_event_address(Addr a);
/* Answers a client request; 0: it is none of ours. */
UWord vg_on_request(void *state, struct vg_insn *i);
Bool vg_request(ThreadId tid, UWord *arg, UWord *ret);

/* ---- hook.c --------------------------------------------------------------------------------- */

/* "KIND NAME ARGUMENT RESULT"; False: it is no such text. */
Bool vg_hook_add(const HChar *text);
/* libc's locks; and all else that it has. */
void vg_hook_locks(void);
void vg_hook_static(void);
Bool vg_hooks_any(void);
/* Of the function that begins here; NULL: none. */
struct vg_hooks *vg_hooks_at(Addr ip);
void vg_hooks_thread_new(ThreadId tid);
void vg_hooks_thread_runs(ThreadId tid);
/* Calls of the thread that runs that are waited for to return; read by translated code. */
extern ULong vg_hooks_waiting;
void vg_on_entry(void *state, struct vg_insn *i);
void vg_on_return(void *state);

/* ---- syscall.c ------------------------------------------------------------------------------ */

void vg_on_syscall(void *state);
void vg_syscall_before(ThreadId tid, UInt number, UWord *args, UInt n);
void vg_syscall_after(ThreadId tid, UInt number, UWord *args, UInt n, SysRes res);

#endif
