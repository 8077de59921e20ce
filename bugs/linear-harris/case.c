/*
 * Harris's list: a sorted set without locks. A key is removed by a mark in its node's link, which is
 * made durable; whoever wants to change the list unlinks the marked nodes on its way. Who only looks
 * takes a marked node for removed, though the mark need not be durable yet.
 */
#include "../linear.h"

enum { NODES = 400 };
static const uint64_t MARK = 1;

struct node {
	uint64_t key LINE;
	uint64_t link; /* number of the next node, times 2; MARK: this one is removed */
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

/* The first node with a key that is not less; *before is its predecessor. All links up to there are
 * durable then. */
static uint64_t find(struct list *l, uint64_t key, uint64_t *before)
{
	uint64_t at = 0, link = pm_get(&l->node[0].link), next;

	pm_flush(&l->node[0], sizeof(struct node));
	while (link >> 1) {
		next = pm_get(&l->node[link >> 1].link);
		if (next & MARK) {
			if (!pm_cas(&l->node[at].link, &link, next & ~MARK)) //@ unlink
				return find(l, key, before);
			link = next & ~MARK;
		} else if (l->node[link >> 1].key >= key) {
			break;
		} else {
			at = link >> 1;
			link = next;
		}
		pm_flush(&l->node[at], sizeof(struct node));
	}
	pm_fence();
	*before = at;
	return link >> 1;
}

static void add(void *it, struct pd_linear_op *op)
{
	struct list *l = it;
	uint64_t key = op->arg[0].word, fresh = 0, before, at, expected;

	do {
		at = find(l, key, &before);
		if (at && l->node[at].key == key) {
			pd_linear_return(op, 0);
			return;
		}
		fresh = fresh ? fresh : nodes_take(NODES);
		if (!fresh) {
			pd_linear_return(op, PD_FAILED);
			return;
		}
		l->node[fresh].key = key;
		l->node[fresh].link = at << 1;
		pm_persist(&l->node[fresh], sizeof(struct node));
		expected = at << 1;
	} while (!pm_cas(&l->node[before].link, &expected, fresh << 1));
	pm_persist(&l->node[before].link, 8);
	pd_linear_return(op, 1);
}

static void remove_key(void *it, struct pd_linear_op *op)
{
	struct list *l = it;
	uint64_t key = op->arg[0].word, before, at, link;

	do {
		at = find(l, key, &before);
		if (!at || l->node[at].key != key) {
			pd_linear_return(op, 0);
			return;
		}
		link = pm_get(&l->node[at].link) & ~MARK;
	} while (!pm_cas(&l->node[at].link, &link, link | MARK)); //@ store
	pm_persist(&l->node[at].link, 8);
	find(l, key, &before); /* unlinks it */
	pd_linear_return(op, 1);
}

/* Unlinks nothing. */
static void contains(void *it, struct pd_linear_op *op)
{
	struct list *l = it;
	uint64_t at = 0, link, found = 0;

	do {
		link = pm_get(&l->node[at].link); //@ load
		if (at && l->node[at].key == op->arg[0].word)
			found |= !(link & MARK);
		if (FIXED || !(link & MARK))
			pm_flush(&l->node[at], sizeof(struct node));
		at = link >> 1;
	} while (at && l->node[at].key <= op->arg[0].word);
	pm_fence();
	pd_linear_return(op, found);
}

static const struct pd_linear_entry table[] = {{"add", {PD_NEW_KEY}, add, PD_MAY_FAIL},
					       {"remove", {PD_OLD_KEY}, remove_key, 0},
					       {"contains", {PD_ANY_KEY}, contains, 0},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("set", PD_DURABLE, table, open_it, close_it)
