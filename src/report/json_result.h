/* json_result.h - a result as a JSON tree, for writers that extend it. See json.c. */
#ifndef PD_REPORT_JSON_RESULT_H
#define PD_REPORT_JSON_RESULT_H

#include "report/result.h"
#include <jansson.h>

/* As pd_report_json writes it: without what must not leave the directory. NULL: out of memory. */
json_t *pd_json_result(const struct pd_result *r);

#endif
