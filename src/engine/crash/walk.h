/*
 * walk.h - finds the recoveries that a crash right now allows and that are not known yet.
 *
 * The walk goes through the tree of recoveries (tree.h) along every path that the model allows
 * after a crash at this moment. Where the model allows a value that no recovery has seen at that
 * read, an execution is needed; the walk asks for it with the picks that lead there, one for each
 * read that has several values (choice.h). The execution may explore everything below by itself, or
 * leave alternatives open; the walk continues below it in either case.
 *
 * A known recovery that ends badly is reported once more where other stores are lost on the way to
 * it than before: the cause of a failure is the least that has to be lost, at any crash point. That
 * needs no execution: the walk knows what each read of the path could see.
 *
 * Thread rule: several walks may go through one tree concurrently, each in its own process
 * (src/runtime/check/walker.c). The walk does not change the model.
 */
#ifndef PD_ENGINE_CRASH_WALK_H
#define PD_ENGINE_CRASH_WALK_H

#include "base/vec.h"
#include "engine/crash/pick.h"
#include "engine/crash/tree.h"
#include "model/model.h"

enum pd_walk_split {
	PD_WALK_HERE,  /* not split off: the walk takes the branch itself */
	PD_WALK_GIVEN, /* another process takes it */
	PD_WALK_TAKEN, /* this is the other process: take this branch, and nothing else */
};

/*
 * Accompanies the walk: is called for every read on every allowed path, known or just executed.
 * `crashed` is NULL where the line is settled. `mark` remembers a position on the path, `back`
 * returns to it.
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
	struct pd_arena arena; /* freed after each crash point */
	/* Execute one recovery, with these picks, known or not; NULL: all that are not known */
	const struct pd_fixed *fixed;
	/*
	 * Requests an execution with these picks, which lead to `to`, a node of which nothing is
	 * known. False: stop the walk.
	 */
	bool (*execute)(void *ctx, const uint32_t *picks, uint32_t n, struct pd_tree_node *to);
	/* Called before the first execution. False: another process continues this walk; stop.
	 * NULL: go on. */
	bool (*attend)(void *ctx);
	/* Another process has claimed this node: waits until something is known of it. False: that
	 * will not happen. */
	bool (*await)(void *ctx, struct pd_tree_node *node);
	/* Offers the current branch to another process; returns in both. NULL: never split. */
	enum pd_walk_split (*split)(void *ctx);
	/* Ends a branch that was split off; does not return. */
	void (*done)(void *ctx);
	/*
	 * The 64 bytes of a settled block, as a recovery would find them. Where a file does not
	 * reach there yet, recovery has extended it by zeros before it read. False: the block is of
	 * a file that only recoveries know.
	 */
	bool (*content)(void *ctx, uint64_t block, uint8_t *bytes);
	/* Called for a read that can see several values; may be NULL. */
	void (*several)(void *ctx, const struct pd_tree_node *node, const pd_classes *classes);
	/* Called for every read on every allowed path, known or just executed; may be NULL. */
	void (*read)(void *ctx, struct pd_tree_node *node);
	/* The current path reaches a bad end with stores lost that were not known to lead there.
	 * `taken` has its choices. */
	void (*bad)(void *ctx, const struct pd_tree_node *leaf);
	void *ctx;
	const struct pd_walk_visitor *visitor; /* may be NULL */
	/* Execute nothing, and visit at most this many ends; 0: no limit, execute */
	uint64_t only_known;
	PD_VEC(uint32_t) picks;
	/* For each pick: the read, and the classes that it could see */
	PD_VEC(struct pd_walk_taken {
		const struct pd_tree_node *node;
		const struct pd_class *classes;
		uint32_t n;
		void *noted; /* the front end's record of it; NULL: none yet */
	})
	taken;
	/* Lines that this path has read and that are not settled: the versions that are still
	 * possible */
	PD_VEC(struct pd_walk_line {
		uint64_t index;
		struct pd_history *crashed;
		struct pd_vset set;
	})
	open;
	struct pd_cut cut; /* of the checksum that this path is reading */
	struct pd_tree_memory memory;
	uint64_t signature; /* of the stores that this path has lost */
	/* Follows one store of the current execution, given by its indices in the log, and counts
	 * the recoveries that missed it */
	struct pd_walk_watch {
		uint64_t line;	    /* index of the line that it begins in */
		uint32_t from, to;  /* to == 0: none is watched */
		uint64_t addr, end; /* its bytes */
		/* Bytes of what was made durable without it; empty: nothing was */
		uint64_t effect, effect_end;
		bool again; /* execute its end, even if it is known */
		/* Follow one path: that store lost, and nothing else that need not be */
		bool only;
		/* Reads on this path: that missed it, of its bytes, of those of the effect */
		uint32_t missed, touched, sought;
		/* Good ends after a miss; with `only`, after any read of its bytes */
		uint32_t good;
		uint32_t read; /* ends after a read of its bytes */
		/* Good ends after a read of the effect, and none of its bytes */
		uint32_t unneeded;
		struct pd_tree_node *bad; /* first bad end after a miss; NULL: none */
	} watch;
	uint64_t leaves; /* known recoveries that this crash point allows */
	uint32_t owner;	 /* process number for claims in the tree; not 0 */
	uint64_t when;	 /* position of the crash among all (pd_point_when) */
	bool stopped;
	bool failed; /* memory ran out */
};

void pd_walk_init(struct pd_walk *w, struct pd_model *m);
void pd_walk_finish(struct pd_walk *w);

/* Explores one crash point. */
void pd_walk_crash(struct pd_walk *w, struct pd_tree_node *root);

#endif
