/*
 * solver.c - questions as programs ask them, and how long they take.
 *
 * Each family is a function that a program might have, on bytes of input: it is run with some
 * inputs, as a path is, and for each of its branches the other way is asked for, with those
 * conditions before it that share bytes with it. What byte domains answer is left out.
 *
 *	solver              each family: answers, CPU time a question
 *	solver --write DIR  the same questions for other solvers: DIR/FAMILY-N.smt2, and FAMILY-N.is, which
 *	                    has the answer, and CPU time in ms with what earlier ones have left, and without
 */
#include "drive/explore/solve.h"
#include "engine/explore/query.h"
#include "host/host.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INPUT = 16, STEPS = 256, LIMIT_MS = 2000 };

struct path {
	struct pd_arena a, scratch;
	struct pd_exprs *x;
	uint8_t input[INPUT];
	pd_expr step[STEPS];
	uint32_t n;
};

/* ---- building ------------------------------------------------------------------------------- */

static pd_expr k(struct path *p, uint32_t width, uint64_t v)
{
	return pd_expr_const(p->x, width, width < 64 ? v & ((1ULL << width) - 1) : v);
}

static pd_expr in(struct path *p, uint32_t i, uint32_t width)
{
	return pd_expr_extend(p->x, PD_SYM_ZEXT, pd_expr_input(p->x, i), width);
}

static pd_expr op(struct path *p, enum pd_sym_op o, pd_expr a, pd_expr b)
{
	return pd_expr_binary(p->x, o, a, b);
}

static pd_expr opk(struct path *p, enum pd_sym_op o, pd_expr a, uint64_t b)
{
	return pd_expr_binary(p->x, o, a, k(p, pd_expr_width(p->x, a), b));
}

/* Little endian, n bytes. */
static pd_expr word(struct path *p, uint32_t first, uint32_t n)
{
	pd_expr e = pd_expr_input(p->x, first);

	for (uint32_t i = 1; i < n; i++)
		e = pd_expr_concat(p->x, pd_expr_input(p->x, first + i), e);
	return e;
}

/* A branch of the path: whether it is taken. */
static bool branch(struct path *p, pd_expr c)
{
	bool taken = pd_expr_value_under(p->x, c, p->input);

	if (!pd_expr_is_const(p->x, c, &(uint64_t){0}) && p->n < STEPS)
		p->step[p->n++] = taken ? c : pd_expr_not(p->x, c);
	return taken;
}

/* ---- families ------------------------------------------------------------------------------- */

static bool within(struct path *p, pd_expr c, uint8_t low, uint8_t high)
{
	return !branch(p, opk(p, PD_SYM_ULT, c, low)) && branch(p, opk(p, PD_SYM_ULE, c, high));
}

/* The value of a digit of base64, or 0 and `bad`. */
static pd_expr digit64(struct path *p, uint32_t i, bool *bad)
{
	pd_expr c = pd_expr_input(p->x, i), v = in(p, i, 32);

	if (within(p, c, 'A', 'Z'))
		return opk(p, PD_SYM_SUB, v, 'A');
	if (within(p, c, 'a', 'z'))
		return opk(p, PD_SYM_SUB, v, 'a' - 26);
	if (within(p, c, '0', '9'))
		return opk(p, PD_SYM_ADD, v, 52 - '0');
	*bad = !branch(p, opk(p, PD_SYM_EQ, c, '+'));
	return k(p, 32, 62);
}

static void decimal_ends(struct path *p, pd_expr v)
{
	branch(p, opk(p, PD_SYM_EQ, v, 31337));
	branch(p, opk(p, PD_SYM_SLT, v, 100000));
	branch(p, opk(p, PD_SYM_EQ, opk(p, PD_SYM_UREM, v, 97), 1));
	branch(p, opk(p, PD_SYM_EQ, opk(p, PD_SYM_UDIV, v, 60), 1234));
}

