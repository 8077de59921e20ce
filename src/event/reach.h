/*
 * reach.h - what an object compiled for symbolic execution states about its own code: which part of
 * it leads to which, which functions it calls, and which of its sites may change PM. All objects of
 * a program are joined when it starts (engine/explore/reach.h).
 *
 * The compiler writes words and names; a name is an offset into the names, 0 is none. First come
 * the numbers of entries, enum pd_reach_count, then the entries, one kind after the other:
 *
 *	node      a piece of code without a branch, and with at most one call, at its end: its
 *	          first edge. The nodes of a function are consecutive, the first is its entry. One
 *	          more node ends the list
 *	edge      the node that it leads to; of a branch that of way 0 first. PD_REACH_NONE: it
 *	          returns
 *	function  name, 0 if nothing outside can call it; name for callers of a pointer to it; entry
 *	call      node; node behind it; function of this object, or PD_REACH_BY_NAME and a name
 *	site      by number: node; class of what it changes; ways, 0 if it is no branch
 *	class     memory that the compiler cannot distinguish by pointers to it: the class that
 *	          pointers in it lead to; 1: it may be PM
 *	bind      a class that a name stands for: name; part, as enum pd_reach_part; class; 1: it is
 *	          defined here
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

/* Words per entry of each kind. */
#define PD_REACH_WORDS {1, 1, 3, 3, 3, 2, 4}

/*
 * The part of a name: a function's result; a variable; from PD_REACH_ARGUMENT on, what a function's
 * arguments point to.
 */
enum pd_reach_part { PD_REACH_RESULT, PD_REACH_VARIABLE, PD_REACH_ARGUMENT };

struct pd_reach {
	const uint32_t *words;
	const char *names; /* the first byte is a NUL */
};

#endif
