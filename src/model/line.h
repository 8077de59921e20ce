/*
 * line.h - one cache line: what a crash may leave of it.
 *
 * In each execution that stores to it a line has a *history*: the content it started from, its
 * stores (a chain in the execution's log), and `must`, the version that is certainly on the medium.
 * Every version from `must` to the end of the log is admissible. (P1, P3)
 *
 * After a crash nothing is chosen. The line keeps the histories of the crashed executions, newest
 * first, and a *version set*: which versions are still possible. With one crash that is a list of
 * spans. With several, the content is version v1 of the first execution overwritten by the stores
 * of version v2 of the second, and so on: a point is a tuple (one version per execution) and the
 * set is a list of boxes (one span per execution). (P13)
 *
 * A load asks for the *classes* of the set: the values that its bytes can have, and for each the
 * part of the set that gives it. One class is then kept. (P12; Jaaru §4 does this with intervals,
 * one per store. Here stores of equal value fall into one class.)
 *
 * A line whose admissible versions all have one content is *settled*: memory holds it, and loads
 * need not ask. Only unsettled lines cost anything after a crash.
 *
 * Invariants:
 *  1. `base` is the content at version `folded_to`, at the bytes in `known`; folded_to <= must, and
 *     == must once the execution has crashed.
 *  2. `known` is all ones in the oldest history of a line: beyond it there is nothing undecided.
 *  3. Sets are values: a class's set is never changed once made.
 *
 * Bytes are handled in blocks of 64, so that a set of bytes is one word; a line is 1 block (cache
 * line) to 64 (page).
 */
#ifndef PD_MODEL_LINE_H
#define PD_MODEL_LINE_H

#include "base/arena.h"
#include "base/vec.h"
#include "event/view.h"
#include "model/log.h"
#include "model/params.h"

enum { PD_BLOCK = 64 };

struct pd_history {
	const struct pd_log *log; /* NULL: no store yet */
	uint64_t line;		  /* its index */
	struct pd_history *older; /* of an earlier crashed execution */
	uint32_t first;		  /* 1 + index of the oldest store not folded into base; 0: none */
	uint32_t last;		  /* 1 + index of the newest store; 0: none */
	/* 1 + index of the very first store, folded or not; 0: none, or the history was imported */
	uint32_t oldest;
	uint32_t must; /* versions below are ruled out */
	/*
	 * Index in the pending list of the thread that flushed last. In an imported history: the
	 * version up to which it was flushed without a fence.
	 */
	uint32_t pending;
	uint64_t *known;   /* mask of bytes where base is valid (see invariant 1) */
	uint64_t *written; /* mask of bytes stored to in this execution */
	uint8_t *base;
};

/* Versions lo..hi, both included. */
struct pd_span {
	uint32_t lo;
	uint32_t hi;
};

struct pd_vset {
	uint32_t nbox;
	uint32_t cap;
	uint32_t ndim; /* spans per box: histories from the newest crashed one */
	struct pd_span *span;
};

struct pd_line {
	struct pd_history cur;	      /* this execution's; cur.line is address >> line_shift */
	struct pd_history *crashed;   /* newest first; NULL: settled */
	struct pd_vset set;	      /* of `crashed` */
	struct pd_line *next;	      /* in the list of lines with a history */
	struct pd_line *next_touched; /* in the list of changed lines (model.h) */
	bool touched;		      /* is in that list */
	/* As of the last count: its open stores, the last of them, and `must` */
	uint32_t open, open_to, open_from;
};

/* One value that a load can see. */
struct pd_class {
	uint8_t value[PD_BLOCK]; /* at the bytes asked for; others 0 */
	struct pd_vset set;
	uint32_t newest; /* rank of its newest version among all that were split */
	/* The store that gives the value its first byte asked for; NULL: `must` or older. */
	const struct pd_store *source;
	uint32_t source_exec;
	uint32_t source_order; /* its place in the log, from 1 */
	/* The version of a flush of it that no fence has completed; 0: none */
	uint32_t source_flush;
};

typedef PD_VEC(struct pd_class) pd_classes;

/* A line without any store. */
struct pd_line *pd_line_create(struct pd_arena *a, const struct pd_params *p, uint64_t index);

/* This execution is about to make its first store: the line holds `content`, or is unsettled
 * (NULL). */
bool pd_line_begin(struct pd_line *line, struct pd_arena *a, const struct pd_params *p,
		   const struct pd_log *log, const uint8_t *content);

/* The next execution starts; `kept`: the crash has kept this execution's history. */
void pd_line_end(struct pd_line *line, const struct pd_params *p, bool kept);

/* Moves `base` towards `must` by at most `limit` stores. */
void pd_history_fold(struct pd_history *h, uint32_t limit);

/* How many stores of the line are in version v, counted from the oldest that is not folded. */
uint32_t pd_history_place(const struct pd_history *h, uint32_t v);

/* How many stores after version `from` are not certain to be on the medium. */
uint32_t pd_history_open(const struct pd_history *h, uint32_t from);

/*
 * The histories and the set that a crash now would leave. *crashed is NULL if no store is open:
 * then the line would be settled. Allocates in a; false: memory ran out.
 */
bool pd_line_crash_now(const struct pd_line *line, struct pd_arena *a, struct pd_history **crashed,
		       struct pd_vset *set);

/*
 * The classes of `set` for the bytes `need` of one block, newest version first. Values are the same
 * within a class and differ between classes; with a lens (to a load of contiguous bytes; NULL, or
 * without a view: none) they look the same within a class, look different between classes, and a
 * class has the value of its newest version. False: memory ran out.
 */
bool pd_vset_classes(const struct pd_history *crashed, const struct pd_vset *set, uint32_t block,
		     uint64_t need, const struct pd_lens *lens, struct pd_arena *a,
		     pd_classes *out);

/* Whether there is only one value, which it writes to `value`. False also if memory ran out. */
bool pd_vset_only(const struct pd_history *crashed, const struct pd_vset *set, uint32_t block,
		  uint64_t need, struct pd_arena *a, uint8_t *value);

#endif
