/*
 * view_test.c - what is seen of a value: each step and each comparison against the arithmetic of C.
 */
#include "unit.h"
#include "event/view.h"
#include "base/hash.h"

enum { VALUES = 400 };

static struct pd_view *new_view(uint8_t size, uint8_t parts, const struct pd_view_step *step,
				uint16_t n)
{
	struct pd_view *v = calloc(1, sizeof(*v) + n * sizeof(*step));

	v->steps = n;
	v->size = size;
	v->parts = parts;
	memcpy(v->step, step, n * sizeof(*step));
	return v;
}

/* A step of 32 bits, and all that is left. */
static uint64_t after(uint8_t op, uint64_t c, uint8_t bits, uint32_t value)
{
	struct pd_view_step step[] = {{.op = op, .bits = bits, .c = c},
				      {.op = PD_VIEW_BITS, .bits = bits}};
	struct pd_view *v = new_view(4, 1, step, PD_LEN(step));
	struct pd_lens lens = {v, {0}};
	uint8_t seen[PD_VIEW_SEEN];
	uint64_t left;

	assert_int_equal(pd_view_look(&lens, (const uint8_t *)&value, seen), pd_view_seen(v));
	memcpy(&left, seen + 1, sizeof(left));
	free(v);
	return left;
}

static void test_steps(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < VALUES; i++) {
		uint32_t x = (uint32_t)pd_mix(i) >> i % 30, c = (uint32_t)pd_mix(i + 1) >> i % 29;

		assert_int_equal(after(PD_VIEW_AND, c, 32, x), x & c);
		assert_int_equal(after(PD_VIEW_OR, c, 32, x), x | c);
		assert_int_equal(after(PD_VIEW_XOR, c, 32, x), x ^ c);
		assert_int_equal(after(PD_VIEW_ADD, c, 32, x), (uint32_t)(x + c));
		assert_int_equal(after(PD_VIEW_ADD, (uint64_t)-3, 32, x), (uint32_t)(x - 3));
		assert_int_equal(after(PD_VIEW_SHL, c % 32, 32, x), (uint32_t)(x << c % 32));
		assert_int_equal(after(PD_VIEW_LSHR, c % 32, 32, x), x >> c % 32);
		assert_int_equal(after(PD_VIEW_ASHR, c % 32, 32, x),
				 (uint32_t)((int32_t)x >> c % 32));
		assert_int_equal(after(PD_VIEW_UDIV, c | 1, 32, x), x / (c | 1));
		assert_int_equal(after(PD_VIEW_UREM, c | 1, 32, x), x % (c | 1));
		assert_int_equal(after(PD_VIEW_CAST, 0, 8, x), (uint8_t)x);
		assert_int_equal(after(PD_VIEW_CAST, 0, 64, x), x);
		assert_int_equal(after(PD_VIEW_SEXT, 0, 64, x), (uint64_t)(int64_t)(int32_t)x);
	}
}

/* Comparisons with a constant and with either operand, at once. */
static uint8_t compared(uint8_t op, uint32_t value, uint32_t with)
{
	struct pd_view_step step[] = {{.op = op, .bits = 32, .c = with},
				      {.op = op, .bits = 32, .with = 1},
				      {.op = op, .bits = 32, .with = 2}};
	struct pd_view *v = new_view(4, 0, step, PD_LEN(step));
	/* What is above the bits that are compared does not count */
	struct pd_lens lens = {v, {with | 7ULL << 32, value}};
	uint8_t seen[PD_VIEW_SEEN];

	assert_int_equal(pd_view_look(&lens, (const uint8_t *)&value, seen), 1);
	free(v);
	return seen[0];
}

static void test_comparisons(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < VALUES; i++) {
		uint32_t x = (uint32_t)pd_mix(i) >> i % 31, y = i % 5 ? (uint32_t)pd_mix(i + 9) : x;
		int32_t s = (int32_t)x, t = (int32_t)y;

		assert_int_equal(compared(PD_VIEW_EQ, x, y), (x == y) * 3 + 4);
		assert_int_equal(compared(PD_VIEW_ULT, x, y), (x < y) * 3);
		assert_int_equal(compared(PD_VIEW_ULE, x, y), (x <= y) * 3 + 4);
		assert_int_equal(compared(PD_VIEW_SLT, x, y), (s < t) * 3);
		assert_int_equal(compared(PD_VIEW_SLE, x, y), (s <= t) * 3 + 4);
	}
}

/* Each term begins with the value that was loaded. */
static void test_terms(void **state)
{
	struct pd_view_step step[] = {
		{.op = PD_VIEW_AND, .bits = 64, .c = 6}, {.op = PD_VIEW_BITS, .bits = 64},
		{.op = PD_VIEW_EQ, .bits = 64, .c = 7},	 {.op = PD_VIEW_LSHR, .bits = 64, .c = 1},
		{.op = PD_VIEW_CAST, .bits = 8},	 {.op = PD_VIEW_BITS, .bits = 8}};
	struct pd_view *v = new_view(8, 2, step, PD_LEN(step));
	struct pd_lens lens = {v, {0}};
	uint8_t seen[PD_VIEW_SEEN];
	uint64_t value = 7, part;

	(void)state;
	assert_int_equal(pd_view_look(&lens, (const uint8_t *)&value, seen), 17);
	assert_int_equal(seen[0], 1);
	memcpy(&part, seen + 1, 8);
	assert_int_equal(part, 6);
	memcpy(&part, seen + 9, 8);
	assert_int_equal(part, 3);
	free(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_comparisons),
		cmocka_unit_test(test_terms),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
