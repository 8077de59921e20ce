/* explore-recovery - what recovery does with an image that no run of this program has left. */
#include "../pm.h"

struct log {
	LINE uint8_t dirty;
	uint8_t entries, kind;
	LINE uint64_t value;
	LINE uint64_t old;
	LINE uint64_t runs;
};

static void recover(struct log *l)
{
	if (l->dirty != 1 || l->entries == 0 || l->entries > 2)
		return;
	if (l->kind == 0x10) {
		l->value = l->old;
		pm_persist(&l->value, sizeof(l->value));
	} else if (l->kind == 0x11) {
		l->value = l->old + 1; //@ store
#if FIXED
		pm_persist(&l->value, sizeof(l->value));
#endif
	}
	l->dirty = 0;
	pm_persist(l, 1);
}

int main(int argc, char **argv)
{
	struct log *l = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*l));

	recover(l);
	l->runs++;
	pm_persist(&l->runs, sizeof(l->runs));
	return 0;
}
