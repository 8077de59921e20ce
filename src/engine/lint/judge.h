/*
 * judge.h - the verdict of lint, once everything is known: what the engine reported of a run, how
 * often each flush and fence was executed, and the names of places.
 *
 * Pure: events, counts and names come from a front end (finding/raw.h), findings go into a set. In
 * this order:
 *   lines      reports about places that are the same source line become one, and are judged as
 *              needless, or mostly needed, together (callers.c)
 *   findings   each gets names; of several paths to a line the most frequent stands for all
 *   callers    what is needless for all callers is one finding, about the function (callers.c)
 *   fixes      other findings, and other callers, may overrule "remove it" (fix.c)
 *
 * pd_lint_is_mostly (lint.h) is the one rule for what is needless as a rule.
 */
#ifndef PD_ENGINE_LINT_JUDGE_H
#define PD_ENGINE_LINT_JUDGE_H

#include "engine/lint/lint.h"
#include "finding/raw.h"

/* A place where a flush or fence was executed, needless or not. */
struct pd_lint_times {
	uint32_t place;
	uint64_t n;
	bool fence;
	bool others; /* at times it flushes lines that other threads store to */
};

/* What is known of a run. */
struct pd_lint_run {
	struct pd_raw_finding *raw; /* by number; those joined into another get count 0 */
	uint32_t nraw;
	const struct pd_lint_times *times;
	uint32_t ntimes;
	bool ended; /* orderly, so `times` is complete */
};

/* What was left out because another finding reports it, and the cost of needless work. */
struct pd_lint_sums {
	uint32_t overwritten_as_missing;
	uint32_t unflushed_as_unlogged;
	uint64_t needless_ns;
};

struct pd_lint_sums pd_lint_judge(const struct pd_namer *front, const struct pd_lint_run *run,
				  struct pd_findings *to);

/* ---- between callers.c, fix.c and judge.c ---------------------------------------------------- */

/* Places of flushes or fences that are the same source line, with all callers. */
struct pd_lint_source {
	uint64_t digest;
	uint32_t place; /* one of them */
	bool library;	/* inside of one */
	uint32_t raw;	/* 1 + the number of the report; 0: none */
	uint64_t needless;
	uint64_t times;
};

/* A caller of a wrapper, and how often it called it for nothing. */
struct pd_lint_use {
	uint64_t way; /* digest of the frames between, from the instruction outwards */
	struct pd_frame caller;
	uint64_t needless;
	uint64_t times;
};

struct pd_lint_judge {
	const struct pd_namer *front;
	const struct pd_lint_run *run;
	struct pd_arena *arena;
	struct pd_findings *to;
	PD_VEC(struct pd_lint_source) lines;
	struct pd_map by_digest;
	PD_VEC(struct pd_lint_use) uses;
	struct pd_map ways; /* a finding's id -> struct ways (callers.c) */
	/* Cost of all flushes and fences outside libraries; 0: not known */
	uint64_t flushing_ns;
	/* Digests of what flushes are attributed to that are for others at times, for any caller */
	struct pd_map others;
};

/* A copy of the facts with one added, or changed. */
struct pd_facts pd_lint_with(struct pd_arena *a, const struct pd_facts *f, enum pd_fact_key key,
			     uint64_t number);

bool pd_lint_place(const struct pd_lint_judge *j, uint32_t place, enum pd_role role,
		   struct pd_place *p);

void pd_lint_join_lines(struct pd_lint_judge *j);
/* Kinds whose findings state how often. */
bool pd_lint_says_how_often(enum pd_kind kind);
/* The facts that are added to such a finding here: how often, what it costs, what to do. */
struct pd_facts pd_lint_weigh(const struct pd_lint_judge *j, const struct pd_raw_finding *t,
			      const struct pd_facts *f);
void pd_lint_add_way(struct pd_lint_judge *j, struct pd_finding *f);
void pd_lint_join_callers(struct pd_lint_judge *j);

void pd_lint_correct_fixes(struct pd_lint_judge *j);

#endif
