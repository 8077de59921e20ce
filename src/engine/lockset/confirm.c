/* confirm.c - see confirm.h. */
#include "engine/lockset/confirm.h"

/* How many executions are repeated with crashes: those in which the race happened without effect,
 * and those whose effect recovery tolerated. */
enum { MEETINGS = 3, WINDOWS = 3 };

/* In how many turns the reader must have made the store durable itself. */
enum { HELPED = 12 };

/* Factors on `turns`: met without effect, met with effect, not met, only close. */
enum { NO_EFFECT = 2, BENIGN = 4, FAR = 4, CLOSE = 40 };

void pd_confirm_begin(const struct pd_confirm_race *r, struct pd_meet_asked *asked)
{
	asked->early = r->turns % 2;
	asked->rarely = r->turns % 4 >= 2;
	asked->scout = asked->instance = asked->acted = 0;
}

static void judge(struct pd_confirm_race *r, const struct pd_meet_seen *seen)
{
	r->fails = r->fails || seen->bad;
	if (seen->acted && (seen->bad || !r->effect))
		r->effect = seen->effect;
}

/*
 * Whether `n` effects show that recovery does without the store: it looked for it at each of them,
 * in vain, or overwrote the bytes; or it never looked for it, and at `n` of them looked at the
 * effect, or overwrote the bytes.
 */
static bool is_tolerated(const struct pd_confirm_race *r, uint32_t n)
{
	return r->looked ? r->looked + r->reset == r->acted : r->reset + r->unneeded >= n;
}

/* Recovery has tolerated every effect so far, and enough of them for a verdict. */
static bool seems_benign(const struct pd_confirm_race *r, const struct pd_confirm_policy *p)
{
	return !r->fails && r->acted >= p->acts && is_tolerated(r, p->acts) && r->turns >= p->turns;
}

/* Recovery always overwrites the store's bytes without reading them: it does not need the store. */
static bool is_transient(const struct pd_confirm_race *r, const struct pd_confirm_policy *p)
{
	return !r->fails && r->acted >= p->acts && r->reset == r->acted;
}

bool pd_confirm_took_turn(struct pd_confirm_race *r, const struct pd_confirm_policy *p,
			  const struct pd_meet_seen *seen)
{
	r->turns++;
	r->met += seen->met != 0;
	r->close += !seen->met && seen->close;
	r->acted += seen->scouts;
	r->looked += seen->looked;
	r->reset += seen->reset;
	r->unneeded += seen->unneeded;
	r->read += seen->read;
	r->helped += seen->helped && !seen->loose;
	judge(r, seen);
	r->all = is_transient(r, p);
	if (r->all || r->fails || !seen->met)
		return false;
	return seen->acted ? seems_benign(r, p) && !r->cut : r->met <= MEETINGS;
}

void pd_confirm_begin_crashes(struct pd_meet_asked *asked, const struct pd_meet_seen *seen)
{
	asked->scout = !seen->acted;
	asked->instance = seen->acted ? seen->acted : seen->met;
	asked->acted = seen->acted != 0;
}

void pd_confirm_crashed(struct pd_confirm_race *r, const struct pd_meet_seen *seen, bool cut)
{
	judge(r, seen);
	r->cut = seen->acted && cut;
	r->explored += seen->acted && !cut;
	r->idle += !seen->acted && !cut;
	r->read += seen->read;
	r->all = r->explored == WINDOWS;
}

bool pd_confirm_is_decided(const struct pd_confirm_race *r, const struct pd_confirm_policy *p)
{
	uint32_t most = r->met	   ? (r->effect && !r->cut ? BENIGN : NO_EFFECT)
			: r->close ? CLOSE
				   : FAR;

	return r->same || r->fails || r->all || r->turns >= most * p->turns ||
	       (r->turns >= p->turns && r->acted >= p->acts && !is_tolerated(r, p->acts / 2));
}

bool pd_confirm_is_unfinished(const struct pd_confirm_race *r, const struct pd_confirm_policy *p)
{
	/* Turns beyond the regular ones are for races that may still meet; not having made them is
	 * no loss. */
	if (!r->met && r->turns >= NO_EFFECT * p->turns)
		return false;
	return !pd_confirm_is_decided(r, p) || (r->cut && !r->fails && !r->all);
}

bool pd_confirm_is_judged(const struct pd_confirm_race *r)
{
	return r->fails || r->looked || r->unneeded;
}

static enum pd_confirm_verdict without_effect(const struct pd_confirm_race *r, bool judged)
{
	if (r->helped >= HELPED && r->helped == r->met)
		return PD_CONFIRM_HELPED;
	return judged && r->idle >= MEETINGS && !r->read ? PD_CONFIRM_UNREAD : PD_CONFIRM_POTENTIAL;
}

enum pd_confirm_verdict pd_confirm_verdict(const struct pd_confirm_race *r, bool judged)
{
	if (r->fails)
		return PD_CONFIRM_FAILS;
	if (!r->effect)
		return without_effect(r, judged);
	if (!r->all)
		return PD_CONFIRM_EFFECT;
	return r->looked || r->reset == r->acted ? PD_CONFIRM_BENIGN : PD_CONFIRM_UNREAD;
}

double pd_confirm_share(double left, uint32_t undecided, double longest)
{
	double share = left / PD_MAX(undecided, 1);

	return PD_MIN(PD_MAX(share, longest * 3), left);
}
