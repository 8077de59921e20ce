/*
 * run.h - one run that an engine watches, from the options to the result.
 *
 * The program runs once, under the runtime (or in Valgrind, if nothing of it is instrumented); the
 * engine runs inside of it, selected by the mode. Everything that such runs have in common is here;
 * a verb adds its own options and settings (cli/watch.h).
 *
 * The program may exit, with any status: the engine has judged the whole run; a status that is not
 * 0 limits the result, because the program may have given up early. Or a signal, the time limit or
 * ^C ends it: what was found until then is reported, and that the run was incomplete.
 */
#ifndef PD_DRIVE_WATCH_RUN_H
#define PD_DRIVE_WATCH_RUN_H

#include "drive/options.h"
#include "drive/watch/watched.h"
#include "drive/driven.h"
#include "drive/input.h"

/* Where a function was named. */
struct pd_lock_line {
	const char *file; /* as the user gave it */
	unsigned line;
	bool shipped; /* by perdure: a set of which most programs use only some */
	const char *name;
};

/* How it died, from the channel. */
struct pd_watch_death {
	uint32_t place; /* of the signal; 0: unknown */
	uint32_t check_place, check_line;
	char check_file[PD_CHANNEL_WHAT];
	char check_what[PD_CHANNEL_WHAT]; /* of the first pd_check() that failed; "": none */
};

struct pd_watch_run {
	struct pd_arena arena;
	struct pd_options options;
	struct pd_watched watched;
	struct pd_watched_filter filter;
	struct pd_result result;
	const char *mode; /* name of the engine and of the verb */
	/* Settings of the engine, KEY=VALUE separated by blanks; model and schedule are added
	 * here. */
	const char *settings;
	const char *model;
	const char *not_judged; /* as in struct pd_result */
	const char *schedule;
	PD_VEC(const char *) functions;	   /* functions that are locks (event/function.h) */
	PD_VEC(struct pd_lock_line) lines; /* where each was named */
	PD_VEC(bool) called;		   /* whether each was called, after the run */
	bool binary;
	bool without_pm;	      /* accept a run that maps no PM */
	const struct pd_input *input; /* the input folder; NULL: none */
	/* If the run is part of another verb: the descriptor for its output, and ^C is handled
	 * elsewhere. 0: it is not. */
	int output;
	bool instrumented;		 /* it ran under the runtime, not in Valgrind */
	int status;			 /* of waitpid */
	char elsewhere[PD_CHANNEL_WHAT]; /* as in the channel */
	bool late;			 /* the time limit ended it, */
	bool unmapped;			 /* before it mapped any PM */
	struct pd_watch_death death;	 /* with deaths=1 */
	double spent;			 /* in seconds, when `more` is called */
	/* Called after the run, before the report; may be NULL. */
	void (*more)(struct pd_watch_run *r, void *ctx);
	void *ctx;
};

void pd_watch_init(struct pd_watch_run *r, const char *mode);

/* Runs the program; fills `result`. */
bool pd_watch_run(struct pd_watch_run *r, struct pd_error *e);

void pd_watch_finish(struct pd_watch_run *r);

#endif
