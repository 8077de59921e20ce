/*
 * explore_blast_test.c - clauses against values: under each input, the clauses leave an expression
 * the value that it has, and no other. Who solves them is CaDiCaL.
 */
#include "unit.h"
#include "engine/explore/blast.h"
#include "unit/explore_draw.h"
#include <ccadical.h>

enum { INPUTS = 2 };

struct fixture {
	struct unit_host memory;
	struct pd_arena a;
	struct pd_exprs *x;
	struct pd_blast *b;
	CCaDiCaL *sat;
};

static void add_clause(void *ctx, const int32_t *literal, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		ccadical_add(ctx, literal[i]);
	ccadical_add(ctx, 0);
}

static void begin(struct fixture *f)
{
	*f = (struct fixture){.memory = {.left = -1}, .sat = ccadical_init()};
	pd_arena_init(&f->a, unit_host(&f->memory));
	f->x = pd_exprs_create(&f->a, INPUTS);
	f->b = pd_blast_create(&f->a, f->x, (struct pd_blast_sink){add_clause, f->sat});
	assert_non_null(f->b);
}

static void end(struct fixture *f)
{
	ccadical_release(f->sat);
	pd_arena_finish(&f->a);
}

static void assume_input(struct fixture *f, const uint8_t *input)
{
	for (uint32_t i = 0; i < INPUTS; i++) {
		for (uint32_t k = 0; k < 8; k++) {
			int32_t l = pd_blast_input(f->b, i, k);

			if (l)
				ccadical_assume(f->sat, input[i] >> k & 1 ? l : -l);
		}
	}
}

/* That is its value, and another one is impossible. */
static void check_value(struct fixture *f, pd_expr e, const uint8_t *input)
{
	uint32_t width = pd_expr_width(f->x, e);
	const int32_t *bits = pd_blast_bits(f->b, e, 0);
	uint64_t value = pd_expr_value_under(f->x, e, input), is = 0;

	assert_non_null(bits);
	assume_input(f, input);
	assert_int_equal(ccadical_solve(f->sat), 10);
	for (uint32_t i = 0; i < width; i++)
		is |= (uint64_t)(ccadical_val(f->sat, bits[i]) > 0) << i;
	assert_int_equal(is, value);
	assume_input(f, input);
	for (uint32_t i = 0; i < width; i++)
		ccadical_constrain(f->sat, value >> i & 1 ? -bits[i] : bits[i]);
	ccadical_constrain(f->sat, 0);
	assert_int_equal(ccadical_solve(f->sat), 20);
}

/* ---- each operator, all values -------------------------------------------------------------- */

static pd_expr low_bits(struct fixture *f, uint32_t index, uint32_t width)
{
	return pd_expr_extract(f->x, pd_expr_input(f->x, index), 0, width);
}

static void all_values_of(enum pd_sym_op op, uint32_t width)
{
	struct fixture f;
	pd_expr e;

	begin(&f);
	e = pd_expr_binary(f.x, op, low_bits(&f, 0, width), low_bits(&f, 1, width));
	for (uint32_t v = 0; v < 1U << 2 * width; v++) {
		uint8_t input[INPUTS] = {(uint8_t)(v & ((1U << width) - 1)), (uint8_t)(v >> width)};

		check_value(&f, e, input);
	}
	end(&f);
}

static void binary_operators(void **state)
{
	(void)state;
	for (uint32_t op = PD_SYM_ADD; op <= PD_SYM_SLE; op++) {
		for (uint32_t width = 1; width <= 3; width++)
			all_values_of((enum pd_sym_op)op, width);
	}
}

/* A byte against each constant of some width, on either side. */
static void with_constants(enum pd_sym_op op, uint32_t width)
{
	struct fixture f;

	begin(&f);
	for (uint64_t c = 0; c < 1ULL << width; c++) {
		pd_expr k = pd_expr_const(f.x, width, c), v = low_bits(&f, 0, width);
		pd_expr l = pd_expr_binary(f.x, op, k, v), r = pd_expr_binary(f.x, op, v, k);

		for (uint32_t i = 0; i < 1U << width; i++) {
			uint8_t input[INPUTS] = {(uint8_t)i, 0};

			check_value(&f, l, input);
			check_value(&f, r, input);
		}
	}
	end(&f);
}

static void constants(void **state)
{
	(void)state;
	for (uint32_t op = PD_SYM_ADD; op <= PD_SYM_SLE; op++)
		with_constants((enum pd_sym_op)op, op <= PD_SYM_SREM ? 4 : 3);
}

/* n (seven bits, times some constant) and a divisor or factor: a constant, or five bits. */
static void wide_operator(enum pd_sym_op op, uint32_t width, uint64_t by)
{
	static const uint8_t inputs[][INPUTS] = {{0, 0}, {255, 255}, {200, 3}, {3, 200}, {128, 1}};
	uint64_t mask = UINT64_MAX >> (64 - width);
	struct fixture f;
	pd_expr n, d, e;

	begin(&f);
	n = pd_expr_extend(f.x, PD_SYM_SEXT, low_bits(&f, 0, 7), width);
	n = pd_expr_binary(f.x, PD_SYM_MUL, n, pd_expr_const(f.x, width, 0x5a5a5a5a5 & mask >> 1));
	d = by ? pd_expr_const(f.x, width, by & mask)
	       : pd_expr_extend(f.x, PD_SYM_SEXT, low_bits(&f, 1, 5), width);
	e = pd_expr_binary(f.x, op, n, d);
	for (uint32_t k = 0; k < PD_LEN(inputs); k++)
		check_value(&f, e, inputs[k]);
	end(&f);
}

