/*
 * bytes.h - arbitrary bytes in JSON: a string if they are UTF-8 without NUL, else {"hex": "..."}.
 *
 * Thread rule: none.
 */
#ifndef PD_DRIVE_BYTES_H
#define PD_DRIVE_BYTES_H

#include "base/arena.h"
#include <jansson.h>

/* A new reference; NULL: out of memory. */
json_t *pd_bytes_json(const char *s, size_t n);

/* The bytes, followed by a NUL; NULL: neither form. */
char *pd_bytes_of(struct pd_arena *a, const json_t *j, size_t *n);

#endif
