/*
 * listing.h - the records of a trace, a line an event: who did what to which byte of which PM file, with
 * what value, from which line of the source.
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
	bool no_events; /* they are only counted, by the tested process */
	/* What records have defined */
	struct pd_map sites; /* id -> struct pd_site */
	PD_VEC(struct pd_listed_pool) pools;
	struct pd_losses losses;
	bool corrupt; /* a record made no sense */
};

void pd_listing_take(struct pd_listing *l, const struct pd_trace_record *r);

/* How many events of each kind there were. */
void pd_listing_stats(const struct pd_listing *l, const struct pd_channel *c);

/* What was not understood, on standard error, so that it is seen whatever becomes of the listing.
 * False: everything was. */
bool pd_listing_losses(struct pd_listing *l);

#endif
