/*
 * listing.h - the records of a trace, one line per event: who did what to which byte of which PM
 * file, with what value, at which line of the source.
 *
 * Thread rule: one thread.
 */
#ifndef PD_DRIVE_LISTING_H
#define PD_DRIVE_LISTING_H

#include "base/map.h"
#include "drive/losses.h"
#include "event/channel.h"
#include "event/trace.h"
#include <stdio.h>

struct pd_listed_pool;

struct pd_listing {
	/* Set by the caller */
	struct pd_arena *arena;
	FILE *out;
	bool no_events; /* the tested process only counts them */
	/* What records have defined */
	struct pd_map sites; /* id -> struct pd_site */
	PD_VEC(struct pd_listed_pool) pools;
	struct pd_losses losses;
	bool corrupt; /* a record was invalid */
};

void pd_listing_take(struct pd_listing *l, const struct pd_trace_record *r);

/* Prints the number of events of each kind. */
void pd_listing_stats(const struct pd_listing *l, const struct pd_channel *c);

/* Reports on standard error what was not understood, so that it is seen whatever happens to the
 * listing. False: there was something. */
bool pd_listing_losses(struct pd_listing *l);

#endif
