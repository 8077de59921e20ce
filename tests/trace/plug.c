/* plug.c - a library that writes to PM: instrumented and loaded at run time, or not instrumented. */
#include <stdint.h>
#include <string.h>

void plug(uint64_t *pm);

void plug(uint64_t *pm)
{
	pm[0] = 42;
	pm[8] = 43;
}
