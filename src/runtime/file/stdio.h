/*
 * file/stdio.h - FILEs on pools: what stdio.c and wide.c share.
 *
 * Thread rule: the list is touched driven only, under the baton.
 */
#ifndef PD_RUNTIME_FILE_STDIO_H
#define PD_RUNTIME_FILE_STDIO_H

#include <stdbool.h>
#include <stdio.h>

struct pd_stream {
	FILE *f;
	int fd;
	bool narrow; /* bytes were read */
	FILE *wide;  /* what its wide characters are read from; NULL: none was read yet */
	struct pd_stream *next;
};

/* NULL: not one of ours. It need not point to a FILE. */
struct pd_stream *pd_stream_find(const void *f);

/* It reads bytes again, from where its descriptor is. */
void pd_stream_narrow(struct pd_stream *s);

#endif
