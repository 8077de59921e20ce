/* cover_test.c - coverage of check: which stores a read of recovery counts for. */
#include "unit.h"
#include "engine/crash/cover.h"
#include "model/model.h"
#include <pthread.h>

enum { MEM = 256, FILE_ = 3, THREADS = 4 };

/* Site n is the n-th store. */
struct world {
	struct unit_host host;
	struct pd_arena arena;
	struct pd_model m;
	uint8_t mem[MEM];
	uint32_t stores;
	struct pd_cover *c;
};

static void begin(struct world *w)
{
	memset(w, 0, sizeof(*w));
	w->host.left = -1;
	w->c = calloc(1, sizeof(*w->c));
	pd_arena_init(&w->arena, unit_host(&w->host));
	pd_model_init(&w->m, &w->arena, PD_PARAMS_ADR, w->mem, false);
}

static void end(struct world *w)
{
	pd_model_finish(&w->m);
	pd_arena_finish(&w->arena);
	free(w->c);
}

static struct pd_cover_place place_of(uint32_t site)
{
	return (struct pd_cover_place){.site = site, .file = FILE_};
}

static void store(struct world *w, uint64_t addr, uint32_t size)
{
	struct pd_cover_place p = place_of(++w->stores);
	uint64_t value = 0x0101010101010101 * w->stores;

	pd_model_store(&w->m, 0, addr, &value, size, w->stores, 0);
	pd_cover_add(pd_cover_make(w->c, &p), PD_COVER_STORED);
}

static void persist(struct world *w, uint64_t addr)
{
	pd_model_flush(&w->m, 0, addr, PD_FLUSH_CLWB);
	pd_model_sfence(&w->m, 0);
}

static void read_bytes(struct world *w, uint64_t mask, uint32_t after)
{
	pd_cover_read(w->c, FILE_, &pd_model_line(&w->m, 0)->cur, 0, mask, after);
}

static uint32_t flags_of(struct world *w, uint32_t site)
{
	struct pd_cover_place p = place_of(site), back;
	uint64_t *word = pd_cover_make(w->c, &p);
	uint32_t flags;

	assert_non_null(word);
	assert_true(pd_cover_get(*word, &back, &flags));
	assert_int_equal(back.site, site);
	assert_int_equal(back.file, FILE_);
	assert_false(back.recovery);
	return flags;
}

enum {
	UNREAD = PD_COVER_STORED,
	READ = PD_COVER_STORED | PD_COVER_READ,
	AT_STAKE = READ | PD_COVER_READ_AT_STAKE,
};

static void test_places(void **state)
{
	struct pd_cover_place p = {PD_COVER_SITES - 1, PD_COVER_FILES - 1, true}, back;
	struct pd_cover_place q = {PD_COVER_SITES - 1, PD_COVER_FILES - 1, false};
	uint32_t flags;
	struct world w;
	uint64_t *word;

	(void)state;
	begin(&w);
	assert_false(pd_cover_get(0, &back, &flags));
	word = pd_cover_make(w.c, &p);
	assert_ptr_equal(pd_cover_make(w.c, &p), word);
	assert_ptr_not_equal(pd_cover_make(w.c, &q), word);
	assert_int_equal(w.c->nplace, 2);
	pd_cover_add(word, PD_COVER_STORED);
	pd_cover_add(word, PD_COVER_READ);
	assert_true(pd_cover_get(*word, &back, &flags));
	assert_int_equal(back.site, p.site);
	assert_int_equal(back.file, p.file);
	assert_true(back.recovery);
	assert_int_equal(flags, READ);
	assert_int_equal(pd_cover_size(w.c), 2);
	end(&w);
}

/* The table takes half of its size, says how often there was no room, and finds what it has. */
static void test_no_room(void **state)
{
	struct pd_cover_place p = {0};
	struct world w;
	uint64_t *first;

	(void)state;
	begin(&w);
	first = pd_cover_make(w.c, &p);
	for (p.site = 1; p.site < PD_COVER_PLACES / 2; p.site++)
		assert_non_null(pd_cover_make(w.c, &p));
	assert_int_equal(w.c->full, 0);
	assert_null(pd_cover_make(w.c, &p));
	assert_int_equal(w.c->full, 1);
	p.site = 0;
	assert_ptr_equal(pd_cover_make(w.c, &p), first);
	assert_int_equal(w.c->full, 1);
	assert_int_equal(w.c->nplace, PD_COVER_PLACES / 2);
	end(&w);
}

