/*
 * tree_test.c - the tree of recoveries: what is added once is there once, whoever comes second.
 *
 * Races are made in two ways. `pd_tree_add` and `pd_tree_blame_is_new` ask for memory between their
 * look at a list and their change to it, so an allocator that changes the list itself is the other
 * process that comes first: the same each time. And threads of the kernel hammer one tree.
 */
#include "unit.h"
#include "engine/crash/tree.h"
#include "unit/grows.h"
#include <pthread.h>

enum { THREADS = 4, NO_LIMIT = -1 };

/* Memory that may run out, and in which another process may have been faster. */
struct memory {
	long left;
	void (*meanwhile)(struct memory *m);
	struct pd_tree_node *node;
	const uint8_t *value;
	struct pd_tree_reads *reads;
};

static void *take(void *ctx, size_t n)
{
	struct memory *m = ctx;
	void (*meanwhile)(struct memory *) = m->meanwhile;

	m->meanwhile = NULL;
	if (meanwhile)
		meanwhile(m);
	if (m->left == 0)
		return NULL;
	if (m->left > 0)
		m->left--;
	return calloc(1, n);
}

static struct pd_tree_memory memory_of(struct memory *m)
{
	return (struct pd_tree_memory){take, m, m->reads, NULL};
}

/* Bytes of a tree are many small pieces that live as long as the process: nothing is freed. */
static struct pd_tree_node *new_node(void)
{
	return calloc(1, sizeof(struct pd_tree_node));
}

static uint32_t edges_of(const struct pd_tree_node *node)
{
	uint32_t n = 0;

	for (const struct pd_tree_node *to = node->first; to; to = to->next)
		n++;
	return n;
}

/* ---- one process ---------------------------------------------------------------------------- */

static void test_packs_the_bytes_of_the_mask(void **state)
{
	uint8_t block[64], value[64];

	(void)state;
	for (int i = 0; i < 64; i++)
		block[i] = (uint8_t)(100 + i);
	assert_int_equal(pd_tree_pack(block, 1ULL << 63 | 1 << 5 | 1 << 2, value), 3);
	assert_int_equal(value[0], 102);
	assert_int_equal(value[1], 105);
	assert_int_equal(value[2], 163);
	assert_int_equal(pd_tree_pack(block, 0, value), 0);
	assert_int_equal(pd_tree_pack(block, UINT64_MAX, value), 64);
	assert_memory_equal(value, block, 64);
}

static void test_an_edge_for_each_value(void **state)
{
	struct memory m = {.left = NO_LIMIT};
	struct pd_tree_memory mem = memory_of(&m);
	struct pd_tree_node *root = new_node(), *a, *b;
	bool mine;

	(void)state;
	assert_null(pd_tree_find(root, (const uint8_t *)"ab", 2));
	a = pd_tree_add(root, &mem, (const uint8_t *)"ab", 2, 7, &mine);
	assert_true(mine);
	assert_int_equal(a->owner, 7);
	assert_true(pd_tree_pending(a));
	b = pd_tree_add(root, &mem, (const uint8_t *)"ac", 2, 8, &mine);
	assert_true(mine);
	assert_ptr_not_equal(a, b);
	assert_ptr_equal(pd_tree_add(root, &mem, (const uint8_t *)"ab", 2, 8, &mine), a);
	assert_false(mine);
	assert_int_equal(a->owner, 7);
	assert_ptr_equal(pd_tree_find(root, (const uint8_t *)"ab", 2), a);
	assert_ptr_equal(pd_tree_find(root, (const uint8_t *)"ac", 2), b);
	assert_null(pd_tree_find(root, (const uint8_t *)"bb", 2));
	assert_int_equal(edges_of(root), 2);
}

/* Of more than 8 bytes, that begin alike. */
static void test_long_values(void **state)
{
	struct memory m = {.left = NO_LIMIT};
	struct pd_tree_memory mem = memory_of(&m);
	struct pd_tree_node *root = new_node(), *a, *b;
	uint8_t one[16] = "0123456789abcde", two[16] = "0123456789abcdf";
	bool mine;

	(void)state;
	a = pd_tree_add(root, &mem, one, 16, 7, &mine);
	b = pd_tree_add(root, &mem, two, 16, 7, &mine);
	assert_true(mine);
	assert_ptr_not_equal(a, b);
	assert_ptr_equal(pd_tree_find(root, one, 16), a);
	assert_ptr_equal(pd_tree_find(root, two, 16), b);
	two[15] = 'g';
	assert_null(pd_tree_find(root, two, 16));
}

