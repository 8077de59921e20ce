/*
 * check/hold.h - a race to enforce, as a part of the settings of a run: the request to
 * engine/lockset/meet.h. Its sites and callers are valid for one build of the program, as numbers
 * of crash points are.
 */
#ifndef PD_DRIVE_CHECK_HOLD_H
#define PD_DRIVE_CHECK_HOLD_H

#include "engine/lockset/meet.h"
#include <jansson.h>

/* Writes it as `hold` into the object; nothing if no thread is to be held. False: out of memory. */
bool pd_hold_put(const struct pd_meet_asked *a, json_t *settings);

/* Reads it back; false: invalid. */
bool pd_hold_take(struct pd_meet_asked *a, const json_t *settings);

#endif
