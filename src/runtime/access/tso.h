/*
 * tso.h - store buffers of the program's threads (model.md, P4 to P9).
 *
 * In schedules drawn from a seed, while there are several threads, a store to PM waits in its
 * thread's buffer: other threads do not see it, a crash loses it, and later loads of the thread
 * take effect first. That is the only reordering that x86 shows to other threads.
 *
 * A waiting operation is a store, a flush or an sfence with its arguments. When it leaves, mem.c
 * does what it would have done immediately: the cache (the shadow), the model, crash points,
 * journal and engines see everything in the order in which it takes effect, and need not know of
 * buffers. The model itself buffers nothing here; where a clflushopt may overtake what is before
 * it, it does so as early as it can (P7), and waits for its fence in the model (P8).
 *
 * The program's memory is what the running thread sees: the cache, with the thread's own buffer on
 * top. So a store changes it immediately, and an eviction does not; when another thread goes on,
 * the stores of the one are taken out of memory and those of the other put in. So code that is not
 * instrumented sees the right values, too.
 *
 * The seed decides what leaves when, at events of the thread itself, never while another thread
 * runs. Nothing is missed by that: giving the thread a turn in which a store leaves is a schedule,
 * too. A buffer is empty after an mfence or a locked instruction, after an atomic or volatile store
 * outside PM (stores keep their order, and those do not wait), and before every call by which
 * threads can communicate: synchronisation, wrapped functions of libc, files, the end. Stores of
 * more than a word, across words, non-temporal ones and those that libc makes do not wait: they
 * take effect immediately, after all that wait.
 *
 * What may be false: a thread that hands data over by an ordinary store outside PM, which is a data
 * race that the compiler could reorder as well. It is bounded: nothing stays for more than a few
 * events.
 *
 * Invariants:
 *  1. Only runnable threads have something in their buffers.
 *  2. pd_rt.buffered is how many operations wait, of all threads.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_ACCESS_TSO_H
#define PD_RUNTIME_ACCESS_TSO_H

#include "runtime/base/rt.h"

extern PD_OWN bool pd_tso_on; /* in this schedule stores may wait */

/* An execution begins; seed 0 is the schedule without buffers. */
void pd_tso_seed(uint64_t seed);
/* No buffers from here on; waiting operations are dropped. */
void pd_tso_stop(void);

/* All waiting operations of this thread take effect now; no other thread runs. */
void pd_tso_drain(void);

/* Whether a store of these bytes (at home `off`) can wait. If so, write it to memory, then call
 * pd_tso_store, which lets it wait. */
bool pd_tso_takes(uint64_t off, size_t n);
void pd_tso_store(uint64_t off, const void *data, size_t n, uint32_t site, enum pd_order order);

/* Whether the operation has to wait; if so, puts it into the buffer. */
bool pd_tso_flush(uint64_t line, enum pd_flush kind, uint32_t site);
bool pd_tso_fence(enum pd_event_kind kind, enum pd_order order, uint32_t site);

/*
 * Checks what memory holds at `off`: the cache's bytes, or the thread's own. See pd_shadow_check.
 */
void pd_tso_check(uint64_t off, const void *bytes, size_t n, uint32_t site);

/* Puts the thread's own stores on top of bytes at `off`, as the cache has them. */
void pd_tso_overlay(uint64_t off, size_t n, uint8_t *bytes);

/* Memory was written as the cache has it: puts the thread's own stores back on top. */
void pd_tso_show(void);

#endif
