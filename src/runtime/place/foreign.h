/*
 * foreign.h - libraries that do things to PM and were not compiled with perdure cc.
 *
 * What such a library stores is found later (shadow.h), what it flushes is never seen: to the model
 * its data, and the program's that it was to make durable, can be lost for ever, so that every
 * crash after it is one that may not be possible. Two things show it:
 *
 *  1. A call of a function of PMDK that stores to PM or flushes it, in a library that does not need
 *     the runtime: instrumented code reports such calls by their names (src/cc/crash/call.c). The first
 *     execution of check ends there; elsewhere it is a loss.
 *  2. A blind store. Then the libraries that instrumented objects need directly, and that are not
 *     the system's, are named: one of them it was, most likely.
 *  3. A read in a recovery (veil.h). The function that did it is named, by its address and the
 *     calls that led there.
 *
 * What is missed: a library that only flushes, and is not PMDK's; one that was linked statically
 * and only stores.
 *
 * Thread rule: as in rt.h.
 */
#ifndef PD_RUNTIME_PLACE_FOREIGN_H
#define PD_RUNTIME_PLACE_FOREIGN_H

#include "runtime/base/rt.h"
#include <link.h>

/* Whether a loaded object, whose dynamic section this is (NULL: it has none), was linked with the
 * runtime. */
bool pd_foreign_not(const ElfW(Dyn) * dynamic);

/* Instrumented code is about to call this function; `first` is its first argument. False: it need
 * not ask again. */
bool pd_foreign_called(const char *name, uint64_t first, uint32_t site);

/* Whether the code at pc is of one of PMDK's libraries, whoever has compiled it. */
bool pd_foreign_is_pmdk(const void *pc);

/* Code at pc, which nobody has instrumented, reads PM that a crash left open: a loss, by its
 * name. */
void pd_foreign_reads(uintptr_t pc);

/* Who may have made a blind store, with ", " between; "" where nobody comes to mind. */
void pd_foreign_suspects(char *names, size_t n);

#endif
