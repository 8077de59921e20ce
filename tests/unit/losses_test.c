/* losses_test.c - losses by cause: what is one and what is not, and that many of them cost no more
 * each. */
#include "unit/unit.h"
#include "drive/losses.h"
#include <stdio.h>
#include <time.h>

struct fixture {
	struct unit_host h;
	struct pd_arena a;
	struct pd_losses l;
};

static void set_up(struct fixture *x)
{
	memset(x, 0, sizeof(*x));
	x->h.left = -1;
	pd_arena_init(&x->a, unit_host(&x->h));
}

static bool take(struct fixture *x, enum pd_loss kind, uint32_t place, const char *text)
{
	struct pd_trace_record r = {
		.tag = PD_TRACE_LOSS, .text = text, .text_n = (uint32_t)strlen(text)};

	r.event.aux = kind;
	r.event.site = place;
	return pd_losses_take(&x->l, &x->a, &r);
}

static void numbers_do_not_make_a_cause(void **state)
{
	struct fixture x;

	(void)state;
	set_up(&x);
	assert_true(take(&x, PD_LOSS_BLIND, 1, "8 bytes of x2.pm at offset 0x40 changed"));
	assert_true(take(&x, PD_LOSS_BLIND, 1, "8 bytes of x2.pm at offset 0x40 changed"));
	assert_int_equal(x.l.all.n, 1);
	assert_int_equal(x.l.all.v[0].count, 2);
	assert_false(x.l.all.v[0].varied);
	assert_true(take(&x, PD_LOSS_BLIND, 1, "16 bytes of x2.pm at offset 0xffe changed"));
	assert_int_equal(x.l.all.n, 1);
	assert_int_equal(x.l.all.v[0].count, 3);
	assert_true(x.l.all.v[0].varied);
	assert_string_equal(x.l.all.v[0].what, "8 bytes of x2.pm at offset 0x40 changed");
	pd_arena_finish(&x.a);
}

static void everything_else_does(void **state)
{
	static const struct {
		enum pd_loss kind;
		uint32_t place;
		const char *text;
	} rows[] = {
		{PD_LOSS_BLIND, 1, "8 bytes of x2.pm"},
		{PD_LOSS_SYSCALL, 1, "8 bytes of x2.pm"},
		{PD_LOSS_BLIND, 2, "8 bytes of x2.pm"},
		{PD_LOSS_BLIND, 1, "8 bytes of x3.pm"},
		{PD_LOSS_BLIND, 1, "8 8 bytes of x2.pm"},
		{PD_LOSS_BLIND, 1, "0x bytes of x2.pm"},
		{PD_LOSS_BLIND, 1, "0x8g bytes of x2.pm"},
		{PD_LOSS_BLIND, 1, " bytes of x2.pm"},
		{PD_LOSS_BLIND, 1, ""},
		{PD_LOSS_BLIND, 1, " "},
	};
	struct fixture x;

	(void)state;
	set_up(&x);
	for (int again = 0; again < 2; again++)
		for (uint32_t i = 0; i < PD_LEN(rows); i++)
			assert_true(take(&x, rows[i].kind, rows[i].place, rows[i].text));
	assert_int_equal(x.l.all.n, PD_LEN(rows));
	for (uint32_t i = 0; i < PD_LEN(rows); i++) {
		assert_int_equal(x.l.all.v[i].count, 2);
		assert_string_equal(x.l.all.v[i].what, rows[i].text);
	}
	pd_arena_finish(&x.a);
}

static double seconds_of(uint32_t causes)
{
	struct timespec from, to;
	struct fixture x;
	char text[32];

	set_up(&x);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
	for (uint32_t i = 0; i < causes; i++) {
		snprintf(text, sizeof(text), "file%u.pm", i);
		assert_true(take(&x, PD_LOSS_BLIND, 0, text));
	}
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
	assert_int_equal(x.l.all.n, causes);
	pd_arena_finish(&x.a);
	return (double)(to.tv_sec - from.tv_sec) + 1e-9 * (double)(to.tv_nsec - from.tv_nsec);
}

/* Sixteen times as many: sixteen times the work, give or take caches; a list would take 256
 * times. */
static void many_causes_cost_no_more_each(void **state)
{
	double few = 1e9, many = 1e9;

	(void)state;
	for (int i = 0; i < 3; i++) {
		double f = seconds_of(10000), m = seconds_of(160000);

		few = f < few ? f : few;
		many = m < many ? m : many;
	}
	assert_true(many < 100 * few);
}

static void no_memory_is_said(void **state)
{
	(void)state;
	for (long left = 0; left < 3; left++) {
		struct fixture x;
		bool ok = true;
		char text[32];

		set_up(&x);
		x.h.left = left;
		for (uint32_t i = 0; ok && i < 100000; i++) {
			snprintf(text, sizeof(text), "file%u.pm", i);
			ok = take(&x, PD_LOSS_BLIND, 0, text);
		}
		assert_false(ok);
		pd_arena_finish(&x.a);
		assert_int_equal(x.h.live, 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_do_not_make_a_cause),
		cmocka_unit_test(everything_else_does),
		cmocka_unit_test(many_causes_cost_no_more_each),
		cmocka_unit_test(no_memory_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
