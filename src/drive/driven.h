/*
 * driven.h - running a tested program under our control.
 *
 * The program gets the runtime preloaded, PERDURE_CONTROL, a shared channel and a pipe
 * (event/channel.h), no address space randomisation, and then runs. After its end, however it
 * ended, the last of its trace is read from the channel.
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
	/* Functions that act as locks (event/function.h). */
	const char *const *functions;
	uint32_t nfunctions;
	const char *mode;     /* trace, model */
	const char *settings; /* more settings, KEY=VALUE separated by blanks; or "" */
	uint64_t seed;
	int stdout_to;	/* descriptor for the program's standard output; -1: unchanged */
	int stderr_to;	/* for its standard error; 0 or -1: unchanged */
	int stdin_from; /* its standard input; 0 or -1: unchanged */
	bool apart;	/* in a process group of its own, which ^C does not reach; no core files */
	enum pd_front front; /* the front ends that may run it */
	bool zygote;	     /* stop before main; pd_driven_run orders executions */
	bool symbolic;	     /* it has to be built with --symbolic */
};

struct pd_driven {
	pid_t pid;
	int pipe;
	int zygote; /* socket; -1: none */
	struct pd_channel *channel;
	int log;       /* of Valgrind; -1: none */
	bool valgrind; /* an unmodified binary, run by our tool in Valgrind */
	bool symbolic; /* as in its options */
	bool drained;  /* the rest in the channel has been read */
	bool ordered;  /* the zygote has had an order */
	int status;    /* from waitpid, after pd_driven_wait */
	struct pd_driven
		*origin; /* the zygote from which it was split off; NULL: it was executed */
};

bool pd_driven_start(struct pd_driven *d, const struct pd_driven_options *o, struct pd_error *e);

/* Makes another zygote of the same program: a snapshot of `origin`, which has run nothing yet, with
 * equal addresses. The origin must outlive it. */
bool pd_driven_split(struct pd_driven *d, struct pd_driven *origin, const char *program,
		     struct pd_error *e);

/* Passes this descriptor, as `number`, to all zygotes split off later. */
bool pd_driven_keep(struct pd_driven *origin, int fd, int number, struct pd_error *e);

/* Runs one execution of a zygote to its end; d->status is its wait status. */
bool pd_driven_run(struct pd_driven *d, uint64_t seed, struct pd_error *e);

/* The same in two steps; d->zygote becomes readable in between. */
bool pd_driven_order(struct pd_driven *d, enum pd_zygote_what what, uint64_t seed,
		     struct pd_error *e);
bool pd_driven_answer(struct pd_driven *d, struct pd_error *e);

/* The next bytes of the trace; 0 at the end, -1 on an error of perdure. */
long pd_driven_read(struct pd_driven *d, void *buf, size_t n);

/* Waits for the end. False with an error if the runtime gave up or never took control. */
bool pd_driven_wait(struct pd_driven *d, const char *program, struct pd_error *e);

/* The same check for an execution of a zygote that has ended. */
bool pd_driven_judge(const struct pd_driven *d, const char *program, struct pd_error *e);

/* After pd_driven_wait: turns the program's own failure (a signal, a non-zero status) into a user
 * error; true if it ended well. */
bool pd_driven_ended_well(const struct pd_driven *d, const char *program, struct pd_error *e);

/* Whether it has mapped or written PM. */
bool pd_driven_has_mapped(const struct pd_driven *d);

/* The same; false with an error that explains why not, as far as known. glob: NULL if there is
 * none. */
bool pd_driven_mapped(const struct pd_driven *d, const char *program, const char *glob,
		      struct pd_error *e);

/* For a program that recovers: false with an error if it only starts another one, which is not
 * followed. */
bool pd_driven_works_itself(const struct pd_driven *d, const char *program, struct pd_error *e);

void pd_driven_finish(struct pd_driven *d);

#endif
