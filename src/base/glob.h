/*
 * glob.h - patterns for names: '*' is any run of characters, '?' any one, '/' too.
 */
#ifndef PD_BASE_GLOB_H
#define PD_BASE_GLOB_H

#include "base/types.h"

/* Names of functions, kinds, libraries: '[' and '\' are themselves, as in operator[]. */
bool pd_glob_name(const char *glob, const char *name);

/* Names of files: '[...]' and '\' as in the shell. */
bool pd_glob_file(const char *glob, const char *path);

/* A file, by its path as the user gave it (may be NULL), its absolute path, or its name alone.
 * "./x" is "x". */
bool pd_glob_path(const char *glob, const char *given, const char *abs);

#endif
