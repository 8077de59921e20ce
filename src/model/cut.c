/* cut.c - see cut.h. */
#include "model/cut.h"
#include "base/bug.h"

/* The time, in its execution, of the store that makes version v. */
static uint32_t time_of(const struct pd_history *h, uint32_t v)
{
	return v && v <= h->log->order.n ? h->log->order.v[v - 1] : v;
}

/* The next version above v that is left; 0: none. */
static uint32_t next_left(const struct pd_vset *left, uint32_t v)
{
	uint32_t next = 0;

	for (uint32_t b = 0; b < left->nbox; b++) {
		uint32_t lo = PD_MAX(left->span[b].lo, v + 1);

		if (lo <= left->span[b].hi && (!next || lo < next))
			next = lo;
	}
	return next;
}

static bool lowest_left(const struct pd_vset *left, uint32_t v)
{
	for (uint32_t b = 0; b < left->nbox; b++)
		if (left->span[b].lo < v)
			return false;
	return true;
}

/* The times of a power failure at which the line holds one of these versions. */
static struct pd_span times_of(const struct pd_history *h, const struct pd_vset *left,
			       struct pd_span versions)
{
	uint32_t next = next_left(left, versions.hi);

	return (struct pd_span){
		.lo = lowest_left(left, versions.lo) ? 0 : time_of(h, versions.lo),
		.hi = next ? time_of(h, next) - 1 : UINT32_MAX,
	};
}

static bool meet(struct pd_span a, struct pd_span b, struct pd_span *both)
{
	both->lo = PD_MAX(a.lo, b.lo);
	both->hi = PD_MIN(a.hi, b.hi);
	return both->lo <= both->hi;
}

static bool exists(const struct pd_cut *cut, const struct pd_history *h, const struct pd_vset *left,
		   const struct pd_class *c)
{
	struct pd_span both;

	for (uint32_t b = 0; b < c->set.nbox; b++)
		for (uint32_t i = 0; i < cut->n; i++)
			if (meet(cut->times[i], times_of(h, left, c->set.span[b]), &both))
				return true;
	return !cut->times;
}

/* ---- moments inside of a copy --------------------------------------------------------------- */

/* Whether store number `to` of the line continues the copy that number `from` is a part of. */
static bool continues(const struct pd_history *h, uint32_t from, uint32_t to)
{
	return to && pd_log_at(h->log, to - 1)->flags & PD_LOGGED_PART &&
	       time_of(h, to) == time_of(h, from) + 1;
}

/* Whether each of these versions of the line ends inside of a copy. */
static bool is_inside(const struct pd_history *h, struct pd_span versions)
{
	uint32_t last = 0, i = h->first, next;

	for (; i && i <= versions.lo; i = pd_log_at(h->log, i - 1)->next)
		last = i > h->must ? i : 0;
	for (; last; last = next) {
		next = pd_log_at(h->log, last - 1)->next;
		if (!continues(h, last, next))
			return false;
		if (next > versions.hi)
			return true;
	}
	return false;
}

static bool is_class_inside(const struct pd_history *h, const struct pd_class *c)
{
	for (uint32_t b = 0; b < c->set.nbox; b++)
		if (!is_inside(h, c->set.span[b]))
			return false;
	return true;
}

/* Leaves one class that is inside of a copy, or none if the checksum had one before. */
static void thin_out(struct pd_cut *cut, const struct pd_history *h, pd_classes *classes)
{
	uint32_t n = 0, outside = 0;

	for (uint32_t i = 0; i < classes->n; i++)
		outside += !is_class_inside(h, &classes->v[i]);
	for (uint32_t i = 0; i < classes->n && outside && outside < classes->n; i++) {
		bool inside = is_class_inside(h, &classes->v[i]);

		if (!inside || !cut->inside)
			classes->v[n++] = classes->v[i];
		cut->inside |= inside;
	}
	classes->n = n ? n : classes->n;
}

bool pd_cut_filter(struct pd_cut *cut, const struct pd_history *crashed, const struct pd_vset *left,
		   pd_classes *classes)
{
	uint32_t n = 0;

	if (left->ndim != 1)
		return false;
	for (uint32_t i = 0; i < classes->n; i++)
		if (exists(cut, crashed, left, &classes->v[i]))
			classes->v[n++] = classes->v[i];
	PD_CHECK(n, "no class of a line exists at the time of a cut");
	classes->n = n;
	thin_out(cut, crashed, classes);
	return true;
}

bool pd_cut_narrow(struct pd_cut *cut, struct pd_arena *a, const struct pd_history *crashed,
		   const struct pd_vset *left, const struct pd_class *read)
{
	static const struct pd_span always = {0, UINT32_MAX};
	uint32_t old = cut->times ? cut->n : 1, n = 0;
	struct pd_span *times = pd_new_array(a, struct pd_span, (size_t)old * read->set.nbox + 1);

	if (!times)
		return false;
	for (uint32_t b = 0; b < read->set.nbox; b++)
		for (uint32_t i = 0; i < old; i++)
			n += meet(cut->times ? cut->times[i] : always,
				  times_of(crashed, left, read->set.span[b]), &times[n]);
	cut->times = times;
	cut->n = n;
	return true;
}
