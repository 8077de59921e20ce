/*
 * state.h - what a crash now would leave, as bytes, and a model that starts from such bytes.
 *
 * This is how a crash travels from the process in which it happened to one in which the program
 * starts anew. The bytes hold, for each line that was ever stored to, its content where that is
 * settled, and else the histories and the version set of line.h, with store numbers made relative
 * to the line. The model that exports is not changed by it.
 *
 * A line that does not survive (its file was deleted) is left out: m->survives says so, where it is
 * set.
 */
#ifndef PD_MODEL_STATE_H
#define PD_MODEL_STATE_H

#include "model/model.h"

/*
 * Writes the state to buf and returns its size; where cap is less, nothing useful is in buf. 0
 * where memory ran out.
 */
size_t pd_model_export(struct pd_model *m, void *buf, size_t cap);

/*
 * Into a model that has seen no store: memory gets the settled lines and the newest version of the
 * others. False where memory ran out or the bytes are not a state.
 */
bool pd_model_import(struct pd_model *m, const void *buf, size_t n);

#endif
