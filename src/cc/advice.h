/*
 * advice.h - what to do about messages of clang that gcc would not have given.
 *
 * Advice is given only where there is no doubt: not for an unknown message, nor for one that the
 * program itself may have caused.
 */
#ifndef PD_CC_ADVICE_H
#define PD_CC_ADVICE_H

/* One line without its newline; NULL: no advice. `said` is what clang, or the linker, printed,
 * without colours. */
const char *pd_advice(const char *said);

#endif
