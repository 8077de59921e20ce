/*
 * A queue with a lock and transactions: an undo log has the words as they were, and says whether it
 * counts. The lock is given back before the transaction is committed: recovery may roll back what
 * others have seen, and built upon.
 */
#include "../linear.h"

enum { ROOM = 200, LOGS = 4, MOST = 3 };

struct undo {
	uint64_t counts LINE;
	uint64_t n;
	struct {
		uint64_t offset, was;
	} word[MOST];
};

struct queue {
	uint64_t unused LINE; /* offset 0 is no offset */
	uint64_t first LINE, last LINE;
	uint64_t value[ROOM] LINE;
	struct undo undo[LOGS];
};

static unsigned char in_use[LOGS]; /* by the transaction that waits for its commit */

static void recover(struct queue *q)
{
	memset(in_use, 0, sizeof(in_use));
	for (int i = 0; i < LOGS; i++) {
		struct undo *u = &q->undo[i];

		for (uint64_t k = u->counts ? u->n : 0; k-- > 0;) { //@ load
			uint64_t *p = (uint64_t *)pm_at(q, u->word[k].offset);

			*p = u->word[k].was;
			pm_persist(p, 8);
		}
		pm_set(&u->counts, 0);
		pm_persist(&u->counts, 8);
	}
}

RECOVERED(struct queue, recover)

/* ---- transactions; who begins one has the lock ---- */

static struct undo *begin(struct queue *q, uint64_t *const *words, uint64_t n)
{
	int i = 0;

	while (__atomic_test_and_set(&in_use[i], __ATOMIC_ACQUIRE)) {
		i = (i + 1) % LOGS;
		_mm_pause();
	}
	q->undo[i].n = n;
	for (uint64_t k = 0; k < n; k++) {
		q->undo[i].word[k].offset = pm_offset(q, words[k]);
		q->undo[i].word[k].was = *words[k];
	}
	pm_persist(&q->undo[i], sizeof(struct undo));
	pm_set(&q->undo[i].counts, 1);
	pm_persist(&q->undo[i].counts, 8);
	return &q->undo[i];
}

static void commit(struct queue *q, struct undo *u)
{
	pm_set(&u->counts, 0);	   //@ store
	pm_persist(&u->counts, 8); //@ commit
	unlock_it(&in_use[u - q->undo]);
}

static void finish(struct queue *q, struct undo *u)
{
#if FIXED
	commit(q, u);
	unlock();
#else
	unlock(); //@ unlock
	commit(q, u);
#endif
}

/* ---- operations ---- */

static void enqueue(void *it, struct pd_linear_op *op)
{
	struct queue *q = it;
	struct undo *u;

	lock();
	if (q->last == ROOM) {
		pd_linear_return(op, PD_FAILED);
		unlock();
		return;
	}
	u = begin(q, (uint64_t *[]){&q->value[q->last], &q->last}, 2);
	q->value[q->last] = op->arg[0].word;
	pm_persist(&q->value[q->last], 8);
	pm_set(&q->last, q->last + 1);
	pm_persist(&q->last, 8);
	pd_linear_return(op, 1);
	finish(q, u);
}

static void dequeue(void *it, struct pd_linear_op *op)
{
	struct queue *q = it;
	struct undo *u;

	lock();
	if (q->first == q->last) {
		pd_linear_return(op, PD_NONE);
		unlock();
		return;
	}
	u = begin(q, (uint64_t *[]){&q->first}, 1);
	pd_linear_return(op, q->value[q->first]);
	pm_set(&q->first, q->first + 1);
	pm_persist(&q->first, 8);
	finish(q, u);
}

static void peek(void *it, struct pd_linear_op *op)
{
	struct queue *q = it;

	lock();
	pd_linear_return(op, q->first == q->last ? PD_NONE : q->value[q->first]);
	unlock();
}

static const struct pd_linear_entry table[] = {{"enqueue", {PD_VALUE}, enqueue, PD_MAY_FAIL},
					       {"dequeue", {PD_NO_ARG}, dequeue, 0},
					       {"peek", {PD_NO_ARG}, peek, 0},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("queue", PD_DURABLE, table, open_it, close_it)
