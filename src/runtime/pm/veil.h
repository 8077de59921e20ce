/*
 * veil.h - closes PM, in a recovery, to code that was not instrumented, so that it cannot read PM
 * unseen.
 *
 * A recovery is identified by what it reads of PM (engine/crash/tree.h). An unseen read would get
 * the newest version of a line that the crash left open, and a crash that leaves another version
 * would be taken for explored. So in a recovery every page of PM is veiled: PROT_NONE where the
 * program has mapped it. Hooks and wrappers of libc functions do not touch those pages; the bytes
 * are in the shadow (shadow.h), with the running thread's store buffer on top.
 *
 * Any other code that accesses a page faults: a libc function that is not wrapped, another library,
 * an object that was compiled without perdure cc, inline asm. The handler reads the lines at stake
 * for it, as a load of instrumented code would (all values that the crash left are explored), lifts
 * the veil from the page, lets one instruction run and closes the page again. A store that it makes
 * meanwhile differs from the shadow: a blind store. After PATIENCE instructions on one page all of
 * the page is read, and its veil stays lifted. A system call with a pointer into PM would fail on a
 * veiled page; a seccomp filter redirects it here first (thread/trap.h).
 *
 * Reads of lines that the crash left open are counted as a loss, with the function that made them:
 * they are explored by whole lines, and not judged by the engine that looks for torn stores.
 *
 * Invariants:
 *  1. The bytes of a veiled page are those of the shadow and the running thread's store buffer;
 *     what the page itself holds means nothing.
 *  2. Between the fault and the trap after it no other thread runs.
 *  3. SIGSEGV and SIGTRAP are neither blocked nor handled by others while the veil is on
 *     (pm/veil_signal.c).
 *
 * Not covered: PM that a system call reaches through a structure in ordinary memory that is not
 * known here. The call then fails with EFAULT, and the recovery is not judged. Any use of io_uring
 * is counted as a loss. Where the kernel does not permit seccomp, no system calls are covered.
 *
 * Thread rule: driven, the thread that holds the baton.
 */
#ifndef PD_RUNTIME_PM_VEIL_H
#define PD_RUNTIME_PM_VEIL_H

#include "runtime/base/rt.h"
#include <ucontext.h>

extern PD_OWN bool pd_veil_on;
extern PD_OWN bool pd_copy_any; /* there are private mappings */

/*
 * What the veil needs from the parts that know the model and the store buffers; offsets are homes.
 */
struct pd_veil_memory {
	/* Puts the running thread's own stores on top of bytes as the cache has them */
	void (*overlay)(uint64_t off, size_t n, uint8_t *bytes);
	/* These lines are about to be accessed: decides their content; is_open: whether that is
	 * open */
	void (*touch)(uint64_t off, uint64_t n);
	bool (*is_open)(uint64_t off, uint64_t n);
	uint64_t line; /* size of a line */
	bool shown;    /* keep memory itself up to date, for a debugger */
};

/* A recovery begins: every pool that there is has its shadow. */
void pd_veil_begin(const struct pd_veil_memory *memory);

/* Whether the page at home offset `off` is veiled. */
bool pd_veil_covers(uint64_t off);

/*
 * Reads the program's memory as the running thread sees it; faults as the program's own access
 * would.
 */
void pd_veil_read(void *to, const void *from, size_t n);
/* Writes the program's memory, but not veiled pages: the caller writes their bytes to the
 * shadow. */
void pd_veil_write(void *to, const void *data, size_t n);

/* The bytes of a veiled page at addr have changed: updates memory, for a debugger. */
void pd_veil_show(uint64_t addr, const void *data, size_t n);

/* Between the two, the protections of the program's mappings do not count. */
void pd_veil_expose(void);
void pd_veil_conceal(void);

/* Between the two, the program's inline asm may access these bytes. */
void pd_veil_hold(const void *p, size_t n);
void pd_veil_release(const void *p, size_t n);

/* A mapping has changed. */
void pd_veil_remapped(void);

/* Iterates over the pages, at home, whose veil is lifted, from *at on; false: no more. */
bool pd_veil_next_lifted(uint64_t off, uint64_t n, uint32_t *at, uint64_t *page);

/* ---- private mappings (pm/veil_copy.c) ------------------------------------------------------ */

struct pd_pool;

/* The address, or -errno. A fixed one is as in pool.h. */
long pd_copy_map(const struct pd_pool *p, uint64_t off, uint64_t n, int prot, uint64_t fixed);

/* Addresses that the program no longer has. (pm/pool_map.c) */
void pd_copy_unmap(uint64_t from, uint64_t to);

/* Whether the page at this address is a closed one. */
bool pd_copy_is_closed(uint64_t addr);

/* Bytes of a private mapping, in one block, that have to be read from the file. */
struct pd_copy_piece {
	uint64_t addr;
	uint64_t home; /* where the file has them: an address */
	uint32_t n;
};

/* The first of them in a range; false: there are none. */
bool pd_copy_missing(uint64_t addr, uint64_t n, struct pd_copy_piece *piece);
void pd_copy_fill(const struct pd_copy_piece *piece, const void *bytes);

/* Bytes of closed pages, of one page at a time. */
void pd_copy_read(void *to, uint64_t addr, size_t n);
void pd_copy_write(uint64_t addr, const void *data, size_t n);

/* A closed page of which nothing is missing gets its bytes, and is open from here on. */
void pd_copy_open(uint64_t addr);

/* ---- between veil*.c and thread/trap.c ------------------------------------------------------ */

enum pd_veil_fault {
	PD_VEIL_NONE,  /* the fault is the program's own */
	PD_VEIL_STEP,  /* the page is open for one instruction; then call pd_veil_close */
	PD_VEIL_STAYS, /* the page stays open */
};

/* Code at pc has accessed an address, and will be executed again. */
enum pd_veil_fault pd_veil_fault(uint64_t addr, bool writes, uintptr_t pc);
/* Where the code at pc goes on when the program's own handler of its fault has returned. */
uintptr_t pd_veil_after_fault(uintptr_t pc);
/* Closes the pages that are open for an instruction or a system call. */
void pd_veil_close(void);

/* The kernel is about to access bytes for code at pc; afterwards call pd_veil_close. */
void pd_veil_open(uint64_t addr, uint64_t n, uintptr_t pc);

/* Makes a system call for code at pc, with arguments in the window; the result, or -errno.
 * (pm/veil_syscall.c) */
long pd_veil_syscall(long nr, const long *a, uintptr_t pc);

/* A system call returned r without its arguments opened: if PM may be the reason for EFAULT, ends
 * the recovery unjudged. */
void pd_veil_judge_call(const char *name, long nr, long r);

/* Keeps the signals that the veil needs out of the program's masks and handlers.
 * (pm/veil_signal.c) */
void pd_veil_signals(void);
uint64_t pd_veil_unblocked(uint64_t mask);

/*
 * From now on SIGILL belongs to the runtime: `handle` gets the registers, may change them, and
 * returns whether it had replaced the instruction. False: the kernel refuses.
 */
bool pd_veil_replaces(bool (*handle)(greg_t *registers));

#endif
