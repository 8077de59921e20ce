/*
 * pages.h - the memory of a worker as of the checkpoint: restores what a run changes.
 *
 * All writable memory is made read-only. The first write to a page faults: its content is saved,
 * and the page is *hot* and writable from then on. After each run all hot pages are restored, so a
 * run costs what it writes to, however much memory there is.
 *
 * Memory that a run allocates is freed after it. Memory that it frees, or protects otherwise, stays
 * in place with the requested protection (none, if it is freed), and gets its old protection after
 * the run: a dangling pointer faults as it would natively.
 *
 * Thread rule: one kernel thread. Called from signal handlers: nothing here calls libc.
 */
#ifndef PD_RUNTIME_EXPLORE_PAGES_H
#define PD_RUNTIME_EXPLORE_PAGES_H

#include "base/types.h"

/*
 * Lists the memory, prepares labels for it, and protects it; except `n` bytes at `except`, and the
 * page at `kernels`, in which the kernel keeps a thread's rseq: it must never find it protected.
 * False: there is too much of it.
 */
bool pd_pages_start(uint64_t except, uint64_t n, uint64_t kernels);

/* The first write to a page: true if that was the reason of the fault. */
bool pd_pages_heat(uint64_t at);

/* The kernel is about to write to this range. */
void pd_pages_heat_range(uint64_t at, uint64_t n);

/* Makes all pages cold: those that are hot will show it again. */
void pd_pages_cool(void);

uint32_t pd_pages_hot(void);
bool pd_pages_full(void);

/* Restores the state of the checkpoint. */
void pd_pages_put_back(void);

/* In a snapshot of a run: keeps the state of the run, without protection. */
void pd_pages_set_free(void);

/* ---- system calls of a run: true if it was done, with the kernel's answer in *result --------- */

bool pd_pages_map(uint64_t at, uint64_t n, int prot, long flags, long *result);
bool pd_pages_unmap(uint64_t at, uint64_t n, long *result);
bool pd_pages_protect(uint64_t at, uint64_t n, int prot, long *result);
bool pd_pages_break(uint64_t to, long *result);

/* Whether the call comes from the runtime. */
bool pd_pages_is_own_code(uint64_t pc);

/* ---- snapshots of a run ---------------------------------------------------------------------- */

enum { PD_PAGES_MAPPED = 256 };

struct pd_pages_mapped {
	uint64_t at, n;
	int prot;
};

/* Memory that a run has asked for. */
struct pd_pages_asked {
	uint64_t brk, brk_to; /* the heap's end at the checkpoint, and now; 0: it is where it was */
	uint32_t n;
	struct pd_pages_mapped mapped[PD_PAGES_MAPPED];
};

/* Each page that is not as it was at the checkpoint, until `each` returns false. False: that is not
 * all that has changed. */
bool pd_pages_each_changed(bool (*each)(void *ctx, uint64_t page), void *ctx);

/* As it was at the checkpoint, but for what was asked for: then pages are filled, n at most. */
const struct pd_pages_asked *pd_pages_asked(void);
bool pd_pages_make_room(uint32_t n);
bool pd_pages_ask_again(const struct pd_pages_asked *a);
void pd_pages_fill(uint64_t page, const uint8_t *content);

/* ---- what a run has written to --------------------------------------------------------------- */

/* Calls `each` for each hot page from `from` to `to`. */
void pd_pages_each_hot(uint64_t from, uint64_t to, void (*each)(uint64_t page));

#endif
