/*
 * reach.h - what an object that was compiled for symbolic execution says of its own code: which part of it
 * leads to which, whom it calls, and which of its sites may change PM. All objects of a program are joined
 * when it starts (engine/explore/reach.h).
 *
 * The compiler writes words and names; a name is an offset into them, 0 is none. First come the numbers of
 * entries, enum pd_reach_count, then the entries, all of one kind after the other:
 *
 *	node      a piece of code without a branch and with a call at its end at most: its first edge.
 *	          Nodes of a function follow each other, the first is its entry. One more node ends the list
 *	edge      the node that it leads to; of a branch the one of way 0 first. PD_REACH_NONE: it returns
 *	function  name, 0 where nobody outside can call it; name for who calls a pointer to it; entry
 *	call      node; node behind it; function of this object, or PD_REACH_BY_NAME and a name
 *	site      of each, by its number: node; class of what it changes; ways on, 0 where it is no branch
 *	class     memory that pointers lead to which the compiler cannot tell apart: the class that pointers in it
 *	          lead to; 1: it may be PM
 *	bind      a class that a name stands for: name; part, as enum pd_reach_part; class; 1: it is defined here
 *
 * PD_REACH_NONE is no node and no class.
 */
#ifndef PD_EVENT_REACH_H
#define PD_EVENT_REACH_H

#include <stdint.h>

#define PD_REACH_NONE	 UINT32_MAX
#define PD_REACH_BY_NAME 0x80000000U

enum pd_reach_count {
	PD_REACH_NODES,
	PD_REACH_EDGES,
	PD_REACH_FUNCTIONS,
	PD_REACH_CALLS,
	PD_REACH_SITES,
	PD_REACH_CLASSES,
	PD_REACH_BINDS,
	PD_REACH_COUNTS
};

/* Words of an entry of each. */
#define PD_REACH_WORDS {1, 1, 3, 3, 3, 2, 4}

/* What of a name: a function's result and, from PD_REACH_ARGUMENT on, what its arguments point to; a variable. */
enum pd_reach_part { PD_REACH_RESULT, PD_REACH_VARIABLE, PD_REACH_ARGUMENT };

struct pd_reach {
	const uint32_t *words;
	const char *names; /* the first byte is a NUL */
};

#endif
