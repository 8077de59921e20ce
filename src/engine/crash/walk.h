/*
 * walk.h - which recoveries of a crash here and now are not known yet.
 *
 * Goes through the tree of recoveries (tree.h) along every path that the model allows after a crash at
 * this moment. Where the model allows a value that no recovery has seen at that read, an execution is
 * needed; the walk asks for it with the picks that lead there, one for each read that has several
 * values (choice.h), and goes on. The execution explores everything below by itself.
 *
 * A known recovery that ends badly is asked for once more where other stores are lost on the way to it
 * than before: the cause of a failure is the least that has to be lost, at whichever crash point.
 *
 * The model is not changed.
 */
#ifndef PD_ENGINE_CRASH_WALK_H
#define PD_ENGINE_CRASH_WALK_H

#include "base/vec.h"
#include "engine/crash/tree.h"
#include "model/model.h"

struct pd_walk {
	struct pd_model *model;
	struct pd_arena arena; /* for one crash point */
	/* Asks for an execution that makes these picks; returns false to stop the walk. */
	bool (*execute)(void *ctx, const uint32_t *picks, uint32_t n);
	/*
	 * The 64 bytes of a block that is settled, as a recovery would find them: a file may not reach
	 * there yet, and then recovery made it grow by zeros before it read.
	 */
	void (*content)(void *ctx, uint64_t block, uint8_t *bytes);
	void *ctx;
	PD_VEC(uint32_t) picks;
	/* Lines that this path has read and that are open: what is left of their versions. */
	PD_VEC(struct pd_walk_line {
		uint64_t index;
		struct pd_history *crashed;
		struct pd_vset set;
	}) open;
	struct pd_tree_memory memory;
	uint64_t signature; /* of the stores that this path has lost */
	uint64_t leaves; /* known recoveries that this crash point allows */
	uint64_t asked;
	bool stopped;
	bool failed; /* memory ran out */
};

void pd_walk_init(struct pd_walk *w, struct pd_model *m);
void pd_walk_finish(struct pd_walk *w);

/* One crash point. */
void pd_walk_crash(struct pd_walk *w, struct pd_tree_node *root);

#endif
