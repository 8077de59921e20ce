/*
 * list.h - perdure help --list: the lists that --help shows, for programs.
 *
 * Manual pages (tools/man) and shell completion (src/cli/complete) are generated from it, so they
 * contain what --help does. One line per item, with fields separated by tabs:
 *
 *	arguments  PROGRAM [ARGS]
 *	about      what the verb does
 *	end        text at the end
 *	option     --jobs  -j  N  VALUES  help      -j and N may be empty; "[N]": it may be left out
 *	kind       lint/missing-flush  correctness  what it means
 *
 * VALUES: words separated by spaces; words in capitals are placeholders: FILE, DIR, KIND.
 *
 * Thread rule: the main thread, at the start.
 */
#ifndef PD_CLI_LIST_H
#define PD_CLI_LIST_H

#include "cli/options.h"

void pd_list_command(const struct pd_command *cmd, FILE *f);

/* The findings of the last run in this directory: ID, kind and message. Nothing if there are
 * none. */
void pd_list_ids(FILE *f);

#endif
