/* plug.c - a library that writes to PM: instrumented and loaded at run time, or not instrumented. */
#include <stdint.h>
#include <string.h>

void plug(uint64_t *pm);

void plug(uint64_t *pm)
{
	pm[0] = 42;
	pm[8] = 43;
#ifdef MANY
	for (int i = 16; i < (2 << 20) / 8; i += 2)
		pm[i] = 42;
#endif
}
