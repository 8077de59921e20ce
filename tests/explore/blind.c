/* blind.c - a part of real.c that is not instrumented. */
void store_blindly(char *p, char c);

void store_blindly(char *p, char c)
{
	*(volatile char *)p = c;
}