/* base64, then a decimal number in it: num4.c. */
static void base64(struct path *p)
{
	pd_expr out[6], v = k(p, 64, 0);
	bool bad = false;

	for (uint32_t i = 0; i < 8; i += 4) {
		pd_expr w = k(p, 32, 0);

		for (uint32_t j = 0; j < 4 && !bad; j++)
			w = op(p, PD_SYM_OR, opk(p, PD_SYM_SHL, w, 6), digit64(p, i + j, &bad));
		if (bad)
			return;
		for (uint32_t j = 0; j < 3; j++)
			out[i / 4 * 3 + j] = pd_expr_extract(p->x, w, 16 - 8 * j, 8);
	}
	for (uint32_t i = 0; i < 6 && within(p, out[i], '0', '9'); i++)
		v = op(p, PD_SYM_ADD, opk(p, PD_SYM_MUL, v, 10),
		       opk(p, PD_SYM_SUB, pd_expr_extend(p->x, PD_SYM_ZEXT, out[i], 64), '0'));
	decimal_ends(p, v);
}

static void decimal(struct path *p)
{
	pd_expr v = k(p, 64, 0);

	for (uint32_t i = 0; i < 10 && within(p, pd_expr_input(p->x, i), '0', '9'); i++)
		v = op(p, PD_SYM_ADD, opk(p, PD_SYM_MUL, v, 10),
		       opk(p, PD_SYM_SUB, in(p, i, 64), '0'));
	decimal_ends(p, v);
	branch(p, opk(p, PD_SYM_EQ, op(p, PD_SYM_XOR, v, opk(p, PD_SYM_LSHR, v, 7)), 0x12345678));
}

static void fnv(struct path *p)
{
	pd_expr h = k(p, 32, 0x811c9dc5);

	for (uint32_t i = 0; i < 8; i++) {
		h = opk(p, PD_SYM_MUL, op(p, PD_SYM_XOR, h, in(p, i, 32)), 0x01000193);
		branch(p, opk(p, PD_SYM_EQ, h, 0xdeadbeef));
		branch(p, opk(p, PD_SYM_EQ, opk(p, PD_SYM_UREM, h, 1021), 77));
	}
}

static void djb2(struct path *p)
{
	pd_expr h = k(p, 64, 5381);

	for (uint32_t i = 0; i < 10; i++) {
		h = op(p, PD_SYM_ADD, opk(p, PD_SYM_MUL, h, 33), in(p, i, 64));
		branch(p, opk(p, PD_SYM_EQ, opk(p, PD_SYM_AND, h, 0xffff), 0xbeef));
		branch(p, opk(p, PD_SYM_EQ, opk(p, PD_SYM_UREM, h, 65521), 4711));
	}
}

/* CRC-32 by its table, as it is in memory: of the first bytes, against a constant and the next
 * four. */
static void crc(struct path *p)
{
	uint64_t key[256], base = 0x5555555580a0;
	pd_expr entry[256], c = k(p, 32, UINT32_MAX);

	for (uint32_t i = 0; i < 256; i++) {
		uint32_t v = i;

		for (uint32_t b = 0; b < 8; b++)
			v = v >> 1 ^ (v & 1 ? 0xedb88320 : 0);
		key[i] = base + 4 * i;
		entry[i] = k(p, 32, v);
	}
	for (uint32_t i = 0; i < 12; i++) {
		pd_expr at =
			op(p, PD_SYM_XOR, pd_expr_extract(p->x, c, 0, 8), pd_expr_input(p->x, i));

		at = pd_expr_extend(p->x, PD_SYM_ZEXT, at, 64);
		at = opk(p, PD_SYM_ADD, opk(p, PD_SYM_SHL, at, 2), base);
		at = pd_expr_table(p->x, at, 256, key, entry, entry[0]);
		c = op(p, PD_SYM_XOR, at, opk(p, PD_SYM_LSHR, c, 8));
		if (i % 4 == 3) {
			branch(p, opk(p, PD_SYM_EQ, c, 0xcafebabe));
			branch(p, op(p, PD_SYM_EQ, c, word(p, 12, 4)));
		}
	}
}

