/* explore-magic - a request with a magic number and an old version is stored without a fence. */
#include "../pm.h"

struct request {
	uint32_t magic;
	uint8_t version, op;
	uint16_t value;
};

struct store {
	LINE uint64_t last;
};

int main(int argc, char **argv)
{
	struct store *s = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*s));
	struct request r;

	if (read(0, &r, sizeof(r)) != sizeof(r))
		return 0;
	if (r.magic != 0x70657264u) {
		puts("not a request");
		return 0;
	}
	if (r.version == 1) {
		s->last = r.value & 0xff; //@ store
		pm_flush(&s->last, sizeof(s->last)); //@ flush
#if FIXED
		pm_fence();
#endif
	} else if (r.version == 2 && r.op < 4) {
		s->last = r.value;
		pm_persist(&s->last, sizeof(s->last));
	}
	return 0;
}
