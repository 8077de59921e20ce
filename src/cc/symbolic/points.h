/*
 * points.h - which memory may be PM, as far as one object can say.
 *
 * Memory that pointers lead to is divided into classes, so that a pointer leads to one class only, and
 * pointers that are stored in a class lead to one class again: its inside. Whatever assigns one pointer to
 * another makes their classes one (Steensgaard: Points-to Analysis in Almost Linear Time, POPL 1996). Neither
 * the order of instructions nor fields of structs are distinguished.
 *
 * PM is what mmap returns for a file, what PM libraries return, and what comes out of it; pointers that
 * were numbers, and what inline asm yields, may be. What other objects do is not known here: classes of
 * their functions' arguments and results, and of variables that both see, are bound to names, and joined
 * when the program starts. A function that nobody defines may return PM, and may put pointers to PM into
 * what it is given; of the C library it is known that it does not.
 *
 * What is missed: pointers that the C library keeps for the program (strtok), and those that are copied
 * byte by byte.
 */
#ifndef PD_CC_SYMBOLIC_POINTS_H
#define PD_CC_SYMBOLIC_POINTS_H

#include "cc/ir.h"
#include "event/reach.h"

struct pd_class {
	uint32_t parent; /* itself: it stands for all of its class */
	uint32_t inside; /* PD_REACH_NONE: nobody asked */
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

/* All of the module. */
void pd_points_find(struct pd_points *p, struct pd_ir *m);

/* The class that stands for it. */
uint32_t pd_points_class(struct pd_points *p, uint32_t c);

/* Of the memory that the instruction changes or flushes; PD_REACH_NONE: it changes none that could be PM. */
uint32_t pd_points_changed(struct pd_points *p, LLVMValueRef inst);

/* Offset of a name among the names. */
uint32_t pd_points_name(struct pd_points *p, const char *s, size_t n);

/* Who calls a pointer calls this name; with so many arguments. */
uint32_t pd_points_pointer_name(struct pd_points *p, unsigned arguments);

/* Its address is used otherwise than to call it. */
bool pd_points_is_pointer(LLVMValueRef fn);

/* A function of the C library, of which is known that it neither yields PM nor calls the program back. */
bool pd_points_is_known(LLVMValueRef fn);

#endif
