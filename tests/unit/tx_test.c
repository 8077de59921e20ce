/* tx_test.c - which stores of a transaction are not logged: the rules of engine/crash/tx.h. */
#include "unit.h"
#include "engine/crash/tx.h"

struct made {
	struct unit_host host;
	struct pd_arena arena;
	struct pd_tx tx;
	uint32_t log; /* its length */
};

static void made_init(struct made *m)
{
	*m = (struct made){.host = {.left = -1}};
	pd_arena_init(&m->arena, unit_host(&m->host));
	m->tx.arena = &m->arena;
}

static void made_finish(struct made *m)
{
	pd_arena_finish(&m->arena);
	assert_int_equal(m->host.live, 0);
}

static void say(struct made *m, uint16_t tid, enum pd_event_kind kind, uint64_t addr, uint64_t n)
{
	pd_tx_event(&m->tx,
		    &(struct pd_event){.kind = (uint8_t)kind, .tid = tid, .addr = addr, .size = n},
		    m->log, 77);
}

/* A store of one word of the log; whether it had to be logged. */
static bool store_of(struct made *m, uint16_t tid, enum pd_event_kind kind, uint64_t addr,
		     uint64_t n)
{
	struct pd_event e = {.kind = (uint8_t)kind, .tid = tid, .addr = addr, .size = n};

	m->log++;
	return pd_tx_store(&m->tx, &e, m->log - 1, m->log, 5);
}

static bool stores(struct made *m, uint16_t tid, uint64_t addr, uint64_t n)
{
	return store_of(m, tid, PD_EV_STORE, addr, n);
}

static void only_inside_of_a_transaction(void **state)
{
	struct made m;

	(void)state;
	made_init(&m);
	assert_false(stores(&m, 0, 64, 8));
	say(&m, 0, PD_EV_TX_BEGIN, 0, 0);
	assert_false(stores(&m, 1, 64, 8)); /* another thread's */
	assert_true(stores(&m, 0, 64, 8));
	say(&m, 0, PD_EV_TX_END, 0, 0);
	assert_false(stores(&m, 0, 64, 8));
	assert_int_equal(m.tx.found.n, 1);
	assert_int_equal(m.tx.found.v[0].first, 3);
	assert_int_equal(m.tx.found.v[0].begin, 77);
	assert_int_equal(m.tx.found.v[0].place, 5);
	made_finish(&m);
}

static void what_is_logged_is_fine_from_then_on(void **state)
{
	struct made m;

	(void)state;
	made_init(&m);
	say(&m, 0, PD_EV_TX_BEGIN, 0, 0);
	assert_true(stores(&m, 0, 64, 8));
	say(&m, 0, PD_EV_TX_ADD, 64, 8);
	assert_false(stores(&m, 0, 64, 8));
	assert_true(stores(&m, 0, 64, 16)); /* its second half */
	assert_int_equal(m.tx.found.v[1].addr, 72);
	assert_int_equal(m.tx.found.v[1].size, 8);
	say(&m, 0, PD_EV_TX_REMOVE, 64, 8);
	assert_true(stores(&m, 0, 64, 8));
	made_finish(&m);
}

static void what_is_logged_later_is_late(void **state)
{
	struct made m;

	(void)state;
	made_init(&m);
	say(&m, 0, PD_EV_TX_BEGIN, 0, 0);
	assert_true(stores(&m, 0, 64, 8));
	say(&m, 0, PD_EV_TX_END, 0, 0);
	say(&m, 1, PD_EV_TX_BEGIN, 0, 0);
	say(&m, 0, PD_EV_TX_BEGIN, 0, 0);
	assert_true(stores(&m, 1, 64, 8));
	assert_true(stores(&m, 0, 64, 8));
	assert_true(stores(&m, 0, 72, 8));
	say(&m, 0, PD_EV_TX_ADD, 68, 4);
	assert_false(m.tx.found.v[0].late); /* of an earlier transaction */
	assert_false(m.tx.found.v[1].late); /* another thread's */
	assert_true(m.tx.found.v[2].late);
	assert_false(m.tx.found.v[3].late);
	made_finish(&m);
}

static void nested_ones_are_one(void **state)
{
	struct made m;

	(void)state;
	made_init(&m);
	say(&m, 0, PD_EV_TX_BEGIN, 0, 0);
	say(&m, 0, PD_EV_TX_BEGIN, 0, 0);
	say(&m, 0, PD_EV_TX_ADD, 64, 8);
	say(&m, 0, PD_EV_TX_END, 0, 0);
	assert_false(stores(&m, 0, 64, 8));
	assert_true(stores(&m, 0, 128, 8));
	assert_true(pd_unlogged_is_open(&m.tx, &m.tx.found.v[0]));
	say(&m, 0, PD_EV_TX_END, 0, 0);
	assert_false(pd_unlogged_is_open(&m.tx, &m.tx.found.v[0]));
	say(&m, 0, PD_EV_TX_BEGIN, 0, 0); /* a new one has nothing in its log */
	assert_false(pd_unlogged_is_open(&m.tx, &m.tx.found.v[0]));
	assert_true(stores(&m, 0, 64, 8));
	made_finish(&m);
}