static void adler(struct path *p)
{
	pd_expr a = k(p, 32, 1), b = k(p, 32, 0);

	for (uint32_t i = 0; i < 8; i++) {
		a = opk(p, PD_SYM_UREM, op(p, PD_SYM_ADD, a, in(p, i, 32)), 65521);
		b = opk(p, PD_SYM_UREM, op(p, PD_SYM_ADD, b, a), 65521);
		branch(p, opk(p, PD_SYM_EQ, op(p, PD_SYM_OR, opk(p, PD_SYM_SHL, b, 16), a),
			      0x0b4f02c4));
		branch(p, opk(p, PD_SYM_EQ, a, 1 + 37 * (i + 1)));
	}
}

static void divisions(struct path *p)
{
	pd_expr a = word(p, 0, 4), b = word(p, 4, 4), c = word(p, 8, 2), d = word(p, 10, 2);

	branch(p, opk(p, PD_SYM_EQ, op(p, PD_SYM_UDIV, a, b), 1000));
	branch(p, opk(p, PD_SYM_EQ, op(p, PD_SYM_UREM, a, b), 77));
	branch(p, opk(p, PD_SYM_EQ, op(p, PD_SYM_SDIV, c, d), 13));
	branch(p, opk(p, PD_SYM_EQ, op(p, PD_SYM_SREM, c, d), (uint64_t)-9));
	branch(p, opk(p, PD_SYM_EQ, opk(p, PD_SYM_SDIV, a, 86400), 19000));
	branch(p, opk(p, PD_SYM_EQ, opk(p, PD_SYM_UREM, opk(p, PD_SYM_UDIV, a, 3600), 24), 23));
	branch(p, opk(p, PD_SYM_EQ, opk(p, PD_SYM_UREM, b, 146097), 1460));
}

static void compares(struct path *p)
{
	pd_expr w[4];

	for (uint32_t i = 0; i < 4; i++)
		w[i] = word(p, 4 * i, 4);
	for (uint32_t i = 0; i < 4; i++) {
		for (uint32_t j = 0; j < i; j++) {
			branch(p, op(p, PD_SYM_ULT, w[i], w[j]));
			branch(p, op(p, PD_SYM_SLT, op(p, PD_SYM_SUB, w[i], w[j]), w[j]));
		}
	}
	branch(p, op(p, PD_SYM_EQ, op(p, PD_SYM_ADD, w[0], w[1]), op(p, PD_SYM_XOR, w[2], w[3])));
}

static void products(struct path *p)
{
	pd_expr a = pd_expr_extend(p->x, PD_SYM_ZEXT, word(p, 0, 2), 32);
	pd_expr b = pd_expr_extend(p->x, PD_SYM_ZEXT, word(p, 2, 2), 32), c = word(p, 4, 4);

	branch(p, opk(p, PD_SYM_ULT, a, 2));
	branch(p, opk(p, PD_SYM_ULT, b, 2));
	branch(p, opk(p, PD_SYM_EQ, op(p, PD_SYM_MUL, a, b), 12343 * 3));
	branch(p, opk(p, PD_SYM_EQ, op(p, PD_SYM_MUL, a, b), 54323U * 65521));
	branch(p, opk(p, PD_SYM_EQ, op(p, PD_SYM_MUL, a, b), 2147483647));
	branch(p, opk(p, PD_SYM_EQ, op(p, PD_SYM_MUL, c, c), 0x62e4a6b1));
	branch(p, op(p, PD_SYM_ULT, op(p, PD_SYM_MUL, c, b), a));
}

/* A number of 7 bits a byte, and fields of it. */
static void varint(struct path *p)
{
	pd_expr v = k(p, 64, 0), r;

	for (uint32_t i = 0; i < 6; i++) {
		pd_expr b = in(p, i, 64);

		v = op(p, PD_SYM_OR, v, opk(p, PD_SYM_SHL, opk(p, PD_SYM_AND, b, 127), 7 * i));
		if (!branch(p, pd_expr_extract(p->x, pd_expr_input(p->x, i), 7, 1)))
			break;
	}
	branch(p, opk(p, PD_SYM_EQ, v, 1000000));
	r = op(p, PD_SYM_SHL, v, opk(p, PD_SYM_AND, in(p, 8, 64), 63));
	branch(p, opk(p, PD_SYM_EQ, r, 0xabc000));
	branch(p, op(p, PD_SYM_ULT, opk(p, PD_SYM_ADD, v, 16), v));
	branch(p, opk(p, PD_SYM_EQ, op(p, PD_SYM_ASHR, opk(p, PD_SYM_SUB, v, 5000), in(p, 9, 64)),
		      UINT64_MAX));
}

