/*
 * An ordered map as a skip list, with a lock. A key is there if its node is linked at the bottom; but
 * who looks for it stops where it meets the key first. A new node is linked from the top downwards: a
 * crash in between leaves a key that is found, and that no walk along the bottom sees.
 */
#include "../linear.h"

enum { NODES = 400, LEVELS = 3 };

struct node {
	uint64_t key LINE;
	uint64_t value, height;
	uint64_t next[LEVELS];
};

class skiplist
{
	uint64_t limit LINE;
	node nodes[NODES]; // 0 is the head

	struct fingers {
		uint64_t before[LEVELS];
	};

	static uint64_t height_of(uint64_t key)
	{
		uint64_t mixed = key * 0x9e3779b97f4a7c15u;

		return 1 + (mixed >> 63) + (mixed >> 62 == 3);
	}

	// On each level, the last node with a key that is less.
	fingers descend(uint64_t key)
	{
		fingers f;
		uint64_t at = 0;

		for (int level = LEVELS; level-- > 0; f.before[level] = at)
			while (nodes[at].next[level] && nodes[nodes[at].next[level]].key < key)
				at = nodes[at].next[level];
		return f;
	}

	// 0: it is not there.
	uint64_t find(const fingers &f, uint64_t key)
	{
		for (int level = LEVELS; level-- > 0;) {
			uint64_t next = nodes[f.before[level]].next[level]; //@ load

			if (next && nodes[next].key == key)
				return next;
		}
		return 0;
	}

	void link(uint64_t from, int level, uint64_t to)
	{
		pm_set(&nodes[from].next[level], to); //@ store
		pm_persist(&nodes[from].next[level], 8);
	}

      public:
	void open()
	{
		nodes_open(&limit);
		busy = 0;
	}

	uint64_t insert(uint64_t key, uint64_t value)
	{
		fingers f = descend(key);

		if (find(f, key))
			return 0;
		uint64_t fresh = nodes_take(NODES), n = height_of(key);
		if (!fresh)
			return PD_FAILED;
		nodes[fresh].key = key;
		nodes[fresh].value = value;
		nodes[fresh].height = n;
		for (uint64_t i = 0; i < n; i++)
			nodes[fresh].next[i] = nodes[f.before[i]].next[i];
		pm_persist(&nodes[fresh], sizeof(node));
		for (uint64_t i = 0; i < n; i++) {
			int level = (int)(FIXED ? i : n - 1 - i);

			link(f.before[level], level, fresh); //@ link
		}
		return 1;
	}

	uint64_t get(uint64_t key)
	{
		uint64_t at = find(descend(key), key);

		return at ? nodes[at].value : PD_NONE;
	}

	uint64_t remove(uint64_t key)
	{
		fingers f = descend(key);
		uint64_t at = find(f, key);

		for (int level = LEVELS; at && level-- > 0;)
			if (nodes[f.before[level]].next[level] == at)
				link(f.before[level], level, nodes[at].next[level]);
		return at ? nodes[at].value : PD_NONE;
	}

	// The first key behind this one.
	uint64_t next(uint64_t key)
	{
		uint64_t at = nodes[descend(key + 1).before[0]].next[0];

		return at ? nodes[at].key : PD_NONE;
	}
};

static void recover(skiplist *s)
{
	s->open();
}

RECOVERED(skiplist, recover)

template <typename F> static void locked(void *it, struct pd_linear_op *op, F f)
{
	lock();
	pd_linear_return(op, f((skiplist *)it, op->arg[0].word, op->arg[1].word));
	unlock();
}

static void insert(void *it, struct pd_linear_op *op)
{
	locked(it, op, [](skiplist *s, uint64_t k, uint64_t v) { return s->insert(k, v); });
}

static void get(void *it, struct pd_linear_op *op)
{
	locked(it, op, [](skiplist *s, uint64_t k, uint64_t) { return s->get(k); });
}

static void remove_key(void *it, struct pd_linear_op *op)
{
	locked(it, op, [](skiplist *s, uint64_t k, uint64_t) { return s->remove(k); });
}

static void first(void *it, struct pd_linear_op *op)
{
	locked(it, op, [](skiplist *s, uint64_t, uint64_t) { return s->next(0); });
}

static const struct pd_linear_entry table[] = {
	{"insert", {PD_NEW_KEY, PD_VALUE}, insert, PD_MAY_FAIL},
	{"get", {PD_ANY_KEY}, get, 0},
	{"remove", {PD_OLD_KEY}, remove_key, 0},
	{"first", {PD_NO_ARG}, first, 0},
	PD_LINEAR_END};

PD_LINEAR_DRIVER("ordered-map", PD_DURABLE, table, open_it, close_it)
