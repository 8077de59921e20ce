/*
 * confirm.h - the policy of confirming races: who has its turn, in which way, when power fails, and
 * what follows from what was seen.
 *
 * Rounds. In each, every race that is not decided has its turn, and of the time that is left an
 * equal share, of which most use little. A turn is an execution without crashes that shows whether,
 * and which time, the reader acts on the store before it is durable (meet.h); at each effect one
 * recovery is tried, without the store. Only where that is tolerated, or where they met and nothing
 * came of it, the same execution is made again, with crashes there.
 */
#ifndef PD_ENGINE_LOCKSET_CONFIRM_H
#define PD_ENGINE_LOCKSET_CONFIRM_H

#include "engine/lockset/meet.h"

struct pd_confirm_policy {
	/* Schedules for each race; up to twice as many where nothing came of them, and four times
	 * to see whether it is benign; while they have not met, 4 times as many, or 40 times where
	 * they were close */
	uint32_t turns;
	/* So many crashes after the reader has acted are enough to call it benign */
	uint32_t acts;
};

enum pd_confirm_verdict {
	PD_CONFIRM_POTENTIAL, /* none of these was seen */
	PD_CONFIRM_BENIGN,    /* recoveries looked for the store, did without it, and ended well */
	PD_CONFIRM_EFFECT,    /* what the reader did was durable before the store was */
	PD_CONFIRM_FAILS, /* a recovery that looked for the store, and did not find it, failed */
	PD_CONFIRM_VERDICTS,
};

/* What is known of one race. */
struct pd_confirm_race {
	bool same; /* another one has the verdict */
	uint32_t turns;
	uint32_t met;	/* of these: the load came before the store was durable */
	uint32_t close; /* of these: the load came, from the same bytes, but at another time */
	/* Times that something that the reader did then was durable, and power failed */
	uint32_t acted;
	uint32_t looked; /* of these: recovery looked for the store, and ended well */
	uint32_t reset;	 /* of these: it set those bytes anew, without a look at them */
	uint32_t effect; /* site of what the reader did; 0: nothing */
	bool fails;	 /* a recovery without the store */
	/* Windows that recovery tolerates, whatever was lost with the store */
	uint32_t explored;
	bool all; /* of enough of them */
	bool cut; /* the time was too short for that */
};

/* How the next turn of this race holds threads up. */
void pd_confirm_begin(const struct pd_confirm_race *r, struct pd_meet_asked *asked);

/* A turn is over. True: its execution is to be made again, with crashes. */
bool pd_confirm_took_turn(struct pd_confirm_race *r, const struct pd_confirm_policy *p,
			  const struct pd_meet_seen *seen);

/* That execution: where power fails. */
void pd_confirm_begin_crashes(struct pd_meet_asked *asked, const struct pd_meet_seen *seen);

/* And what it has shown, with what the turn had; `cut`: the time was too short for all of it. */
void pd_confirm_crashed(struct pd_confirm_race *r, const struct pd_meet_seen *seen, bool cut);

/* No more turns. */
bool pd_confirm_is_decided(const struct pd_confirm_race *r, const struct pd_confirm_policy *p);

/* There was not time enough for it. */
bool pd_confirm_is_unfinished(const struct pd_confirm_race *r, const struct pd_confirm_policy *p);

enum pd_confirm_verdict pd_confirm_verdict(const struct pd_confirm_race *r);

/* For the next turn, of the time that is left for so many undecided races; the longest execution
 * took `longest`. */
double pd_confirm_share(double left, uint32_t undecided, double longest);

#endif
