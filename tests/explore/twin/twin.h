/*
 * twin.h - what generated programs share: types, tables, and the path as it is noted.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

typedef uint8_t u8;
typedef int8_t i8;
typedef uint16_t u16;
typedef int16_t i16;
typedef uint32_t u32;
typedef int32_t i32;
typedef uint64_t u64;
typedef int64_t i64;
typedef i32 v4 __attribute__((vector_size(16)));

struct s {
	i64 a;
	u16 b;
	i8 c;
	u32 f : 5, g : 9;
	u8 v[4];
};

struct program {
	int number;
	u32 bytes;
	void (*run)(u8 *in, u32 n);
};

static u64 path; /* what conditions said, one after the other */

static __attribute__((noinline)) void note(u32 what)
{
	path = (path ^ what) * 0x100000001b3ULL;
	path ^= path >> 29;
}

#define T(id, c) ((c) ? (note(2 * (id) + 1), 1) : (note(2 * (id)), 0))
#define N(id)	 note(2 * (id))

static const u8 tab8[16] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 97, 49, 255, 128};
static const u16 tab16[32] = {1, 2, 4, 8, 1000, 40000, 65535, 7, 7, 7, 300, 0, 0, 5, 256, 255,
			      9, 8, 7, 6, 5,	4,     3,     2, 1, 0, 500, 1, 2, 3, 4,	  5};
static const i32 tab32[8] = {-1, 0, 1, 100000, -100000, 255, 7, 42};
static const char tabs[65] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/";

static __attribute__((noinline, unused)) u32 f1(u64 a, i32 b)
{
	return (u32)(a * 3 + (u32)(b >> 1));
}

static __attribute__((noinline, unused)) i16 f2(i8 a, u16 b)
{
	return T(1000, a < 0) ? (i16)(b - 1) : (i16)(b ^ 0x55);
}

static __attribute__((noinline, unused)) i32 fv(int n, ...)
{
	va_list ap;
	u32 sum = 0;

	va_start(ap, n);
	while (n--)
		sum = sum * 2 + (u32)va_arg(ap, int);
	va_end(ap);
	return (i32)sum;
}

static __attribute__((noinline, unused)) i8 f3(struct s s, const i32 *p)
{
	return (i8)(s.v[0] + s.v[1] * 2 + (u8)*p);
}
