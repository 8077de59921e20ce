/*
 * shift-insert - a key is put into a sorted node by shifting the larger ones to the right. From the
 * right end, each moment has every key (one of them twice); from the left, keys pass through a
 * register and a crash loses them. All in one line, no flush until the end.
 */
#include "../pm.h"

enum { MAGIC = 0x541f7 };

struct file {
	LINE uint64_t magic;
	LINE uint64_t key[6]; /* ascending, 0 ends it */
};

static void insert(struct file *f, uint64_t new)
{
	uint64_t *k = f->key;
	int n = 0, at = 0;

	while (k[n])
		n++;
	while (k[at] && k[at] < new)
		at++;
	if (k[at] == new)
		return;
#if FIXED
	for (int i = n; i > at; i--)
		pm_set(&k[i], k[i - 1]);
	pm_set(&k[at], new);
#else
	for (int i = at; i <= n; i++) {
		uint64_t carry = k[i];

		pm_set(&k[i], new); //@ store
		new = carry;
	}
#endif
	pm_persist(k, sizeof(f->key));
}

static int has(const struct file *f, uint64_t key)
{
	for (int i = 0; i < 6; i++)
		if (pm_get(&f->key[i]) == key) //@ load
			return 1;
	return 0;
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (f->magic == MAGIC) {
		assert(has(f, 10) && has(f, 20) && has(f, 30)); //@ check
		return 0;
	}
	for (int i = 0; i < 3; i++)
		f->key[i] = (uint64_t)(i + 1) * 10;
	pm_persist(f->key, sizeof(f->key));
	pm_set(&f->magic, MAGIC);
	pm_persist(&f->magic, sizeof(f->magic));
	insert(f, 15);
	insert(f, 25);
	return 0;
}
