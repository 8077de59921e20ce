/*
 * libdir.h - where perdure's own files are: the runtime, the compiler's parts, headers.
 *
 * Found from the running executable, so that a build tree and an installation both work without any
 * setting: <exe dir>/lib/perdure (build/perdure), <exe dir>/../lib/perdure (PREFIX/bin/perdure), or
 * the directory of the executable itself where that is such a directory (perdure-cc lives in it).
 */
#ifndef PD_HOST_LIBDIR_H
#define PD_HOST_LIBDIR_H

#include "base/types.h"

/* False: there is none. */
bool pd_libdir(char *buf, size_t size);

/* A file in it; false where the name does not fit or there is no such directory. */
bool pd_libdir_file(char *buf, size_t size, const char *name);

#endif
