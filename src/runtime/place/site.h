/*
 * site.h - the places of the source, by number.
 *
 * Each instrumented object registers its array of sites from a constructor. Numbers are given in
 * the order of registration, from 1; 0 is "unknown". The order is the dynamic linker's, so equal
 * runs have equal numbers; what must be stable across builds (ids of findings) uses names, not
 * numbers. A driven program gets them before: a number is written to each site, and each execution
 * would get a copy of all these pages otherwise, however few of them it uses. A run that is
 * watched, and the executions in which its races are made to happen, have the same numbers.
 * Precision lost: the place of what an object does before its constructors have run, when the
 * constructor of a library calls into it.
 */
#ifndef PD_RUNTIME_PLACE_SITE_H
#define PD_RUNTIME_PLACE_SITE_H

#include "event/abi.h"
#include "base/types.h"

/* For all objects that are loaded, before their constructors have run. */
void pd_site_number_all(void);

/* NULL: no such site. */
const struct pd_site *pd_site_get(uint32_t id);

/* The path of the shared library that it is in; NULL: the program, or not known. */
const char *pd_site_library(uint32_t id);

/* Calls for each object, with the number of its first site, in the order of these. */
void pd_site_each_module(void (*each)(void *ctx, const struct pd_module *m, uint32_t first),
			 void *ctx);

/* True on the first call for this site. */
bool pd_site_first_use(uint32_t id);

/* Whether anything instrumented is loaded, registered or not yet. */
bool pd_site_any(void);

#endif
