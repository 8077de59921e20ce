/*
 * cut.h - reads that feed a checksum see lines as they were at one moment.
 *
 * A recovery that validates data by a checksum reads many lines that were never ordered, and every
 * mixture of their versions would be a state of its own. But all that its caller learns of a
 * mixture is that it does not match. So the lines that one checksum reads are not chosen one by
 * one: they are cut through their histories at one time, the same for all. The cuts are all states
 * in which stores became durable in the order in which they were made, from none of them to all;
 * the content that the checksum was made for is one of them, and so are contents that do not match.
 *
 * A cut is not chosen either: it is the set of times that are left, and each read splits it. Where
 * other reads have ruled out what a line held at some time, it holds the nearest version that is
 * left: what was read otherwise does not bind the cut. Lines that have crashed more than once are
 * not cut: their versions are split as always.
 */
#ifndef PD_MODEL_CUT_H
#define PD_MODEL_CUT_H

#include "model/line.h"

struct pd_cut {
	uint32_t group; /* number of the checksum */
	uint32_t n;
	struct pd_span *times; /* NULL: all */
};

/*
 * `left` are the versions of a line before the read, `classes` what it can find in them. Leaves
 * only classes that exist at a time of the cut. False: such a line is not cut.
 */
bool pd_cut_filter(const struct pd_cut *cut, const struct pd_history *crashed,
		   const struct pd_vset *left, pd_classes *classes);

/* One of those classes was read: the times at which it is what the line holds are left. */
bool pd_cut_narrow(struct pd_cut *cut, struct pd_arena *a, const struct pd_history *crashed,
		   const struct pd_vset *left, const struct pd_class *read);

#endif
