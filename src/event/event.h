/*
 * event.h - one thing that happened, as every front end reports it and every engine hears it.
 */
#ifndef PD_EVENT_EVENT_H
#define PD_EVENT_EVENT_H

#include "base/out.h"
#include "base/types.h"
#include "event/abi.h"

enum pd_event_kind {
#define PD_EVENT(ID, name, fields, doc) PD_EV_##ID,
#include "event/event.def"
	PD_EV_N
};

/* A set of kinds is a word. */
#define PD_EV_BIT(ID) (1ULL << PD_EV_##ID)
_Static_assert(PD_EV_N <= 64, "a set of kinds is a word");

/*
 * An address of PM as the core sees it: the distance from the start of the window. An address
 * outside (a lock, an atomic in DRAM) is kept as it is, with PD_ADDR_OUTSIDE set.
 */
#define PD_ADDR_OUTSIDE (1ULL << 63)

/*
 * In `aux` of a flush or fence: it is in code that was not instrumented. What such code stores is
 * noticed late, so nobody can call its flushes needless.
 */
enum { PD_EV_FOREIGN = 1 };
#define PD_EV_PERSISTING                                                                           \
	(PD_EV_BIT(CLFLUSH) | PD_EV_BIT(CLFLUSHOPT) | PD_EV_BIT(CLWB) | PD_EV_BIT(SFENCE) |        \
	 PD_EV_BIT(MFENCE))

struct pd_event {
	uint8_t kind;  /* enum pd_event_kind */
	uint8_t order; /* enum pd_order */
	uint16_t tid;
	uint32_t site;
	uint64_t addr;
	uint64_t size;
	uint64_t aux;
	/* `size` bytes that were stored or loaded; NULL if the kind has none */
	const void *data;
};

struct pd_event_info {
	const char *name;
	const char *fields;
	const char *doc;
};

extern const struct pd_event_info pd_event_info[PD_EV_N];

const char *pd_loss_name(enum pd_loss loss);

#endif
