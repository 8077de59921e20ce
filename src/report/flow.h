/*
 * flow.h - a finding as a way through the source, in the order of time: what was stored, where power failed,
 * what recovery read and where it failed. For readers who step through it (codeFlows of SARIF).
 */
#ifndef PD_REPORT_FLOW_H
#define PD_REPORT_FLOW_H

#include "finding/finding.h"

enum { PD_FLOW_STEPS = 64 };
#define PD_FLOW_NO_SITE UINT32_MAX

struct pd_flow_step {
	const struct pd_frame *at;
	enum pd_role role;
	uint32_t site; /* which of the finding's; or PD_FLOW_NO_SITE */
};

struct pd_flow {
	uint32_t n;
	struct pd_flow_step steps[PD_FLOW_STEPS];
};

void pd_flow_make(struct pd_flow *flow, const struct pd_finding *f);

#endif
