/*
 * machine.h - what this machine allows, in one place.
 *
 * One look at the start of every verb (pd_machine): limits of this process are set where they can
 * be, what is missing and can be replaced is replaced by those who ask here, and what nobody can
 * replace is one line (pd_machine_allows). `perdure doctor` prints all of it (pd_machine_facts).
 *
 * What is set, for this process and what it starts:
 *	ulimit -s  a stack that is unlimited, or very large, makes the kernel map everything from below, into the
 *	           window of PM: programs get a large one instead
 *	ulimit -n  raised to what is allowed, up to what is usual; below that our own descriptors are at lower
 *	           numbers, and there are fewer jobs
 *	ulimit -v  raised to what is allowed: windows are address space, not memory
 *
 * Thread rule: the main thread, at the start.
 */
#ifndef PD_HOST_MACHINE_H
#define PD_HOST_MACHINE_H

#include "base/types.h"
#include "host/error.h"

struct pd_machine {
	uint64_t files; /* descriptors that may be open */
	/* Ours are from here on, out of the way of programs that close or count the low ones */
	int first_fd;
	uint64_t stack; /* as it was; UINT64_MAX: unlimited */
	uint64_t space; /* of addresses, as it is; UINT64_MAX: unlimited */
	bool random;	/* addresses cannot be fixed */
	bool proc;	/* there is a /proc */
	/* Memory that can be written counts, used or not (vm.overcommit_memory=2) */
	bool strict;
};

const struct pd_machine *pd_machine(void);

/* Whether programs can be run at all, `in_valgrind` or with the runtime; else the one line that
 * says why not. */
bool pd_machine_allows(bool in_valgrind, struct pd_error *e);

/* How many jobs there are descriptors for, each with so many of its own: at least 1. */
uint32_t pd_machine_jobs(uint32_t wanted, uint32_t each);

/*
 * For a process that is about to execute a program: the same addresses in every run, if that is
 * permitted. The process itself keeps its own layout.
 */
void pd_machine_fix_addresses(void);

/* Memory to be shared, of `size` bytes that take room as they are used, or -1 and errno. A limit on
 * file sizes is not one on that. */
int pd_machine_shared(const char *name, unsigned flags, uint64_t size);

enum pd_machine_how { PD_MACHINE_OK, PD_MACHINE_AROUND, PD_MACHINE_NOT };

struct pd_machine_fact {
	const char *name;
	enum pd_machine_how how;
	char text[240];
};

enum { PD_MACHINE_FACTS = 16 };

/* All that can be said; their number. Tries things out in children, which takes some
 * milliseconds. */
uint32_t pd_machine_facts(struct pd_machine_fact facts[PD_MACHINE_FACTS]);

#endif
