/* blame_test.c - what is written down of a failure, and of a path through the tree. */
#include "unit.h"
#include "engine/crash/blame.h"
#include "engine/crash/path.h"
#include "unit/grows.h"

static const struct pd_store first = {.site = 3, .tid = 1},
			     second = {.site = 4, .tid = 2, .flags = PD_LOGGED_WHOLE};
static struct pd_span newest_span[] = {{5, 9}}, middle_span[] = {{2, 3}, {4, 4}},
		      old_span[] = {{0, 1}};

/* Three values of a read: the newest, one older, and what was there before. */
static void make(struct pd_class *c)
{
	memset(c, 0, 3 * sizeof(*c));
	for (uint32_t i = 0; i < 16; i++)
		c[0].value[i] = c[1].value[i] = c[2].value[i] = (uint8_t)i;
	c[0].value[9] = 0x90;
	c[1].value[9] = 0x91;
	c[0].source = &second;
	c[0].source_order = 9;
	c[0].source_flush = 11;
	c[1].source = &first;
	c[1].source_order = 4;
	c[1].source_exec = 1;
	c[0].set = (struct pd_vset){.nbox = 1, .ndim = 1, .span = newest_span};
	c[1].set = (struct pd_vset){.nbox = 2, .ndim = 1, .span = middle_span};
	c[2].set = (struct pd_vset){.nbox = 1, .ndim = 1, .span = old_span};
}

static void a_choice(void **state)
{
	struct pd_class classes[3];
	struct pd_crash_choice c;

	(void)state;
	make(classes);
	c = pd_blame_choice(classes, 3, 2, 0xffff, 7, 640);
	assert_int_equal(c.n, 3);
	assert_int_equal(c.pick, 2);
	assert_int_equal(c.load, 7);
	assert_int_equal(c.addr, 640);
	assert_int_equal(c.size, 16);
	assert_int_equal(c.newest, 4);
	assert_int_equal(c.newest_tid, 2);
	assert_int_equal(c.newest_order, 9);
	assert_int_equal(c.flush, 11);
	assert_int_equal(c.seen, 0); /* what was there before */
	assert_int_equal(c.ndim, 1);
	assert_int_equal(c.version[0], 1);
	assert_int_equal(c.newest_version[0], 9);
	/* Not the newest, but the first one that was missed */
	assert_int_equal(c.next.site, 3);
	assert_int_equal(c.next.exec, 1);
	assert_int_equal(c.next.order, 4);
	assert_false(c.next.written);
	/* The first word that differs */
	assert_int_equal(c.next.shown >> 8 & 0xff, 0x91);
	assert_int_equal(c.next.shown_seen >> 8 & 0xff, 9);
	assert_int_equal(c.next.value & 0xff, 0);

	c = pd_blame_choice(classes, 3, 1, 0xffff, 7, 640);
	assert_int_equal(c.seen, 3);
	assert_int_equal(c.seen_order, 4);
	assert_int_equal(c.version[0], 4); /* the newest of all its boxes */
	assert_int_equal(c.next.site, 4);
	assert_int_equal(c.next.flush, 11);
	assert_true(c.next.written);

	c = pd_blame_choice(classes, 3, 0, 0xffff, 7, 640);
	assert_int_equal(c.next.site, 0); /* nothing was lost */
}

/* ---- a path of the walk --------------------------------------------------------------------- */

static uint32_t pieces, noted_number[8], nnoted;

static void *take(void *ctx, size_t n)
{
	(void)ctx;
	return pieces ? pieces--, calloc(1, n) : NULL;
}

static void noted(const struct pd_crash_choice *c)
{
	noted_number[nnoted++] = c->number;
}