static void wide_operators(void **state)
{
	static const uint32_t widths[] = {7, 13, 32, 33, 64};
	static const uint64_t by[] = {0, 3, 10, 97, 1000003, 0x100000001b3, 0xfffffffffffffff6};

	(void)state;
	for (uint32_t op = PD_SYM_MUL; op <= PD_SYM_SREM; op++) {
		for (uint32_t w = 0; w < PD_LEN(widths); w++) {
			for (uint32_t i = 0; i < PD_LEN(by); i++)
				wide_operator((enum pd_sym_op)op, widths[w], by[i]);
		}
	}
}

/* ---- tables --------------------------------------------------------------------------------- */

/* The table of CRC-32, one byte of each entry, 4 bytes apart from some address on. */
static void tables_in_memory(void **state)
{
	struct fixture f;
	uint64_t key[256], base = 0x555555558020;
	pd_expr entry[256], index, e;

	(void)state;
	begin(&f);
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (uint32_t k = 0; k < 8; k++)
			c = c >> 1 ^ (c & 1 ? 0xedb88320 : 0);
		key[i] = base + 4 * i;
		entry[i] = pd_expr_const(f.x, 32, c);
	}
	index = pd_expr_extend(f.x, PD_SYM_ZEXT, pd_expr_input(f.x, 0), 64);
	index = pd_expr_binary(f.x, PD_SYM_SHL, index, pd_expr_const(f.x, 64, 2));
	index = pd_expr_binary(f.x, PD_SYM_ADD, index, pd_expr_const(f.x, 64, base));
	e = pd_expr_table(f.x, index, 256, key, entry, pd_expr_const(f.x, 32, 0));
	for (uint32_t i = 0; i < 256; i++)
		check_value(&f, e, (const uint8_t[]){(uint8_t)i, 0});
	assert_true(pd_blast_size(f.b).clauses < 1000); /* it is XORs */
	end(&f);
}

/* ---- anything ------------------------------------------------------------------------------- */

static void drawn(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 150; seed++) {
		struct fixture f;
		struct draw d = {.seed = seed << 20, .inputs = INPUTS, .widest = 20};

		begin(&f);
		d.x = f.x;
		draw_pool(&d, 20);
		for (uint32_t i = 0; i < 6; i++) {
			uint64_t bits = draw_bits(&d);
			uint8_t input[INPUTS] = {(uint8_t)bits, (uint8_t)(bits >> 8)};

			for (uint32_t k = 1; k <= 4; k++)
				check_value(&f, d.pool[d.n - k], input);
		}
		end(&f);
	}
}

/* ---- limits --------------------------------------------------------------------------------- */

static void too_many_clauses(void **state)
{
	struct fixture f;
	pd_expr a, e;

	(void)state;
	begin(&f);
	a = pd_expr_concat(f.x, pd_expr_input(f.x, 0), pd_expr_input(f.x, 1));
	e = pd_expr_binary(f.x, PD_SYM_MUL, a, a);
	e = pd_expr_binary(f.x, PD_SYM_UDIV, e, a);
	assert_null(pd_blast_bits(f.b, pd_expr_binary(f.x, PD_SYM_MUL, e, e), 1000));
	assert_int_equal(ccadical_solve(f.sat), 10);
	check_value(&f, e, (const uint8_t[]){12, 200});
	end(&f);
}

/* Wherever memory runs out, it says so; and one without gives the same clauses as before. */
static void no_memory(void **state)
{
	uint32_t failed = 0;

	(void)state;
	for (long left = 0; left < 40; left++) {
		struct fixture f;
		struct unit_host poor = {.left = left};
		struct pd_arena a;
		struct pd_blast *b;
		pd_expr e, v;

		begin(&f);
		pd_arena_init(&a, unit_host(&poor));
		b = pd_blast_create(&a, f.x, (struct pd_blast_sink){add_clause, f.sat});
		v = pd_expr_extend(
			f.x, PD_SYM_ZEXT,
			pd_expr_concat(f.x, pd_expr_input(f.x, 0), pd_expr_input(f.x, 1)), 32);
		e = pd_expr_binary(f.x, PD_SYM_UREM, pd_expr_binary(f.x, PD_SYM_MUL, v, v), v);
		failed += !b || !pd_blast_bits(b, e, 0);
		pd_arena_finish(&a);
		assert_int_equal(poor.live, 0);
		end(&f);
	}
	assert_true(failed > 0 && failed < 40);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(binary_operators),
		cmocka_unit_test(constants),
		cmocka_unit_test(wide_operators),
		cmocka_unit_test(tables_in_memory),
		cmocka_unit_test(drawn),
		cmocka_unit_test(too_many_clauses),
		cmocka_unit_test(no_memory),
	};

	return cmocka_run_group_tests_name("explore blast", tests, NULL, NULL);
}
