/* SPDX-License-Identifier: GPL-2.0-or-later */
/* syscall.h - what syscall.c, which may change a system call, passes to syscall_made.c. */
#ifndef PD_VALGRIND_SYSCALL_H
#define PD_VALGRIND_SYSCALL_H

#include "pool.h"

/* A system call of one thread, from the instruction to its end. */
struct vg_call {
	UInt number;
	UWord a[6];
	Bool changed; /* registers must be restored */
	Bool faked;
	Word result; /* of a replaced call */
	struct vg_pool *pool;
	Bool made; /* the pool is new */
	UWord was[6];
	UInt was_number;
	HChar path[32];
};

/* The call with this number and these arguments has returned r: reports the effect on PM. */
void vg_call_made(ThreadId tid, const struct vg_call *c, UInt number, const UWord *a, UWord r);

#endif
