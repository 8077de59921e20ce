/* explore-length - a record that is longer than a line is flushed as if it were not. */
#include "../pm.h"

struct log {
	LINE uint8_t bytes[128];
};

/* A length, a fill byte. */
int main(int argc, char **argv)
{
	struct log *l = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*l));
	uint8_t head[2], i, n;

	if (read(0, head, sizeof(head)) != sizeof(head))
		return 0;
	n = head[0];
	if (n < 62 || n > 66)
		return 0;
	for (i = 0; i < n; i++)
		l->bytes[i] = head[1]; //@ store
#if FIXED
	pm_persist(l->bytes, n);
#else
	pm_persist(l->bytes, n & 63 ? n & 63 : 64);
#endif
	return 0;
}
