/*
 * perdure.h - what a tested program can tell perdure. All of it is optional.
 *
 * The header needs no library. Without perdure's runtime in the process every function here does
 * nothing; pd_check() only returns whether its condition holds.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef PERDURE_H
#define PERDURE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Defined by the runtime; NULL where the program runs without it. */
extern void __pd_say_check(int holds, const char *what, const char *file, int line)
	__attribute__((weak));
extern void __pd_say_mark(const char *name) __attribute__((weak));
extern void __pd_say_checksum(const void *p, size_t n, int begin, int matched)
	__attribute__((weak));

/* What __pd_say_range states about a range. */
enum pd_range {
	PD_RANGE_DURABLE,
	PD_RANGE_TRANSIENT,
	PD_RANGE_TX_BEGIN,
	PD_RANGE_TX_ADD,
	PD_RANGE_TX_IGNORE,
	PD_RANGE_TX_END
};
extern void __pd_say_range(int what, const void *p, size_t n) __attribute__((weak));

extern void __pd_say_symbolic(void *p, size_t n, const char *name) __attribute__((weak));
extern void __pd_say_assume(void) __attribute__((weak));

/* What __pd_say_op_end states about the response. */
enum pd_op_response { PD_OP_VOID, PD_OP_RETURNED, PD_OP_FAILED };
extern void __pd_say_op_begin(const char *name, const uint64_t *args, unsigned nargs)
	__attribute__((weak));
extern void __pd_say_op_end(int response, uint64_t word, const void *data, size_t size)
	__attribute__((weak));

/* States an invariant, typically in recovery. A check that fails is a finding; the program goes on.
 * Returns whether it holds. */
#define pd_check(cond) pd_check_at(!!(cond), #cond, __FILE__, __LINE__)

static inline int pd_check_at(int holds, const char *what, const char *file, int line)
{
	if (__pd_say_check)
		__pd_say_check(holds, what, file, line);
	return holds;
}

/* For perdure explore: treat these bytes as symbolic input, whatever they contain now. Each path
 * gets values of its own for them. Has no effect otherwise. */
static inline void pd_symbolic(void *p, size_t n, const char *name)
{
	if (__pd_say_symbolic)
		__pd_say_symbolic(p, n, name);
}

/* For perdure explore: ends every path on which this does not hold; such a path cannot happen in
 * the program. */
static inline void pd_assume(int holds)
{
	if (!holds && __pd_say_assume)
		__pd_say_assume();
}

/* Names a point of the run, for traces and reports. */
static inline void pd_mark(const char *name)
{
	if (__pd_say_mark)
		__pd_say_mark(name);
}

/* Put these two around the validation of [p, p+n) by a checksum: what is read in between is not
 * trusted until pd_checksum_end() reports a match. */
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
	__asm__ volatile(""); /* keeps this from becoming a tail call: reports name the caller */
}

/*
 * States that [p, p+n) is durable at this point; it is a finding if it is not. n = 0: all of PM.
 * With `perdure lockset --condition buffered`, stores must be durable here and need not be before:
 * this ends an epoch.
 */
static inline void pd_durable(const void *p, size_t n)
{
	pd_range_say(PD_RANGE_DURABLE, p, n);
}

/*
 * States that recovery does not need [p, p+n), although it is in PM (a lock, a cache, a statistic):
 * the range may stay unflushed forever. `check` shows recovery its newest value, until a
 * transaction logs the range or a whole line of it is flushed.
 */
static inline void pd_transient(const void *p, size_t n)
{
	pd_range_say(PD_RANGE_TRANSIENT, p, n);
}

/*
 * Transactions with an undo log, for libraries that implement their own. Between begin and end,
 * this thread may change PM only where it has called pd_tx_add: after logging the old content, or
 * because the memory was allocated in the transaction. Exempt the log itself, and whatever else
 * needs no logging, with pd_tx_ignore; it lasts for the whole run. Transactions may be nested; the
 * outermost end ends them.
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

/*
 * Operations of a data structure, for `perdure linear --spec NAME`. The thread that executes an
 * operation announces its call and its return.
 *
 *	pd_op_begin("put", key, value);
 *	old = map_put(map, key, value);
 *	pd_op_end(old);
 *
 * The specification defines the name and the number of words that follow (docs/specifications.md).
 * A thread has one operation at a time. Announce every operation, also after a crash: the
 * specification starts empty, and the effect of an operation that was not announced looks like a
 * mistake.
 */
#define PD_NONE UINT64_MAX /* absent: no such key or element */

static inline void pd_op_begin_words(unsigned n, const char *name, uint64_t a, uint64_t b,
				     uint64_t c, uint64_t d)
{
	uint64_t args[4];

	args[0] = a;
	args[1] = b;
	args[2] = c;
	args[3] = d;
	if (__pd_say_op_begin)
		__pd_say_op_begin(name, args, n);
}

#define pd_op_begin(...)                                                                           \
	PD_OP_WORDS(PD_OP_COUNT(__VA_ARGS__, pd_op_begin_takes_4_words_at_most,                    \
				pd_op_begin_takes_4_words_at_most, 4, 3, 2, 1, 0, 0),              \
		    __VA_ARGS__, 0, 0, 0, 0, 0)
#define PD_OP_COUNT(name, a, b, c, d, e, f, n, ...) n
#define PD_OP_WORDS(n, name, a, b, c, d, ...)                                                      \
	pd_op_begin_words(n, name, (uint64_t)(a), (uint64_t)(b), (uint64_t)(c), (uint64_t)(d))

/* This thread's operation returned a word; PD_NONE: there was nothing. */
static inline void pd_op_end(uint64_t result)
{
	if (__pd_say_op_end)
		__pd_say_op_end(PD_OP_RETURNED, result, (const void *)0, 0);
}

/* A word, and bytes with it: for a scan, pairs of a key word and a value word. */
static inline void pd_op_end_data(uint64_t result, const void *data, size_t size)
{
	if (__pd_say_op_end)
		__pd_say_op_end(PD_OP_RETURNED, result, data, size);
}

/* It returned nothing that its caller could see: any result is accepted. */
static inline void pd_op_end_void(void)
{
	if (__pd_say_op_end)
		__pd_say_op_end(PD_OP_VOID, 0, (const void *)0, 0);
}

/* It was refused, without any effect, for a reason that the specification does not model (no
 * space). */
static inline void pd_op_end_failed(void)
{
	if (__pd_say_op_end)
		__pd_say_op_end(PD_OP_FAILED, 0, (const void *)0, 0);
}

/* The word that stands for bytes, as an argument or a result. */
static inline uint64_t pd_op_bytes(const void *data, size_t size)
{
	const unsigned char *b = (const unsigned char *)data;
	uint64_t h = 0xcbf29ce484222325ULL;
	size_t i;

	for (i = 0; i < size; i++)
		h = (h ^ b[i]) * 0x100000001b3ULL;
	return h >> 1; /* never PD_NONE */
}

#ifdef __cplusplus
}
#endif

#endif
