/*
 * params.h - the persistency model's parameters.
 *
 * Rules are cited as P1, P2, ...; docs/model.md has the list.
 */
#ifndef PD_MODEL_PARAMS_H
#define PD_MODEL_PARAMS_H

#include "base/types.h"

/* What makes data durable. */
enum pd_persists {
	PD_PERSISTS_STORE = 1, /* reaching the cache is enough (eADR) */
	/* Clflush, clflushopt, clwb, and a non-temporal store's own write-back */
	PD_PERSISTS_FLUSH = 2,
	PD_PERSISTS_MSYNC = 4, /* msync, fsync */
};

struct pd_params {
	const char *name;
	uint32_t line_shift; /* log2 of the bytes that are written back together */
	uint32_t persists;   /* enum pd_persists */
};

/* The cache is lost: Px86 as published. */
#define PD_PARAMS_ADR ((struct pd_params){"adr", 6, PD_PERSISTS_FLUSH | PD_PERSISTS_MSYNC})

/* The cache survives; store buffers and non-temporal stores in flight do not. */
#define PD_PARAMS_EADR                                                                             \
	((struct pd_params){"eadr", 6, PD_PERSISTS_STORE | PD_PERSISTS_FLUSH | PD_PERSISTS_MSYNC})

/* An ordinary mapped file: the kernel may write pages back at any time, msync does so for
 * certain. */
#define PD_PARAMS_PAGE ((struct pd_params){"page", 12, PD_PERSISTS_MSYNC})

/* All of them: X(ID, name). */
#define PD_MODELS(X) X(ADR, "adr") X(EADR, "eadr") X(PAGE, "page")

/* The model of that name; NULL: there is none. */
const struct pd_params *pd_params_find(const char *name, size_t n);

enum { PD_LINE_SHIFT_MAX = 12 };

/* Power-fail atomicity: the aligned word that is written whole or not at all. (P2) */
enum { PD_WORD = 8 };

#endif
