/*
 * workload.h - the operations for a driver: made at random, grown by coverage, or read from a file.
 *
 * Bias (Durinn, section 8.1): an argument that is a new key mostly gets one that was not used
 * before, one that is an old key mostly one that was; now and then it is the other way round, since
 * structures must also bear an insert of what is there and a removal of what is not. Keys come in
 * one of several patterns a workload (ascending, descending, scattered, in clusters that share low
 * or high bits), because it is patterns that make trees split and buckets overflow. Values differ
 * from each other, mostly: which write a read saw is then known.
 *
 * Growing: pd_grow_next proposes a workload, made anew or by changing one that was kept; the caller
 * runs it and reports what code it reached; those that reach something new are kept. Everything
 * follows from the seed and from these reports.
 *
 * The text form has a line for each operation; pd_workload_print and pd_workload_parse are exact
 * inverses of each other:
 *
 *	# a comment
 *	put 5 17          operation, arguments; by the first thread, which is thread 1: main is 0
 *	@2 get 5          by thread 2
 *	@1 set 3 "a\x00"  bytes
 */
#ifndef PD_ENGINE_LINEAR_WORKLOAD_H
#define PD_ENGINE_LINEAR_WORKLOAD_H

#include "base/out.h"
#include "base/vec.h"
#include "perdure_linear.h"

struct pd_work {
	uint32_t thread; /* from 0; as text, and in reports, from 1 */
	uint32_t entry;	 /* in the driver's table */
	struct pd_linear_value arg[PD_LINEAR_ARGS];
};

struct pd_workload {
	PD_VEC(struct pd_work) ops;
};

uint32_t pd_table_length(const struct pd_linear_entry *table);
uint32_t pd_entry_nargs(const struct pd_linear_entry *e);

/* ---- at random ------------------------------------------------------------------------------ */

struct pd_workgen {
	uint64_t seed;
	uint32_t nops;
	uint32_t nthreads; /* that operations are distributed over */
	uint32_t nkeys;	   /* keys are below this, times the pattern's distance; 0: nops */
	bool fill; /* first what adds, then what does not: fills the structure, and drains it */
};

/* Appends. False: memory ran out, or the table is empty. */
bool pd_workload_make(struct pd_workload *w, struct pd_arena *a,
		      const struct pd_linear_entry *table, const struct pd_workgen *gen);

/* ---- growing -------------------------------------------------------------------------------- */

enum { PD_GROW_KEPT = 64 };

struct pd_grow {
	struct pd_arena *arena; /* what is kept */
	const struct pd_linear_entry *table;
	struct pd_workgen gen;
	uint64_t random;
	uint32_t proposed; /* so far */
	uint32_t nkept, from;
	struct pd_workload kept[PD_GROW_KEPT]; /* each reached what those before it did not */
	uint8_t *seen;			       /* the bits that were ever reached */
	uint32_t nbits, nseen;
};

/* nbits: the number of places in the code. False: memory ran out. */
bool pd_grow_init(struct pd_grow *g, struct pd_arena *a, const struct pd_linear_entry *table,
		  struct pd_workgen gen, uint32_t nbits);

/* The next workload to run, in the arena `step`. */
bool pd_grow_next(struct pd_grow *g, struct pd_workload *w, struct pd_arena *step);

/* Reports the bits that it reached: returns how many are new. If any are, it is kept. */
uint32_t pd_grow_feed(struct pd_grow *g, const struct pd_workload *w, const uint8_t *bits);

/* ---- text ----------------------------------------------------------------------------------- */

struct pd_workload_error {
	uint32_t line; /* from 1; 0: none */
	char what[160];
};

/* Appends. False: *e says why, including the line, or that memory ran out. */
bool pd_workload_parse(struct pd_workload *w, struct pd_arena *a,
		       const struct pd_linear_entry *table, const char *text, size_t n,
		       struct pd_workload_error *e);

void pd_workload_print(const struct pd_workload *w, const struct pd_linear_entry *table,
		       struct pd_out *out);

/* The same, *n bytes in memory of `alloc`; NULL: there is none. */
const char *pd_workload_write(const struct pd_workload *w, const struct pd_linear_entry *table,
			      void *(*alloc)(void *ctx, size_t n), void *ctx, uint32_t *n);

#endif
