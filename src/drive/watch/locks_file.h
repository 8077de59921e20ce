/*
 * locks_file.h - --locks FILE: functions that are locks, a line each as event/function.h has it.
 * Empty lines and what follows '#' do not count. A name without '/' that is no file here is one of
 * those that come with perdure (lib/perdure/locks).
 */
#ifndef PD_DRIVE_WATCH_LOCKS_FILE_H
#define PD_DRIVE_WATCH_LOCKS_FILE_H

#include "drive/watch/run.h"

bool pd_locks_file(struct pd_watch_run *r, const char *path, struct pd_error *e);

/*
 * After the run: reports, on standard error, which of them were not called, and counts them in the
 * result. Of a set that comes with perdure only that none was.
 */
void pd_locks_report_uncalled(struct pd_watch_run *r);

#endif
