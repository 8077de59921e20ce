/*
 * walk.h - which recoveries of a crash here and now are not known yet.
 *
 * Goes through the tree of recoveries (tree.h) along every path that the model allows after a crash
 * at this moment. Where the model allows a value that no recovery has seen at that read, an
 * execution is needed; the walk asks for it with the picks that lead there, one for each read that
 * has several values (choice.h). The execution may explore everything below by itself, or leave
 * alternatives open; the walk goes on below it in either case.
 *
 * A known recovery that ends badly is reported once more where other stores are lost on the way to
 * it than before: the cause of a failure is the least that has to be lost, at whichever crash
 * point. That needs no execution: the walk knows what each read of the path could see.
 *
 * Several walks may go through one tree at the same time, in processes of their own
 * (src/runtime/check/walker.c). The model is not changed.
 */
#ifndef PD_ENGINE_CRASH_WALK_H
#define PD_ENGINE_CRASH_WALK_H

#include "base/vec.h"
#include "engine/crash/pick.h"
#include "engine/crash/tree.h"
#include "model/model.h"

enum pd_walk_split {
	PD_WALK_HERE,  /* nobody: the walk takes it itself */
	PD_WALK_GIVEN, /* another process does */
	PD_WALK_TAKEN, /* this is the other process: take it, and nothing else */
};

/*
 * Who goes along: hears of every read on every path that is allowed, known or just executed.
 * `crashed` is NULL where the line is settled. mark and back: the path goes back to where it was.
 */
struct pd_walk_visitor {
	void *ctx;
	void (*read)(void *ctx, const struct pd_tree_node *node, const struct pd_history *crashed,
		     const struct pd_vset *set);
	void (*took)(void *ctx, const struct pd_tree_node *node, const struct pd_history *crashed,
		     const struct pd_vset *left);
	uint32_t (*mark)(void *ctx);
	void (*back)(void *ctx, uint32_t mark);
};

struct pd_walk {
	struct pd_model *model;
	struct pd_arena arena; /* for one crash point */
	/* One recovery, with these picks, is executed, known or not; NULL: all that are not known */
	const struct pd_fixed *fixed;
	/*
	 * Asks for an execution that makes these picks; returns false to stop the walk. It leads to
	 * `to`, of which nothing is known.
	 */
	bool (*execute)(void *ctx, const uint32_t *picks, uint32_t n, struct pd_tree_node *to);
	/* Before the first execution. False: somebody else goes on with this walk; stop. NULL: go
	 * on. */
	bool (*attend)(void *ctx);
	/* Somebody else is at this node: waits until something is known of it; false: that will not
	 * be. */
	bool (*await)(void *ctx, struct pd_tree_node *node);
	/* Whether somebody else takes the branch at hand, or this is that somebody. NULL: nobody
	 * does. */
	enum pd_walk_split (*split)(void *ctx);
	/* The end of a branch that was split off; does not return. */
	void (*done)(void *ctx);
	/*
	 * The 64 bytes of a block that is settled, as a recovery would find them: a file may not
	 * reach there yet, and then recovery made it grow by zeros before it read. False: it is of
	 * a file that only recoveries know.
	 */
	bool (*content)(void *ctx, uint64_t block, uint8_t *bytes);
	/* A read that can see several values; NULL: nobody wants to know. */
	void (*several)(void *ctx, const struct pd_tree_node *node, const pd_classes *classes);
	/* Every read on every path that is allowed, known or just executed; NULL: nobody wants to
	 * know. */
	void (*read)(void *ctx, struct pd_tree_node *node);
	/* The path at hand comes to a bad end, in a way that was not known. `taken` has its
	 * choices. */
	void (*bad)(void *ctx, const struct pd_tree_node *leaf);
	void *ctx;
	const struct pd_walk_visitor *visitor; /* NULL: nobody */
	/* Nothing is executed, and so many ends at most are gone to; 0: everything is */
	uint64_t only_known;
	PD_VEC(uint32_t) picks;
	/* For each pick: the read, and what it could see. */
	PD_VEC(struct pd_walk_taken {
		const struct pd_tree_node *node;
		const struct pd_class *classes;
		uint32_t n;
		void *noted; /* the front end's account of it; NULL: none yet */
	})
	taken;
	/* Lines that this path has read and that are open: what is left of their versions. */
	PD_VEC(struct pd_walk_line {
		uint64_t index;
		struct pd_history *crashed;
		struct pd_vset set;
	})
	open;
	struct pd_cut cut; /* of the checksum that this path is reading */
	struct pd_tree_memory memory;
	uint64_t signature; /* of the stores that this path has lost */
	/* A store of the execution at hand, by its places in the log; recoveries that looked for it
	 * in vain. */
	struct pd_walk_watch {
		uint64_t line;	   /* that it begins in: its index */
		uint32_t from, to; /* to 0: none */
		bool again;	   /* its end is executed, even if it is known */
		/* One path: as if that store were lost, and nothing else that need not be */
		bool only;
		uint32_t missed;	  /* times on this path */
		uint32_t good;		  /* ends */
		struct pd_tree_node *bad; /* the first; NULL: none */
	} watch;
	uint64_t leaves; /* known recoveries that this crash point allows */
	uint32_t owner;	 /* of what it claims in the tree; not 0 */
	uint64_t when;	 /* the crash is, among all: an earlier one has a smaller number */
	bool stopped;
	bool failed; /* memory ran out */
};

void pd_walk_init(struct pd_walk *w, struct pd_model *m);
void pd_walk_finish(struct pd_walk *w);

/* One crash point. */
void pd_walk_crash(struct pd_walk *w, struct pd_tree_node *root);

#endif
