/*
 * place.h - a place with names: a stack, and which of its frames to show.
 *
 * The frame shown is the innermost one that the reader can do something about. These frames are
 * skipped:
 *   system, agents  they do what their caller wants (owner.h); and headers of the system
 *   wrappers        for flushes and fences only: functions whose name says that they do nothing
 *                   else (pm_persist, clflush, flush_range). The instruction is shown, but the
 *                   finding is about the first frame beyond them: the caller
 *
 * If the frame is inside a library that the user did not build, the place is the library's, and the
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

/*
 * Frames that do not fit are left out. Code of a system header is the system's, whoever built it.
 */
void pd_stack_push(struct pd_stack *s, struct pd_frame f, enum pd_owner owner, const char *object);

/* Removes perdure's own frames between the program's, and those that started a thread. */
void pd_stack_tidy(struct pd_stack *s);

struct pd_place {
	uint32_t n;
	struct pd_frame frame[PD_STACK_FRAMES]; /* innermost first */
	uint32_t at;				/* the frame to show */
	const char *library;			/* NULL: the user's own code */
	/* For a library, the user's nearest frame; for a wrapper, its user; n: none */
	uint32_t caller;
	bool system; /* the innermost frame is libc's or the like */
	bool locks;  /* and it takes or releases a lock */
};

/* False: the stack is empty, and nothing is known of the place. */
bool pd_place_choose(struct pd_arena *a, const struct pd_stack *s, enum pd_role role,
		     struct pd_place *p);

/* Whether its name says that a function flushes or fences and does nothing else. */
bool pd_place_is_wrapper(const char *function);

/* Whether its name says that a function computes a checksum. */
bool pd_place_is_checksum(const char *function);

#endif
