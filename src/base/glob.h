/*
 * glob.h - patterns for names: '*' and '?' match every character, '/' too; '[...]' and '\' as in
 * the shell.
 */
#ifndef PD_BASE_GLOB_H
#define PD_BASE_GLOB_H

#include "base/types.h"

bool pd_glob_match(const char *glob, const char *text);

#endif
