/*
 * channel.h - the memory that the tool and the tested process share.
 *
 * The tool creates it (a memfd), the runtime maps it. What is written here survives any death of
 * the process, even kill -9; so do the last events of a trace: they wait in `buf` until it is full
 * and then go through the pipe, and the tool takes the rest from here when the process has ended.
 *
 * control.h lists all that tool and process exchange, and where it is defined.
 */
#ifndef PD_EVENT_CHANNEL_H
#define PD_EVENT_CHANNEL_H

#include "event/abi.h"
#include "event/event.h"

enum {
	PD_CHANNEL_BUF = 1 << 16,
	PD_CHANNEL_TEXT = 600,
	PD_CHANNEL_WHAT = 120,
	PD_CHANNEL_GLOBS = 64,
	PD_CHANNEL_FUNCTIONS = 512,
	PD_CHANNEL_NAMES = 800,
};

/*
 * What the tool writes to a zygote (a SOCK_SEQPACKET socket, zygote=FD in the control), and the
 * answer. One order at a time. The tool clears `n`, `done`, `failed` and the counters of the
 * channel in between.
 */
enum pd_zygote_what {
	PD_ZYGOTE_RUN, /* an execution, from before main to its end */
	/* The recovery that the board orders (protocol/board.h), with its branches */
	PD_ZYGOTE_CHECK,
	PD_ZYGOTE_PACE, /* an execution without crashes, for the board: the program's pace */
	/* Orders for the origin, from which the zygotes of one program are split off
	 * (runtime/check/zygote_split.h): */
	/* Split off a zygote, with the attached channel, pipe and socket; its pid is the status */
	PD_ZYGOTE_SPLIT,
	/* Keep the attached descriptor as `number`, for zygotes that are split off later */
	PD_ZYGOTE_KEEP,
	PD_ZYGOTE_BURY, /* wait for the end of the zygote whose pid is `number` */
	PD_ZYGOTE_QUIT, /* end, without an answer */
};

struct pd_zygote_order {
	uint32_t what;
	uint32_t depth;	 /* PD_ZYGOTE_CHECK: of the recovery */
	uint32_t walker; /* and the walker whose order it is */
	int32_t number;
	uint64_t seed; /* of this execution; of `check`, the number of its schedule (schedule.h) */
};

struct pd_zygote_answer {
	int32_t status; /* as waitpid has it */
	int32_t error;	/* errno if the execution could not be started, else 0 */
};

/* A library of the C or C++ compiler, which nobody builds again; any other code. */
enum { PD_READER_STANDARD = 1, PD_READER_OTHER = 2 };

struct pd_channel {
	uint32_t abi;
	uint32_t started; /* the runtime has taken over */
	uint32_t modules; /* instrumented objects that registered */
	uint32_t done;	  /* the program ended by exit or return, and everything was written */
	uint32_t failed;  /* exit status of pd_rt_fail, whose text is in fail */
	char fail[PD_CHANNEL_TEXT];
	uint64_t losses[PD_LOSS_N];
	char loss_what[PD_LOSS_N][PD_CHANNEL_WHAT]; /* an example of each */
	/* Libraries that may have made blind stores; "": not known */
	char suspects[PD_CHANNEL_WHAT];
	/* Functions that have made blind reads (base/names.h), and in whose code: PD_READER_ */
	char readers[PD_CHANNEL_WHAT];
	uint32_t reader_kinds;
	/* Bit set of the called functions, of those that the tool has named (function.h) */
	uint64_t called[PD_CHANNEL_FUNCTIONS / 64];
	uint64_t events[PD_EV_N];
	uint64_t bytes_stored;
	uint32_t nglobs;
	uint32_t glob_opened[PD_CHANNEL_GLOBS]; /* pools that each glob of PERDURE_PM led to */
	uint32_t glob_mapped[PD_CHANNEL_GLOBS];
	uint32_t n; /* bytes in buf */
	uint8_t buf[PD_CHANNEL_BUF];
	/* Files that are not PM: those mapped shared and writable, and those synced by fsync and
	 * the like. "" ends a list */
	char mapped[PD_CHANNEL_NAMES];
	char synced[PD_CHANNEL_NAMES];
	/* A mapping that is not where the program wanted it, and where it is; or "" */
	char elsewhere[PD_CHANNEL_WHAT];
	/* With deaths=1 (control.h): the place, in the trace, of a signal that kills; 0: none, or
	 * not known. The first failed pd_check(): its place, file and line, and text; or "" */
	uint32_t death_signal;
	uint32_t death_place;
	uint32_t check_place;
	uint32_t check_line;
	char check_file[PD_CHANNEL_WHAT];
	char check_what[PD_CHANNEL_WHAT];
};

/* Adds a name to a list, once. Names that do not fit are dropped. */
static inline void pd_channel_list(char list[PD_CHANNEL_NAMES], const char *name)
{
	char *at = list;
	/* Two terminators: of the last name, and of the list */
	const char *end = list + PD_CHANNEL_NAMES - 2;
	uint32_t n = 0;

	while (name[n])
		n++;
	for (uint32_t k; *at; at += k + 1) {
		for (k = 0; at[k] && at[k] == name[k]; k++)
			;
		if (!at[k] && !name[k])
			return;
		while (at[k])
			k++;
	}
	if (n >= (uint32_t)(end - at))
		return;
	for (uint32_t k = 0; k <= n; k++)
		at[k] = name[k];
}

/* A file that is not PM was mapped shared and writable, or synced. */
static inline void pd_channel_map_other(struct pd_channel *c, const char *name)
{
	pd_channel_list(c->mapped, name);
}

static inline void pd_channel_sync_other(struct pd_channel *c, const char *name)
{
	pd_channel_list(c->synced, name);
}

/* Function number `i` of those that the tool has named was called; numbers without room are
 * dropped. */
static inline void pd_channel_called(struct pd_channel *c, uint32_t i)
{
	if (i < PD_CHANNEL_FUNCTIONS)
		c->called[i / 64] |= 1ULL << i % 64;
}

static inline bool pd_channel_was_called(const struct pd_channel *c, uint32_t i)
{
	return i >= PD_CHANNEL_FUNCTIONS || (c->called[i / 64] >> i % 64 & 1);
}

#endif
