/*
 * A lock-free set, as a list of keys. A key is added by a compare-and-swap of the head, behind which its
 * node is durable; the head is not made durable before the addition returns.
 */
#include "../linear.h"

enum { NODES = 200 };

struct list {
	uint64_t head; /* number of a node; 0: none */
	uint64_t used LINE;
	struct {
		uint64_t key, next;
	} node[NODES] LINE;
};

MAPPED(struct list)

static uint64_t find(struct list *l, uint64_t at, uint64_t key)
{
	while (at && l->node[at].key != key)
		at = l->node[at].next;
	return at;
}

static void add(void *it, struct pd_linear_op *op)
{
	struct list *l = it;
	uint64_t key = op->arg[0].word, head = pm_get(&l->head), fresh = 0;

	do {
		if (find(l, head, key)) {
#if FIXED
			pm_persist(&l->head, 8); /* another one's */
#endif
			pd_linear_return(op, 0);
			return;
		}
		if (!fresh) {
			fresh = __atomic_add_fetch(&l->used, 1, __ATOMIC_SEQ_CST);
			pm_persist(&l->used, 8);
		}
		if (fresh >= NODES) {
			pd_linear_return(op, PD_FAILED);
			return;
		}
		l->node[fresh].key = key;
		l->node[fresh].next = head;
		pm_persist(&l->node[fresh], sizeof(l->node[fresh]));
	} while (!pm_cas(&l->head, &head, fresh)); //@ store
#if FIXED
	pm_persist(&l->head, 8);
#endif
	pd_linear_return(op, 1);
}

static void contains(void *it, struct pd_linear_op *op)
{
	struct list *l = it;
	uint64_t head = pm_get(&l->head); //@ load

#if FIXED
	pm_persist(&l->head, 8);
#endif
	pd_linear_return(op, find(l, head, op->arg[0].word) != 0);
}

static const struct pd_linear_entry table[] = {{"add", {PD_NEW_KEY}, add, PD_MAY_FAIL},
					       {"contains", {PD_ANY_KEY}, contains, 0},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("set", PD_DURABLE, table, open_it, close_it)
