/*
 * owner.h - whose code it is: the user's, a library's that the user did not build, an agent's that
 * acts for its caller, or the system's. One place for all engines.
 *
 *	system    libc, the C++ library, the dynamic linker, and perdure's own runtime, which takes
 *	          libc's place: they do what their caller wants
 *	agents    libpmem and the parts of libpmemobj that only copy and flush for their caller
 *	library   what is installed and was not compiled with perdure cc; PMDK's libraries, whoever
 *	          compiled them: a PMDK that was built for `check` is not what is tested; and code
 *	          of the headers of an installed library
 *	user      everything else
 */
#ifndef PD_FINDING_OWNER_H
#define PD_FINDING_OWNER_H

#include "base/arena.h"

enum pd_owner { PD_OWNER_USER, PD_OWNER_LIBRARY, PD_OWNER_AGENT, PD_OWNER_SYSTEM };

/* Of a function in an executable or shared library; object NULL: the program. */
enum pd_owner pd_owner_of(const char *object, bool instrumented, const char *function);

/*
 * PMDK may also be linked statically into the program. Then the source shows whose a function is:
 * "libpmemobj.a" for DIR/src/libpmemobj/tx.c, as in its own tree. NULL: it does not.
 */
const char *pd_owner_archive(const char *file);

/* The same if the executable or library of the function is known: that archive, or the object. */
const char *pd_owner_object(const char *object, const char *file);

/* "libpmemobj" of /usr/lib/x86_64-linux-gnu/libpmemobj.so.1.0.0 */
const char *pd_owner_library(struct pd_arena *a, const char *object);

/*
 * "libpmemobj" for /usr/include/libpmemobj/tx_base.h and for /usr/include/libpmemobj.h. NULL: not a
 * header of a library; those of the compiler and of the C++ library do what their caller wants.
 */
const char *pd_owner_header(struct pd_arena *a, const char *file);

/* Whether --libraries names it; entries are globs, "all" is every library. */
bool pd_owner_wanted(const char *const *libraries, uint32_t n, const char *library);

#endif
