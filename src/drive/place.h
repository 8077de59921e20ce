/*
 * place.h - places of a process as stacks with names, for `check` as for lint and lockset: what the
 * compiler has noted of a site, then the calls that led there, by debug information.
 *
 * Thread rule: as symbols.h.
 */
#ifndef PD_DRIVE_PLACE_H
#define PD_DRIVE_PLACE_H

#include "event/trace.h"
#include "finding/place.h"

/* The function of the site, and those that it was inlined into. NULL: nothing. */
void pd_stack_push_site(struct pd_stack *to, struct pd_arena *a, const struct pd_site *s);

/* The frame of a site by itself, with a name that people read. */
struct pd_frame pd_site_frame(struct pd_arena *a, const struct pd_site *s);

/* Sites as a trace defines them, by number; those that are named before stay empty until then. */
struct pd_site *pd_trace_site_get(struct pd_map *sites, struct pd_arena *a, uint32_t id);
void pd_trace_site_take(struct pd_map *sites, struct pd_arena *a, const struct pd_trace_record *r);

/*
 * The calls behind a site. The first of them is in the site's function, unless that ended in a jump
 * to the runtime: then it is in its caller. And the site is from before the optimiser: the function
 * may have been inlined since. So the calls go on from where the site's function ends.
 */
void pd_stack_push_calls(struct pd_stack *to, const struct pd_stack *calls);

/* What is above main is the system's. */
bool pd_stack_ends_in_main(const struct pd_stack *s);

/* The innermost frame of the user's own code, and those above it, without the system's. */
struct pd_finding_site pd_stack_site(const struct pd_stack *s, struct pd_arena *a,
				     enum pd_role role);

#endif