/* Nodes that read the same, from the same place, share what they read. */
static void test_equal_reads_are_one(void **state)
{
	struct memory m = {.left = NO_LIMIT, .reads = calloc(1, sizeof(*m.reads))};
	struct pd_tree_memory mem = memory_of(&m);
	struct pd_tree_read read = {.block = 64, .mask = 0xf0, .site = 5}, other = read;
	struct pd_tree_node *one = new_node(), *two = new_node(), *three = new_node();
	const uint8_t *v = (const uint8_t *)"abcd";
	bool diverged;

	(void)state;
	other.site = 6;
	pd_tree_step(one, &mem, &read, v, 1, &diverged);
	pd_tree_step(two, &mem, &read, v, 1, &diverged);
	pd_tree_step(three, &mem, &other, v, 1, &diverged);
	assert_ptr_equal(one->read, two->read);
	assert_ptr_not_equal(one->read, three->read);
	assert_int_equal(three->read->site, 6);
	/* What came next before is only a guess. */
	for (int i = 0; i < 3; i++) {
		struct pd_tree_node *node = new_node();
		struct pd_tree_read *last = one->read;

		mem.last = &last;
		pd_tree_step(node, &mem, i == 1 ? &other : &read, v, 1, &diverged);
		assert_ptr_equal(node->read, i == 1 ? three->read : one->read);
		assert_ptr_equal(last, node->read);
	}
	mem.last = NULL;
	/* Who comes there from another place does the same. */
	assert_non_null(pd_tree_step(one, &mem, &other, v, 1, &diverged));
	assert_int_equal(one->read->site, 5);
	free(m.reads);
}

/* Whoever goes on with a tree that others have left finds nobody in it: below each value, and after
 * long paths. */
static void test_a_tree_that_was_left(void **state)
{
	struct memory m = {.left = NO_LIMIT};
	struct pd_tree_memory mem = memory_of(&m);
	struct pd_tree_node *root = new_node(), *node = root, *beside[3];
	struct unit_host host = {.left = -1};
	struct pd_arena a;
	bool mine;

	(void)state;
	pd_arena_init(&a, unit_host(&host));
	root->owner = 3;
	for (uint8_t i = 0; i < 100; i++) {
		uint8_t other = 200;

		if (i % 40 == 0)
			beside[i / 40] = pd_tree_add(node, &mem, &other, 1, 5, &mine);
		node = pd_tree_add(node, &mem, &i, 1, 4, &mine);
	}
	assert_false(pd_tree_claim(node, 7));
	assert_true(pd_tree_disown(root, &a));
	assert_true(pd_tree_claim(root, 7));
	assert_true(pd_tree_claim(node, 7));
	for (uint32_t i = 0; i < 3; i++)
		assert_true(pd_tree_claim(beside[i], 7));
	pd_arena_finish(&a);
}

static void test_a_node_has_one_owner(void **state)
{
	struct pd_tree_node *node = new_node(), *read = new_node(), *end = new_node();

	(void)state;
	assert_true(pd_tree_claim(node, 3));
	assert_false(pd_tree_claim(node, 3));
	assert_false(pd_tree_claim(node, 4));
	assert_int_equal(node->owner, 3);
	read->read = calloc(1, sizeof(*read->read));
	assert_false(pd_tree_claim(read, 3));
	pd_tree_end(end, PD_OUTCOME_SIGNAL, 11);
	assert_false(pd_tree_claim(end, 3));
	assert_false(pd_tree_pending(end));
	assert_int_equal(end->outcome, PD_OUTCOME_SIGNAL);
	assert_int_equal(end->detail, 11);
	assert_int_equal(read->owner + end->owner, 0);
}

static void test_the_second_execution_does_the_same(void **state)
{
	struct memory m = {.left = NO_LIMIT};
	struct pd_tree_memory mem = memory_of(&m);
	struct pd_tree_node *root = new_node(), *to;
	const uint8_t *v = (const uint8_t *)"abcd", *w = (const uint8_t *)"abce";
	bool diverged;

	(void)state;
	to = pd_tree_step(root, &mem, &(struct pd_tree_read){.block = 64, .mask = 0xf0, .group = 2},
			  v, 1, &diverged);
	assert_non_null(to);
	assert_false(diverged);
	assert_int_equal(root->read->block, 64);
	assert_int_equal(root->read->mask, 0xf0);
	assert_int_equal(root->read->group, 2);
	assert_false(pd_tree_pending(root));
	assert_ptr_equal(pd_tree_only(root), to);
	assert_ptr_equal(pd_tree_step(root, &mem,
				      &(struct pd_tree_read){.block = 64, .mask = 0xf0, .group = 2},
				      v, 5, &diverged),
			 to);
	assert_false(diverged);
	assert_ptr_not_equal(
		pd_tree_step(root, &mem,
			     &(struct pd_tree_read){.block = 64, .mask = 0xf0, .group = 2}, w, 5,
			     &diverged),
		to);
	assert_false(diverged);
	assert_int_equal(edges_of(root), 2);
}

