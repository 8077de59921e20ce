/*
 * The leaves of a B+tree, after FAST_FAIR: entries are shifted in place, in an order in which a crash
 * leaves at worst an entry twice, which readers skip (the one whose pointer is that of its left
 * neighbour). Recovery has to finish the shift: otherwise a removal later on makes the second one count.
 */
#include "../linear.h"

enum { NODES = 400, LEAVES = 100, MOST = 6, IN_LINE = 4 };

struct entry {
	uint64_t key, cell; /* number of a cell; 0: this is the end */
};

struct leaf {
	uint64_t low, sibling, left; /* left: cell before the first one, which no entry has */
	struct entry entry[MOST + 2] LINE;
};

struct tree {
	uint64_t limit LINE;
	uint64_t leaves LINE; /* used besides leaf 0 */
	struct leaf leaf[LEAVES];
	uint64_t value[NODES];
};

static void set(struct leaf *l, int i, uint64_t key, uint64_t cell)
{
	pm_set(&l->entry[i].key, key);
	pm_set(&l->entry[i].cell, cell);
}

static uint64_t cell_before(const struct leaf *l, int i)
{
	return i ? l->entry[i - 1].cell : l->left;
}

/* Entry i goes, those behind it move up; stores are durable line by line, in their order. */
static void shift_down(struct leaf *l, int i)
{
	pm_set(&l->entry[i].cell, cell_before(l, i)); /* does not count from here on */
	for (; l->entry[i].cell; i++) {
		set(l, i, l->entry[i + 1].key, l->entry[i + 1].cell); //@ store
		if (i % IN_LINE == IN_LINE - 1)
			pm_persist(&l->entry[i], sizeof(struct entry));
	}
	pm_persist(&l->entry[i - (i > 0)], 2 * sizeof(struct entry));
}

/* Makes room at i, of n. */
static void shift_up(struct leaf *l, int i, int n)
{
	pm_set(&l->entry[n + 1].cell, 0); /* a split leaves what was there */
	pm_persist(&l->entry[n + 1], sizeof(struct entry));
	for (int j = n; j > i; j--) {
		pm_set(&l->entry[j].cell, l->entry[j - 1].cell); //@ store
		pm_set(&l->entry[j].key, l->entry[j - 1].key);
		if (j % IN_LINE == 0)
			pm_persist(&l->entry[j], sizeof(struct entry));
	}
	pm_set(&l->entry[i].cell, cell_before(l, i)); //@ store
}

static int length(const struct leaf *l)
{
	int n = 0;

	while (l->entry[n].cell)
		n++;
	return n;
}

/* What a shift or a split has left behind. */
static void finish(struct tree *t, struct leaf *l)
{
	for (int i = 0; l->entry[i].cell; i++) {
#if FIXED
		while (l->entry[i].cell && l->entry[i].cell == cell_before(l, i))
			shift_down(l, i);
#endif
		if (l->sibling && l->entry[i].cell && l->entry[i].cell != cell_before(l, i) &&
		    l->entry[i].key >= t->leaf[l->sibling].low) {
			pm_set(&l->entry[i].cell, 0);
			pm_persist(&l->entry[i], sizeof(struct entry));
		}
		if (!l->entry[i].cell)
			break;
	}
}

static void recover(struct tree *t)
{
	uint64_t i = 0;

	nodes_open(&t->limit);
	t->leaf[0].left = UINT64_MAX;
	pm_persist(&t->leaf[0], 64);
	do {
		finish(t, &t->leaf[i]);
		i = t->leaf[i].sibling;
	} while (i);
}

RECOVERED(struct tree, recover)

static struct leaf *leaf_of(struct tree *t, uint64_t key)
{
	struct leaf *l = &t->leaf[0];

	while (l->sibling && key >= t->leaf[l->sibling].low)
		l = &t->leaf[l->sibling];
	return l;
}

/* -1: it is not there. */
static int find(const struct leaf *l, uint64_t key)
{
	for (int i = 0; l->entry[i].cell; i++)
		if (l->entry[i].key == key && l->entry[i].cell != cell_before(l, i)) //@ load
			return i;
	return -1;
}

/* The upper half moves to a new leaf. 0: there is none. */
static int split(struct tree *t, struct leaf *l)
{
	uint64_t fresh = t->leaves + 1;
	struct leaf *r = &t->leaf[fresh];

	if (fresh >= LEAVES)
		return 0;
	pm_set(&t->leaves, fresh);
	pm_persist(&t->leaves, 8);
	*r = (struct leaf){
		.low = l->entry[MOST / 2].key, .sibling = l->sibling, .left = UINT64_MAX};
	memcpy(r->entry, &l->entry[MOST / 2], (MOST - MOST / 2) * sizeof(struct entry));
	pm_persist(r, sizeof(*r));
	pm_set(&l->sibling, fresh);
	pm_persist(&l->sibling, 8);
	pm_set(&l->entry[MOST / 2].cell, 0);
	pm_persist(&l->entry[MOST / 2], sizeof(struct entry));
	return 1;
}

static uint64_t insert_locked(struct tree *t, uint64_t key, uint64_t value)
{
	struct leaf *l = leaf_of(t, key);
	uint64_t cell;
	int i = 0, n = length(l);

	if (find(l, key) >= 0)
		return 0;
	cell = nodes_take(NODES);
	if (!cell || (n >= MOST && !split(t, l)))
		return PD_FAILED;
	t->value[cell] = value;
	pm_persist(&t->value[cell], 8);
	l = leaf_of(t, key);
	n = length(l);
	if (n >= MOST) /* with entries that do not count */
		return PD_FAILED;
	while (i < n && l->entry[i].key < key)
		i++;
	shift_up(l, i, n);
	set(l, i, key, cell); //@ store
	pm_persist(&l->entry[i], sizeof(struct entry));
	return 1;
}

static void insert(void *it, struct pd_linear_op *op)
{
	lock();
	pd_linear_return(op, insert_locked(it, op->arg[0].word, op->arg[1].word));
	unlock();
}

static void get(void *it, struct pd_linear_op *op)
{
	struct tree *t = it;
	struct leaf *l;
	int i;

	lock();
	l = leaf_of(t, op->arg[0].word);
	i = find(l, op->arg[0].word);
	pd_linear_return(op, i < 0 ? PD_NONE : t->value[l->entry[i].cell]);
	unlock();
}

static void remove_key(void *it, struct pd_linear_op *op)
{
	struct tree *t = it;
	struct leaf *l;
	int i;

	lock();
	l = leaf_of(t, op->arg[0].word);
	i = find(l, op->arg[0].word);
	pd_linear_return(op, i < 0 ? PD_NONE : t->value[l->entry[i].cell]);
	if (i >= 0)
		shift_down(l, i);
	unlock();
}

static const struct pd_linear_entry table[] = {
	{"insert", {PD_NEW_KEY, PD_VALUE}, insert, PD_MAY_FAIL},
	{"get", {PD_ANY_KEY}, get, 0},
	{"remove", {PD_OLD_KEY}, remove_key, 0},
	PD_LINEAR_END};

PD_LINEAR_DRIVER("map", PD_DURABLE, table, open_it, close_it)
