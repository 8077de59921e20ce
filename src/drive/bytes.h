/*
 * bytes.h - bytes of any kind in JSON: a string where they are UTF-8 without NUL, else {"hex": "..."}.
 *
 * Thread rule: none.
 */
#ifndef PD_DRIVE_BYTES_H
#define PD_DRIVE_BYTES_H

#include "base/arena.h"
#include <jansson.h>

/* A new reference; NULL: memory ran out. */
json_t *pd_bytes_json(const char *s, size_t n);

/* What that was given, terminated; NULL: it is none. */
char *pd_bytes_of(struct pd_arena *a, const json_t *j, size_t *n);

#endif