static const struct {
	const char *name;
	void (*run)(struct path *p);
	const char *input[4];
} families[] = {
	{"base64", base64, {"MTIzNDU2", "MDAwMDAw", "Mz+zMz8z", "NDcxMUFB"}},
	{"decimal", decimal, {"1234567890", "0000000001", "12 ", "99999999999"}},
	{"fnv", fnv, {"abcdefgh", "ABCDEFGH"}},
	{"djb2", djb2, {"abcdefghij", "0123456789"}},
	{"crc", crc, {"abcdefghijklmnop", "0123456789abcdef"}},
	{"adler", adler, {"abcdefgh", "01234567"}},
	{"divisions", divisions, {"abcdefghijkl", "012345678901", "zyxwvutsrqpo"}},
	{"compares", compares, {"abcdefghijklmnop", "ponmlkjihgfedcba", "aqawertzuiopasdf"}},
	{"products", products, {"abcdefgh", "01234567"}},
	{"varint", varint, {"\x81\x82\x03zzzzzz", "\xff\xff\xff\xff\x01qqqqq", "\1"}},
};

/* ---- questions ------------------------------------------------------------------------------ */

static bool meets(struct path *p, pd_expr e, const bool *bytes)
{
	uint32_t n;
	const uint32_t *s = pd_expr_support(p->x, e, &n);

	while (n-- > 0) {
		if (bytes[s[n]])
			return true;
	}
	return false;
}

static uint32_t add(struct path *p, pd_expr e, bool *bytes)
{
	uint32_t n, fresh = 0;
	const uint32_t *s = pd_expr_support(p->x, e, &n);

	while (n-- > 0) {
		fresh += !bytes[s[n]];
		bytes[s[n]] = true;
	}
	return fresh;
}

/* The other way at step i, and what of the path concerns it; 0: domains answer that. */
static uint32_t question(struct path *p, uint32_t i, pd_expr *holds)
{
	bool bytes[INPUT] = {false}, taken[STEPS] = {false}, more = true;
	pd_expr flipped = pd_expr_not(p->x, p->step[i]);
	uint32_t wide = add(p, flipped, bytes), n = 0;

	while (more) {
		more = false;
		for (uint32_t j = 0; j < i; j++) {
			if (!taken[j] && meets(p, p->step[j], bytes)) {
				taken[j] = more = true;
				wide += add(p, p->step[j], bytes);
			}
		}
	}
	for (uint32_t j = 0; j < i; j++) {
		if (taken[j])
			holds[n++] = p->step[j];
	}
	holds[n++] = flipped;
	return wide > 1 ? n : 0;
}

/* ---- SMT-LIB -------------------------------------------------------------------------------- */

static const char *const smt_op[PD_SYM_OPS] = {
	[PD_SYM_ADD] = "bvadd",	  [PD_SYM_SUB] = "bvsub",   [PD_SYM_MUL] = "bvmul",
	[PD_SYM_UDIV] = "bvudiv", [PD_SYM_SDIV] = "bvsdiv", [PD_SYM_UREM] = "bvurem",
	[PD_SYM_SREM] = "bvsrem", [PD_SYM_SHL] = "bvshl",   [PD_SYM_LSHR] = "bvlshr",
	[PD_SYM_ASHR] = "bvashr", [PD_SYM_AND] = "bvand",   [PD_SYM_OR] = "bvor",
	[PD_SYM_XOR] = "bvxor",	  [PD_SYM_EQ] = "=",	    [PD_SYM_ULT] = "bvult",
	[PD_SYM_ULE] = "bvule",	  [PD_SYM_SLT] = "bvslt",   [PD_SYM_SLE] = "bvsle",
};

