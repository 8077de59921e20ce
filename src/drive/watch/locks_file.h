/*
 * locks_file.h - --locks FILE: functions that are locks, one per line, in the form of
 * event/function.h. Empty lines and text after '#' are ignored. A name without '/' that is no local
 * file is one of those that perdure ships (lib/perdure/locks).
 */
#ifndef PD_DRIVE_WATCH_LOCKS_FILE_H
#define PD_DRIVE_WATCH_LOCKS_FILE_H

#include "drive/watch/run.h"

bool pd_locks_file(struct pd_watch_run *r, const char *path, struct pd_error *e);

/* After the run: reports on standard error which of them were not called, and counts them in the
 * result. Of a set that perdure ships, only if none was called. */
void pd_locks_report_uncalled(struct pd_watch_run *r);

#endif
