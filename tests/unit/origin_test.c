/*
 * origin_test.c - which reads so many states come of: small trees, made by hand.
 */
#include "unit.h"
#include "engine/crash/origin.h"
#include "host/host.h"

enum { SITES = 16, EARLY = 3, LATE = 7, ONCE = 9 };

struct made {
	struct pd_arena a;
	struct pd_roots *r;
};

static struct made begin(void)
{
	struct made m = {.r = calloc(1, sizeof(*m.r))};

	pd_arena_init(&m.a, pd_host_memory());
	m.r->n = 1;
	m.r->v[0].ready = 1;
	return m;
}

static void finish(struct made *m)
{
	pd_arena_finish(&m->a);
	free(m->r);
}

/* The node becomes a read with so many values. */
static void reads(struct made *m, struct pd_tree_node *node, uint32_t load, uint32_t values)
{
	node->read = pd_new(&m->a, struct pd_tree_read);
	node->read->site = load;
	for (uint32_t i = 0; i < values; i++) {
		struct pd_tree_node *n = pd_new(&m->a, struct pd_tree_node);

		n->next = node->first;
		node->first = n;
	}
}

static void none_where_nothing_is_open(void **state)
{
	struct made m = begin();

	(void)state;
	assert_int_equal(pd_origin_find(m.r, SITES, &m.a), 0);
	reads(&m, &m.r->v[0].node, ONCE, 1);
	assert_int_equal(pd_origin_find(m.r, SITES, &m.a), 0);
	finish(&m);
}

/* The tree has one read of the early site and three of the late one, but each path has one of
 * both. */
static void an_early_read_counts_for_all_its_paths(void **state)
{
	struct made m = begin();
	struct pd_tree_node *root = &m.r->v[0].node;

	(void)state;
	reads(&m, root, EARLY, 3);
	for (struct pd_tree_node *n = root->first; n; n = n->next)
		reads(&m, n, LATE, 2);
	assert_int_equal(pd_origin_find(m.r, SITES, &m.a), EARLY);
	finish(&m);
}

/* A loop: one site, read again and again on a path. */
static void reads_of_one_site_add_up(void **state)
{
	struct made m = begin();
	struct pd_tree_node *root = &m.r->v[0].node;

	(void)state;
	reads(&m, root, EARLY, 2);
	for (struct pd_tree_node *n = root->first; n; n = n->next) {
		reads(&m, n, LATE, 2);
		for (struct pd_tree_node *k = n->first; k; k = k->next)
			reads(&m, k, LATE, 2);
	}
	assert_int_equal(pd_origin_find(m.r, SITES, &m.a), LATE);
	finish(&m);
}

/* Of all trees; one that is not ready is left alone, and so is a site that is not known. */
static void all_trees_that_are_ready(void **state)
{
	struct made m = begin();

	(void)state;
	m.r->n = 3;
	m.r->v[1].ready = 1;
	reads(&m, &m.r->v[0].node, EARLY, 2);
	reads(&m, &m.r->v[1].node, LATE, 3);
	reads(&m, &m.r->v[2].node, ONCE, 9);
	assert_int_equal(pd_origin_find(m.r, SITES, &m.a), LATE);
	assert_int_equal(pd_origin_find(m.r, LATE, &m.a), EARLY);
	finish(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(none_where_nothing_is_open),
		cmocka_unit_test(an_early_read_counts_for_all_its_paths),
		cmocka_unit_test(reads_of_one_site_add_up),
		cmocka_unit_test(all_trees_that_are_ready),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
