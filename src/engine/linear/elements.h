/*
 * elements.h - the elements of a queue, a stack or a priority queue: how each went in and came out.
 *
 * The operations of a history, by role, on a time scale of small numbers; and each value that went
 * in matched with the operation that took it out and those that looked at it. The deciders
 * (decide.h) work on these.
 *
 * Time. Events (calls and responses) are numbered 0, 1, 2... Moment m is right after event m. An
 * operation takes effect at one of the moments from..to-1; `to` of one that is pending is the end,
 * or by the strict condition the crash that ended it.
 *
 * Two readings. *Exact*: values that went in more than once, and pending operations that may have
 * taken out what nobody else did, are matched by a guess; an order that fits proves a yes, nothing
 * else is proved. *Relaxed*: such values have all the time that any of their like had, and anything
 * that nobody took out may be gone once the first pending operation was called; whatever explains
 * the history explains this, so a contradiction proves a no. Without either
 * (pd_elements_are_certain) the two are the same.
 */
#ifndef PD_ENGINE_LINEAR_ELEMENTS_H
#define PD_ENGINE_LINEAR_ELEMENTS_H

#include "engine/linear/search.h"

enum { PD_NOBODY = UINT32_MAX };

enum pd_role {
	PD_ROLE_NONE, /* pending, and no effect was seen: left out */
	PD_ROLE_IN,
	PD_ROLE_OUT,
	PD_ROLE_LOOK,
	PD_ROLE_EMPTY, /* found nothing */
	PD_ROLE_SIZE,
	PD_ROLE_QUIET, /* shows nothing: it failed, or is a look with an unknown result */
};

struct pd_item {
	const struct pd_linear_op *op;
	uint32_t number;   /* in the history */
	uint32_t from, to; /* moments */
	uint32_t next;	   /* look: another one at the same element */
	enum pd_role role;
	bool optional;
};

struct pd_element {
	uint32_t in, out; /* items; PD_NOBODY */
	uint32_t look;	  /* the first of those that look at it */
	uint32_t like;	  /* another one of the same value */
	uint32_t in_from, in_to;
	uint32_t out_from, out_to; /* never taken out: the end, and later */
	uint64_t key;		   /* what priority queues go by */
	bool dropped;		   /* not part of the history, as it was never seen */
	bool repeated;		   /* others have its value */
};

struct pd_elements {
	const struct pd_search *s;
	struct pd_item *item;
	uint32_t n;	 /* items */
	uint32_t events; /* moments are below this */
	struct pd_element *v;
	uint32_t nv;
	bool repeated;	   /* some value went in more than once */
	uint32_t takers;   /* pending operations that may have taken something out */
	uint32_t first;	   /* the first call of one */
	bool contradicted; /* a response that no order explains: no */
	bool unknown;	   /* contains something that the deciders do not handle */
	struct pd_arena *arena;
};

/* Reads the operations of a search. False: memory ran out. */
bool pd_elements_read(struct pd_elements *e, const struct pd_search *s, struct pd_arena *arena);

/* No guess was needed. */
static inline bool pd_elements_are_certain(const struct pd_elements *e)
{
	return !e->repeated && !e->takers;
}

/* The exact reading: pending operations have taken out these elements, the first the first. */
void pd_elements_take(struct pd_elements *e, const uint32_t *needed, uint32_t n);

/* Turns it into the relaxed reading. */
void pd_elements_relax(struct pd_elements *e);

/* From looks: when an element must be in at the latest (exclusive), and out at the earliest. */
void pd_elements_bounds(const struct pd_elements *e, const struct pd_element *x, uint32_t *in_by,
			uint32_t *out_from);

/* The last moment at which an element was certainly there, or taken out. */
uint32_t pd_element_last_seen(const struct pd_elements *e, const struct pd_element *x);

#endif
