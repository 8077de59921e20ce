/* lint-unlogged-unflushed - a transaction neither logs nor flushes one of the two accounts that it changes. */
#include "../pm.h"
#include "perdure.h"

struct file {
	LINE uint64_t from;
	LINE uint64_t to;
	LINE struct {
		uint64_t valid, at, old;
	} log[2];
};

/* As a library would do it: what is logged is flushed at the end. */
static struct {
	struct file *f;
	uint64_t *word[2];
	int n;
} tx;

static void tx_log(uint64_t *p)
{
	tx.f->log[tx.n].at = pm_offset(tx.f, p);
	tx.f->log[tx.n].old = *p;
	pm_persist(&tx.f->log[tx.n], sizeof(tx.f->log[0]));
	tx.f->log[tx.n].valid = 1;
	pm_persist(&tx.f->log[tx.n].valid, 8);
	pd_tx_add(p, 8);
	tx.word[tx.n++] = p;
}

static void tx_commit(void)
{
	for (int i = 0; i < tx.n; i++)
		pm_persist(tx.word[i], 8);
	for (int i = 0; i < tx.n; i++) {
		tx.f->log[i].valid = 0;
		pm_persist(&tx.f->log[i].valid, 8);
	}
	pd_tx_end();
}

static void transfer(struct file *f, uint64_t n)
{
	pd_tx_begin(); //@ transaction
	tx_log(&f->from);
#if FIXED
	tx_log(&f->to);
#endif
	f->from -= n;
	f->to += n; //@ store
	tx_commit();
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	tx.f = f;
	pd_tx_ignore(f->log, sizeof(f->log));
	transfer(f, 10);
	return 0;
}
