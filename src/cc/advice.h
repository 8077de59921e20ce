/*
 * advice.h - what to do about a message of clang's that gcc would not have given.
 *
 * Only messages that leave no doubt: one that is not known gets no advice, and neither does one
 * that the program itself may be the reason of.
 */
#ifndef PD_CC_ADVICE_H
#define PD_CC_ADVICE_H

/* One line without its end; NULL: nothing is known. `said` is what clang, or the linker, printed;
 * without colours. */
const char *pd_advice(const char *said);

#endif
