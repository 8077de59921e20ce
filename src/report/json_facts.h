/*
 * json_facts.h - the facts of a finding in JSON, and back.
 *
 * An object: a fact's name to its value, and a group's name to a list of such objects.
 */
#ifndef PD_REPORT_JSON_FACTS_H
#define PD_REPORT_JSON_FACTS_H

#include "finding/facts.h"
#include <jansson.h>

/* NULL: memory ran out. */
json_t *pd_json_facts(const struct pd_facts *f);

/*
 * What is not known is skipped: a later version may add facts. False: a value is not of its type,
 * and *expected says which it is; or NULL: memory ran out.
 */
bool pd_json_read_facts(json_t *o, struct pd_arena *a, struct pd_facts *f, const char **expected);

/* A string of the tested program: what is not UTF-8 is replaced. NULL: no memory. */
json_t *pd_json_text(const char *s);

#endif
