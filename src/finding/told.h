/*
 * told.h - what an engine that watches a run tells, before places have names.
 *
 * The engine knows places by number only. Who writes a finding for people (the tool) puts names in:
 * `message` and `fix` may contain
 *	{ROLE}     "file.c:12", the first site of this role; {store}, {flush}, ...
 *	{pm:HEX}   "name.pm+0x40", a PM address
 *	{needless} {times} {have}   count, of, and the verb that fits; of all places that are the same line
 * A finding is told when it is first seen, so that it survives whatever happens to the program, and
 * may be told again under the same number: that replaces what was told before (a higher count,
 * mostly).
 */
#ifndef PD_FINDING_TOLD_H
#define PD_FINDING_TOLD_H

#include "event/abi.h"
#include "finding/finding.h"

enum { PD_TOLD_SITES = 24, PD_TOLD_TEXT = 1024 };

struct pd_told_site {
	uint8_t role; /* enum pd_role */
	uint32_t place;
};

struct pd_told {
	uint32_t number; /* from 0, in order of first telling */
	uint32_t kind;	 /* enum pd_kind */
	uint32_t cause;	 /* enum pd_cause */
	bool confirmed;
	uint64_t count;	 /* 0: not told */
	uint64_t of;	 /* how often it might have been, where that matters; else 0 */
	uint64_t weight; /* estimated cost in nanoseconds, for kinds that cost time; else 0 */
	uint32_t nsites;
	struct pd_told_site site[PD_TOLD_SITES];
	struct pd_facts facts; /* ADDRESS without a file, SITE: which of these sites */
	const char *message;   /* NULL: made of the facts, by the tool */
	const char *fix;       /* NULL: none */
	const char *field;     /* NULL: not known */
};

struct pd_tell {
	void (*finding)(void *ctx, const struct pd_told *f);
	void (*loss)(void *ctx, enum pd_loss kind, uint32_t place, const char *what);
	/* Numbers for the report, once each, at the end. */
	void (*stat)(void *ctx, const char *name, uint64_t value);
	void *ctx;
	/* How often a flush (or a fence) was executed, needless or not, at the end; NULL: nobody
	 * asks. */
	void (*times)(void *ctx, uint32_t place, uint64_t n, bool fence);
};

#endif