static void test_an_execution_that_does_something_else(void **state)
{
	static const struct pd_tree_read other[] = {{.block = 128, .mask = 0xf0, .group = 2},
						    {.block = 64, .mask = 0xf, .group = 2},
						    {.block = 64, .mask = 0xf0}};
	struct memory m = {.left = NO_LIMIT};
	struct pd_tree_memory mem = memory_of(&m);
	struct pd_tree_node *root = new_node(), *end = new_node();
	const uint8_t *v = (const uint8_t *)"abcd";
	bool diverged;

	(void)state;
	pd_tree_step(root, &mem, &(struct pd_tree_read){.block = 64, .mask = 0xf0, .group = 2}, v,
		     1, &diverged);
	for (int i = 0; i < 3; i++) {
		assert_null(pd_tree_step(root, &mem, &other[i], v, 1, &diverged));
		assert_true(diverged);
	}
	assert_int_equal(edges_of(root), 1);
	/* It read nothing here before: it ended. */
	pd_tree_end(end, PD_OUTCOME_GOOD, 0);
	assert_null(pd_tree_step(end, &mem,
				 &(struct pd_tree_read){.block = 64, .mask = 0xf0, .group = 2}, v,
				 1, &diverged));
	assert_true(diverged);
}

static struct pd_view *new_view(uint8_t c)
{
	struct pd_view *v = calloc(1, sizeof(*v) + sizeof(v->step[0]));

	v->steps = v->size = 1;
	v->step[0] = (struct pd_view_step){.op = PD_VIEW_EQ, .bits = 8, .c = c};
	return v;
}

static void test_equal_views_are_one(void **state)
{
	struct memory m = {.left = NO_LIMIT};
	struct pd_tree_memory mem = memory_of(&m);
	struct pd_tree_view *all = NULL;
	struct pd_view *one = new_view(1), *two = new_view(2);
	const struct pd_view *v = pd_tree_view(&all, &mem, one);

	(void)state;
	assert_ptr_not_equal(v, one);
	assert_ptr_not_equal(pd_tree_view(&all, &mem, two), v);
	assert_ptr_equal(pd_tree_view(&all, &mem, v), v);
	assert_ptr_equal(pd_tree_view(&all, &mem, one), v);
	m.left = 0;
	assert_ptr_equal(pd_tree_view(&all, &mem, one), v);
	assert_null(pd_tree_view(&all, &mem, new_view(3)));
}

/* The edge is what is seen; another view, another operand, or a read of all is another read. */
static void test_looks(void **state)
{
	struct memory m = {.left = NO_LIMIT};
	struct pd_tree_memory mem = memory_of(&m);
	struct pd_tree_node *root = new_node(), *to;
	struct pd_tree_read read = {.block = 64, .mask = 0x10, .lens = {new_view(1), {4, 0}}};
	struct pd_tree_read other[] = {read, read, read};
	uint8_t block[64] = {0}, seven[PD_VIEW_SEEN], one[PD_VIEW_SEEN];
	bool diverged;

	(void)state;
	other[0].lens.view = NULL;
	other[1].lens.operand[0] = 5;
	other[2].lens.view = new_view(2);
	block[4] = 7;
	assert_int_equal(pd_tree_value(block, read.mask, &read.lens, seven), 1);
	to = pd_tree_step(root, &mem, &read, seven, 1, &diverged);
	block[4] = 9; /* looks the same */
	pd_tree_value(block, read.mask, &read.lens, one);
	assert_ptr_equal(pd_tree_step(root, &mem, &read, one, 1, &diverged), to);
	block[4] = 1;
	pd_tree_value(block, read.mask, &read.lens, one);
	assert_ptr_not_equal(pd_tree_step(root, &mem, &read, one, 1, &diverged), to);
	assert_int_equal(edges_of(root), 2);
	for (int i = 0; i < 3; i++) {
		assert_null(pd_tree_step(root, &mem, &other[i], one, 1, &diverged));
		assert_true(diverged);
	}
}

