/*
 * function.h - a function of the program that acts like a synchronisation primitive of libc, by its
 * name.
 *
 * For locks that a front end cannot know: written by hand, or in a program without libc's shared
 * library. As text, which is how the driver passes it to a front end: "KIND NAME ARGUMENT RESULT",
 * for example
 *
 *	acquire spin_lock 1 always
 *	acquire bitlock_try 2 nonzero
 *	release spin_unlock 1 always
 *	allocate slab_take 2 nonzero
 *	free slab_give 1 always
 *
 * KIND is acquire, shared, release, signal, wait, allocate or free. ARGUMENT (1 to 6) is the
 * object's address; of allocate, the size in bytes. RESULT says for which return value it has
 * happened: always, zero, nonzero. An allocation is what a function returns, or, with zero, what it
 * has put where its first argument points to (as posix_memalign does). Release and signal happen
 * when the function is called, the others when it returns. Leading underscores of names do not
 * count. A function of C++ is named with as many of its namespaces and classes as are wanted (lock,
 * B::lock, a::B::lock), without arguments of templates and without parameters; or as it is mangled,
 * of which the parameters do not count either.
 */
#ifndef PD_EVENT_FUNCTION_H
#define PD_EVENT_FUNCTION_H

#include "event/event.h"

enum pd_function_result { PD_FUNCTION_ALWAYS, PD_FUNCTION_ZERO, PD_FUNCTION_NONZERO };

enum { PD_FUNCTION_NAME = 128 };

struct pd_function {
	uint8_t event;		     /* PD_EV_ACQUIRE, RELEASE, SIGNAL, WAIT, ALLOCATED or FREED */
	uint8_t mode;		     /* enum pd_lock_mode */
	uint8_t argument;	     /* from 0 */
	uint8_t result;		     /* enum pd_function_result */
	char name[PD_FUNCTION_NAME]; /* without leading underscores */
};

/* False: the text is malformed. */
bool pd_function_parse(const char *text, struct pd_function *f);

/* Whether a symbol names this function. */
bool pd_function_is(const struct pd_function *f, const char *symbol);

#endif
