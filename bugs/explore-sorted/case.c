/* explore-sorted - four bytes are sorted; where two in the middle are equal, the store is not flushed. */
#include "../pm.h"

struct median {
	LINE uint64_t value;
	LINE uint64_t doubled;
};

static int compare(const void *a, const void *b)
{
	return *(const uint8_t *)a - *(const uint8_t *)b;
}

int main(int argc, char **argv)
{
	struct median *m = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*m));
	uint8_t in[4];

	if (read(0, in, 4) != 4)
		return 0;
	qsort(in, 4, 1, compare);
	if (in[1] == in[2] && in[0] == 5) {
		m->doubled = in[1]; //@ store
#if FIXED
		pm_persist(&m->doubled, sizeof(m->doubled));
#endif
	} else {
		m->value = in[1];
		pm_persist(&m->value, sizeof(m->value));
	}
	return 0;
}
