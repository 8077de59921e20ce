/*
 * check/zygote_split.h - zygotes from a zygote.
 *
 * All zygotes of a program in one exploration are snapshots of one process, the origin, so
 * addresses, stack guards and whatever else the kernel draws when a program is executed are the
 * same in all executions, also where address space randomisation cannot be switched off. The origin
 * itself runs nothing.
 *
 * Descriptors come with an order (SCM_RIGHTS). What is kept is inherited by all that are split off
 * later: by the sockets of workers those who have something to order find them.
 */
#ifndef PD_RUNTIME_CHECK_ZYGOTE_SPLIT_H
#define PD_RUNTIME_CHECK_ZYGOTE_SPLIT_H

#include "event/channel.h"

enum { PD_ZYGOTE_FDS = 3 };

/* The next order, and the descriptors that came with it, -1 where there are none. False: there will
 * be no more. */
bool pd_zygote_next(int fd, struct pd_zygote_order *o, int given[PD_ZYGOTE_FDS]);

/* Serves PD_ZYGOTE_KEEP, SPLIT and BURY; the number of the socket from now on: another one in what
 * was split off. */
int pd_zygote_split(int fd, const struct pd_zygote_order *o, const int given[PD_ZYGOTE_FDS],
		    struct pd_zygote_answer *a);

#endif
