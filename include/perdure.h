/*
 * perdure.h - what a tested program can say to perdure. All of it is optional.
 *
 * The header needs no library: without perdure's runtime in the process every function here does
 * nothing, and pd_check is assert-like only in what it returns.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef PERDURE_H
#define PERDURE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Defined by the runtime; absent (NULL) where the program runs without it. */
extern void __pd_say_check(int holds, const char *what, const char *file, int line)
	__attribute__((weak));
extern void __pd_say_mark(const char *name) __attribute__((weak));
extern void __pd_say_checksum(const void *p, size_t n, int begin, int matched)
	__attribute__((weak));

/* What __pd_say_range says of a range. */
enum pd_range {
	PD_RANGE_DURABLE,
	PD_RANGE_TRANSIENT,
	PD_RANGE_TX_BEGIN,
	PD_RANGE_TX_ADD,
	PD_RANGE_TX_IGNORE,
	PD_RANGE_TX_END
};
extern void __pd_say_range(int what, const void *p, size_t n) __attribute__((weak));

/*
 * States what must hold, typically in recovery. A pd_check that fails is a finding, and the program
 * goes on. Returns whether it holds.
 */
#define pd_check(cond) pd_check_at(!!(cond), #cond, __FILE__, __LINE__)

static inline int pd_check_at(int holds, const char *what, const char *file, int line)
{
	if (__pd_say_check)
		__pd_say_check(holds, what, file, line);
	return holds;
}

/* Names a point of the run: it shows in traces and reports. */
static inline void pd_mark(const char *name)
{
	if (__pd_say_mark)
		__pd_say_mark(name);
}

/*
 * Around the validation of [p, p+n) by a checksum: what is read in between is not trusted until
 * pd_checksum_end says that it matched.
 */
static inline void pd_checksum_begin(const void *p, size_t n)
{
	if (__pd_say_checksum)
		__pd_say_checksum(p, n, 1, 0);
}

static inline void pd_checksum_end(int matched)
{
	if (__pd_say_checksum)
		__pd_say_checksum((const void *)0, 0, 0, matched);
}

static inline void pd_range_say(enum pd_range what, const void *p, size_t n)
{
	if (__pd_say_range)
		__pd_say_range((int)what, p, n);
	__asm__ volatile(""); /* no jump in place of the call: reports name the caller */
}

/* States that [p, p+n) is durable at this point: what is not is a finding. n = 0: all of PM. */
static inline void pd_durable(const void *p, size_t n)
{
	pd_range_say(PD_RANGE_DURABLE, p, n);
}

/*
 * [p, p+n) is in PM but recovery does not need it (a lock, a cache, a statistic): it may stay
 * unflushed for ever.
 */
static inline void pd_transient(const void *p, size_t n)
{
	pd_range_say(PD_RANGE_TRANSIENT, p, n);
}

/*
 * Transactions with an undo log, for libraries that have their own. Between begin and end, this
 * thread may change PM only where it has said pd_tx_add: after logging the old content, or because
 * the memory was allocated in the transaction. The log itself, and what else needs no logging, is
 * pd_tx_ignore, once and for all. Transactions may be nested; the outermost end ends them.
 */
static inline void pd_tx_begin(void)
{
	pd_range_say(PD_RANGE_TX_BEGIN, (const void *)0, 0);
}

static inline void pd_tx_add(const void *p, size_t n)
{
	pd_range_say(PD_RANGE_TX_ADD, p, n);
}

static inline void pd_tx_ignore(const void *p, size_t n)
{
	pd_range_say(PD_RANGE_TX_IGNORE, p, n);
}

static inline void pd_tx_end(void)
{
	pd_range_say(PD_RANGE_TX_END, (const void *)0, 0);
}

#ifdef __cplusplus
}
#endif

#endif