static void a_path(void **state)
{
	struct pd_class classes[3];
	struct pd_tree_read at = {.block = 128, .mask = 0xff00, .site = 7};
	struct pd_tree_node read = {.read = &at};
	struct pd_crash_run ended = {.outcome = PD_OUTCOME_ABORT, .detail = 6, .lost = 9};
	struct pd_tree_bad known = {.run = &ended};
	struct pd_tree_node leaf = {.bad = &known};
	struct pd_walk_taken taken[2] = {{&read, classes, 3, NULL}, {&read, classes, 3, NULL}};
	uint32_t picks[2] = {2, 0};
	struct pd_walk w = {.memory = {take, NULL}, .signature = 77};
	struct pd_crash crash = {
		.depth = 1, .point = 5, .when = 5, .seed = 2, .site = 8, .kind = 3};
	struct pd_crash_run *run;

	(void)state;
	make(classes);
	w.taken.v = taken;
	w.picks.v = picks;
	w.taken.n = w.picks.n = 2;
	pieces = 100;
	nnoted = 0;
	run = pd_blame_path(&w, &leaf, &crash, noted);
	assert_non_null(run);
	assert_int_equal(run->outcome, PD_OUTCOME_ABORT);
	assert_int_equal(run->detail, 6);
	assert_int_equal(run->point, 5);
	assert_int_equal(run->seed, 2);
	assert_int_equal(run->crash_site, 8);
	assert_int_equal(run->crash_kind, 3);
	assert_int_equal(run->signature, 77);
	assert_int_equal(run->lost, 1);
	assert_int_equal(run->nchoice, 2);
	assert_int_equal(run->last->number, 1);
	assert_int_equal(run->last->before->number, 0);
	assert_null(run->last->before->before);
	assert_int_equal(run->last->before->addr, 136);
	assert_true(run->last->kept && run->last->before->kept);
	assert_int_equal(nnoted, 2);
	assert_int_equal(noted_number[0], 0);
	/* Paths that go the same way share it */
	assert_ptr_equal(pd_blame_path(&w, &leaf, &crash, noted)->last, run->last);
	assert_int_equal(nnoted, 2);
	/* Memory runs out */
	for (uint32_t i = 0; i < 3; i++) {
		taken[0].noted = taken[1].noted = NULL;
		pieces = i;
		assert_null(pd_blame_path(&w, &leaf, &crash, noted));
	}
}

/* ---- a recovery enters its path ------------------------------------------------------------- */

static void reads_that_count(void **state)
{
	struct unit_host host = {.left = -1};
	struct pd_path_bytes b;
	struct pd_arena arena;
	struct pd_path p = {.arena = &arena};

	(void)state;
	pd_arena_init(&arena, unit_host(&host));
	assert_true(pd_path_read(&p, 128, 0xff, 0x0f, &b)); /* half of it is its own */
	assert_int_equal(b.fresh, 0xf0);
	assert_int_equal(b.again, 0);
	assert_int_equal(pd_path_bytes_read(&p, 128), 0xf0);
	assert_true(pd_path_read(&p, 128, 0xff, 0, &b));
	assert_int_equal(b.fresh, 0x0f);
	assert_int_equal(b.again, 0xf0);
	assert_true(pd_path_read(&p, 192, 0xff, 0, &b)); /* another block */
	assert_int_equal(b.fresh, 0xff);
	assert_int_equal(pd_path_bytes_read(&p, 256), 0);
	pd_arena_finish(&arena);
}

