/* insn_avx2.c - 256-bit vectors, masked and gathering accesses; see insn.h. */
#include "insn.h"
#include <immintrin.h>

static void streams(char *p)
{
	__m256i v = _mm256_set1_epi32(5);

	_mm256_stream_si256((__m256i *)p, v); //= ntstoreb@0+32=0500000005000000050000000500000005000000050000000500000005000000!n
	_mm256_stream_pd((double *)(p + 32), _mm256_setzero_pd()); //= ntstoreb@20+32=0000000000000000000000000000000000000000000000000000000000000000!n
	_mm256_storeu_si256((__m256i *)(p + 65), v); //= storeb@41+32=0500000005000000050000000500000005000000050000000500000005000000
	v = _mm256_loadu_si256((__m256i *)(p + 65)); //= loadb@41+32=0500000005000000050000000500000005000000050000000500000005000000
	show("v", (unsigned)_mm256_extract_epi32(v, 3));
	show("lddqu", (unsigned)_mm_extract_epi32(_mm_lddqu_si128((__m128i *)(p + 57)), 2)); //= loadb@39+16=00000000000000000500000005000000
	asm volatile("vmovntdq %1,%0" : "=m"(AT(__m256i, 128)) : "x"(v)); //= ntstoreb@80+32=0500000005000000050000000500000005000000050000000500000005000000!ns
}

static void masks(char *p)
{
	__m128i m = _mm_set_epi32(-1, 0, -1, 0), v = _mm_set_epi32(4, 3, 2, 1);

	_mm_maskstore_epi32((int *)(p + 192), m, v); //= maskstore@c0+4x4:0101=01000000020000000300000004000000
	v = _mm_maskload_epi32((int *)(p + 192), _mm_set_epi32(-1, -1, 0, 0)); //= maskload@c0+4x4:0011=00000000000000000000000004000000
	show("maskload", (unsigned)_mm_extract_epi32(v, 3));
	_mm256_maskstore_pd((double *)(p + 224), _mm256_set_epi64x(0, 0, 0, -1), _mm256_set1_pd(1)); //= maskstore@e0+8x4:1000=000000000000f03f000000000000f03f000000000000f03f000000000000f03f
	_mm_maskmoveu_si128(_mm_set1_epi8(7), _mm_set_epi64x(0, 0x80), p + 256); //= ntmaskstore@100+1x16:1000000000000000=07070707070707070707070707070707!n
}

static void gathers(char *p)
{
	__m128i i = _mm_set_epi32(3, 2, 1, 0), r;

	r = _mm_i32gather_epi32((int *)(p + 192), i, 4); //= gather@c0+4x4:1111=00000000020000000000000004000000
	show("gather", (unsigned)_mm_extract_epi32(r, 3));
	r = _mm_mask_i32gather_epi32(_mm_set1_epi32(9), (int *)(p + 192), i, _mm_set_epi32(0, 0, -1, 0), 4); //= gather@c0+4x4:0100=09000000020000000900000009000000
	show("masked", (unsigned)_mm_extract_epi32(r, 0));
}

static void all(char *p)
{
	streams(p);
	masks(p);
	gathers(p);
}
