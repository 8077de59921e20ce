/*
 * run.h - one run that an engine watches, from the options to the result.
 *
 * The program runs once, under the runtime (or under Valgrind, where nothing of it is
 * instrumented); the engine runs inside of it and is named by the mode. Everything that such runs
 * have in common is here; a verb adds its own options and settings (cli/watch.h).
 *
 * How the program ends. By itself, with whatever status: the engine has judged the whole run; a
 * status that is not 0 is named as what limits the result, because the program may have given up
 * early. By a signal, by the time limit, by ^C: what was found until then is reported, and that there
 * was no end.
 */
#ifndef PD_DRIVE_WATCH_RUN_H
#define PD_DRIVE_WATCH_RUN_H

#include "drive/options.h"
#include "drive/watch/watched.h"
#include "drive/driven.h"
#include "drive/input.h"

/* Where a function was named. */
struct pd_lock_line {
	const char *file; /* as it was asked for */
	unsigned line;
	bool shipped; /* with perdure: a set of which few programs use all */
	const char *name;
};

/* How it died, as the channel has it. */
struct pd_watch_death {
	uint32_t place; /* of the signal; 0: not known */
	uint32_t check_place, check_line;
	char check_file[PD_CHANNEL_WHAT];
	char check_what[PD_CHANNEL_WHAT]; /* of the first pd_check() that failed; "": none did */
};

struct pd_watch_run {
	struct pd_arena arena;
	struct pd_options options;
	struct pd_watched watched;
	struct pd_watched_filter filter;
	struct pd_result result;
	const char *mode; /* the engine's, and the verb */
	/* What the engine is given, as KEY=VALUE separated by blanks; model and schedule are added
	 * here. */
	const char *settings;
	const char *model;
	const char *not_judged; /* as in struct pd_result */
	const char *schedule;
	PD_VEC(const char *) functions;	   /* that are locks (event/function.h) */
	PD_VEC(struct pd_lock_line) lines; /* of each, where it comes from */
	PD_VEC(bool) called;		   /* of each, after the run */
	bool binary;
	bool without_pm;	      /* a run that maps no PM is one, too */
	const struct pd_input *input; /* what it is run on; NULL: what there is */
	/* Of a run that is part of another verb: where what it prints goes, and ^C is not ours. 0: it
	 * is not. */
	int output;
	bool instrumented;		 /* it ran under the runtime, not under Valgrind */
	int status;			 /* of waitpid */
	char elsewhere[PD_CHANNEL_WHAT]; /* as in the channel */
	bool late;			 /* the time limit */
	struct pd_watch_death death;	 /* with deaths=1 */
	double spent;			 /* seconds, when `more` is called */
	/* After the run, before the report; may be NULL. */
	void (*more)(struct pd_watch_run *r, void *ctx);
	void *ctx;
};

void pd_watch_init(struct pd_watch_run *r, const char *mode);

/* Runs the program; what came of it is in `result`. */
bool pd_watch_run(struct pd_watch_run *r, struct pd_error *e);

void pd_watch_finish(struct pd_watch_run *r);

#endif
