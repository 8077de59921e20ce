/*
 * fields.h - the names of struct members, from the debug information of the program.
 *
 * A site says which struct an access is to, and its offset there (struct pd_site, type and offset);
 * here that becomes a name: "node.next", "table.slot.key", and for the bit-fields of one word
 * "flags.dirty,locked".
 */
#ifndef PD_REPORT_FIELDS_H
#define PD_REPORT_FIELDS_H

#include "report/symbols.h"

/* Takes the compiler's name of a type ("ns::list", "node.12") and its size, then the bytes in it.
 * NULL: no such type or member is known. */
const char *pd_field_name(struct pd_symbols *s, struct pd_arena *a, const char *type,
			  uint32_t type_size, uint32_t offset, uint32_t size);

#endif
