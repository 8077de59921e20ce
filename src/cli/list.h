/*
 * list.h - perdure help --list: the same lists that --help shows, for programs.
 *
 * Manual pages (tools/man) and what shells complete (src/cli/complete) are made of it, so they have what
 * --help has. A line for each thing, its fields with tabs between them:
 *
 *	arguments  PROGRAM [ARGS]
 *	about      what the verb does
 *	end        what is to be said at the end
 *	option     --jobs  -j  N  VALUES  help      -j and N may be empty; "[N]": it may be left out
 *	kind       lint/missing-flush  correctness  what it means
 *
 * VALUES: words with spaces between them; in capitals what is no word itself: FILE, DIR, KIND.
 *
 * Thread rule: the main thread, at the start.
 */
#ifndef PD_CLI_LIST_H
#define PD_CLI_LIST_H

#include "cli/options.h"

void pd_list_command(const struct pd_command *cmd, FILE *f);

/* The findings of the last run in this directory: ID, and kind and message. Nothing where there are none. */
void pd_list_ids(FILE *f);

#endif