/* Who looks at bytes has not read them, and knows what the same look shows. */
static void looks_that_count(void **state)
{
	static const struct pd_view view[2];
	struct pd_lens lens = {&view[0], {1, 2}}, other = {&view[0], {1, 3}},
		       third = {&view[1], {1, 2}};
	struct unit_host host = {.left = -1};
	struct pd_path_bytes b;
	struct pd_arena arena;
	struct pd_path p = {.arena = &arena};

	(void)state;
	pd_arena_init(&arena, unit_host(&host));
	assert_true(pd_path_look(&p, 128, 0xff, &lens, &b));
	assert_int_equal(b.fresh, 0xff);
	assert_int_equal(b.again, 0);
	assert_true(pd_path_look(&p, 128, 0xff, &lens, &b));
	assert_int_equal(b.fresh, 0);
	assert_int_equal(b.again, 0xff);
	assert_true(pd_path_look(&p, 128, 0xff, &other, &b));
	assert_int_equal(b.fresh, 0xff);
	assert_true(pd_path_look(&p, 128, 0xff, &third, &b));
	assert_int_equal(b.fresh, 0xff);
	assert_true(pd_path_look(&p, 128, 0xff00, &lens, &b)); /* other bytes */
	assert_int_equal(b.fresh, 0xff00);
	assert_int_equal(b.again, 0);
	assert_int_equal(pd_path_bytes_read(&p, 128), 0xffff);
	assert_true(pd_path_read(&p, 128, 0xff, 0, &b)); /* all of them, now */
	assert_int_equal(b.fresh, 0xff);
	assert_int_equal(b.again, 0xff);
	other.operand[1] = 4;
	assert_true(pd_path_look(&p, 128, 0xff, &other, &b)); /* nothing is left to be seen */
	assert_int_equal(b.fresh, 0);
	pd_arena_finish(&arena);
}

static void steps(void **state)
{
	struct pd_tree_memory mem = {take, NULL, NULL, NULL};
	struct pd_tree_node root = {0}, *second_node;
	struct pd_crash_run run = {.node = &root}, other = {.node = &root};
	struct pd_path p = {0};
	const uint8_t a[64] = {1}, b[64] = {2};

	(void)state;
	pieces = 100;
	pd_path_lose(&p, 64, 9);
	pd_path_lose(&p, 128, 9); /* another block: its turn comes later */
	assert_int_equal(pd_path_step(&p, &run, &mem,
				      &(struct pd_tree_read){.block = 64, .mask = 0xff, .group = 0},
				      a, 5, NULL),
			 PD_PATH_ON);
	assert_int_equal(run.signature, pd_tree_lost(&root, 9));
	assert_int_equal(p.nlost, 1);
	second_node = run.node;
	assert_ptr_not_equal(second_node, &root);
	/* Another value is another way, another place after equal values none */
	assert_int_equal(pd_path_step(&p, &other, &mem,
				      &(struct pd_tree_read){.block = 64, .mask = 0xff, .group = 0},
				      b, 5, NULL),
			 PD_PATH_ON);
	assert_ptr_not_equal(other.node, second_node);
	assert_true(other.path.a != run.path.a);
	other = (struct pd_crash_run){.node = &root};
	assert_int_equal(
		pd_path_step(&p, &other, &mem,
			     &(struct pd_tree_read){.block = 128, .mask = 0xff, .group = 0}, a, 5,
			     NULL),
		PD_PATH_DIVERGED);
	/* Until `to` all may be known; below it what is another's is done by that one */
	other = (struct pd_crash_run){.node = &root};
	assert_int_equal(pd_path_step(&p, &other, &mem,
				      &(struct pd_tree_read){.block = 64, .mask = 0xff, .group = 0},
				      a, 6, second_node),
			 PD_PATH_ON);
	assert_true(other.inside);
	assert_int_equal(
		pd_path_step(&p, &run, &mem,
			     &(struct pd_tree_read){.block = 192, .mask = 0xff, .group = 0}, a, 5,
			     NULL),
		PD_PATH_ON);
	assert_int_equal(
		pd_path_step(&p, &other, &mem,
			     &(struct pd_tree_read){.block = 192, .mask = 0xff, .group = 0}, a, 6,
			     second_node),
		PD_PATH_KNOWN);
	pieces = 0;
	assert_int_equal(
		pd_path_step(&p, &run, &mem,
			     &(struct pd_tree_read){.block = 256, .mask = 0xff, .group = 0}, a, 5,
			     NULL),
		PD_PATH_FULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_choice),
		cmocka_unit_test(a_path),
		cmocka_unit_test(reads_that_count),
		cmocka_unit_test(looks_that_count),
		cmocka_unit_test(steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
