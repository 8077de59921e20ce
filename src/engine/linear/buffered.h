/*
 * buffered.h - buffered durable linearizability: a crash may lose what came last (judge.h).
 *
 * Era by era. From a state in which an era begins: is the era linearizable from it? If so, and it
 * is not the last, the search enumerates all configurations of the era, the latest first; each that
 * contains what a sync made durable is a cut, and the next era may begin in its state. States that
 * could not be continued are kept, so each is tried once per era.
 */
#ifndef PD_ENGINE_LINEAR_BUFFERED_H
#define PD_ENGINE_LINEAR_BUFFERED_H

#include "engine/linear/judge.h"

/* `all` is the search of the whole history. For a no, fills in the facts of the verdict. */
enum pd_answer pd_buffered_judge(const struct pd_search *all, struct pd_arena *arena,
				 struct pd_verdict *v, struct pd_arena *keep);

#endif
