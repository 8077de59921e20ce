/*
 * diagram.h - operations of a structure over time, and why no order of them explains what they
 * returned.
 *
 * One row per operation, one column per event (a call, a return, a crash), numbered from 0. The
 * engine of `linear` chooses the rows (engine/linear/picture.h); the diagram crosses to the tool as
 * facts; here it is drawn as text. A driver that runs alone has no report around it, and draws the
 * same diagram itself: that is why these words are in the core and not in report/words.
 *
 * Thread rule: none; values.
 */
#ifndef PD_FINDING_DIAGRAM_H
#define PD_FINDING_DIAGRAM_H

#include "base/out.h"
#include "finding/facts.h"

enum {
	PD_DIAGRAM_OPS = 16,
	PD_DIAGRAM_CRASHES = 8,
	PD_DIAGRAM_TRIES = 8,
	PD_DIAGRAM_OP_TEXT = 96,
	PD_DIAGRAM_ORDER_TEXT = 256,
};

struct pd_diagram_op {
	uint32_t thread;
	uint32_t call;
	uint32_t ret; /* or the crash that interrupted it; `columns`: it never returned */
	bool culprit; /* no order explains its response, or recovery failed in it */
	char text[PD_DIAGRAM_OP_TEXT]; /* "put(5, 17) = none" */
};

/* An order of the operations that was tried, and what the culprit would then have returned. */
struct pd_diagram_try {
	char expected[PD_DIAGRAM_OP_TEXT];
	char order[PD_DIAGRAM_ORDER_TEXT]; /* the last operations of it; "": none came before */
	uint32_t earlier;		   /* operations before those */
};

struct pd_diagram {
	uint32_t n;	  /* rows, in the order of their calls */
	uint32_t earlier; /* operations before them without a row */
	uint32_t columns;
	uint32_t ncrash;
	uint32_t ntry;
	uint32_t more_tries; /* flag: others did not fit */
	uint32_t has_key;    /* flag: only operations on `key` have rows */
	uint64_t key;
	uint32_t keys;	     /* that were judged ... */
	uint32_t keys_wrong; /* ... and how many of them cannot be explained */
	uint32_t others;     /* completed operations on other keys, without a row */
	uint32_t failed;     /* flag: the recovery failed, whatever it returned ... */
	uint32_t later;	     /* ... after this many completed operations */
	uint32_t crash[PD_DIAGRAM_CRASHES];
	struct pd_diagram_op op[PD_DIAGRAM_OPS];
	struct pd_diagram_try try[PD_DIAGRAM_TRIES];
};

/* The texts are not copied. */
void pd_diagram_facts(const struct pd_diagram *d, struct pd_fact_list *to);

/* False: the facts have no diagram. */
bool pd_diagram_of_facts(struct pd_diagram *d, const struct pd_facts *f);

void pd_diagram_draw(const struct pd_diagram *d, struct pd_out *out);

#endif
