/*
 * recovery-no-flush - recovery rolls back from an undo log and then discards the log, but it does
 * not flush what it rolled back. The second crash takes the rollback away, and the log is gone.
 */
#include "../pm.h"

enum { MAGIC = 0x4ec };

struct file {
	LINE uint64_t magic;
	LINE uint64_t a;
	LINE uint64_t b;
	LINE uint64_t logged; /* in one line with the old values, and stored last */
	uint64_t old_a, old_b;
};

static void discard_log(struct file *f)
{
	pm_set(&f->logged, 0);
	pm_persist(&f->logged, sizeof(f->logged));
}

static void change(struct file *f)
{
	f->old_a = f->a;
	f->old_b = f->b;
	pm_set(&f->logged, 1);
	pm_persist(&f->logged, sizeof(f->logged));
	pm_set(&f->a, f->a + 1); //@ first
	pm_persist(&f->a, sizeof(f->a));
	pm_set(&f->b, f->b + 1);
	pm_persist(&f->b, sizeof(f->b));
	discard_log(f);
}

static void recover(struct file *f)
{
	if (f->logged) {
		pm_set(&f->a, f->old_a); //@ store
		pm_set(&f->b, f->old_b); //@ store
#if FIXED
		pm_flush(&f->a, sizeof(f->a));
		pm_flush(&f->b, sizeof(f->b));
		pm_fence();
#endif
		discard_log(f);
	}
	if (f->a != f->b) { //@ load
		fprintf(stderr, "a is %d, b is %d\n", (int)f->a, (int)f->b);
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
	pm_set(&f->magic, MAGIC);
	pm_persist(&f->magic, sizeof(f->magic));
	change(f);
	return 0;
}
