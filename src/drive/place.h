/*
 * place.h - places of a process as stacks with names, for `check` as for lint and lockset: what the
 * compiler recorded for a site, then the calls that led there, from debug information.
 *
 * Thread rule: as symbols.h.
 */
#ifndef PD_DRIVE_PLACE_H
#define PD_DRIVE_PLACE_H

#include "event/trace.h"
#include "finding/place.h"

/* Pushes the function of the site, and those that it was inlined into. NULL: nothing. */
void pd_stack_push_site(struct pd_stack *to, struct pd_arena *a, const struct pd_site *s);

/* The frame of a site alone, with a readable name. */
struct pd_frame pd_site_frame(struct pd_arena *a, const struct pd_site *s);

/* Sites by number, as the trace defines them; one that is mentioned earlier is empty until then. */
struct pd_site *pd_trace_site_get(struct pd_map *sites, struct pd_arena *a, uint32_t id);
void pd_trace_site_take(struct pd_map *sites, struct pd_arena *a, const struct pd_trace_record *r);

/*
 * Pushes the calls behind a site. The first of them is in the site's function, unless that ended in
 * a jump to the runtime: then it is in its caller. And the site dates from before optimisation: the
 * function may have been inlined since. So the calls continue from where the site's function ends.
 */
void pd_stack_push_calls(struct pd_stack *to, const struct pd_stack *calls);

/* Frames above main belong to the system. */
bool pd_stack_ends_in_main(const struct pd_stack *s);

/* The innermost frame of the user's own code, and those above it, without the system's. */
struct pd_finding_site pd_stack_site(const struct pd_stack *s, struct pd_arena *a,
				     enum pd_role role);

#endif
