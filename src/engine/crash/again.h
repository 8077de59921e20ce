/*
 * again.h - one failure executed once more: what the tool asks for, and what the processes report.
 *
 * An exploration runs thousands of recoveries and records as little as it can of each. The details
 * of one failure (every store to the lines at stake with its callers, what was flushed and when,
 * what recovery read) are asked for afterwards: the failure's choices are made once more, alone,
 * and the processes write the details here.
 *
 * Thread rule: one process writes at a time, first the first execution up to its crash, then the
 * recovery.
 */
#ifndef PD_ENGINE_CRASH_AGAIN_H
#define PD_ENGINE_CRASH_AGAIN_H

#include "base/types.h"

enum {
	PD_AGAIN_FRAMES = 24,
	PD_AGAIN_LINES = 256,	/* lines watched, at most */
	PD_AGAIN_EVENTS = 4096, /* kept of each execution: the last ones before its crash ... */
	/* ... and the first ones after it, if the execution goes on past the crash point */
	PD_AGAIN_AFTER = 256,
	PD_AGAIN_CHOSEN =
		512, /* kept, too: earlier reads that could see several values, the last of them */
	PD_AGAIN_CERTAIN = 1024, /* kept, too: the last times that a line became durable */
	PD_AGAIN_READS =
		512, /* kept, too: the last reads of watched lines that other threads stored to */
	PD_AGAIN_FILES = 64,
	PD_AGAIN_LOST = 16, /* stores asked about, at most */
	PD_AGAIN_PATH = 4096,
};

/* Something that happened to a watched line, or a read of recovery. */
struct pd_again_event {
	uint8_t kind; /* enum pd_event_kind */
	/* A read that could see several values: choice number `choice` of its recovery */
	uint8_t chosen;
	uint16_t tid;
	uint32_t site;
	uint32_t choice;
	uint32_t nstack;
	uint64_t addr; /* offset in the window */
	uint64_t size;
	uint64_t value;	 /* the first 8 bytes */
	uint32_t before; /* length of the log before and after it */
	uint32_t after;
	uint64_t stack[PD_AGAIN_FRAMES];
};

/* A watched line is durable from here on, as it was when the log had length `must`. */
struct pd_again_certain {
	uint64_t line;
	uint64_t event; /* number of the event that made it so */
	uint32_t must;
};

/* The last PD_AGAIN_EVENTS of n events; number i is at event[i % PD_AGAIN_EVENTS]. */
struct pd_again_journal {
	uint64_t n;
	uint64_t crash; /* how many there were when power failed */
	bool crashed;
	struct pd_again_event event[PD_AGAIN_EVENTS];
	uint64_t
		nchosen; /* that are no longer in event; number i is at chosen[i % PD_AGAIN_CHOSEN] */
	struct pd_again_event chosen[PD_AGAIN_CHOSEN];
	uint64_t ncertain; /* number i is at certain[i % PD_AGAIN_CERTAIN] */
	struct pd_again_certain certain[PD_AGAIN_CERTAIN];
	uint64_t
		nread; /* of the first execution, before its crash; number i is at read[i % PD_AGAIN_READS] */
	struct pd_again_event read[PD_AGAIN_READS];
};

struct pd_again_file {
	uint32_t pool;
	uint64_t base; /* offset in the window */
	uint64_t size;
	char name[PD_AGAIN_PATH];
};

/*
 * Two threads missed each other: the first loaded before its own store left the store buffer, the
 * second did not see that store, and the first did not see the second's either
 * (runtime/check/passed.h). Each entry is a site or a thread, the first thread's at index 0.
 */
struct pd_again_passed {
	bool known;
	bool waited; /* the second thread's store, too, was still in its buffer when it loaded */
	uint32_t store[2];
	uint32_t load[2];
	uint32_t tid[2];
};

struct pd_survey;

/* All zero: nothing is asked for. */
struct pd_again {
	/* Set by the tool */
	uint32_t journals; /* write journals */
	uint32_t files;	   /* list the PM files that the last crash leaves */
	uint32_t surveys;  /* make a survey (survey.h) */
	uint32_t least;	   /* reduce the failure to as few lost stores as it needs */
	uint32_t nline;
	uint64_t line[PD_AGAIN_LINES]; /* index: address >> the model's line shift */
	uint32_t nlost;
	/* Stores asked about, of the first execution: indices in its log */
	uint32_t lost[PD_AGAIN_LOST];
	uint32_t debug;		   /* stop for a debugger: at crashes, and at one read */
	uint32_t stop_depth;	   /* depth of the recovery to stop in */
	uint32_t stop_choice;	   /* 1 + the number of the read to stop at; 0: before main */
	uint32_t go;		   /* set by the tool: continue after a stop */
	char image[PD_AGAIN_PATH]; /* path to write the crashed files to */
	/* Set by the tested processes */
	/* For each of `lost`: whether it was still not durable when that execution ended ... */
	uint32_t open[PD_AGAIN_LOST];
	uint32_t ended;	  /* ... which is known only if it did end */
	uint32_t stopped; /* enum pd_stop; written last */
	int32_t pid;
	uint64_t pc;	/* where the program's own code stopped */
	uint32_t nfile; /* PM files that the last crash left */
	struct pd_again_file file[PD_AGAIN_FILES];
	char error[256];
	struct pd_again_passed passed;
	const struct pd_survey *survey;	     /* NULL: the execution did not end */
	struct pd_again_journal *journal[8]; /* by depth; allocated by the tool */
};

#endif
