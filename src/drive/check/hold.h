/*
 * check/hold.h - a race that is made to happen, as a part of the settings of a run: what is asked of
 * engine/lockset/meet.h. Sites and callers are those of one build of the program, as the numbers of
 * crash points are.
 */
#ifndef PD_DRIVE_CHECK_HOLD_H
#define PD_DRIVE_CHECK_HOLD_H

#include "engine/lockset/meet.h"
#include <jansson.h>

/* As `hold` of the object; nothing where nobody is held. False: memory ran out. */
bool pd_hold_put(const struct pd_meet_asked *a, json_t *settings);

/* From there; false: it is not understood. */
bool pd_hold_take(struct pd_meet_asked *a, const json_t *settings);

#endif
