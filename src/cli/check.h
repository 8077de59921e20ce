/*
 * check.h - the parts of `perdure check`: running it (cmd_check.c) and telling what came of it
 * (check_findings.c).
 */
#ifndef PD_CLI_CHECK_H
#define PD_CLI_CHECK_H

#include "engine/crash/board.h"
#include "report/result.h"

/* Turns what is on the board into findings: one a cause. */
void pd_check_findings(const struct pd_board *b, struct pd_result *r);

/* Pool names for addresses: "x.pm+0x40"; from the board's files. */
const char *pd_check_outcome_text(const struct pd_board_run *run, char *buf, size_t n);

#endif
