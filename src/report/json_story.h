/*
 * json_story.h - what led to a finding, step by step, in JSON (docs/report-format.md, "Story").
 *
 * A step has the fields that are known; numbers that are 0 and flags that are false are left out.
 * Reading trusts nothing, as in json_read.c.
 */
#ifndef PD_REPORT_JSON_STORY_H
#define PD_REPORT_JSON_STORY_H

#include "finding/steps.h"
#include <jansson.h>

/* NULL: out of memory. */
json_t *pd_json_story(const struct pd_steps *s);

/* False: it is not as *expected says, or, if that is NULL, out of memory. */
bool pd_json_read_story(json_t *list, struct pd_arena *a, struct pd_steps *s,
			const char **expected);

#endif