/* Without memory for the edge nothing is known, and nobody finds a read that has no edge. */
static void test_no_memory(void **state)
{
	(void)state;
	for (long left = 0; left < 2; left++) {
		struct memory m = {.left = left};
		struct pd_tree_memory mem = memory_of(&m);
		struct pd_tree_node *root = new_node();
		bool mine, diverged;

		assert_null(pd_tree_add(root, &mem, (const uint8_t *)"abcdefghi", 9, 1, &mine));
		assert_false(mine);
		m.left = left;
		assert_null(pd_tree_step(root, &mem,
					 &(struct pd_tree_read){.block = 0, .mask = 0x1ff},
					 (const uint8_t *)"abcdefghi", 1, &diverged));
		assert_false(diverged);
		assert_true(pd_tree_pending(root));
		assert_null(root->first);
		m.left = 0;
		assert_false(pd_tree_blame_is_new(root, &mem, 5, 5));
		assert_null(root->bad);
	}
}

static void test_the_earliest_crash_of_each_cause(void **state)
{
	struct memory m = {.left = NO_LIMIT};
	struct pd_tree_memory mem = memory_of(&m);
	struct pd_tree_node *leaf = new_node();

	(void)state;
	assert_true(pd_tree_blame_is_new(leaf, &mem, 100, 20));
	assert_false(pd_tree_blame_is_new(leaf, &mem, 100, 20));
	assert_false(pd_tree_blame_is_new(leaf, &mem, 100, 21));
	assert_true(pd_tree_blame_is_new(leaf, &mem, 101, 21));
	assert_true(pd_tree_blame_is_new(leaf, &mem, 100, 3));
	assert_false(pd_tree_blame_is_new(leaf, &mem, 100, 4));
	assert_false(pd_tree_blame_is_new(leaf, &mem, 101, 21));
}

static void test_signatures(void **state)
{
	struct pd_tree_node *a = new_node(), *b = new_node();

	(void)state;
	assert_true(pd_tree_lost(a, 1) != pd_tree_lost(b, 1));
	assert_true(pd_tree_lost(a, 1) != pd_tree_lost(a, 2));
	assert_true(pd_tree_lost(a, 0) != 0);
}

/* ---- another process was faster ------------------------------------------------------------- */

static void add_meanwhile(struct memory *m)
{
	struct pd_tree_memory mem = memory_of(m);
	bool mine;

	assert_non_null(pd_tree_add(m->node, &mem, m->value, 1, 2, &mine));
	assert_true(mine);
}

static void test_the_same_value_was_added_meanwhile(void **state)
{
	struct pd_tree_node *root = new_node(), *to;
	struct memory m = {NO_LIMIT, add_meanwhile, root, (const uint8_t *)"a", NULL};
	struct pd_tree_memory mem = memory_of(&m);
	bool mine = true;

	(void)state;
	to = pd_tree_add(root, &mem, (const uint8_t *)"a", 1, 1, &mine);
	assert_false(mine);
	assert_non_null(to);
	assert_int_equal(to->owner, 2);
	assert_int_equal(edges_of(root), 1);
	assert_ptr_equal(pd_tree_find(root, (const uint8_t *)"a", 1), to);
}

static void test_another_value_was_added_meanwhile(void **state)
{
	struct pd_tree_node *root = new_node(), *to;
	struct memory m = {NO_LIMIT, add_meanwhile, root, (const uint8_t *)"b", NULL};
	struct pd_tree_memory mem = memory_of(&m);
	bool mine = false;

	(void)state;
	to = pd_tree_add(root, &mem, (const uint8_t *)"a", 1, 1, &mine);
	assert_true(mine);
	assert_int_equal(to->owner, 1);
	assert_int_equal(edges_of(root), 2);
	assert_ptr_equal(pd_tree_find(root, (const uint8_t *)"a", 1), to);
	assert_int_equal(pd_tree_find(root, (const uint8_t *)"b", 1)->owner, 2);
}

static void blame_same(struct memory *m)
{
	struct pd_tree_memory mem = memory_of(m);

	assert_true(pd_tree_blame_is_new(m->node, &mem, 9, 4));
}

static void blame_other(struct memory *m)
{
	struct pd_tree_memory mem = memory_of(m);

	assert_true(pd_tree_blame_is_new(m->node, &mem, 8, 4));
	assert_true(pd_tree_blame_is_new(m->node, &mem, 9, 5));
}

