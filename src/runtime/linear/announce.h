/*
 * announce.h - programs with a main and threads of their own, which announce their operations
 * (pd_op_begin, pd_op_end in perdure.h), under perdure linear --spec NAME.
 *
 * From before main on, each announcement enters the record of the execution (record.h), by the
 * thread that made it. Recovery is a run of the program, too: what it announces comes after the
 * crash, and when it ends, by exit or return from main, all is judged. A recovery that announces
 * nothing after operations had returned has shown nothing of them, and is counted.
 *
 * Elsewhere announcements have no effect: in a program that runs alone, for other verbs, in a child
 * of the program's own, and under a driver, whose operations perdure itself calls.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_LINEAR_ANNOUNCE_H
#define PD_RUNTIME_LINEAR_ANNOUNCE_H

/*
 * A driver's main has begun. Does not return if --spec was given, which does not apply to a driver.
 */
void pd_announce_driver(void);

#endif
