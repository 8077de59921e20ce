/*
 * driven.h - running a tested program under our control.
 *
 * The program gets the runtime preloaded, PERDURE_CONTROL, a shared channel and a pipe
 * (event/channel.h), no address space randomisation, and then runs. What it wrote last is taken
 * from the channel after its end, however it ended.
 */
#ifndef PD_DRIVE_DRIVEN_H
#define PD_DRIVE_DRIVEN_H

#include "event/channel.h"
#include "host/error.h"
#include "drive/front.h"
#include <sys/types.h>

struct pd_driven_options {
	char **argv;
	const char *const *pm; /* globs */
	uint32_t npm;
	/* Functions that act like primitives of libc (event/function.h). */
	const char *const *functions;
	uint32_t nfunctions;
	const char *mode;     /* trace, model */
	const char *settings; /* further KEY=VALUE, separated by blanks; or "" */
	uint64_t seed;
	int stdout_to;	     /* where the program's standard output goes; -1: unchanged */
	int stderr_to;	     /* and its standard error; 0 or -1: unchanged */
	int stdin_from;	     /* what is its standard input; 0 or -1: unchanged */
	bool apart;	     /* in a process group of its own, which ^C does not reach; no cores */
	enum pd_front front; /* by which it may be run */
	bool zygote;	     /* stop before main; executions are ordered by pd_driven_run */
};

struct pd_driven {
	pid_t pid;
	int pipe;
	int zygote; /* socket; -1: none */
	struct pd_channel *channel;
	int log;		  /* of Valgrind; -1: none */
	bool valgrind;		  /* it is an unmodified binary, run by our tool there */
	bool drained;		  /* the channel's rest has been read */
	int status;		  /* as of waitpid, after pd_driven_wait */
	struct pd_driven *origin; /* from which it was split off; NULL: it was executed */
};

bool pd_driven_start(struct pd_driven *d, const struct pd_driven_options *o, struct pd_error *e);

/*
 * Another zygote of the same program: a snapshot of one that has run nothing yet, with equal
 * addresses. The origin must outlive it.
 */
bool pd_driven_split(struct pd_driven *d, struct pd_driven *origin, const char *program,
		     struct pd_error *e);

/* All that are split off later have this descriptor, as `number`. */
bool pd_driven_keep(struct pd_driven *origin, int fd, int number, struct pd_error *e);

/* One execution of a zygote, to its end; d->status is how it ended. */
bool pd_driven_run(struct pd_driven *d, uint64_t seed, struct pd_error *e);

/* The same in two steps; d->zygote becomes readable in between. */
bool pd_driven_order(struct pd_driven *d, enum pd_zygote_what what, uint64_t seed,
		     struct pd_error *e);
bool pd_driven_answer(struct pd_driven *d, struct pd_error *e);

/* The next bytes of the trace; 0 at the end, -1 on an error of ours. */
long pd_driven_read(struct pd_driven *d, void *buf, size_t n);

/* Waits for the end; then false with an error where the runtime gave up or never got hold of it. */
bool pd_driven_wait(struct pd_driven *d, const char *program, struct pd_error *e);

/* The same verdict for an execution of a zygote that has ended. */
bool pd_driven_judge(const struct pd_driven *d, const char *program, struct pd_error *e);

/*
 * After pd_driven_wait: the program's own failure (a signal, a non-zero status) as an error of the
 * user's; true where it ended well.
 */
bool pd_driven_ended_well(const struct pd_driven *d, const char *program, struct pd_error *e);

/* Whether it has mapped or written PM; false with an error that says why not, as far as can be
 * known. glob: NULL where there is none. */
bool pd_driven_mapped(const struct pd_driven *d, const char *program, const char *glob,
		      struct pd_error *e);

/* For a program that recovers: false with an error where it only starts another one, which is not
 * followed. */
bool pd_driven_works_itself(const struct pd_driven *d, const char *program, struct pd_error *e);

void pd_driven_finish(struct pd_driven *d);

#endif