static void test_a_cause_was_noted_meanwhile(void **state)
{
	struct pd_tree_node *leaf = new_node(), *other = new_node();
	struct memory m = {.left = NO_LIMIT, .node = leaf};
	struct pd_tree_memory mem = memory_of(&m);

	(void)state;
	assert_non_null(pd_tree_bad(leaf, &mem));
	m.meanwhile = blame_same;
	assert_false(pd_tree_blame_is_new(leaf, &mem, 9, 4));
	assert_non_null(pd_tree_bad(other, &mem));
	m.meanwhile = blame_other;
	m.node = other;
	assert_true(pd_tree_blame_is_new(other, &mem, 9, 4));
	assert_false(pd_tree_blame_is_new(other, &mem, 8, 4));
	assert_false(pd_tree_blame_is_new(other, &mem, 9, 4));
	/* The first of all of a leaf */
	m.meanwhile = blame_other;
	m.node = new_node();
	assert_true(pd_tree_blame_is_new(m.node, &mem, 9, 4));
	assert_false(pd_tree_blame_is_new(m.node, &mem, 8, 4));
}

/* ---- threads of the kernel ------------------------------------------------------------------ */

enum { ROUNDS = 2000, VALUES = 8 };

static struct {
	pthread_barrier_t start;
	struct pd_tree_node *root[ROUNDS];
	struct pd_tree_node *found[THREADS][ROUNDS][VALUES];
	uint8_t mine[THREADS][ROUNDS][VALUES];
	uint8_t claimed[THREADS][ROUNDS];
	uint8_t raw[THREADS][ROUNDS][VALUES];
} hammer;

/* Each thread takes the values in another order. */
static void *add_and_claim(void *arg)
{
	uint32_t me = (uint32_t)(uintptr_t)arg;
	struct memory m = {.left = NO_LIMIT};
	struct pd_tree_memory mem = memory_of(&m);

	for (uint32_t r = 0; r < ROUNDS; r++) {
		pthread_barrier_wait(&hammer.start);
		hammer.claimed[me][r] = pd_tree_claim(hammer.root[r], me + 1);
		for (uint32_t i = 0; i < VALUES; i++) {
			uint8_t v = (uint8_t)((i * (2 * me + 1) + me) % VALUES);
			bool mine;

			hammer.found[me][r][v] =
				pd_tree_add(hammer.root[r], &mem, &v, 1, me + 1, &mine);
			hammer.mine[me][r][v] = mine;
			hammer.raw[me][r][v] = pd_tree_blame_is_new(hammer.root[r], &mem, v, 1);
		}
	}
	return NULL;
}

static void run_threads(void *(*body)(void *))
{
	pthread_t thread[THREADS];

	assert_int_equal(pthread_barrier_init(&hammer.start, NULL, THREADS), 0);
	for (uintptr_t t = 0; t < THREADS; t++)
		assert_int_equal(pthread_create(&thread[t], NULL, body, (void *)t), 0);
	for (int t = 0; t < THREADS; t++)
		assert_int_equal(pthread_join(thread[t], NULL), 0);
	pthread_barrier_destroy(&hammer.start);
}

static void check_value(uint32_t r, uint8_t v)
{
	const struct pd_tree_node *to = pd_tree_find(hammer.root[r], &v, 1);
	uint32_t mine = 0, raw = 0;

	assert_non_null(to);
	for (uint32_t t = 0; t < THREADS; t++) {
		assert_ptr_equal(hammer.found[t][r][v], to);
		mine += hammer.mine[t][r][v];
		raw += hammer.raw[t][r][v];
		assert_true(!hammer.mine[t][r][v] || to->owner == t + 1);
	}
	assert_int_equal(mine, 1);
	assert_int_equal(raw, 1);
}

static void test_threads_at_one_node(void **state)
{
	(void)state;
	for (uint32_t r = 0; r < ROUNDS; r++)
		hammer.root[r] = new_node();
	run_threads(add_and_claim);
	for (uint32_t r = 0; r < ROUNDS; r++) {
		uint32_t claimed = 0;

		for (uint32_t t = 0; t < THREADS; t++)
			claimed += hammer.claimed[t][r];
		assert_int_equal(claimed, 1);
		assert_int_equal(edges_of(hammer.root[r]), VALUES);
		for (uint8_t v = 0; v < VALUES; v++)
			check_value(r, v);
	}
}

