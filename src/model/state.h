/*
 * state.h - exports what a crash now would leave as bytes, and starts a model from such bytes.
 *
 * This is how a crash passes from the process in which it happened to one in which the program
 * starts anew. For each line that was ever stored to, the bytes hold its content if it is settled,
 * and else the histories and the version set of line.h, with store numbers made relative to the
 * line. Exporting does not change the model.
 *
 * A line that does not survive (its file was deleted) is left out, if m->survives is set and says
 * so.
 */
#ifndef PD_MODEL_STATE_H
#define PD_MODEL_STATE_H

#include "model/model.h"

/*
 * Writes the state to buf and returns its size; if cap is less, buf is not usable. 0: memory ran
 * out.
 */
size_t pd_model_export(struct pd_model *m, void *buf, size_t cap);

/*
 * Imports into a model that has seen no store: memory gets the settled lines and the newest version
 * of the others. False: memory ran out, or the bytes are not a state.
 */
bool pd_model_import(struct pd_model *m, const void *buf, size_t n);

#endif