/* A store at stake is read whether recovery finds it or not, also where a newer one is over it. */
static void test_stores_at_stake(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	store(&w, 0, 8);
	store(&w, 0, 8);
	store(&w, 8, 8);
	read_bytes(&w, 0x80, 0);
	assert_int_equal(flags_of(&w, 1), AT_STAKE);
	assert_int_equal(flags_of(&w, 2), AT_STAKE);
	assert_int_equal(flags_of(&w, 3), UNREAD);
	end(&w);
}

/* Of durable stores, those whose bytes are still there. */
static void test_durable_stores(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	store(&w, 0, 8);
	store(&w, 4, 4);
	store(&w, 16, 8);
	persist(&w, 0);
	read_bytes(&w, 0xf0, 0);
	assert_int_equal(flags_of(&w, 1), UNREAD);
	assert_int_equal(flags_of(&w, 2), READ);
	read_bytes(&w, 0x1f, 0);
	assert_int_equal(flags_of(&w, 1), READ);
	assert_int_equal(flags_of(&w, 3), UNREAD);
	end(&w);
}

/* At a later crash: only what is newer than the store that is known. */
static void test_only_newer_stores(void **state)
{
	struct world w;

	(void)state;
	begin(&w);
	store(&w, 0, 8);
	store(&w, 0, 8);
	read_bytes(&w, 0xff, 1);
	assert_int_equal(flags_of(&w, 1), UNREAD);
	assert_int_equal(flags_of(&w, 2), AT_STAKE);
	end(&w);
}

/* What nobody has noted is not noted by a read. */
static void test_stores_that_nobody_noted(void **state)
{
	uint32_t words = 0;
	struct world w;

	(void)state;
	begin(&w);
	pd_model_clear(&w.m, 0, 0, 64);
	store(&w, 0, 8);
	pd_model_store(&w.m, 0, 8, &w.mem[128], 8, 77, 0);
	read_bytes(&w, UINT64_MAX, 0);
	for (uint32_t i = 0; i < PD_COVER_PLACES; i++)
		words += w.c->place[i] != 0;
	assert_int_equal(words, 1);
	assert_int_equal(w.c->nplace, 1);
	assert_int_equal(flags_of(&w, 1), AT_STAKE);
	end(&w);
}

static void test_meetings(void **state)
{
	struct world w;
	struct pd_history *h;

	(void)state;
	begin(&w);
	store(&w, 0, 8);
	h = &pd_model_line(&w.m, 0)->cur;
	pd_cover_met(w.c, h, 9, false);
	pd_cover_met(w.c, h, 9, false);
	assert_int_equal(w.c->npair, 1);
	pd_cover_met(w.c, h, 9, true);
	assert_int_equal(w.c->npair, 2);
	pd_cover_met(w.c, h, 10, true);
	assert_int_equal(w.c->npair, 3);
	persist(&w, 0);
	pd_cover_met(w.c, h, 10, true);
	assert_int_equal(w.c->npair, 4);
	store(&w, 0, 8);
	pd_cover_met(w.c, h, 10, true);
	assert_int_equal(w.c->npair, 5);
	assert_int_equal(pd_cover_size(w.c), 5 + 2);
	for (uint32_t site = 0; site < PD_COVER_PAIRS; site++)
		pd_cover_met(w.c, h, 100 + site, false);
	assert_int_equal(w.c->npair, PD_COVER_PAIRS / 2);
	end(&w);
}

/* ---- threads of the kernel ------------------------------------------------------------------ */

enum { HAMMERED = PD_COVER_PLACES / 4 };

static struct {
	pthread_barrier_t start;
	struct pd_cover *c;
	uint64_t *word[THREADS][HAMMERED];
} hammer;

/* All the same places, each thread in another order and with a flag of its own. */
static void *make_places(void *arg)
{
	uint32_t me = (uint32_t)(uintptr_t)arg;

	pthread_barrier_wait(&hammer.start);
	for (uint32_t i = 0; i < HAMMERED; i++) {
		uint32_t site = (i * (2 * me + 1) + me) % HAMMERED;
		struct pd_cover_place p = place_of(site);

		hammer.word[me][site] = pd_cover_make(hammer.c, &p);
		if (hammer.word[me][site])
			pd_cover_add(hammer.word[me][site], 1u << me);
	}
	return NULL;
}

