/* flow.c - see flow.h. */
#include "report/flow.h"

/* In a failed recovery: a role that comes after the crash. A race is read before it. */
static bool is_recovery(const struct pd_finding *f, enum pd_role role)
{
	bool race = f->kind >= PD_KIND_LOCKSET_PERSISTENT && f->kind <= PD_KIND_LOCKSET_BENIGN;

	return f->witness.given && f->witness.n && !(race && role == PD_ROLE_LOAD) &&
	       (role == PD_ROLE_LOAD || role == PD_ROLE_CHECK || role == PD_ROLE_FAIL);
}

static void add(struct pd_flow *flow, const struct pd_finding *f, uint32_t site)
{
	if (flow->n < PD_FLOW_STEPS)
		flow->steps[flow->n++] = (struct pd_flow_step){
			.at = &f->sites[site].at, .role = f->sites[site].role, .site = site};
}

/* If no site says where power failed, the witness does. */
static void add_crash(struct pd_flow *flow, const struct pd_finding *f)
{
	for (uint32_t i = 0; i < f->nsites; i++)
		if (f->sites[i].role == PD_ROLE_CRASH) {
			add(flow, f, i);
			return;
		}
	for (uint32_t i = 0; i < f->witness.n && f->witness.chosen; i++)
		if (f->witness.choices[i].kind == PD_CHOICE_CRASH && f->witness.choices[i].pick &&
		    flow->n < PD_FLOW_STEPS) {
			flow->steps[flow->n++] =
				(struct pd_flow_step){.at = &f->witness.chosen[i].at,
						      .role = PD_ROLE_CRASH,
						      .site = PD_FLOW_NO_SITE};
			return;
		}
}

void pd_flow_make(struct pd_flow *flow, const struct pd_finding *f)
{
	flow->n = 0;
	for (uint32_t i = 0; i < f->nsites; i++)
		if (!is_recovery(f, f->sites[i].role) && f->sites[i].role != PD_ROLE_CRASH)
			add(flow, f, i);
	add_crash(flow, f);
	for (uint32_t i = 0; i < f->nsites; i++)
		if (is_recovery(f, f->sites[i].role))
			add(flow, f, i);
}
