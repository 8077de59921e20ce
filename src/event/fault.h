/*
 * fault.h - calls of a program that fail because the input says so (fault.def).
 *
 * The calls that may fail are numbered from 1, in the order in which the program makes them, over
 * all threads. An input lists those that fail, and how; all others are made normally.
 */
#ifndef PD_EVENT_FAULT_H
#define PD_EVENT_FAULT_H

#include "base/types.h"

enum pd_fault {
	PD_FAULT_NONE,
#define PD_FAULT(ID, name, error) PD_FAULT_##ID,
#include "event/fault.def"
	PD_FAULTS
};

#define PD_FAULT_BIT(ID) (1u << PD_FAULT_##ID)

enum pd_faulty {
#define PD_FAULTY(function, faults) PD_FAULTY_##function,
#include "event/fault.def"
	PD_FAULTIES
};

/* How a call of the function may fail: bit set. */
uint32_t pd_faulty_how(enum pd_faulty f);
const char *pd_faulty_name(enum pd_faulty f);
const char *pd_fault_name(enum pd_fault f);

/* Parses a line of the file `faults` of an input, such as "12 pwrite ENOSPC at store.c:41"; the
 * place is for readers only. False: it is malformed. */
bool pd_fault_parse(const char *line, uint32_t *call, enum pd_faulty *f, enum pd_fault *how);

#endif
