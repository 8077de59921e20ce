/*
 * points.h - which memory may be PM, as far as one object file shows.
 *
 * Memory is divided into classes: each pointer leads to one class, and all pointers stored in a
 * class lead to one class, its inside. An assignment of one pointer to another merges their classes
 * (Steensgaard: Points-to Analysis in Almost Linear Time, POPL 1996). Neither the order of
 * instructions nor fields of structs are distinguished.
 *
 * PM comes from mmap of a file and from PM libraries, and includes what its pointers lead to;
 * pointers converted from numbers, and results of inline asm, may be PM. What other objects do is
 * not known here: the classes of their functions' arguments and results, and of shared variables,
 * are bound to names, and merged when the program starts. A function that no object defines may
 * return PM, and may store pointers to PM in what it gets; for the C library it is known that it
 * does not.
 *
 * What is missed: pointers that the C library keeps for the program (strtok), and those that are
 * copied byte by byte.
 */
#ifndef PD_CC_SYMBOLIC_POINTS_H
#define PD_CC_SYMBOLIC_POINTS_H

#include "cc/ir.h"
#include "event/reach.h"

struct pd_class {
	uint32_t parent; /* its own index: it represents its class */
	uint32_t inside; /* PD_REACH_NONE: not needed so far */
	bool pm;
};

struct pd_bind {
	uint32_t name, part, class, defined;
};

struct pd_points {
	struct pd_ir *m;
	PD_VEC(struct pd_class) classes;
	PD_VEC(struct pd_bind) binds;
	PD_VEC(char) names;
	struct pd_map of;   /* value -> class + 1 */
	struct pd_map name; /* digest -> offset */
};

/* Analyses the whole module. */
void pd_points_find(struct pd_points *p, struct pd_ir *m);

/* The representative of a class. */
uint32_t pd_points_class(struct pd_points *p, uint32_t c);

/* The class of the memory that the instruction changes or flushes; PD_REACH_NONE: none that could
 * be PM. */
uint32_t pd_points_changed(struct pd_points *p, LLVMValueRef inst);

/* The offset of a name in the table of names. */
uint32_t pd_points_name(struct pd_points *p, const char *s, size_t n);

/* The name that calls through a pointer use; with this number of arguments. */
uint32_t pd_points_pointer_name(struct pd_points *p, unsigned arguments);

/* Whether its address is used other than to call it. */
bool pd_points_is_pointer(LLVMValueRef fn);

/* A function of the C library that neither returns PM nor calls the program back. */
bool pd_points_is_known(LLVMValueRef fn);

#endif