static void test_threads_make_the_same_places(void **state)
{
	pthread_t thread[THREADS];

	(void)state;
	hammer.c = calloc(1, sizeof(*hammer.c));
	assert_int_equal(pthread_barrier_init(&hammer.start, NULL, THREADS), 0);
	for (uintptr_t t = 0; t < THREADS; t++)
		assert_int_equal(pthread_create(&thread[t], NULL, make_places, (void *)t), 0);
	for (int t = 0; t < THREADS; t++)
		assert_int_equal(pthread_join(thread[t], NULL), 0);
	assert_int_equal(hammer.c->nplace, HAMMERED);
	assert_int_equal(pd_cover_size(hammer.c), HAMMERED * THREADS); /* each is listed once */
	assert_int_equal(hammer.c->full, 0);
	for (uint32_t site = 0; site < HAMMERED; site++) {
		struct pd_cover_place p;
		uint32_t flags;

		for (int t = 1; t < THREADS; t++)
			assert_ptr_equal(hammer.word[t][site], hammer.word[0][site]);
		assert_true(pd_cover_get(*hammer.word[0][site], &p, &flags));
		assert_int_equal(p.site, site);
		assert_int_equal(flags, (1u << THREADS) - 1);
	}
	pthread_barrier_destroy(&hammer.start);
	free(hammer.c);
}

/* A node is looked at again with newer stores, and at crashes of another execution. */
static void test_what_is_known_of_a_node(void **state)
{
	struct pd_cover *c = calloc(1, sizeof(*c));
	struct pd_tree_covered covered = {0};

	(void)state;
	c->base = 10;
	assert_int_equal(pd_cover_known(c, &covered, 11), 0);
	pd_cover_know(&covered, 12, 7);
	assert_true(pd_cover_known(c, &covered, 12) == UINT32_MAX);
	assert_int_equal(pd_cover_known(c, &covered, 13), 7);
	assert_int_equal(pd_cover_known(c, &covered, 11), 0); /* that was a later crash */
	pd_cover_know(&covered, 11, 9);			      /* which stays */
	assert_int_equal(pd_cover_known(c, &covered, 13), 7);
	pd_cover_know(&covered, 100, 50);
	assert_int_equal(pd_cover_known(c, &covered, 13), 7); /* of an earlier crash, still */
	assert_int_equal(pd_cover_known(c, &covered, 11), 0);
	pd_cover_know(&covered, 110, 60);
	assert_int_equal(pd_cover_known(c, &covered, 105), 50);
	pd_cover_know(&covered, 150, 80); /* the earlier one is near enough */
	assert_int_equal(pd_cover_known(c, &covered, 105), 50);
	assert_int_equal(pd_cover_known(c, &covered, 160), 80);
	c->base = 200; /* another execution */
	assert_int_equal(pd_cover_known(c, &covered, 213), 0);
	free(c);
}

/* Nothing is tested before a recovery has read what the program had at stake. */
static void test_what_was_tested(void **state)
{
	struct pd_cover *c = calloc(1, sizeof(*c));
	uint64_t *own, *recovery;

	(void)state;
	assert_int_equal(pd_cover_tested(c), PD_TESTED_NO_STORE);
	recovery = pd_cover_make(c, &(struct pd_cover_place){.site = 1, .recovery = true});
	pd_cover_add(recovery, PD_COVER_STORED | PD_COVER_AT_STAKE | PD_COVER_READ);
	assert_int_equal(pd_cover_tested(c), PD_TESTED_NO_STORE);
	own = pd_cover_make(c, &(struct pd_cover_place){.site = 1});
	pd_cover_add(own, PD_COVER_STORED);
	assert_int_equal(pd_cover_tested(c), PD_TESTED_NO_STAKE);
	pd_cover_add(own, PD_COVER_READ); /* it was durable each time */
	assert_int_equal(pd_cover_tested(c), PD_TESTED_NO_STAKE);
	own = pd_cover_make(c, &(struct pd_cover_place){.site = 2});
	pd_cover_add(own, PD_COVER_STORED | PD_COVER_AT_STAKE);
	assert_int_equal(pd_cover_tested(c), PD_TESTED_NO_READ);
	pd_cover_add(own, PD_COVER_READ);
	assert_int_equal(pd_cover_tested(c), PD_TESTED);
	free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_no_room),
		cmocka_unit_test(test_stores_at_stake),
		cmocka_unit_test(test_durable_stores),
		cmocka_unit_test(test_only_newer_stores),
		cmocka_unit_test(test_stores_that_nobody_noted),
		cmocka_unit_test(test_meetings),
		cmocka_unit_test(test_what_was_tested),
		cmocka_unit_test(test_threads_make_the_same_places),
		cmocka_unit_test(test_what_is_known_of_a_node),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
