/*
 * check/zygote_split.h - zygotes made from a zygote.
 *
 * All zygotes of a program in one exploration are snapshots of one process, the origin. So
 * addresses, stack guards and whatever else the kernel randomises at exec are the same in all
 * executions, also where address space randomisation cannot be switched off. The origin itself runs
 * nothing.
 *
 * Descriptors come with an order (SCM_RIGHTS). Those that are kept are inherited by every later
 * split: processes with an order reach the workers through the sockets kept so.
 */
#ifndef PD_RUNTIME_CHECK_ZYGOTE_SPLIT_H
#define PD_RUNTIME_CHECK_ZYGOTE_SPLIT_H

#include "event/channel.h"

enum { PD_ZYGOTE_FDS = 3 };

/* Reads the next order, and the descriptors that came with it, -1 where there are none. False: no
 * more orders will come. */
bool pd_zygote_next(int fd, struct pd_zygote_order *o, int given[PD_ZYGOTE_FDS]);

/* Serves PD_ZYGOTE_KEEP, SPLIT and BURY; returns the socket to read from now on: a new one in a
 * process that was split off. */
int pd_zygote_split(int fd, const struct pd_zygote_order *o, const int given[PD_ZYGOTE_FDS],
		    struct pd_zygote_answer *a);

#endif
