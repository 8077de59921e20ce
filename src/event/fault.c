/* fault.c - the tables that fault.def makes, and a line of the file `faults`. See fault.h. */
#include "event/fault.h"

uint32_t pd_faulty_how(enum pd_faulty f)
{
	static const uint32_t how[PD_FAULTIES] = {
#define PD_FAULTY(function, faults) [PD_FAULTY_##function] = faults,
#include "event/fault.def"
	};

	return f < PD_FAULTIES ? how[f] : 0;
}

const char *pd_faulty_name(enum pd_faulty f)
{
	static const char *const names[PD_FAULTIES] = {
#define PD_FAULTY(function, faults) [PD_FAULTY_##function] = #function,
#include "event/fault.def"
	};

	return f < PD_FAULTIES ? names[f] : "?";
}

const char *pd_fault_name(enum pd_fault f)
{
	static const char *const names[PD_FAULTS] = {
		"none",
#define PD_FAULT(ID, name, error) [PD_FAULT_##ID] = name,
#include "event/fault.def"
	};

	return f < PD_FAULTS ? names[f] : "?";
}

/* Skips the next word if it is this one; NULL: it is another one. */
static const char *skip_word(const char *s, const char *word)
{
	while (*word && *s == *word)
		s++, word++;
	return !*word && (!*s || *s == ' ' || *s == '\n') ? s + (*s == ' ') : NULL;
}

bool pd_fault_parse(const char *line, uint32_t *call, enum pd_faulty *f, enum pd_fault *how)
{
	const char *s = line, *rest = NULL;
	uint32_t n = 0;

	for (; *s >= '0' && *s <= '9' && n < 100000000; s++)
		n = 10 * n + (uint32_t)(*s - '0');
	if (!n || *s++ != ' ')
		return false;
	*call = n;
	for (uint32_t i = 0; i < PD_FAULTIES && !rest; i++) {
		rest = skip_word(s, pd_faulty_name((enum pd_faulty)i));
		*f = (enum pd_faulty)i;
	}
	if (!rest)
		return false;
	s = rest;
	for (uint32_t i = PD_FAULT_NONE + 1; i < PD_FAULTS; i++)
		if (skip_word(s, pd_fault_name((enum pd_fault)i))) {
			*how = (enum pd_fault)i;
			return pd_faulty_how(*f) >> i & 1;
		}
	return false;
}
