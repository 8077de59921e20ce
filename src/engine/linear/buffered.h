/*
 * buffered.h - buffered durable linearizability: a crash may lose what came last (judge.h).
 *
 * Era by era. From a state in which an era begins: is the era linearizable from it? If so, and it is
 * not the last, the search is asked for all configurations of the era, the latest first; each that
 * has what a sync made durable is a cut, and its state is where the next era may begin. States that
 * led nowhere are kept, so each is tried once an era.
 */
#ifndef PD_ENGINE_LINEAR_BUFFERED_H
#define PD_ENGINE_LINEAR_BUFFERED_H

#include "engine/linear/judge.h"

/* `all`: the search of the whole history. Fills the verdict's facts for a no. */
enum pd_answer pd_buffered_judge(const struct pd_search *all, struct pd_arena *arena,
				 struct pd_verdict *v, struct pd_arena *keep);

#endif
