/* loop.c - see loop.h. */
#include "engine/crash/loop.h"

enum {
	FIRST = 10000,
	TRIES = 4,
	PAUSE = 500, /* events before the next thread is examined */
};

static bool is_equal(const struct pd_loop_state *a, const struct pd_loop_state *b)
{
	return a->a == b->a && a->b == b->b;
}

void pd_loop_init(struct pd_loop *l)
{
	*l = (struct pd_loop){.next = FIRST, .look = FIRST};
}

void pd_loop_advance(struct pd_loop *l, uint64_t events)
{
	if (l->armed || l->any)
		pd_loop_init(l);
	l->next = l->look = events + FIRST;
}

/* Looks again at this number of events; at every event while threads have to yield. */
static void look_at(struct pd_loop *l, const struct pd_loop_now *now, uint64_t events)
{
	l->next = events;
	l->look = l->any ? now->events + 1 : events;
}

/* Records what is compared from now on. */
static bool take(struct pd_loop *l, const struct pd_loop_now *now, const struct pd_loop_front *f,
		 bool whole)
{
	l->switches = now->switches;
	l->whole = whole;
	return f->turn(f->ctx, &l->turn) &&
	       (whole ? f->state(f->ctx, &l->state) : f->here(f->ctx, &l->here));
}

static void arm(struct pd_loop *l, const struct pd_loop_now *now, const struct pd_loop_front *f)
{
	l->armed = take(l, now, f, !f->here);
	l->site = now->site;
	l->addr = now->addr;
	l->since = now->events;
	l->changes = now->changes;
	l->tries = 0;
	look_at(l, now, l->armed ? now->events + 1 : 2 * now->events);
}

static void disarm(struct pd_loop *l, const struct pd_loop_now *now)
{
	l->armed = false;
	look_at(l, now, 2 * l->since);
}

static bool has_company(const struct pd_loop_now *now)
{
	return now->can_run > 1 && now->thread < PD_LOOP_THREADS;
}

/* A thread that is known to loop yields at the place recorded for it. */
static uint32_t give_way(const struct pd_loop *l, const struct pd_loop_now *now)
{
	return l->any && has_company(now) && l->round[now->thread].on &&
			       l->round[now->thread].site == now->site &&
			       l->round[now->thread].addr == now->addr
		       ? PD_LOOP_GIVE_WAY
		       : 0;
}

/* This thread alone has returned to its recorded state. */
static uint32_t goes_round(struct pd_loop *l, const struct pd_loop_now *now)
{
	l->any = true;
	l->round[now->thread].on = true;
	l->round[now->thread].site = now->site;
	l->round[now->thread].addr = now->addr;
	l->armed = false;
	look_at(l, now, now->events + PAUSE);
	return give_way(l, now);
}

/* No other thread had a turn since, though one could have run. */
static bool is_alone_in_it(const struct pd_loop *l, const struct pd_loop_now *now)
{
	return has_company(now) && now->switches == l->switches && !l->round[now->thread].on;
}

/* Every runnable thread had a turn since, and it is the same one's turn again. Cheap, because a
 * place is passed often. */
static bool is_same_turn(const struct pd_loop *l, const struct pd_loop_now *now,
			 const struct pd_loop_front *f)
{
	struct pd_loop_state turn;

	return (now->can_run <= 1 || now->switches - l->switches >= now->can_run) &&
	       f->turn(f->ctx, &turn) && is_equal(&turn, &l->turn);
}

/* Whether this part of the state is the same as before; after TRIES mismatches gives up. */
static bool is_back(struct pd_loop *l, const struct pd_loop_now *now, const struct pd_loop_front *f,
		    bool (*part)(void *ctx, struct pd_loop_state *s),
		    const struct pd_loop_state *was)
{
	struct pd_loop_state is;
	bool known = !part || part(f->ctx, &is), equal = !part || (known && is_equal(&is, was));

	if (!known || (!equal && ++l->tries >= TRIES))
		disarm(l, now);
	return equal;
}

/* The recovery is back at the place where its state was recorded. */
static uint32_t compare(struct pd_loop *l, const struct pd_loop_now *now,
			const struct pd_loop_front *f)
{
	bool alone = is_alone_in_it(l, now);

	if ((!alone && !is_same_turn(l, now, f)) || !is_back(l, now, f, f->here, &l->here))
		return 0;
	if (!l->whole) {
		if (!take(l, now, f, true))
			disarm(l, now);
		return 0;
	}
	if (!is_back(l, now, f, f->state, &l->state))
		return 0;
	return alone ? goes_round(l, now) : PD_LOOP_ENDLESS;
}

uint32_t pd_loop_look(struct pd_loop *l, const struct pd_loop_now *now,
		      const struct pd_loop_front *f)
{
	uint32_t flags = give_way(l, now);

	l->look = now->events + 1;
	if (!l->armed) {
		if (now->events >= l->next)
			arm(l, now, f);
	} else if (l->changes != now->changes || now->events >= 2 * l->since) {
		l->any = l->any && l->changes == now->changes;
		disarm(l, now);
	} else if (l->site == now->site && l->addr == now->addr) {
		flags |= compare(l, now, f);
	}
	return flags;
}
