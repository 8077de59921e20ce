/*
 * control.h - the line of text that the tool passes to a process when it starts it.
 *
 * The runtime gets it from PERDURE_CONTROL: "VERSION MODE KEY=VALUE KEY=VALUE ...", with blanks
 * between. The Valgrind tool gets the same settings from its options (src/valgrind/session.c).
 *
 * Everything that crosses between tool and process, and where it is defined:
 *
 *	VERSION         PD_ABI (abi.h), for all of it: a reader of another version refuses
 *	MODE, KEY=VALUE here
 *	PERDURE_PM      the patterns of PM files, with ':' between
 *	PERDURE_FUNCTIONS  functions that act like locks, a line each (function.h)
 *	channel=FD      struct pd_channel (channel.h), shared memory: counters, losses, last words
 *	pipe=FD         the trace (trace.h), as far as it does not fit into the channel
 *	zygote=FD       struct pd_zygote_order and pd_zygote_answer (channel.h)
 *	board=FD        struct pd_board (protocol/board.h), shared by all processes of an exploration,
 *	                at PD_LAYOUT_BOARD (layout.h); it begins with a version of its own. In mode
 *	                explore: struct pd_explore (protocol/explore.h)
 *	input=DIR       files of an input, for a run on what an exploration has made up (below)
 *
 * Modes:
 *	trace    every event goes to the trace
 *	model    every event goes to a persistency model, and nowhere else
 *	lint, lockset   an engine that watches the run (engine/observer.h)
 *	check    the crash engine
 *	explore  symbolic execution; lint watches each of its paths
 *
 * Settings; a number is decimal, an absent setting is 0 or off unless it says otherwise:
 *	channel=FD pipe=FD   always
 *	zygote=FD            stop before main and execute orders; else: run immediately
 *	board=FD             check, explore: always
 *	stdin=FD             check: what each execution reads as standard input; -1: as it is
 *	seed=N               of the schedule and of random numbers, unless the mode is check
 *	schedule=default | random | sparse | pct:DEPTH:STEPS   default: each thread runs until it blocks.
 *	                     check has the number of a schedule in each order (schedule.h)
 *	model=adr | eadr | page   adr
 *	linear=1             check: of perdure linear, which needs a driver or ...
 *	spec=NAME            ... operations that the program announces, of this specification
 *	condition=NAME       and what a crash may undo of them: durable (default), buffered, strict
 *	count=1              trace: only losses and files are written, events are counted
 *	events=1             lint, lockset: the events are traced, too
 *	deaths=1             lint: the place where a signal kills the program goes into the channel
 *	input=DIR            every mode: what is in the folder takes the place of what the program would
 *	                     read. DIR has no blank; it may lead through /proc/self/fd. The tool itself
 *	                     sees to standard input and arguments, except in mode explore, which takes
 *	                     DIR/stdin where that is there.
 *	                       DIR/files/NAME      is read in place of the file NAME
 *	                       DIR/pm/NAME+OFFSET  its bytes lie over those of the PM file NAME from
 *	                                           OFFSET (decimal) on, when that is first mapped
 *	                       DIR/memory          what pd_symbolic() gets, one call after the other
 *	                       DIR/sockets         what clients send (script.h); nothing symbolic
 *	                       DIR/faults          calls that fail (fault.h), a line each; in the first
 *	                                           execution alone, not in a recovery
 *	                       DIR/schedule        the number (schedule.h) of the schedule that threads
 *	                                           run by once there are any; not in mode check
 *	                     NAME is as a source of the exploration has it (struct pd_explore_source),
 *	                     with %2F in place of each '/' and %25 of each '%'
 * Engines that watch have settings of their own (see their create functions). Unknown keys are
 * ignored.
 */
#ifndef PD_EVENT_CONTROL_H
#define PD_EVENT_CONTROL_H

#include "base/types.h"

struct pd_control {
	const char *mode; /* nmode bytes */
	size_t nmode;
	const char *settings; /* "KEY=VALUE KEY=VALUE", perhaps "" */
};

/*
 * Our own descriptors start here, if the limit is the usual one or higher; programs do not use such
 * high numbers.
 */
enum { PD_FIRST_FD = 900 };

enum pd_control_fault {
	PD_CONTROL_FINE,
	PD_CONTROL_VERSION, /* of another version */
	PD_CONTROL_BAD,	    /* not a control line */
};

/* Splits a control line; the parts point into it. */
enum pd_control_fault pd_control_parse(const char *text, struct pd_control *c);

bool pd_control_is_mode(const struct pd_control *c, const char *mode);

/* The value of KEY, n bytes; NULL: there is none. The first one counts. */
const char *pd_setting(const char *settings, const char *key, size_t *n);

/* The same as a number; `otherwise` if there is none, or it is not a number. */
uint64_t pd_setting_number(const char *settings, const char *key, uint64_t otherwise);

/* Whether the value is exactly this. */
bool pd_setting_is(const char *settings, const char *key, const char *value);

/*
 * Field i of a value with ':' between its fields, as a number: 1 and 2 of pct:DEPTH:STEPS.
 * `otherwise` as above.
 */
uint64_t pd_setting_field(const char *settings, const char *key, uint32_t i, uint64_t otherwise);

#endif
