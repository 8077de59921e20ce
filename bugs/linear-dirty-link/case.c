/*
 * A sorted set without locks, by link-and-persist: a new link has a bit that says that it need not be
 * durable yet, and whoever comes along such a link makes it durable and takes the bit away. Who only
 * looks for a key does not care about the bit.
 */
#include "../linear.h"

enum { NODES = 400 };
static const uint64_t DIRTY = 1; /* of a link, which is the number of a node, times 2 */

struct node {
	uint64_t key LINE;
	uint64_t link;
};

struct list {
	uint64_t limit LINE;
	struct node node[NODES]; /* 0 is the head */
};

static void recover(struct list *l)
{
	nodes_open(&l->limit);
}

RECOVERED(struct list, recover)

static uint64_t settled(uint64_t *link)
{
	uint64_t word = pm_get(link), clean = word & ~DIRTY;

	if (word & DIRTY) {
		pm_persist(link, 8);
		pm_cas(link, &word, clean);
	}
	return clean;
}

static void add(void *it, struct pd_linear_op *op)
{
	struct list *l = it;
	uint64_t key = op->arg[0].word, fresh = 0, at, link;

	do {
		at = 0;
		while ((link = settled(&l->node[at].link)) && l->node[link >> 1].key < key)
			at = link >> 1;
		if (link && l->node[link >> 1].key == key) {
			pd_linear_return(op, 0);
			return;
		}
		fresh = fresh ? fresh : nodes_take(NODES);
		if (!fresh) {
			pd_linear_return(op, PD_FAILED);
			return;
		}
		l->node[fresh].key = key;
		l->node[fresh].link = link;
		pm_persist(&l->node[fresh], sizeof(struct node));
	} while (!pm_cas(&l->node[at].link, &link, fresh << 1 | DIRTY)); //@ store
	settled(&l->node[at].link);
	pd_linear_return(op, 1);
}

static void contains(void *it, struct pd_linear_op *op)
{
	struct list *l = it;
	uint64_t key = op->arg[0].word, at = 0, have = 0;

	do {
		at = FIXED ? settled(&l->node[at].link) : pm_get(&l->node[at].link); //@ load
		at >>= 1;
		have = at ? l->node[at].key : 0;
	} while (at && have < key);
	pd_linear_return(op, have == key);
}

static const struct pd_linear_entry table[] = {{"add", {PD_NEW_KEY}, add, PD_MAY_FAIL},
					       {"contains", {PD_ANY_KEY}, contains, 0},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("set", PD_DURABLE, table, open_it, close_it)
