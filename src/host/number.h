/* number.h - numbers and times of a command line. */
#ifndef PD_HOST_NUMBER_H
#define PD_HOST_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

/* Decimal, or hexadecimal after 0x; nothing else around it. False: it is none, or out of range. */
bool pd_parse_u64(const char *s, uint64_t min, uint64_t max, uint64_t *v);

/* "60s", "5m", "1h", "200ms"; without a unit in seconds. */
bool pd_parse_time(const char *s, uint64_t *ms);

#endif
