/* SPDX-License-Identifier: GPL-2.0-or-later */
/* syscall.h - between syscall.c, which may change a system call, and syscall_made.c. */
#ifndef PD_VALGRIND_SYSCALL_H
#define PD_VALGRIND_SYSCALL_H

#include "pool.h"

/* A call of one thread, from the instruction to its end. */
struct vg_call {
	UInt number;
	UWord a[6];
	Bool changed; /* registers are to be put back */
	Bool faked;
	Word result; /* of a faked one */
	struct vg_pool *pool;
	Bool made; /* the pool is new */
	UWord was[6];
	UInt was_number;
	HChar path[32];
};

/* It has been made, with this number and these arguments, and returned r: what that means for PM. */
void vg_call_made(ThreadId tid, const struct vg_call *c, UInt number, const UWord *a, UWord r);

#endif