static void smt_table(FILE *f, struct path *p, pd_expr e)
{
	const struct pd_expr_table *t = pd_expr_table_of(p->x, e);
	pd_expr index = pd_expr_operand(p->x, e, 0);

	for (uint32_t i = 0; i < t->n; i++)
		fprintf(f, "(ite (= n%u (_ bv%llu %u)) n%u ", index, (unsigned long long)t->key[i],
			pd_expr_width(p->x, index), t->entry[i]);
	fprintf(f, "n%u", t->otherwise);
	for (uint32_t i = 0; i < t->n; i++)
		putc(')', f);
}

static void smt_term(FILE *f, struct path *p, pd_expr e)
{
	enum pd_sym_op o = pd_expr_op(p->x, e);
	pd_expr a = pd_expr_operand(p->x, e, 0), b = pd_expr_operand(p->x, e, 1);
	uint32_t width = pd_expr_width(p->x, e);
	uint64_t v = 0;

	if (pd_expr_is_const(p->x, e, &v))
		fprintf(f, "(_ bv%llu %u)", (unsigned long long)v, width);
	else if (o == PD_SYM_INPUT)
		fprintf(f, "i%u", pd_expr_input_index(p->x, e));
	else if (o == PD_SYM_TABLE)
		smt_table(f, p, e);
	else if (o == PD_SYM_NOT)
		fprintf(f, "(bvnot n%u)", a);
	else if (o >= PD_SYM_UDIV && o <= PD_SYM_SREM)
		fprintf(f, "(ite (= n%u (_ bv0 %u)) (_ bv0 %u) (%s n%u n%u))", b, width, width,
			smt_op[o], a, b);
	else if (o >= PD_SYM_ADD && o <= PD_SYM_XOR)
		fprintf(f, "(%s n%u n%u)", smt_op[o], a, b);
	else if (o >= PD_SYM_EQ && o <= PD_SYM_SLE)
		fprintf(f, "(ite (%s n%u n%u) #b1 #b0)", smt_op[o], a, b);
	else if (o == PD_SYM_ITE)
		fprintf(f, "(ite (= n%u #b1) n%u n%u)", a, b, pd_expr_operand(p->x, e, 2));
	else if (o == PD_SYM_EXTRACT)
		fprintf(f, "((_ extract %u %u) n%u)", pd_expr_low(p->x, e) + width - 1,
			pd_expr_low(p->x, e), a);
	else if (o == PD_SYM_CONCAT)
		fprintf(f, "(concat n%u n%u)", a, b);
	else
		fprintf(f, "((_ %s %u) n%u)", o == PD_SYM_SEXT ? "sign_extend" : "zero_extend",
			width - pd_expr_width(p->x, a), a);
}

/* Marks what e is made of. */
static void mark(struct path *p, pd_expr e, bool *used)
{
	if (!e || used[e])
		return;
	used[e] = true;
	for (uint32_t i = 0; i < 3; i++)
		mark(p, pd_expr_operand(p->x, e, i), used);
	if (pd_expr_op(p->x, e) == PD_SYM_TABLE) {
		const struct pd_expr_table *t = pd_expr_table_of(p->x, e);

		for (uint32_t i = 0; i < t->n; i++)
			mark(p, t->entry[i], used);
		mark(p, t->otherwise, used);
	}
}

static void write_smt(FILE *f, struct path *p, const pd_expr *holds, uint32_t n)
{
	bool *used = calloc(pd_exprs_count(p->x), sizeof(*used));

	fprintf(f, "(set-logic QF_BV)\n");
	for (uint32_t i = 0; i < INPUT; i++)
		fprintf(f, "(declare-const i%u (_ BitVec 8))\n", i);
	for (uint32_t i = 0; i < n; i++)
		mark(p, holds[i], used);
	for (pd_expr e = 1; e < pd_exprs_count(p->x); e++) {
		if (!used[e])
			continue;
		fprintf(f, "(define-fun n%u () (_ BitVec %u) ", e, pd_expr_width(p->x, e));
		smt_term(f, p, e);
		fprintf(f, ")\n");
	}
	for (uint32_t i = 0; i < n; i++)
		fprintf(f, "(assert (= n%u #b1))\n", holds[i]);
	fprintf(f, "(check-sat)\n");
	free(used);
}

