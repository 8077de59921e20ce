/*
 * oracle.h - the user's own oracles (perdure_oracle.h), in perdure's process.
 *
 * Either front end sends the program's events as a trace; a lint engine in this process follows
 * them, so that oracles can query the state of PM.
 */
#ifndef PD_DRIVE_WATCH_ORACLE_H
#define PD_DRIVE_WATCH_ORACLE_H

#include "drive/watch/watched.h"
#include "host/error.h"

struct pd_oracles;

/* Loads one: PATH[=ARGUMENTS], or the name of one that perdure ships. */
bool pd_oracles_load(struct pd_oracles **all, struct pd_arena *a, const char *what,
		     struct pd_error *e);

/* Before the run: the events of w go to the oracles. False: one refuses its arguments. */
bool pd_oracles_start(struct pd_oracles *all, struct pd_watched *w, const char *settings,
		      struct pd_error *e);

/* After the run: calls their ends, and adds what they have reported. */
void pd_oracles_end(struct pd_oracles *all, const struct pd_watched_filter *f, struct pd_result *r);

/* NULL is allowed. */
void pd_oracles_finish(struct pd_oracles *all);

#endif
