/*
 * A map as a search tree that is never changed in place: who writes makes a copy of the path from the
 * root, and exchanges the root by compare-and-swap. The root is exchanged, and durable, before the
 * copies are.
 */
#include "../linear.h"

template <typename Value> struct node {
	uint64_t key LINE;
	uint64_t child[2];
	Value value; // NONE: removed
};

template <typename Value, Value NONE, unsigned ROOM> class tree
{
	uint64_t limit LINE;
	uint64_t root LINE;
	node<Value> nodes[ROOM];

	// The nodes of an operation follow each other, from the root on.
	struct path {
		uint64_t number[64];
		unsigned n = 0;
	};

	uint64_t root_durable()
	{
		uint64_t at = pm_get(&root);

		pm_persist(&root, sizeof(root));
		return at;
	}

	Value find(uint64_t at, uint64_t key)
	{
		while (at && nodes[at].key != key)
			at = nodes[at].child[key > nodes[at].key]; //@ load
		return at ? nodes[at].value : NONE;
	}

	// A copy of the path to `key`, with its new value. 0: there is no room.
	uint64_t copy(uint64_t at, uint64_t key, Value value, path &p)
	{
		uint64_t fresh = p.n < 64 ? nodes_take(ROOM) : 0, below = 0;

		if (!fresh)
			return 0;
		p.number[p.n++] = fresh;
		if (!at || nodes[at].key == key) {
			nodes[fresh] = at ? nodes[at] : node<Value>{key, {0, 0}, NONE}; //@ store
			nodes[fresh].value = value;					//@ store
			return fresh;
		}
		int side = key > nodes[at].key;
		below = copy(nodes[at].child[side], key, value, p);
		nodes[fresh] = nodes[at];	  //@ store
		nodes[fresh].child[side] = below; //@ store
		return below ? fresh : 0;
	}

	void persist(const path &p)
	{
		for (unsigned i = 0; i < p.n; i++)
			pm_flush(&nodes[p.number[i]], sizeof(nodes[0]));
		pm_fence();
	}

      public:
	void open()
	{
		nodes_open(&limit);
	}

	Value get(uint64_t key)
	{
		return find(root_durable(), key);
	}

	// What was there, or NONE; false: there is no room.
	bool put(uint64_t key, Value value, Value &old)
	{
		uint64_t was = root_durable(), fresh;

		for (;;) {
			path p;

			old = find(was, key);
			if (old == NONE && value == NONE)
				return true;
			fresh = copy(was, key, value, p);
			if (!fresh)
				return false;
#if FIXED
			persist(p);
#endif
			if (pm_cas(&root, &was, fresh)) {
				pm_persist(&root, sizeof(root));
#if !FIXED
				persist(p);
#endif
				return true;
			}
			pm_persist(&root, sizeof(root));
		}
	}
};

typedef tree<uint64_t, PD_NONE, 400> map;

static void recover(map *m)
{
	m->open();
}

RECOVERED(map, recover)

static void put(void *it, struct pd_linear_op *op)
{
	uint64_t old;

	pd_linear_return(op,
			 ((map *)it)->put(op->arg[0].word, op->arg[1].word, old) ? old : PD_FAILED);
}

static void get(void *it, struct pd_linear_op *op)
{
	pd_linear_return(op, ((map *)it)->get(op->arg[0].word));
}

static void remove_key(void *it, struct pd_linear_op *op)
{
	uint64_t old;

	pd_linear_return(op, ((map *)it)->put(op->arg[0].word, PD_NONE, old) ? old : PD_FAILED);
}

static const struct pd_linear_entry table[] = {{"put", {PD_NEW_KEY, PD_VALUE}, put, PD_MAY_FAIL},
					       {"get", {PD_ANY_KEY}, get, 0},
					       {"remove", {PD_OLD_KEY}, remove_key, PD_MAY_FAIL},
					       PD_LINEAR_END};

PD_LINEAR_DRIVER("map", PD_DURABLE, table, open_it, close_it)