/*
 * A recovery that reads DEPTH bytes, one after the other, each of which is 0 or 1; `input` has
 * their values. It is executed by whoever made or claimed a node of which nothing is known, from
 * there to its end, as explorations do. Nobody waits: what another thread is at is left to that
 * thread.
 */
enum { DEPTH = 10, INPUTS = 1 << DEPTH };

static struct pd_tree_node *whole;
static uint32_t ends[INPUTS];

static void execute_from(struct pd_tree_node *node, uint32_t depth, uint32_t input, uint32_t me)
{
	struct memory m = {.left = NO_LIMIT};
	struct pd_tree_memory mem = memory_of(&m);

	for (; depth < DEPTH; depth++) {
		uint8_t v = input >> depth & 1;
		bool diverged;

		node = pd_tree_step(
			node, &mem,
			&(struct pd_tree_read){.block = 64 * (depth + 1), .mask = 1, .group = 0},
			&v, me, &diverged);
		if (!node || diverged)
			return;
	}
	__atomic_fetch_add(&ends[input], 1, __ATOMIC_RELAXED);
	pd_tree_end(node, PD_OUTCOME_GOOD, input);
}

static void explore(uint32_t input, uint32_t me)
{
	struct memory m = {.left = NO_LIMIT};
	struct pd_tree_memory mem = memory_of(&m);
	struct pd_tree_node *node = whole;
	bool mine = false;

	for (uint32_t depth = 0;; depth++) {
		uint8_t v = input >> depth & 1;

		if (pd_tree_pending(node)) {
			if (mine || pd_tree_claim(node, me))
				execute_from(node, depth, input, me);
			return;
		}
		if (depth == DEPTH)
			return;
		node = pd_tree_add(node, &mem, &v, 1, me, &mine);
	}
}

static void *explore_all(void *arg)
{
	uint32_t me = (uint32_t)(uintptr_t)arg;

	pthread_barrier_wait(&hammer.start);
	for (uint32_t i = 0; i < INPUTS; i++)
		explore((i * (2 * me + 1) + me * INPUTS / THREADS) % INPUTS, me + 1);
	return NULL;
}

static uint32_t leaves_below(const struct pd_tree_node *node, uint32_t depth, uint32_t input)
{
	uint32_t n = 0;

	if (depth == DEPTH) {
		assert_int_equal(node->outcome, PD_OUTCOME_GOOD);
		assert_int_equal(node->detail, input);
		return 1;
	}
	assert_int_equal(node->read->mask, 1);
	assert_int_equal(node->read->block, 64 * (depth + 1));
	assert_int_equal(edges_of(node), 2);
	for (const struct pd_tree_node *to = node->first; to; to = to->next)
		n += leaves_below(to, depth + 1, input | (uint32_t)to->value.bytes[0] << depth);
	return n;
}

static void test_threads_that_explore(void **state)
{
	(void)state;
	for (int round = 0; round < 50; round++) {
		whole = new_node();
		memset(ends, 0, sizeof(ends));
		run_threads(explore_all);
		/* What was left to others because they were at a part of it. */
		for (uint32_t i = 0; i < INPUTS; i++)
			explore(i, THREADS + 1);
		assert_int_equal(leaves_below(whole, 0, 0), INPUTS);
		for (uint32_t i = 0; i < INPUTS; i++)
			assert_int_equal(ends[i], 1);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_packs_the_bytes_of_the_mask),
		cmocka_unit_test(test_an_edge_for_each_value),
		cmocka_unit_test(test_long_values),
		cmocka_unit_test(test_equal_reads_are_one),
		cmocka_unit_test(test_a_node_has_one_owner),
		cmocka_unit_test(test_a_tree_that_was_left),
		cmocka_unit_test(test_the_second_execution_does_the_same),
		cmocka_unit_test(test_an_execution_that_does_something_else),
		cmocka_unit_test(test_equal_views_are_one),
		cmocka_unit_test(test_looks),
		cmocka_unit_test(test_no_memory),
		cmocka_unit_test(test_the_earliest_crash_of_each_cause),
		cmocka_unit_test(test_signatures),
		cmocka_unit_test(test_the_same_value_was_added_meanwhile),
		cmocka_unit_test(test_another_value_was_added_meanwhile),
		cmocka_unit_test(test_a_cause_was_noted_meanwhile),
		cmocka_unit_test(test_threads_at_one_node),
		cmocka_unit_test(test_threads_that_explore),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
