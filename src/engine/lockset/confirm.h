/*
 * confirm.h - the policy of confirming races: which race has its turn, how threads are held, when
 * power fails, and what follows from what was seen.
 *
 * Confirming goes in rounds. In each, every undecided race has one turn, and an equal share of the
 * time left, of which most use little. A turn is an execution without crashes that shows whether
 * the reader acts on the store before it is durable, and at which instance of the store (meet.h);
 * at each effect one recovery is tried, without the store. Only if recovery tolerates that, or if
 * the two met without an effect, the same execution is repeated with crashes there.
 */
#ifndef PD_ENGINE_LOCKSET_CONFIRM_H
#define PD_ENGINE_LOCKSET_CONFIRM_H

#include "engine/lockset/meet.h"

struct pd_confirm_policy {
	/* Schedules for each race; up to twice as many if nothing came of a meeting, four times to
	 * see whether the race is benign; four times while the two have not met, 40 times if they
	 * were close */
	uint32_t turns;
	/* This many crashes after the reader has acted are enough to call a race benign */
	uint32_t acts;
};

enum pd_confirm_verdict {
	PD_CONFIRM_POTENTIAL, /* nothing below was seen */
	PD_CONFIRM_BENIGN,    /* recoveries looked for the store, did without it, and ended well */
	PD_CONFIRM_HELPED,    /* the reader made the store durable itself before it acted */
	PD_CONFIRM_UNREAD,    /* no recovery read what it stores */
	PD_CONFIRM_EFFECT,    /* an effect of the reader was durable before the store */
	PD_CONFIRM_FAILS,     /* a recovery looked for the store, missed it, and failed */
	PD_CONFIRM_VERDICTS,
};

/* What is known of one race. */
struct pd_confirm_race {
	bool same; /* another race has the verdict */
	uint32_t turns;
	uint32_t met;	/* turns in which the load came before the store was durable */
	uint32_t close; /* turns in which the load read the same bytes, but at another time */
	/* Crashes at which an effect of the reader was durable */
	uint32_t acted;
	uint32_t looked; /* of these: recovery looked for the store, and ended well */
	uint32_t reset;	 /* of these: recovery overwrote those bytes without reading them */
	/* Of these: recovery read the effect, none of the store's bytes, and ended well */
	uint32_t unneeded;
	uint32_t read;	 /* recoveries that read any of the store's bytes */
	uint32_t helped; /* turns in which each meeting ended with the reader's own persist */
	uint32_t effect; /* site of the effect; 0: none */
	bool fails;	 /* a recovery without the store failed */
	/* Windows that recovery tolerates, whatever else was lost */
	uint32_t explored;
	/* Meetings without an effect: recovery was tried at all crash points without the store */
	uint32_t idle;
	bool all; /* enough of them were explored */
	bool cut; /* time ran out before that */
};

/* Sets how the next turn of this race holds threads. */
void pd_confirm_begin(const struct pd_confirm_race *r, struct pd_meet_asked *asked);

/* A turn is over. True: repeat its execution with crashes. */
bool pd_confirm_took_turn(struct pd_confirm_race *r, const struct pd_confirm_policy *p,
			  const struct pd_meet_seen *seen);

/* Sets where power fails in that execution. */
void pd_confirm_begin_crashes(struct pd_meet_asked *asked, const struct pd_meet_seen *seen);

/*
 * Adds what it has shown to what the turn had; `cut`: time ran out before all of it was explored.
 */
void pd_confirm_crashed(struct pd_confirm_race *r, const struct pd_meet_seen *seen, bool cut);

/* The race gets no more turns. */
bool pd_confirm_is_decided(const struct pd_confirm_race *r, const struct pd_confirm_policy *p);

/* There was not enough time for it. */
bool pd_confirm_is_unfinished(const struct pd_confirm_race *r, const struct pd_confirm_policy *p);

/* Whether a recovery without the store looked at it, or at what its reader did. */
bool pd_confirm_is_judged(const struct pd_confirm_race *r);

/* `judged`: that of any race. A recovery that looks at nothing cannot say what it does not need. */
enum pd_confirm_verdict pd_confirm_verdict(const struct pd_confirm_race *r, bool judged);

/* The time for the next turn, given the time left and the number of undecided races; the longest
 * execution took `longest`. */
double pd_confirm_share(double left, uint32_t undecided, double longest);

#endif