static void some_need_no_log(void **state)
{
	struct made m;

	(void)state;
	made_init(&m);
	say(&m, 0, PD_EV_TX_IGNORE, 0, 64);
	say(&m, 0, PD_EV_TRANSIENT, 64, 8);
	say(&m, 0, PD_EV_TX_BEGIN, 0, 0);
	assert_false(stores(&m, 0, 32, 32));
	assert_false(stores(&m, 0, 56, 16));		  /* a part of each */
	assert_false(store_of(&m, 0, PD_EV_RMW, 512, 8)); /* may be a lock */
	assert_true(stores(&m, 0, 72, 8));
	made_finish(&m);
}

static void recovery_undoes_what_an_open_one_has_logged(void **state)
{
	struct made m;

	(void)state;
	made_init(&m);
	stores(&m, 0, 64, 8);
	say(&m, 0, PD_EV_TX_BEGIN, 0, 0);
	say(&m, 0, PD_EV_TX_ADD, 64, 16);
	assert_false(stores(&m, 0, 64, 8));
	assert_true(pd_tx_undoes(&m.tx, 0, 2, 64, 8));
	assert_false(pd_tx_undoes(&m.tx, 0, 1, 64, 8)); /* it was made before */
	assert_false(pd_tx_undoes(&m.tx, 1, 2, 64, 8)); /* another thread's */
	assert_false(pd_tx_undoes(&m.tx, 0, 2, 76, 8)); /* not all of it is logged */
	say(&m, 0, PD_EV_TX_REMOVE, 64, 16);		/* the commit begins */
	assert_true(pd_tx_undoes(&m.tx, 0, 2, 64, 8));
	say(&m, 0, PD_EV_TX_END, 0, 0);
	assert_false(pd_tx_undoes(&m.tx, 0, 2, 64, 8));
	say(&m, 0, PD_EV_TX_BEGIN, 0, 0); /* a new one has logged nothing */
	assert_false(pd_tx_undoes(&m.tx, 0, 3, 64, 8));
	made_finish(&m);
}

/* Recovery may reach what it has logged through what it has not. */
static void it_undoes_nothing_where_something_is_unlogged(void **state)
{
	struct made m;

	(void)state;
	made_init(&m);
	say(&m, 0, PD_EV_TX_BEGIN, 0, 0);
	assert_true(stores(&m, 0, 512, 8));
	say(&m, 0, PD_EV_TX_END, 0, 0);
	say(&m, 0, PD_EV_TX_BEGIN, 0, 0);
	say(&m, 0, PD_EV_TX_ADD, 64, 8);
	stores(&m, 0, 64, 8);
	assert_true(pd_tx_undoes(&m.tx, 0, 2, 64, 8)); /* an earlier one has left something out */
	assert_true(stores(&m, 0, 512, 8));
	assert_false(pd_tx_undoes(&m.tx, 0, 2, 64, 8));
	made_finish(&m);
}

/* A word that needs no log is not undone. */
static void what_is_exempt_is_not_undone(void **state)
{
	struct made m;

	(void)state;
	made_init(&m);
	say(&m, 0, PD_EV_TX_IGNORE, 64, 8);
	say(&m, 0, PD_EV_TX_BEGIN, 0, 0);
	assert_false(stores(&m, 0, 64, 8));
	assert_false(pd_tx_undoes(&m.tx, 0, 1, 64, 8));
	made_finish(&m);
}

static void found_by_any_of_its_words(void **state)
{
	static const struct pd_unlogged v[] = {{.first = 3, .last = 5}, {.first = 9, .last = 9}};

	(void)state;
	assert_null(pd_unlogged_find(v, 2, 0));
	assert_null(pd_unlogged_find(v, 2, 2));
	assert_ptr_equal(pd_unlogged_find(v, 2, 3), &v[0]);
	assert_ptr_equal(pd_unlogged_find(v, 2, 5), &v[0]);
	assert_null(pd_unlogged_find(v, 2, 6));
	assert_ptr_equal(pd_unlogged_find(v, 2, 9), &v[1]);
	assert_null(pd_unlogged_find(v, 2, 10));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_inside_of_a_transaction),
		cmocka_unit_test(what_is_logged_is_fine_from_then_on),
		cmocka_unit_test(what_is_logged_later_is_late),
		cmocka_unit_test(nested_ones_are_one),
		cmocka_unit_test(some_need_no_log),
		cmocka_unit_test(recovery_undoes_what_an_open_one_has_logged),
		cmocka_unit_test(it_undoes_nothing_where_something_is_unlogged),
		cmocka_unit_test(what_is_exempt_is_not_undone),
		cmocka_unit_test(found_by_any_of_its_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
