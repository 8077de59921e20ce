/*
 * explore-nomem - a record is marked busy in PM while it is copied. Where there is no memory for the copy, it
 * stays so: the mark is taken back without a flush.
 */
#include "../pm.h"

struct record {
	LINE uint32_t busy;
	uint32_t n;
	LINE uint8_t bytes[64];
};

static int update(struct record *r, uint8_t with)
{
	uint8_t *copy;

	r->busy = 1;
	pm_persist(&r->busy, sizeof(r->busy));
	copy = malloc(sizeof(r->bytes));
	if (!copy) {
		r->busy = 0; //@ store
#if FIXED
		pm_persist(&r->busy, sizeof(r->busy));
#endif
		return -1;
	}
	memset(copy, with, sizeof(r->bytes));
	memcpy(r->bytes, copy, sizeof(r->bytes));
	pm_persist(r->bytes, sizeof(r->bytes));
	r->busy = 0;
	pm_persist(&r->busy, sizeof(r->busy));
	free(copy);
	return 0;
}

int main(int argc, char **argv)
{
	struct record *r = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*r));

	return update(r, 1) || update(r, 2);
}
