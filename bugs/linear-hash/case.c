/*
 * A map without locks: buckets of chains that grow at their head. A value is in the second line of its
 * node, which is not flushed before the node is published.
 */
#include "../linear.h"

enum { NODES = 400, BUCKETS = 4 };
static const uint64_t GONE = UINT64_MAX;

struct node {
	uint64_t key LINE;
	uint64_t next;
	uint64_t value LINE; /* GONE: removed for good, there is no way back */
};

struct hash {
	uint64_t limit LINE;
	struct {
		uint64_t head LINE;
	} bucket[BUCKETS];
	struct node node[NODES];
};

static void recover(struct hash *h)
{
	nodes_open(&h->limit);
}

RECOVERED(struct hash, recover)

static uint64_t *bucket_of(struct hash *h, uint64_t key)
{
	return &h->bucket[key * 0x9e3779b97f4a7c15u >> 62].head;
}

static struct node *find(struct hash *h, uint64_t at, uint64_t key)
{
	for (; at; at = h->node[at].next) {
		if (h->node[at].key != key)
			continue;
		if (pm_get(&h->node[at].value) != GONE)
			return &h->node[at];
		pm_persist(&h->node[at].value, 8);
	}
	return NULL;
}

static void insert(void *it, struct pd_linear_op *op)
{
	struct hash *h = it;
	uint64_t key = op->arg[0].word, *bucket = bucket_of(h, key), head = pm_get(bucket),
		 fresh = 0;

	do {
		if (find(h, head, key)) {
			pm_persist(bucket, 8);
			pd_linear_return(op, 0);
			return;
		}
		fresh = fresh ? fresh : nodes_take(NODES);
		if (!fresh) {
			pd_linear_return(op, PD_FAILED);
			return;
		}
		h->node[fresh].key = key;
		h->node[fresh].next = head;
		h->node[fresh].value = op->arg[1].word;			       //@ store
		pm_persist(&h->node[fresh], FIXED ? sizeof(struct node) : 16); //@ flush
	} while (!pm_cas(bucket, &head, fresh));
	pm_persist(bucket, 8);
	pd_linear_return(op, 1);
}

static void get(void *it, struct pd_linear_op *op)
{
	struct hash *h = it;
	uint64_t *bucket = bucket_of(h, op->arg[0].word), value = GONE;
	struct node *n = find(h, pm_get(bucket), op->arg[0].word);

	pm_persist(bucket, 8);
	if (n) {
		value = pm_get(&n->value); //@ load
		if (value == GONE)
			pm_persist(&n->value, 8);
	}
	pd_linear_return(op, value == GONE ? PD_NONE : value);
}

static void remove_key(void *it, struct pd_linear_op *op)
{
	struct hash *h = it;
	uint64_t *bucket = bucket_of(h, op->arg[0].word), value = GONE;
	struct node *n = find(h, pm_get(bucket), op->arg[0].word);

	pm_persist(bucket, 8);
	if (n) {
		value = __atomic_exchange_n(&n->value, GONE, __ATOMIC_SEQ_CST);
		pm_persist(&n->value, 8);
	}
	pd_linear_return(op, value == GONE ? PD_NONE : value);
}

static const struct pd_linear_entry table[] = {
	{"insert", {PD_NEW_KEY, PD_VALUE}, insert, PD_MAY_FAIL},
	{"get", {PD_ANY_KEY}, get, 0},
	{"remove", {PD_OLD_KEY}, remove_key, 0},
	PD_LINEAR_END};

PD_LINEAR_DRIVER("map", PD_DURABLE, table, open_it, close_it)
