/* lint-tail - a range is flushed from its address in steps of a line, and the last line is left out. */
#include "../pm.h"

struct file {
	char pad[40];
	char text[152];
} LINE;

static void flush_some(char *p, size_t n)
{
#if FIXED
	pm_flush(p, n);
#else
	for (size_t i = 0; i + 64 <= n; i += 64)
		pm_clwb(p + i); //@ flush
#endif
	pm_fence();
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	memset(f->text, 'x', sizeof(f->text)); //@ store
	flush_some(f->text, sizeof(f->text));
	return 0;
}
