/*
 * libdir.h - perdure's own files: the runtime, the compiler's parts, headers.
 *
 * They are found relative to the running executable, so that a build tree and an installation both
 * work without configuration: <exe dir>/lib/perdure (build/perdure), <exe dir>/../lib/perdure
 * (PREFIX/bin/perdure), or the directory of the executable itself if it is such a directory (for
 * perdure-cc).
 */
#ifndef PD_HOST_LIBDIR_H
#define PD_HOST_LIBDIR_H

#include "base/types.h"

/* False: none found. */
bool pd_libdir(char *buf, size_t size);

/* The path of a file in it; false if it is too long or there is no such directory. */
bool pd_libdir_file(char *buf, size_t size, const char *name);

#endif
