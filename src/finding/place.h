/*
 * place.h - a place with names: a stack, and which of its frames is the one to show.
 *
 * What is shown is the innermost frame that the reader can do something about. Three kinds of
 * frames are looked through:
 *   system, agents  what does what its caller wants (owner.h); and headers of the system
 *   wrappers  for flushes and fences only: functions whose name says that they do nothing else
 *             (pm_persist, clflush, flush_range). What is shown is the instruction, but what it is about
 *             is the first frame beyond them: the caller
 * Is the frame inside a library that the user did not build, the place is the library's, and the
 * user's nearest frame is its caller.
 */
#ifndef PD_FINDING_PLACE_H
#define PD_FINDING_PLACE_H

#include "finding/finding.h"
#include "finding/owner.h"

enum { PD_STACK_FRAMES = 64 };

/* A frame, and whose code it is. */
struct pd_owned_frame {
	struct pd_frame f;
	enum pd_owner owner;
	bool header;	    /* of the system, in the user's code */
	const char *object; /* path of the executable or library; NULL: not known */
};

/* Innermost first. */
struct pd_stack {
	uint32_t n;
	struct pd_owned_frame v[PD_STACK_FRAMES];
};

/* What does not fit is left out. Code of a system's header is the system's, whoever built it. */
void pd_stack_push(struct pd_stack *s, struct pd_frame f, enum pd_owner owner, const char *object);

/* Takes out perdure's own frames between the program's, and what started a thread. */
void pd_stack_tidy(struct pd_stack *s);

struct pd_place {
	uint32_t n;
	struct pd_frame frame[PD_STACK_FRAMES]; /* innermost first */
	uint32_t at;				/* the frame to show */
	const char *library;			/* NULL: the user's own code */
	/* Of a library, the user's nearest frame; of a wrapper, who uses it; n: none */
	uint32_t caller;
	bool system; /* the innermost frame is libc's or the like */
	bool locks;  /* and is there to take or give back a lock */
};

/* False where the stack is empty: nothing is known of the place. */
bool pd_place_choose(struct pd_arena *a, const struct pd_stack *s, enum pd_role role,
		     struct pd_place *p);

/* Whether its name says that a function flushes or fences and does nothing else. */
bool pd_place_is_wrapper(const char *function);

#endif
