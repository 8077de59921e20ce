/* own-log - a program has its own undo log, which nobody knows of, and forgets to log a field. */
#include "../pm.h"

struct entry {
	LINE uint64_t *at;
	uint64_t old;
};

struct file {
	LINE uint64_t logged; /* entries that count */
	struct entry log[4];
	LINE uint64_t from;
	LINE uint64_t to;
	LINE uint64_t transfers;
};

static struct file *f;

static void persist(const void *p)
{
	_mm_clflush(p);
	_mm_sfence();
}

static void set_logged(uint64_t n)
{
	pm_set(&f->logged, n);
	persist(&f->logged);
}

static void record(uint64_t *at)
{
	struct entry *e = &f->log[f->logged];

	pm_set(&e->at, at);
	pm_set(&e->old, *at);
	persist(e);
	set_logged(f->logged + 1);
}

static void roll_back(void)
{
	for (uint64_t i = pm_get(&f->logged); i-- > 0;) {
		pm_set(f->log[i].at, f->log[i].old);
		persist(f->log[i].at);
	}
	set_logged(0);
}

static void transfer(uint64_t n)
{
	record(&f->from);
	record(&f->to);
#if FIXED
	record(&f->transfers);
#endif
	pm_set(&f->transfers, f->transfers + n); //@ store
	pm_set(&f->from, f->from - n);
	pm_set(&f->to, f->to + n);
	persist(&f->transfers);
	persist(&f->from);
	persist(&f->to);
	set_logged(0);
}

int main(int argc, char **argv)
{
	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	roll_back();
	assert(f->from + f->to == 0 && f->to == f->transfers); //@ check
	transfer(1);
	transfer(2);
	return 0;
}
