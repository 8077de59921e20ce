/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vg.h - what the files of the Valgrind tool share.
 *
 * The tool watches an unmodified program and turns what it does to PM into events, for the trace
 * and for an engine (engine/observer.h), inside the same process. An access goes through:
 *
 *	instrument.c  adds a check to every access of the program's code: is the address in the PM window?
 *	              If so, a function of access.c is called
 *	access.c      makes an event of it; place.c gives the call stack a number
 *	session.c     passes the event to the trace (the channel) and to the engine
 *
 * Files: syscall.c sees every system call before Valgrind does and may change it; pool.c keeps the
 * copies that the program works on instead of PM files, and the mappings in the window.
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

/* An instruction of the program that makes events; created when its code is translated. */
struct vg_insn {
	Addr ip;
	UChar kind; /* enum pd_event_kind; for a locked one: PD_EV_RMW */
	UChar order;
	UShort size;
	Bool exchange;		 /* xchg, cmpxchg */
	Bool keeps;		 /* takes no locks outside PM (given.c) */
	UChar kept;		 /* number of words that it changed and no thread restored */
	Bool system;		 /* in libc or the dynamic linker */
	struct vg_stack *stacks; /* the stacks it was reached with, most recent first (place.c) */
	struct vg_hooks *hooks;	 /* of a function that begins here (hook.c) */
};

/* The size of an instruction without a kind (PD_EV_N) whose place is that of its caller. */
enum { VG_AT_CALLER = 1 };

struct vg_session {
	struct pd_arena arena;
	struct pd_channel *channel;
	Bool following;		/* False in a child of the program, and after the end */
	Bool locks;		/* the engine asks which words are locks (given.c) */
	ULong wants;		/* bit per kind of event that the trace or an engine takes */
	struct pd_known *known; /* loads that need not be reported; NULL: report all */
	const HChar *settings;
};

extern struct vg_session vg_session;

Bool vg_session_option(const HChar *arg);
void vg_session_start(void);
/* Call it afterwards: reads the functions to report. */
void vg_session_hooks(void);
/* The program exits by itself (orderly), or is killed. */
void vg_session_end(Bool orderly);
void vg_session_forked(void);

static inline Bool vg_wants(UInt kind)
{
	return (vg_session.wants >> kind & 1) != 0;
}

/* Whether a file that is not PM is mapped there for writing. */
Bool vg_is_foreign_file(Addr a);
/* Code may have been loaded. */
void vg_session_modules(void);

/* Fills in the thread and passes the event on. */
void vg_emit(struct pd_event *e);
/* For another thread than the running one. */
void vg_emit_as(UInt number, struct pd_event *e);
/* An access to PM follows. */
void vg_soon(Addr a);
void vg_loss(enum pd_loss kind, UInt place, const HChar *what);

/* Ends the run with one line for the user, through the channel. */
void vg_fail(Int status, const HChar *fmt, ...) __attribute__((noreturn, format(printf, 2, 3)));

void *vg_alloc(SizeT n); /* zeroed, never freed */
/* Zeroed; valid until the next call. */
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
/* An access of any size that the instruction has made, or is about to make. */
void vg_announce(UInt kind, Addr a, SizeT n, struct vg_insn *i, Addr sp);
/* A system call reads or writes the program's memory. */
void vg_on_sys_read(CorePart part, ThreadId tid, const HChar *s, Addr a, SizeT n);
void vg_on_sys_write(CorePart part, ThreadId tid, Addr a, SizeT n);

/* ---- repeat.c ------------------------------------------------------------------------------- */

/* Before rep stos (moves: rep movs): executes the remaining steps, or nothing. */
void vg_on_repeat(void *state, struct vg_insn *i, UWord moves, UWord width);

/* ---- place.c -------------------------------------------------------------------------------- */

/* The number of the current call stack of this instruction; never 0. */
UInt vg_place(struct vg_insn *i, ThreadId tid);
/* The same, with the stack pointer as it is. */
UInt vg_place_at(struct vg_insn *i, ThreadId tid, Addr sp);
/* The same for where Valgrind sees the thread: in system calls and requests. */
UInt vg_place_here(ThreadId tid);
/* Whether the current system call of the thread checks memory without reading its contents. */
Bool vg_syscall_only_looks(ThreadId tid);
/* This memory is unmapped: stacks may have been in it. */
void vg_place_unmapped(Addr a, SizeT n);

struct pd_wire_frame;
/* The frames of a place: as addresses, for the driver to look up, or with names, looked up here. */
UInt vg_place_frames(void *ctx, UInt place, struct pd_wire_frame *to, UInt max);
UInt vg_place_names(UInt place, struct pd_wire_frame *to, UInt max);

struct pd_wire_writer;
/* Reports files of code that were loaded since the last call. */
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
/* Call it before Valgrind starts. */
void vg_thread_register(void);
UInt vg_threads_alive(void);
/* The number of a thread in events: from 0, in order of creation, never reused. */
UInt vg_thread_number(ThreadId tid);

/* The running thread, while the program's code runs. */
struct vg_running {
	ThreadId tid;
	UInt number;
	/* What the engine knows of its loads; NULL: not asked for yet */
	const struct pd_known_thread *known;
};

extern struct vg_running vg_running;
/* The number of the thread with this pthread_t of glibc, plus one; 0: unknown. */
UInt vg_thread_of_handle(Addr handle);
void vg_thread_joined(Addr handle);

/* ---- given.c -------------------------------------------------------------------------------- */

/* A locked instruction outside PM; `found`: the old value, for an exchange. */
void vg_given_locked(Addr a, struct vg_insn *i, UInt place, Bool done, ULong found);
/* Reports stores of this thread to such words since the last call. */
void vg_given_look(UInt number);
extern UInt vg_given_words; /* words that are watched; usually 0 */

/* ---- turn.c --------------------------------------------------------------------------------- */

/* Makes threads take turns; the seed decides the order. */
void vg_turn_start(ULong seed);
void vg_turn_thread(ThreadId tid);
void vg_turn_run(ThreadId tid, ULong blocks);
void vg_turn_stop(ThreadId tid, ULong blocks);
void vg_turn_syscall(ThreadId tid, UInt number);
void vg_turn_returned(ThreadId tid);

/* ---- request.c ------------------------------------------------------------------------------ */

/* An address as it appears in events. */
uint64_t vg_event_address(Addr a);
/* Answers a client request; 0: not ours. */
UWord vg_on_request(void *state, struct vg_insn *i);
Bool vg_request(ThreadId tid, UWord *arg, UWord *ret);

/* ---- hook.c --------------------------------------------------------------------------------- */

/* Parses "KIND NAME ARGUMENT RESULT"; False: invalid. */
Bool vg_hook_add(const HChar *text);
/* Adds libc's locks; the second one everything else of libc. */
void vg_hook_locks(void);
void vg_hook_static(void);
Bool vg_hooks_any(void);
/* The hooks of the function that begins here; NULL: none. */
struct vg_hooks *vg_hooks_at(Addr ip);
void vg_hooks_thread_new(ThreadId tid);
void vg_hooks_thread_runs(ThreadId tid);
/* Number of calls of the running thread whose return is awaited; read by translated code. */
extern ULong vg_hooks_waiting;
void vg_on_entry(void *state, struct vg_insn *i);
void vg_on_return(void *state);

/* ---- syscall.c ------------------------------------------------------------------------------ */

void vg_on_syscall(void *state);
void vg_syscall_before(ThreadId tid, UInt number, UWord *args, UInt n);
void vg_syscall_after(ThreadId tid, UInt number, UWord *args, UInt n, SysRes res);

#endif
