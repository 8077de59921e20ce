/*
 * undo-log-late - a transfer between two accounts under an undo log. The entry must be durable
 * before the data changes; here it is flushed together with the data.
 */
#include "../pm.h"

enum { SUM = 100 };

struct file {
	LINE uint64_t a;
	LINE uint64_t b;
	LINE uint64_t valid; /* the log: one line, valid stored last */
	uint64_t old_a, old_b;
};

static void transfer(struct file *f, uint64_t amount)
{
	f->old_a = f->a;
	f->old_b = f->b;
	pm_set(&f->valid, 1); //@ store
#if FIXED
	pm_persist(&f->valid, sizeof(f->valid));
#endif
	f->a -= amount; //@ store
	f->b += amount; //@ store
	pm_flush(&f->valid, sizeof(f->valid));
	pm_flush(&f->a, sizeof(f->a));
	pm_flush(&f->b, sizeof(f->b));
	pm_fence();
	pm_set(&f->valid, 0);
	pm_persist(&f->valid, sizeof(f->valid));
}

static void recover(struct file *f)
{
	if (f->valid) { //@ load
		f->a = f->old_a;
		f->b = f->old_b;
		pm_flush(&f->a, sizeof(f->a));
		pm_persist(&f->b, sizeof(f->b));
		pm_set(&f->valid, 0);
		pm_persist(&f->valid, sizeof(f->valid));
	}
	if (f->a + f->b != SUM && f->a + f->b != 0) { //@ load
		fprintf(stderr, "%d in the accounts\n", (int)(f->a + f->b));
		exit(1);
	}
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	recover(f);
	if (f->a + f->b == 0) {
		pm_set(&f->a, SUM);
		pm_persist(&f->a, sizeof(f->a));
	}
	if (f->a >= 30)
		transfer(f, 30);
	return 0;
}
