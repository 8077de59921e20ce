/*
 * tx.h - stores that a transaction makes without logging them.
 *
 * Transactions are as libpmemobj and perdure.h announce them: an undo log, one thread each, nested
 * ones part of the outermost. A store in one that is neither logged nor exempt is not undone if the
 * transaction does not commit, and not flushed if it does. So whichever of the two a crash finds,
 * recovery may see a part of the update.
 *
 * A word that locked instructions change may be a lock, which must not be logged: those stores are
 * left out. (`lint` looks at them again at the end.)
 *
 * Thread rule: one tracker per execution, fed in the order of the events.
 */
#ifndef PD_ENGINE_CRASH_TX_H
#define PD_ENGINE_CRASH_TX_H

#include "base/ranges.h"
#include "event/event.h"

enum { PD_TX_STORES = 1 << 16 }; /* further ones are not recorded */

/* A store, or the part of it that is not logged. */
struct pd_unlogged {
	uint32_t first; /* its words: indices in the log, from 1 */
	uint32_t last;
	uint64_t addr; /* offset in the window */
	uint64_t size;
	uint32_t place; /* number given by the front end */
	uint32_t begin; /* number of the place where the transaction began */
	uint32_t tx;	/* number of the transaction, from 1 */
	uint16_t tid;
	bool late; /* the transaction logged it after it had stored it: the new value */
};

struct pd_tx_thread {
	uint32_t depth; /* of nested ones */
	uint32_t begin;
	uint32_t tx;	/* number of the transaction that it began last */
	uint32_t found; /* so many unlogged stores came before it */
	uint32_t from;	/* length of the log when it began */
	struct pd_ranges logged;
	struct pd_ranges
		undone; /* all that it has ever logged: the commit removes it from `logged` */
};

struct pd_tx {
	struct pd_arena *arena;
	uint32_t n;			    /* transactions begun so far */
	PD_VEC(struct pd_tx_thread) thread; /* by number */
	struct pd_ranges exempt;	    /* from logging, in every transaction */
	PD_VEC(struct pd_unlogged) found;   /* in the order of the log */
};

/* The events that pd_tx_event is for. */
#define PD_TX_EVENTS                                                                               \
	(PD_EV_BIT(TX_BEGIN) | PD_EV_BIT(TX_ADD) | PD_EV_BIT(TX_REMOVE) | PD_EV_BIT(TX_IGNORE) |   \
	 PD_EV_BIT(TX_END) | PD_EV_BIT(TRANSIENT))

/* `order` is the length of the log. */
void pd_tx_event(struct pd_tx *t, const struct pd_event *e, uint32_t order, uint32_t place);

/* Whether a store of this thread has to be logged. */
bool pd_tx_is_open(const struct pd_tx *t, uint16_t tid);

/*
 * Handles a store whose words are those of the log from `before` up to `after`; false: it is
 * logged.
 */
bool pd_tx_store(struct pd_tx *t, const struct pd_event *e, uint32_t before, uint32_t after,
		 uint32_t place);

/*
 * Whether recovery from a crash now undoes word `number` of the log, at these addresses: the
 * transaction that stored it is open, and has logged all that it has stored. What recovery finds
 * there is the old value, or memory that is free again.
 *
 * Precision lost: a range that was logged without its contents, and was in use before, counts as
 * undone (libpmemobj's POBJ_XADD_NO_SNAPSHOT).
 */
bool pd_tx_undoes(const struct pd_tx *t, uint16_t tid, uint32_t number, uint64_t addr, uint64_t n);

/* Whether the transaction of this store has not ended yet. */
bool pd_unlogged_is_open(const struct pd_tx *t, const struct pd_unlogged *u);

/*
 * The unlogged store that word `order` of the log belongs to; NULL: it is logged, or in no
 * transaction.
 */
const struct pd_unlogged *pd_unlogged_find(const struct pd_unlogged *v, uint32_t n, uint32_t order);

#endif
