/*
 * remedy.h - what to change in the source so that a finding goes away, as values, if that is a
 * flush, a fence, an order or an atomic.
 *
 * Kind, cause, facts and sites alone decide it, as they decide the sentence of the fix
 * (report/words); whether the source allows it is a second question, which src/fix answers by
 * reading it. A finding without a remedy has a reason instead.
 *
 * Thread rule: none; values.
 */
#ifndef PD_FINDING_REMEDY_H
#define PD_FINDING_REMEDY_H

#include "finding/finding.h"

enum pd_remedy_what {
#define PD_REMEDY(ID, doc) PD_REMEDY_##ID,
#include "finding/remedy.def"
	PD_REMEDY_N
};

enum pd_no_remedy {
#define PD_NO_REMEDY(ID, doc) PD_NO_REMEDY_##ID,
#include "finding/remedy.def"
	PD_NO_REMEDY_N
};

enum { PD_REMEDIES = 8 };

/* A change, and the place that it is about. */
struct pd_remedy {
	enum pd_remedy_what what;
	const struct pd_frame *at;
	uint32_t nstack; /* the callers of that, innermost first */
	const struct pd_frame *stack;
	/* REMOVE: this many frames further in belong to functions that only flush or fence, and the
	 * change may also be made there; the nearest is right before `at` */
	uint32_t inner;
	const struct pd_finding_site *site;
};

struct pd_remedies {
	enum pd_no_remedy no; /* NONE: there are some */
	/* They help only if something else is in order: to be tried, not recommended */
	bool unsure;
	uint32_t n;
	struct pd_remedy v[PD_REMEDIES];
	/* The store before which they must be durable; MOVE: which comes first, and should come
	 * later. file NULL: there is none */
	struct pd_frame before;
};

/* Points into the finding. */
struct pd_remedies pd_remedies_of(const struct pd_finding *f);

/* What may help where that does not: that who has read what was not durable yet makes it so before
 * going on. Unsure: others may read it, too. */
struct pd_remedies pd_remedies_instead(const struct pd_finding *f);

#endif
