/*
 * json_result.h - a result as a tree of JSON, for writers that make more of it. See json.c.
 */
#ifndef PD_REPORT_JSON_RESULT_H
#define PD_REPORT_JSON_RESULT_H

#include "report/result.h"
#include <jansson.h>

/* As pd_report_json writes it: without what does not go out of a directory. NULL: no memory. */
json_t *pd_json_result(const struct pd_result *r);

#endif