/* ---- measuring ------------------------------------------------------------------------------ */

struct sums {
	uint32_t n, answers[3];
	double kept, anew, most;
};

static const char *const answer_is[] = {"unsat", "sat", "unknown"};

static void save(const char *dir, const char *family, uint32_t number, struct path *p,
		 const pd_expr *holds, uint32_t n, const char *answer, double kept, double anew)
{
	char name[4096];
	FILE *f;

	snprintf(name, sizeof(name), "%s/%s-%03u.smt2", dir, family, number);
	f = fopen(name, "w");
	if (!f)
		exit(2);
	write_smt(f, p, holds, n);
	fclose(f);
	snprintf(name, sizeof(name), "%s/%s-%03u.is", dir, family, number);
	f = fopen(name, "w");
	if (!f)
		exit(2);
	fprintf(f, "%s %.3f %.3f\n", answer, kept, anew);
	fclose(f);
}

static void measure(struct path *p, struct pd_solve *kept, uint32_t family, const char *dir,
		    struct sums *s)
{
	static uint8_t bytes[1 << 20], answer[1 << 12];
	struct pd_solve_limits limits = {.ms = LIMIT_MS};

	for (uint32_t i = 0; i < p->n; i++) {
		pd_expr holds[STEPS + 1];
		uint32_t n = question(p, i, holds);
		uint32_t size =
			n ? pd_query_write(p->x, holds, n, &p->scratch, bytes, sizeof(bytes)) : 0;
		struct pd_solve *fresh;
		struct pd_solve_result r, one;

		if (!size)
			continue;
		r = pd_solve(kept, limits, bytes, size, answer, sizeof(answer));
		fresh = pd_solve_create(INPUT);
		one = pd_solve(fresh, limits, bytes, size, answer, sizeof(answer));
		pd_solve_destroy(fresh);
		if (r.answer != one.answer && r.answer != PD_ASK_UNKNOWN &&
		    one.answer != PD_ASK_UNKNOWN) {
			fprintf(stderr, "solver: two answers to one question\n");
			exit(1);
		}
		if (dir)
			save(dir, families[family].name, s->n, p, holds, n, answer_is[r.answer],
			     (double)r.ns / 1e6, (double)one.ns / 1e6);
		s->n++;
		s->answers[r.answer]++;
		s->kept += (double)r.ns / 1e6;
		s->anew += (double)one.ns / 1e6;
		s->most = r.ns / 1e6 > s->most ? (double)r.ns / 1e6 : s->most;
	}
}

static void run_family(uint32_t family, const char *dir)
{
	struct pd_solve *kept = pd_solve_create(INPUT);
	struct sums s = {0};

	for (uint32_t i = 0; i < 4 && families[family].input[i]; i++) {
		struct path p = {.n = 0};

		pd_arena_init(&p.a, pd_host_memory());
		pd_arena_init(&p.scratch, pd_host_memory());
		p.x = pd_exprs_create(&p.a, INPUT);
		memcpy(p.input, families[family].input[i],
		       strnlen(families[family].input[i], INPUT));
		families[family].run(&p);
		measure(&p, kept, family, dir, &s);
		pd_arena_finish(&p.a);
		pd_arena_finish(&p.scratch);
	}
	printf("%-10s %9u %5u %5u %8u %10.2f %10.2f %9.1f\n", families[family].name, s.n,
	       s.answers[PD_ASK_YES], s.answers[PD_ASK_NO], s.answers[PD_ASK_UNKNOWN], s.kept / s.n,
	       s.anew / s.n, s.most);
	fflush(stdout);
	pd_solve_destroy(kept);
}

int main(int argc, char **argv)
{
	const char *dir = argc == 3 && strcmp(argv[1], "--write") == 0 ? argv[2] : NULL;

	printf("%-10s %9s %5s %5s %8s %10s %10s %9s\n", "", "questions", "yes", "no", "unknown",
	       "ms, kept", "ms, anew", "ms, most");
	for (uint32_t i = 0; i < PD_LEN(families); i++)
		run_family(i, dir);
	return 0;
}
