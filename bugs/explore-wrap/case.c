/* explore-wrap - where the ring wraps round, what is behind the bounds check is not flushed. */
#include "../pm.h"

enum { SLOTS = 8 };

struct ring {
	LINE uint64_t head;
	struct {
		LINE uint64_t v;
	} slot[SLOTS];
};

static void push(struct ring *r, uint64_t at, uint8_t v)
{
	r->slot[at].v = v;
	pm_persist(&r->slot[at].v, sizeof(r->slot[at].v));
	if (at + 1 < SLOTS) {
		r->head = at + 1;
		pm_persist(&r->head, sizeof(r->head));
	} else {
		r->head = 0; //@ store
#if FIXED
		pm_persist(&r->head, sizeof(r->head));
#endif
	}
}

int main(int argc, char **argv)
{
	struct ring *r = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*r));
	uint8_t in[2];

	if (read(0, in, 2) != 2)
		return 0;
	if (in[0] >= SLOTS)
		return 0;
	push(r, in[0], in[1] | 1);
	return 0;
}
