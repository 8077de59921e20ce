/*
 * flow.h - a finding as a path through the source, in order of time: what was stored, where power
 * failed, what recovery read and where it failed. For readers who step through it (codeFlows of
 * SARIF).
 */
#ifndef PD_REPORT_FLOW_H
#define PD_REPORT_FLOW_H

#include "finding/finding.h"

enum { PD_FLOW_STEPS = 64 };
#define PD_FLOW_NO_SITE UINT32_MAX

struct pd_flow_step {
	const struct pd_frame *at;
	enum pd_role role;
	uint32_t site; /* index among the finding's sites; or PD_FLOW_NO_SITE */
};

struct pd_flow {
	uint32_t n;
	struct pd_flow_step steps[PD_FLOW_STEPS];
};

void pd_flow_make(struct pd_flow *flow, const struct pd_finding *f);

#endif
