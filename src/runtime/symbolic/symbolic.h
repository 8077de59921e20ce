/*
 * symbolic.h - labels: what instrumented code calls (event/symbolic.h), and the labels of memory.
 *
 *	hook.c     values, branches, calls: from the functions of symbolic.def to the engine
 *	stub.c     entries of those that keep registers
 *	compute.c  what intrinsics compute, built of operators
 *	label.c    which byte of memory has which label; flags
 *	address.c  loads and stores through pointers that have labels
 *	outside.c  input that is written, and read again
 *	summary.c  functions of libc (cc/symbolic/summary.def), with str.c, num.c and so on
 *
 * runtime/explore turns it on, and provides the parts of the engine that it uses.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_SYMBOLIC_SYMBOLIC_H
#define PD_RUNTIME_SYMBOLIC_SYMBOLIC_H

#include "engine/explore/path.h"
#include "runtime/base/rt.h"
#include <stdio.h>
#include <sys/uio.h>

struct pd_pool;

struct pd_symbolic {
	bool on; /* labels are followed; off: every hook returns 0 immediately */
	/* A byte with a label is about to be used for the first time: called once, then set to
	 * NULL. It returns several times, in as many runs */
	void (*first_use)(void);
	/*
	 * The program is about to get values that have labels: bytes of the input that these depend
	 * on are used. All that is not in memory with labels follows from bytes that are. NULL:
	 * nobody wants to know
	 */
	void (*used)(pd_expr e);
	/* The program is about to load n bytes, or calls a function that has a summary (0). All
	 * that the hooks know is in memory: a run may stop here, and another one go on */
	void (*stop)(const void *p, size_t n);
	struct pd_exprs *exprs;
	struct pd_path *path;
	struct pd_ask *ask;
	const uint8_t *input;
	uint32_t addresses; /* limit of addresses that a pointer is resolved to */
	/* Something was not understood, and what depends on it is not explored; `what` may be
	 * NULL */
	void (*lost)(enum pd_sym_why why, const struct pd_site *site, const char *what);
	/* A value is used as it is; others are tried, up to a bound (path.h) */
	void (*pinned)(enum pd_sym_why why);
	/* A label did not match memory: code that is not instrumented has written there */
	void (*dropped)(const void *p);
	/* A step of the path was logged: covered edges (site and way) */
	void (*covered)(uint32_t site, uint32_t way);
	/*
	 * What a stream that reads a source reads next: bytes of its pool, which have labels where
	 * the input is, and how many there are up to its end. False: it reads something else,
	 * without labels. NULL: there are no such streams
	 */
	bool (*stream_at)(FILE *f, const uint8_t **at, uint64_t *left);
	/* Whether it is a FILE that reads a source; it need not point to one. NULL: as above */
	bool (*is_source)(const void *p);
	/* What a descriptor reads or writes: equal for equal files. 0: nothing that can be read
	 * again. NULL: nobody knows */
	uint64_t (*file_of)(int fd);
	/* Whether bytes that are read from this descriptor, or written to it, keep their labels.
	 * NULL: there are no such descriptors */
	bool (*is_labelled)(int fd);
};

extern PD_OWN struct pd_symbolic pd_symbolic;

/* ---- label.c -------------------------------------------------------------------------------- */

/* Flags are readable everywhere, all 0: before the first instrumented code runs. */
void pd_labels_map(void);

/* Prepares for labels in this range. */
void pd_labels_reserve(uint64_t from, uint64_t to);

/* The label of a byte, of 8 bits; 0: none. */
pd_expr pd_label_get(const void *p);
void pd_label_set(void *p, pd_expr e);
bool pd_labels_any(const void *p, size_t n);
void pd_labels_clear(void *p, size_t n);
void pd_labels_move(void *to, const void *from, size_t n);

/* This memory is gone, or has other content: as pd_labels_clear, of any number of bytes. */
void pd_labels_forget(const void *p, size_t n);

/* Makes these n bytes the bytes from `first` on of the input, with its values. */
void pd_labels_input(void *p, size_t n, uint32_t first);

/* The input has changed: sets each byte of memory with a label to its value under it. */
void pd_labels_refresh(void);

/*
 * Memory is as each run will find it: which of it can only be read, so that refreshing has to make
 * it writable. Labels of memory that is gone are dropped.
 */
void pd_labels_settle(void);

/* Code that follows no labels is about to read these bytes. */
void pd_labels_used(const void *p, size_t n);

/*
 * A scalar in memory, 1 to 8 bytes, little endian: its label, or 0. What memory has is what the
 * label says, or the label is dropped. It is used.
 */
pd_expr pd_label_load(const void *p, uint32_t n);
void pd_label_store(void *p, uint32_t n, pd_expr e);

/* ---- outside.c ------------------------------------------------------------------------------ */

/* Bytes with labels were written, by this function. */
void pd_outside_wrote(int fd, const struct pd_site *site, const char *by);
void pd_outside_wrote_stream(FILE *f, const struct pd_site *site, const char *by);

/* Bytes are about to be written: counts if they have labels. */
void pd_outside_writes(int fd, const struct iovec *v, size_t n, const char *by);

/* The kernel is about to copy bytes from one descriptor to another. */
void pd_outside_passes(int in, int out, const char *by);

/* Memory outside of the process gets an address; with a second one its bytes have labels at one
 * only. */
void pd_outside_attaches(uint64_t memory, const char *by);

/* A file that shows the program's own memory: /proc/self/mem and its like. */
#define PD_OUTSIDE_MEMORY 2

/* Memory shows this file from now on, and what is written to it. */
void pd_outside_maps(int fd);

/* Bytes are read that get no labels: a loss if they may be such. The same of a pool: its bytes have
 * labels unless a stream has written them. */
void pd_outside_reads(int fd, const struct pd_site *site, const char *by);
void pd_outside_reads_pool(const struct pd_pool *p, const char *by);

/* ---- hook.c --------------------------------------------------------------------------------- */

/* A value is used by code that follows no labels. */
void pd_symbolic_pin(const struct pd_site *site, pd_expr e, uint64_t value, enum pd_sym_why why);

/* A condition decides what happens, like a branch of the program. */
void pd_symbolic_branch(const struct pd_site *site, pd_expr condition, bool taken);

/* What the thread returns, or passes to pthread_exit, is used as it is. */
void pd_symbolic_end_thread(void);

static inline bool pd_symbolic_is_const(pd_expr e)
{
	return pd_expr_op(pd_symbolic.exprs, e) == PD_SYM_CONST;
}

static inline void pd_symbolic_used(pd_expr e)
{
	if (pd_symbolic.used && e)
		pd_symbolic.used(e);
}

static inline void pd_symbolic_stop(const void *p, size_t n)
{
	if (pd_symbolic.stop)
		pd_symbolic.stop(p, n);
}

static inline void pd_symbolic_use(void)
{
	if (pd_unlikely(pd_symbolic.first_use != NULL))
		pd_symbolic.first_use();
}

#endif
