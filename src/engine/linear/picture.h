/*
 * picture.h - which operations of a history to show, as a diagram (finding/diagram.h).
 *
 * Everything before the crash is shown if it is little, as it is after minimising: operations on
 * other keys may be the reason, too. Otherwise only the operations that were judged together are
 * shown, and only the last of them; earlier ones are counted. After the crash only what was judged
 * together is shown.
 */
#ifndef PD_ENGINE_LINEAR_PICTURE_H
#define PD_ENGINE_LINEAR_PICTURE_H

#include "base/out.h"
#include "engine/linear/judge.h"
#include "finding/diagram.h"

/* "put(5, 17) = none" */
void pd_picture_op(const struct pd_linear_spec *spec, const struct pd_hop *x, struct pd_out *out);

/*
 * For a history that cannot be explained: v->answer is no. With `whole`, all before the crash is
 * shown, if there is room: what is left of a workload that was made smaller is needed. Else
 * completed operations on other keys than the one that is judged are counted only.
 */
void pd_picture(const struct pd_op_history *h, const struct pd_linear_spec *spec,
		const struct pd_verdict *v, bool whole, struct pd_diagram *to);

/* For a recovery that failed, whatever it returned: the operations before its crash, and the one
 * that recovery was executing. */
void pd_picture_failed(const struct pd_op_history *h, const struct pd_linear_spec *spec,
		       struct pd_diagram *to);

#endif
