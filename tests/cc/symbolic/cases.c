/*
 * cases.c - what a C program does with bytes that have labels (harness.c). Each case is a function of 16
 * bytes to 64.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef unsigned __int128 u128;

#define GET(type, at)	     (*(const type *)(in + (at)))
#define PUT(type, at, value) (*(type *)(out + (at)) = (type)(value))
#define CASE(name)	     static void name(const u8 *in, u8 *out)

/* All operators of one width: no branch, so that every input is on the path. */
#define ARITHMETIC(name, type, stype)                                                              \
	CASE(arith_##name)                                                                         \
	{                                                                                          \
		type a = GET(type, 0), b = GET(type, 8);                                           \
		unsigned by = (unsigned)(b & (sizeof(type) * 8 - 1));                              \
                                                                                                   \
		PUT(type, 0, a + b);                                                               \
		PUT(type, 8, a - b);                                                               \
		PUT(type, 16, a * b);                                                              \
		PUT(type, 24, (a & b) ^ (a | 0x55));                                               \
		PUT(type, 32, a << by);                                                            \
		PUT(type, 40, a >> by);                                                            \
		PUT(type, 48, (stype)a >> by);                                                     \
		PUT(type, 56, ~a + -b);                                                            \
	}                                                                                          \
	CASE(divide_##name)                                                                        \
	{                                                                                          \
		type a = GET(type, 0), b = GET(type, 8);                                           \
                                                                                                   \
		PUT(type, 0, a / (type)7);                                                         \
		PUT(type, 8, a % (type)10);                                                        \
		PUT(type, 16, (stype)a / (stype)-3);                                               \
		PUT(type, 24, (stype)a % (stype)100);                                              \
		if (b) {                                                                           \
			PUT(type, 32, a / b);                                                      \
			PUT(type, 40, a % b);                                                      \
			if (b != (type)-1) {                                                       \
				PUT(type, 48, (stype)a / (stype)b);                                \
				PUT(type, 56, (stype)a % (stype)b);                                \
			}                                                                          \
		}                                                                                  \
	}                                                                                          \
	CASE(compare_##name)                                                                       \
	{                                                                                          \
		type a = GET(type, 0), b = GET(type, 8);                                           \
		stype c = (stype)a, d = (stype)b;                                                  \
                                                                                                   \
		out[0] = a == b;                                                                   \
		out[1] = a != b;                                                                   \
		out[2] = a < b;                                                                    \
		out[3] = a <= b;                                                                   \
		out[4] = a > b;                                                                    \
		out[5] = a >= b;                                                                   \
		out[6] = c < d;                                                                    \
		out[7] = c <= d;                                                                   \
		out[8] = c > d;                                                                    \
		out[9] = c >= d;                                                                   \
		out[10] = a < 100;                                                                 \
		out[11] = c > -5;                                                                  \
	}

ARITHMETIC(8, u8, int8_t)
ARITHMETIC(16, u16, int16_t)
ARITHMETIC(32, u32, int32_t)
ARITHMETIC(64, u64, int64_t)

CASE(casts)
{
	PUT(u64, 0, GET(u8, 0));
	PUT(int64_t, 8, GET(int8_t, 1));
	PUT(int64_t, 16, GET(int16_t, 2));
	PUT(int64_t, 24, GET(int32_t, 4));
	PUT(u64, 32, (u16)GET(u64, 8));
	PUT(u32, 40, (u8)(GET(u32, 8) >> 3));
	PUT(_Bool, 44, GET(u32, 8) & 1);
	PUT(u64, 48, (u64)(uintptr_t)((const char *)0 + GET(u32, 12)));
}

CASE(wide)
{
	u128 a = (u128)GET(u64, 0) << 64 | GET(u64, 8), b = (u128)GET(u64, 8) << 64 | GET(u64, 0);

	PUT(u128, 0, a + b);
	PUT(u128, 16, a - b);
	PUT(u128, 32, a * b);
	PUT(u128, 48, a ^ (b << 3));
}

CASE(wide_shift)
{
	u128 a = (u128)GET(u64, 0) << 64 | GET(u64, 8);
	unsigned by = in[3] & 127;

	PUT(u128, 0, a << by);
	PUT(u128, 16, a >> by);
	PUT(u128, 32, (__int128)a >> by);
	PUT(u128, 48, (a << 64) | (a >> 100));
}

CASE(wide_compare)
{
	u128 a = (u128)GET(u64, 0) << 64 | GET(u64, 8), b = (u128)GET(u32, 0) << 64 | GET(u32, 8);

	out[0] = a == b;
	out[1] = a < b;
	out[2] = a <= b;
	out[3] = (__int128)a < (__int128)b;
	out[4] = (__int128)a >= (__int128)b;
	out[5] = a != b;
	PUT(int64_t, 8, (__int128)(int8_t)in[2] >> 64);
	PUT(u64, 16, (u128)in[2] * 77);
}

CASE(wide_divide)
{
	u128 a = (u128)GET(u64, 0) << 64 | GET(u64, 8);

	PUT(u128, 0, a / 1000);
	PUT(u128, 16, a % 1000);
}

CASE(overflow)
{
	int32_t i;
	u32 u;
	int64_t l;
	u64 v;

	out[0] = __builtin_add_overflow(GET(int32_t, 0), GET(int32_t, 4), &i);
	PUT(int32_t, 8, i);
	out[1] = __builtin_sub_overflow(GET(u32, 0), GET(u32, 4), &u);
	PUT(u32, 12, u);
	out[2] = __builtin_mul_overflow(GET(int64_t, 0), GET(int32_t, 8), &l);
	PUT(int64_t, 16, l);
	out[3] = __builtin_mul_overflow(GET(u64, 0), GET(u64, 8), &v);
	PUT(u64, 24, v);
	out[4] = __builtin_sub_overflow(GET(int32_t, 0), GET(int32_t, 4), &i);
	out[5] = __builtin_add_overflow(GET(u64, 0), GET(u64, 8), &v);
}

CASE(bits)
{
	u32 a = GET(u32, 0);
	u64 b = GET(u64, 8);

	PUT(u32, 0, __builtin_bswap32(a));
	PUT(u64, 8, __builtin_bswap64(b));
	PUT(u16, 4, __builtin_bswap16((u16)a));
	PUT(int, 16, __builtin_popcount(a));
	PUT(int, 20, __builtin_popcountll(b));
	PUT(int, 24, __builtin_clz(a | 1));
	PUT(int, 28, __builtin_ctzll(b | 1ULL << 63));
	PUT(int, 32, abs((int)a));
	PUT(u32, 36, a << 7 | a >> 25);
	PUT(u64, 40, b >> (a & 63) | b << (-a & 63));
	PUT(u32, 48, __builtin_bitreverse32(a));
	PUT(u32, 52, __builtin_elementwise_add_sat((int)a, (int)b));
	PUT(u32, 56, __builtin_elementwise_sub_sat(a, (u32)b));
	PUT(int, 60, (int)a > (int)b ? (int)a : (int)b);
}

struct fields {
	unsigned a : 3, b : 7, c : 13;
	signed d : 9;
	u64 e : 40, f : 20;
};

CASE(fields)
{
	struct fields f = {0}, *p = (struct fields *)(out + 32);

	f.a = in[0];
	f.b = in[1];
	f.c = GET(u16, 2);
	f.d = in[4];
	f.e = GET(u64, 8);
	*p = f;
	p->f = in[7];
	PUT(u32, 0, f.a + f.b);
	PUT(int, 4, f.d);
	PUT(u64, 8, f.e * 3);
	PUT(u32, 16, p->c);
}

static int decide(int x, int y)
{
	if (x > y)
		return x - y > 10 ? 1 : 2;
	while (x < y && x < 20)
		x += 3;
	return x;
}

CASE(branches)
{
	PUT(int, 0, decide(in[0] & 31, in[1] & 31));
	PUT(int, 4, in[2] > 7 && in[3] < 200 ? in[4] : in[5] + 1);
	if ((int8_t)in[6] < 0 || in[7] == 'x')
		PUT(int, 8, in[8]);
	for (int i = 0; i < (in[9] & 3); i++)
		out[16 + i] = in[10] + (u8)i;
}

CASE(switches)
{
	switch (in[0] & 15) {
	case 0:
	case 1:
		out[0] = in[1];
		break;
	case 2:
		out[0] = 7;
		/* fall through */
	case 5:
		out[1] = in[2] * 3;
		break;
	case 9 ... 12:
		out[2] = 9;
		break;
	default:
		out[3] = in[3] ^ in[0];
	}
	switch (GET(u64, 8) >> 60) {
	case 3:
		out[8] = 1;
		break;
	case 4:
		out[8] = 2;
		break;
	}
}

static int (*const table_of_functions[4])(int);
static int add1(int x) { return x + 1; }
static int mul3(int x) { return x * 3; }
static int neg(int x) { return -x; }
static int (*const table_of_functions[4])(int) = {add1, mul3, neg, abs};

__attribute__((noinline)) static int apply(int (*f)(int), int x)
{
	return f(x) ^ 5;
}

CASE(indirect)
{
	PUT(int, 0, apply(table_of_functions[in[0] % 3], in[1]));
	PUT(int, 4, apply(add1, GET(int, 4)));
}

static const u16 table[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};

CASE(loads_at)
{
	u8 local[32];

	for (int i = 0; i < 32; i++)
		local[i] = (u8)(i * 7);
	local[5] = in[5];
	PUT(u16, 0, table[in[0] & 15]);
	out[2] = local[in[1] & 31];
	PUT(u32, 4, *(u32 *)(local + (in[2] & 15)));
	PUT(u64, 8, *(u64 *)(local + (in[2] & 7) * 2));
	out[16] = in[in[3] & 15];
}

CASE(stores_at)
{
	u8 local[32] = {0};

	local[in[0] & 31] = in[1];
	local[in[2] & 31] = 77;
	*(u32 *)(local + (in[3] & 7)) += 5;
	for (int i = 0; i < 32; i++)
		out[i] = local[i];
	out[40 + (in[4] & 7)] = in[5];
}

struct small {
	int a;
	short b;
};
struct large {
	long a[5];
	char c[3];
};
struct huge {
	char c[200];
};

__attribute__((noinline)) static struct small make_small(int a, int b)
{
	return (struct small){a + 1, (short)b};
}

__attribute__((noinline)) static struct large make_large(struct large l, int x)
{
	l.a[2] += x;
	l.c[1] = (char)x;
	return l;
}

__attribute__((noinline)) static long sum_huge(struct huge h, int n)
{
	long s = 0;

	for (int i = 0; i < n; i++)
		s = s * 3 + h.c[i];
	return s;
}

CASE(structs)
{
	struct small s = make_small(GET(int, 0), in[4]);
	struct large l = {{in[5], in[6], 7, in[7], 1}, {1, 2, (char)in[8]}};

	l = make_large(l, GET(int, 8));
	PUT(int, 0, s.a);
	PUT(short, 4, s.b);
	for (int i = 0; i < 5; i++)
		PUT(long, 8 + 8 * i, l.a[i]);
	out[56] = (u8)l.c[1];
	out[57] = (u8)l.c[2];
}

CASE(by_value)
{
	struct huge h = {{0}};

	h.c[3] = (char)in[0];
	h.c[9] = (char)in[1];
	PUT(long, 0, sum_huge(h, 12));
}

__attribute__((noinline)) static long variadic(int n, ...)
{
	va_list ap, copy;
	long s = 0;

	va_start(ap, n);
	va_copy(copy, ap);
	for (int i = 0; i < n; i++)
		s = s * 5 + (i % 3 == 1 ? (long)va_arg(ap, double) : i % 3 ? va_arg(ap, long)
									      : va_arg(ap, int));
	s += va_arg(copy, int);
	va_end(ap);
	va_end(copy);
	return s;
}

__attribute__((noinline)) static long forward(int n, ...)
{
	va_list ap;
	long s = 0;

	va_start(ap, n);
	for (int i = 0; i < n; i++) {
		struct large l = va_arg(ap, struct large);
		s += l.a[1] * 3 + va_arg(ap, int);
	}
	va_end(ap);
	return s;
}

CASE(varargs)
{
	struct large l = {{0, in[9], 0, 0, 0}, {0}};

	PUT(long, 0,
	    variadic(12, in[0], 1.5, (long)in[1], in[2], 2.5, 3L, in[3], 3.5, (long)in[4], 6, 7.0,
		     GET(long, 8)));
	PUT(long, 8, variadic(0, in[5]));
	PUT(long, 16, forward(2, l, in[6], l, in[7]));
}

CASE(atomics)
{
	_Atomic u32 a = GET(u32, 0);
	_Atomic u64 b = 5;
	u64 expected = in[4];

	PUT(u32, 0, atomic_fetch_add(&a, in[5]));
	PUT(u32, 4, atomic_fetch_xor(&a, 3));
	PUT(u32, 8, atomic_exchange(&a, GET(u32, 8)));
	PUT(u32, 12, a);
	out[16] = atomic_compare_exchange_strong(&b, &expected, GET(u32, 12));
	PUT(u64, 24, b);
	PUT(u64, 32, expected);
}

static jmp_buf env;
__attribute__((noinline)) static void jump(int x)
{
	longjmp(env, x);
}

CASE(jumps)
{
	volatile int x = in[0];

	if (setjmp(env) == 0) {
		x += in[1];
		jump(3);
	}
	PUT(int, 0, x);
}

CASE(blocks)
{
	u8 b[100];

	__builtin_memset(b, in[0], sizeof(b));
	__builtin_memcpy(b + 10, in, 16);
	__builtin_memmove(b + 12, b + 10, 16);
	__builtin_memcpy(out, b + 5, 40);
	__builtin_memset(out + 3, 9, 2);
}

CASE(floats)
{
	float f = in[0];
	double d;

	PUT(int, 0, (int)(f * 1.5f));
	__builtin_memcpy(&d, in + 8, 8);
	out[8] = d < 1.0;
}

typedef u32 v4 __attribute__((vector_size(16)));
typedef u8 v16 __attribute__((vector_size(16)));

CASE(vectors)
{
	v4 a = *(const v4 *)in, b = {1, 2, 3, 4};
	v16 c = *(const v16 *)in;

	*(v4 *)out = a * b + (a >> 3);
	*(v16 *)(out + 16) = __builtin_shufflevector(c, c + c, 3, 17, 5, 20, 0, 1, 2, 31, 4, 6, 7, 8, 9,
						     10, 11, 12);
	*(v4 *)(out + 32) = (v4)(a > b) & a;
	PUT(u32, 48, a[2]);
	a[1] = 9;
	PUT(u64, 56, ((__attribute__((vector_size(16))) u64)a)[0]);
}

CASE(assembly)
{
	u32 x = GET(u32, 0), y;

	__asm__("leal 5(%1), %0" : "=r"(y) : "r"(x));
	PUT(u32, 0, y);
	__asm__("addl $3, %0" : "+m"(x));
	PUT(u32, 4, x);
}

CASE(addresses)
{
	const u8 *p = in + (in[0] & 3), *q = in + (in[1] & 3);
	char local[in[2] % 7 + 1];

	PUT(long, 0, p - q);
	out[8] = p < q;
	local[0] = 1;
	out[9] = sizeof(local) + (u8)local[0];
}

static u64 chain(const u8 *in, int n)
{
	return n ? chain(in, n - 1) * 31 + in[n] : in[0];
}

CASE(recursion)
{
	PUT(u64, 0, chain(in, 12));
}

/* A hash with tables and loops. */
CASE(crc)
{
	u32 c = ~0u;

	for (int i = 0; i < 8; i++) {
		c ^= in[i];
		for (int k = 0; k < 8; k++)
			c = c >> 1 ^ (0xedb88320u & -(c & 1));
	}
	PUT(u32, 0, ~c);
}

struct test_case {
	const char *name;
	void (*run)(const u8 *, u8 *);
	int pins;
};
extern int pd_symbolic_test(const struct test_case *cases, int n, int runs, unsigned seed);

#define C(name, pins) {#name, name, pins}
#define ALL(w)	      C(arith_##w, 0), C(divide_##w, 0), C(compare_##w, 0)

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		ALL(8),		   ALL(16),	     ALL(32),	       ALL(64),
		C(casts, 0),	   C(wide, 0),	     C(wide_shift, 0), C(wide_compare, 0),
		C(wide_divide, -1), C(overflow, 0),   C(bits, 0),       C(fields, 0),
		C(branches, 0),	   C(switches, 0),   C(indirect, -1),  C(loads_at, -1),
		C(stores_at, -1),  C(structs, 0),    C(by_value, -1),  C(varargs, 0),
		C(atomics, 0),	   C(jumps, -1),     C(blocks, 0),     C(floats, -1),
		C(vectors, 0),	   C(assembly, -1),  C(addresses, -1), C(recursion, 0),
		C(crc, 0),
	};
	int runs = argc > 1 ? atoi(argv[1]) : 10;

	return pd_symbolic_test(cases, sizeof(cases) / sizeof(cases[0]), runs,
				argc > 2 ? (unsigned)atoi(argv[2]) : 1);
}
