/*
 * wire.h - what engines report, as bytes: from the tested process to the tool.
 *
 * Travels in the trace as PD_TRACE_WIRE records, beside sites, pools, losses and (where they are
 * asked for) events. A place is defined before the first finding that names it, as a list of
 * frames, innermost first. A frame is one of
 *	SITE   a static site of instrumented code, defined by the trace, with its inlined_at chain
 *	PC     an address, to be looked up by the tool in the module that is loaded there
 *	TEXT   file, line, function and object, resolved by the writer
 *
 * pd_wire_writer is a struct pd_sink that writes all this: a front end provides the
 * frames of a place, and the modules.
 *
 * The reader trusts nothing in the bytes; its strings are copies in the arena that it is given.
 */
#ifndef PD_FINDING_WIRE_H
#define PD_FINDING_WIRE_H

#include "event/trace.h"
#include "finding/raw.h"

enum { PD_WIRE_FRAMES = 32, PD_WIRE_RECORD = 32 << 10 };

enum pd_wire_how { PD_WIRE_SITE, PD_WIRE_PC, PD_WIRE_TEXT, PD_WIRE_HOWS };

struct pd_wire_frame {
	uint8_t how;
	bool inlined; /* TEXT: into the next frame */
	uint32_t site;
	uint64_t pc;
	struct pd_frame at; /* TEXT */
	const char *object; /* TEXT: the path of the executable or library; NULL: unknown */
};

/* A loaded file of code, for looking up PC frames. */
struct pd_wire_module {
	uint64_t base; /* load offset of its addresses */
	uint64_t low;
	uint64_t high;
	bool instrumented; /* by perdure cc: the user built it */
	const char *path;
};

/* ---- writing -------------------------------------------------------------------------------- */

struct pd_wire_source {
	/* The frames of a place, at most `max`; strings stay valid until the next call. */
	uint32_t (*frames)(void *ctx, uint32_t place, struct pd_wire_frame *to, uint32_t max);
	/* Defines a static site in the trace, if need be; NULL: there are no SITE frames. */
	void (*site)(void *ctx, uint32_t site);
	void *ctx;
};

struct pd_wire_writer {
	struct pd_sink sink; /* what engines get */
	struct pd_trace_writer *writer;
	struct pd_wire_source source;
	struct pd_arena *arena;
	struct pd_map defined; /* places */
	/* Not on a stack: those of tested programs may be small. */
	struct pd_wire_frame frames[PD_WIRE_FRAMES];
	struct pd_leb_writer out;
	uint8_t buf[PD_WIRE_RECORD];
};

void pd_wire_writer_init(struct pd_wire_writer *t, struct pd_trace_writer *w, struct pd_arena *a,
			 struct pd_wire_source source);

/* Defines a place; places in traced events need that, too. */
void pd_wire_define(struct pd_wire_writer *t, uint32_t place);

void pd_wire_module(struct pd_wire_writer *t, const struct pd_wire_module *m);

/* The program has ended in an orderly way, and the engine has judged the run. */
void pd_wire_end(struct pd_wire_writer *t);

/* ---- reading -------------------------------------------------------------------------------- */

enum pd_wire_what {
	PD_WIRE_PLACE,
	PD_WIRE_MODULE,
	PD_WIRE_FINDING,
	PD_WIRE_STAT,
	PD_WIRE_TIMES,
	PD_WIRE_END,
	PD_WIRE_WHATS
};

struct pd_wire_record {
	enum pd_wire_what what;
	uint32_t place; /* PLACE, TIMES */
	uint32_t nframes;
	struct pd_wire_frame *frames;
	struct pd_wire_module module;
	struct pd_raw_finding raw;
	const char *name; /* STAT */
	uint64_t value;	  /* STAT, TIMES */
	uint32_t times;	  /* TIMES: enum pd_times */
};

/* Reads one PD_TRACE_WIRE record (its text). False: it is malformed, or memory ran out. */
bool pd_wire_read(struct pd_arena *a, const void *bytes, size_t n, struct pd_wire_record *r);

#endif
