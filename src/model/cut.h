/*
 * cut.h - reads that feed a checksum see lines as they were at one moment.
 *
 * A recovery that validates data by a checksum reads many lines without any order between them, and
 * every mixture of their versions would be a state of its own. But the caller learns only that a
 * mixture does not match. So the versions of these lines are not chosen one by one: all histories
 * are cut at one time. The cuts are all states in which stores became durable in the order in which
 * they were made, from none of them to all; the content that the checksum was made for is one of
 * them, and so are contents that do not match.
 *
 * The cut is not chosen either: it is the set of times that are left, and each read splits it.
 * Moments inside one copy (a memcpy, a vector store) are contents that nobody meant to be there,
 * and there is one for each word. So one of them stands for all, per checksum: the caller learns of
 * each only that it does not match.
 *
 * Where other reads have ruled out the version that a line held at some time, the nearest version
 * that is left takes its place: reads outside the checksum do not bind the cut. Lines that have
 * crashed more than once are not cut: their versions are split as always.
 */
#ifndef PD_MODEL_CUT_H
#define PD_MODEL_CUT_H

#include "model/line.h"

struct pd_cut {
	uint32_t group; /* number of the checksum */
	bool inside;	/* a moment inside of a copy was among what its reads could see */
	uint32_t n;
	struct pd_span *times; /* NULL: all */
};

/*
 * `left` has the versions of a line before the read, `classes` the values that the read can see.
 * Keeps only classes that exist at a time of the cut, and of those inside of a copy one. False: the
 * line is not cut.
 */
bool pd_cut_filter(struct pd_cut *cut, const struct pd_history *crashed, const struct pd_vset *left,
		   pd_classes *classes);

/* Class `read` was read: keeps the times at which the line holds it. */
bool pd_cut_narrow(struct pd_cut *cut, struct pd_arena *a, const struct pd_history *crashed,
		   const struct pd_vset *left, const struct pd_class *read);

#endif
