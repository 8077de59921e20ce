/* lint-unlogged - a transaction logs one of the two accounts that it changes. */
#include "../pm.h"
#include "perdure.h"

struct file {
	LINE uint64_t balance[2];
	LINE struct {
		uint64_t valid, at, old;
	} log[2];
};

static void log_word(struct file *f, int i, uint64_t *p)
{
	f->log[i].at = pm_offset(f, p);
	f->log[i].old = *p;
	pm_persist(&f->log[i], sizeof(f->log[i]));
	f->log[i].valid = 1;
	pm_persist(&f->log[i].valid, 8);
	pd_tx_add(p, 8);
}

static void transfer(struct file *f, uint64_t n)
{
	pd_tx_begin(); //@ transaction
	log_word(f, 0, &f->balance[0]);
#if FIXED
	log_word(f, 1, &f->balance[1]);
#endif
	f->balance[0] -= n;
	f->balance[1] += n; //@ store
	pm_persist(f->balance, sizeof(f->balance));
	f->log[0].valid = 0;
	pm_persist(&f->log[0].valid, 8);
#if FIXED
	f->log[1].valid = 0;
	pm_persist(&f->log[1].valid, 8);
#endif
	pd_tx_end();
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	pd_tx_ignore(f->log, sizeof(f->log));
	transfer(f, 10);
	return 0;
}
