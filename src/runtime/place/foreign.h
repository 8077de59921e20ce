/*
 * foreign.h - libraries that access PM and were not compiled with perdure cc.
 *
 * What such a library stores is found later (shadow.h): to the model its data can be lost for ever,
 * so that crashes after it may be impossible ones. What it flushes is seen by probes in its code
 * (access/probe.h). Three things reveal its stores and reads:
 *  1. A call of a function of PMDK that stores to PM or flushes it, in a library that is not linked
 *     with the runtime: instrumented code reports such calls by name (src/cc/crash/call.c). The
 *     first execution of check ends there; elsewhere it is a loss.
 *  2. A blind store. Then the libraries that instrumented objects need directly, and that are not
 *     the system's, are named: most likely it was one of them.
 *  3. A read in a recovery (veil.h). The function that made it is named, by its address and the
 *     calls that led there.
 *
 * Not covered: a library that was linked statically and only stores.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_PLACE_FOREIGN_H
#define PD_RUNTIME_PLACE_FOREIGN_H

#include "runtime/base/rt.h"
#include <link.h>

/* Whether a loaded object with this dynamic section (NULL: it has none) was linked with the
 * runtime: then it is not foreign. */
bool pd_foreign_is_instrumented(const ElfW(Dyn) * dynamic);

/* Whether an object of this path belongs to the C or C++ compiler or to perdure: what it does to PM
 * is known, or nothing. */
bool pd_foreign_is_system(const char *path);

/* Instrumented code is about to call this function; `first` is its first argument. False: it need
 * not report this again. */
bool pd_foreign_called(const char *name, uint64_t first, uint32_t site);

/* Whether the code at pc belongs to one of PMDK's libraries, whoever compiled it. */
bool pd_foreign_is_pmdk(const void *pc);

/* Code at pc, which was not instrumented, reads PM that a crash left open: a loss, reported by
 * name. */
void pd_foreign_reads(uintptr_t pc);

/* Libraries that may have made a blind store, separated by ", "; "": none is known. */
void pd_foreign_suspects(char *names, size_t n);

#endif
