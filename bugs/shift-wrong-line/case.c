/*
 * shift-wrong-line - deleting from a sorted array shifts the rest to the left and flushes when a
 * line is left; but it flushes where the array begins, not the line that was changed.
 */
#include "../pm.h"

enum { KEYS = 18, MAGIC = 0x50f7 };

struct file {
	LINE uint64_t magic;
	uint64_t deleted;	     /* keys below this one are gone */
	LINE uint64_t key[KEYS + 1]; /* ascending, 0 ends it */
};

static void delete_first(struct file *f)
{
	uint64_t first = f->key[0];

	for (int i = 0; i < KEYS; i++) {
		pm_set(&f->key[i], f->key[i + 1]); //@ store
		if (i % 8 == 7 || f->key[i] == 0) {
#if FIXED
			pm_persist(&f->key[i], sizeof(f->key[i]));
#else
			pm_persist(&f->key[0], sizeof(f->key[i])); //@ flush
#endif
		}
		if (f->key[i] == 0)
			break;
	}
	pm_set(&f->deleted, first);
	pm_persist(&f->deleted, sizeof(f->deleted));
}

/* A torn shift leaves one key twice, side by side; recovery would remove it. More is an error. */
static void recover(struct file *f)
{
	int twice = 0;

	for (int i = 0; f->key[i]; i++)		     //@ load
		twice += f->key[i] == f->key[i + 1]; //@ load
	if (f->deleted >= 1 && twice) {
		fprintf(stderr, "%d keys are back after they were deleted\n", twice);
		exit(1);
	}
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	if (f->magic == MAGIC) {
		recover(f);
		return 0;
	}
	for (int i = 0; i < KEYS; i++)
		f->key[i] = (uint64_t)i + 1;
	f->key[KEYS] = 0;
	pm_persist(f->key, sizeof(f->key));
	pm_set(&f->magic, MAGIC);
	pm_persist(&f->magic, sizeof(f->magic));
	delete_first(f);
	return 0;
}
