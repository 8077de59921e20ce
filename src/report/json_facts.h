/*
 * json_facts.h - the facts of a finding in JSON, and back.
 *
 * An object maps the name of a fact to its value, and the name of a group to a list of such
 * objects.
 */
#ifndef PD_REPORT_JSON_FACTS_H
#define PD_REPORT_JSON_FACTS_H

#include "finding/facts.h"
#include <jansson.h>

/* NULL: out of memory. */
json_t *pd_json_facts(const struct pd_facts *f);

/* Unknown facts are skipped: a later version may add some. False: a value has the wrong type, and
 * *expected names the right one; or, if that is NULL, out of memory. */
bool pd_json_read_facts(json_t *o, struct pd_arena *a, struct pd_facts *f, const char **expected);

/* A string of the tested program: bytes that are not UTF-8 are replaced. NULL: out of memory. */
json_t *pd_json_text(const char *s);

#endif
