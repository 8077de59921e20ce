/*
 * trace.h - the stream of events as bytes.
 *
 * A trace is a header and records. A record is a tag and fields; numbers are LEB128, addresses are
 * differences to the address before. Tags below PD_EV_N are events, with the fields that event.def
 * gives their kind; the others define what events refer to (sites, pools) or report losses. A site
 * or pool is defined before its first use.
 *
 * The reader takes the bytes in pieces and does not trust them.
 */
#ifndef PD_EVENT_TRACE_H
#define PD_EVENT_TRACE_H

#include "base/leb.h"
#include "base/out.h"
#include "event/event.h"

enum {
	PD_TRACE_SITE = 0xf0,
	PD_TRACE_POOL = 0xf1,
	PD_TRACE_LOSS = 0xf2,
	PD_TRACE_HEADER = 0xf3,
	PD_TRACE_WIRE = 0xf4, /* what an engine has reported: finding/wire.h */
};

/* Most bytes that one record can have. */
enum { PD_TRACE_RECORD_MAX = 1 << 16, PD_TRACE_DATA_MAX = 4096 };

struct pd_trace_writer {
	struct pd_out out;
	uint64_t last_addr;
	struct pd_leb_writer leb; /* of the record that is being written */
	uint8_t buf[PD_TRACE_RECORD_MAX];
};

void pd_trace_init(struct pd_trace_writer *w, struct pd_out out);

/* Data longer than PD_TRACE_DATA_MAX is omitted; the size shows that. */
void pd_trace_event(struct pd_trace_writer *w, const struct pd_event *e);
void pd_trace_site(struct pd_trace_writer *w, const struct pd_site *site);
void pd_trace_pool(struct pd_trace_writer *w, uint32_t id, uint64_t base, uint64_t size,
		   const char *name);
void pd_trace_loss(struct pd_trace_writer *w, enum pd_loss kind, uint32_t site, const char *what);

void pd_trace_wire(struct pd_trace_writer *w, const void *bytes, size_t n);

/* One record. Strings and data point into the bytes that were given. */
struct pd_trace_record {
	uint32_t tag;
	struct pd_event event; /* PD_TRACE_LOSS: aux is the kind, site is the site */
	struct pd_site site;   /* strings are not terminated: see the lengths */
	uint32_t inlined_at;   /* id of the site of the call; 0: not inlined */
	const char *text;      /* pool's name, what was lost, the bytes of PD_TRACE_WIRE */
	uint32_t text_n;
	uint32_t file_n;
	uint32_t function_n;
	uint32_t type_n;
};

struct pd_trace_reader {
	uint64_t last_addr;
};

/* Bytes used; 0: not a whole record yet; -1: this is not a trace. */
long pd_trace_read(struct pd_trace_reader *r, const void *bytes, size_t n,
		   struct pd_trace_record *rec);

#endif
