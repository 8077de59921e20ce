/* reach_lib.c - see reach_lib.h. */
#include "reach_lib.h"

void library_store(char *to, char c)
{
	to[2] = c; /* PM */
	if (c == 'x')
		to[3] = c; /* PM */
}

void library_note(char *to, char c)
{
	to[1] = c; /* no PM: who calls it gives it none */
	if (c == 'x')
		to[2] = c;
}
