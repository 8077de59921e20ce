/*
 * again.h - what is asked of a finding's execution when it is run again, and what it then reports.
 *
 * An exploration runs thousands of recoveries and writes down as little as it can of each. What a
 * reader wants to know of one failure (every store to the line at stake, who called it, what was
 * flushed and when, what recovery read) is asked for afterwards: the choices of the failure are
 * made once more, alone, and the processes write it here. One process at a time writes: the first
 * execution up to the crash, then the recovery.
 */
#ifndef PD_ENGINE_CRASH_AGAIN_H
#define PD_ENGINE_CRASH_AGAIN_H

#include "base/types.h"

enum {
	PD_AGAIN_FRAMES = 24,
	PD_AGAIN_LINES = 256,	/* that are watched */
	PD_AGAIN_EVENTS = 4096, /* kept of each execution: the last ones before its crash ... */
	/* ... and the first ones after it, if it goes on as if nothing had been */
	PD_AGAIN_AFTER = 256,
	PD_AGAIN_CERTAIN = 1024, /* likewise: the last times that a line became durable */
	PD_AGAIN_FILES = 64,
	PD_AGAIN_LOST = 16, /* stores that are asked about */
	PD_AGAIN_PATH = 4096,
};

/* A thing that happened to a line that is watched, or a read of recovery. */
struct pd_again_event {
	uint8_t kind;	/* enum pd_event_kind */
	uint8_t chosen; /* a read that could see several values: number `choice` of its recovery */
	uint16_t tid;
	uint32_t site;
	uint32_t choice;
	uint32_t nstack;
	uint64_t addr; /* distance from the start of the window */
	uint64_t size;
	uint64_t value;	 /* the first 8 bytes */
	uint32_t before; /* length of the log before and after it */
	uint32_t after;
	uint64_t stack[PD_AGAIN_FRAMES];
};

/* A line that is watched is durable from here on, as it was when the log was `must` long. */
struct pd_again_certain {
	uint64_t line;
	uint64_t event; /* the number of the one that made it so */
	uint32_t must;
};

/* The last PD_AGAIN_EVENTS of n events; number i is at event[i % PD_AGAIN_EVENTS]. */
struct pd_again_journal {
	uint64_t n;
	uint64_t crash; /* how many there were when the power failed */
	bool crashed;
	struct pd_again_event event[PD_AGAIN_EVENTS];
	uint64_t ncertain; /* number i is at certain[i % PD_AGAIN_CERTAIN] */
	struct pd_again_certain certain[PD_AGAIN_CERTAIN];
};

struct pd_again_file {
	uint32_t pool;
	uint64_t base; /* distance from the start of the window */
	uint64_t size;
	char name[PD_AGAIN_PATH];
};

/*
 * Two threads have missed each other: the first has loaded before its own store left the store
 * buffer, and the second has not seen that store; nor has the first seen the second's
 * (runtime/access/tso_passed.h). Sites, and threads.
 */
struct pd_again_passed {
	bool known;
	bool waited; /* the second one's store, too, was in its buffer when the second one loaded */
	uint32_t store[2];
	uint32_t load[2];
	uint32_t tid[2];
};

struct pd_survey;

/* All zero: nothing is asked for. */
struct pd_again {
	/* Set by the tool */
	uint32_t journals; /* are wanted */
	uint32_t files;	   /* which there are after the last crash is wanted */
	uint32_t surveys;  /* likewise (survey.h) */
	uint32_t least;	   /* with as few stores lost as the failure needs */
	uint32_t nline;
	uint64_t line[PD_AGAIN_LINES]; /* index: address >> the model's line shift */
	uint32_t nlost;
	/* Stores of the first execution, by their places in its log */
	uint32_t lost[PD_AGAIN_LOST];
	uint32_t debug;		   /* stop for a debugger: at crashes, and at one read */
	uint32_t stop_depth;	   /* of the recovery that decides */
	uint32_t stop_choice;	   /* 1 + the number of the read; 0: before main */
	uint32_t go;		   /* on */
	char image[PD_AGAIN_PATH]; /* where the crashed files are to be written */
	/* Set by the tested processes */
	/* And whether each was still not durable when that execution ended ... */
	uint32_t open[PD_AGAIN_LOST];
	uint32_t ended;	  /* ... if it did */
	uint32_t stopped; /* enum pd_stop; set last */
	int32_t pid;
	uint64_t pc;	/* where the program's own code stopped */
	uint32_t nfile; /* PM files that the last crash left */
	struct pd_again_file file[PD_AGAIN_FILES];
	char error[256];
	struct pd_again_passed passed;
	const struct pd_survey *survey;	     /* NULL: the execution did not end */
	struct pd_again_journal *journal[8]; /* by depth; made by the tool */
};

#endif
