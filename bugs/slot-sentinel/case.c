/*
 * slot-sentinel - a slot is reserved with a mark, then filled. Whoever meets the mark waits for the
 * key. After a crash nobody is going to fill it.
 */
#include "../pm.h"

#define RESERVED UINT64_MAX
enum { SLOTS = 4 };

struct file {
	struct slot {
		uint64_t key, value;
	} slot[SLOTS];
};

static uint64_t key_of(struct slot *s)
{
	uint64_t key;

	while ((key = pm_get(&s->key)) == RESERVED) //@ load
		_mm_pause();
	return key;
}

static void put(struct file *f, uint64_t key)
{
	for (uint64_t i = key % SLOTS;; i = (i + 1) % SLOTS) {
		struct slot *s = &f->slot[i];
		uint64_t empty = 0;

		if (key_of(s) == key)
			return;
		if (!pm_cas(&s->key, &empty, RESERVED)) //@ store
			continue;
		pm_set(&s->value, key * 2); //@ store
		pm_set(&s->key, key);	    //@ store
		pm_persist(s, sizeof(*s));
		return;
	}
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

#if FIXED
	for (int i = 0; i < SLOTS; i++)
		if (f->slot[i].key == RESERVED)
			pm_set(&f->slot[i].key, 0);
#endif
	put(f, 1);
	put(f, 2);
	put(f, 5);
	return 0;
}
