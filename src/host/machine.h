/*
 * machine.h - what this machine allows, in one place.
 *
 * Every verb calls pd_machine at its start: it adjusts the limits of this process; callers ask here
 * which missing features they must replace; and if something cannot be replaced, there is one line
 * about it (pd_machine_allows). `perdure doctor` prints everything (pd_machine_facts).
 *
 * Adjusted, for this process and its children:
 *	ulimit -s  with an unlimited or very large stack the kernel maps everything from below, into the window of
 *	           PM: programs get a large stack instead
 *	ulimit -n  raised as far as allowed, up to a usual value; below that our own descriptors have lower
 *	           numbers, and there are fewer jobs
 *	ulimit -v  raised as far as allowed: windows are address space, not memory
 *
 * Thread rule: the main thread, at the start.
 */
#ifndef PD_HOST_MACHINE_H
#define PD_HOST_MACHINE_H

#include "base/types.h"
#include "host/error.h"

struct pd_machine {
	uint64_t files; /* descriptors that may be open */
	/* Ours start here, out of the way of programs that close or count the low ones */
	int first_fd;
	uint64_t stack; /* before the adjustment; UINT64_MAX: unlimited */
	uint64_t space; /* address space, current limit; UINT64_MAX: unlimited */
	bool random;	/* addresses cannot be fixed */
	bool proc;	/* /proc is available */
	/* Writable memory counts, used or not (vm.overcommit_memory=2) */
	bool strict;
};

const struct pd_machine *pd_machine(void);

/* Whether programs can be run at all, `in_valgrind` or with the runtime; else the reason in one
 * line. */
bool pd_machine_allows(bool in_valgrind, struct pd_error *e);

/* How many jobs the descriptors suffice for, each with so many of its own: at least 1. */
uint32_t pd_machine_jobs(uint32_t wanted, uint32_t each);

/* For a process that is about to execute a program: the same addresses in every run, if that is
 * permitted. The process itself keeps its own layout. */
void pd_machine_fix_addresses(void);

/* Shared memory of `size` bytes, allocated on use, or -1 and errno. Limits on file sizes do not
 * apply. */
int pd_machine_shared(const char *name, unsigned flags, uint64_t size);

enum pd_machine_how { PD_MACHINE_OK, PD_MACHINE_AROUND, PD_MACHINE_NOT };

struct pd_machine_fact {
	const char *name;
	enum pd_machine_how how;
	char text[240];
};

enum { PD_MACHINE_FACTS = 16 };

/* Fills in all facts and returns their number. Tries things out in children, which takes some
 * milliseconds. */
uint32_t pd_machine_facts(struct pd_machine_fact facts[PD_MACHINE_FACTS]);

#endif
