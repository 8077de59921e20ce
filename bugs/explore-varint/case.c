/* explore-varint - a number of three bytes is beyond what the first slot takes; the other is not flushed. */
#include "../pm.h"

struct slots {
	LINE uint32_t small;
	LINE uint32_t large;
};

static int varint(const uint8_t *p, int n, uint32_t *v)
{
	int i;

	*v = 0;
	for (i = 0; i < n; i++) {
		*v |= (uint32_t)(p[i] & 0x7f) << 7 * i;
		if (!(p[i] & 0x80))
			return i + 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct slots *s = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*s));
	uint8_t in[3] = {0};
	uint32_t v;

	if (read(0, in, 3) != 3 || !varint(in, 3, &v))
		return 0;
	if (v < 0x4000) {
		s->small = v + 1;
		pm_persist(&s->small, sizeof(s->small));
	} else {
		s->large = v; //@ store
#if FIXED
		pm_persist(&s->large, sizeof(s->large));
#endif
	}
	return 0;
}
