/* insn_avx512.c - 512-bit vectors, lanes by mask registers, scatter and packed lanes; see insn.h. */
#include "insn.h"
#include <immintrin.h>

static void lanes(char *p)
{
	__m512i v = _mm512_set1_epi64(2);
	__m128i w = _mm_set_epi32(4, 3, 2, 1), i = _mm_set_epi32(6, 4, 2, 0), r;

	_mm512_stream_si512((__m512i *)p, v); //= ntstoreb@0+64=02000000000000000200000000000000020000000000000002000000000000000200000000000000020000000000000002000000000000000200000000000000!n
	_mm_mask_storeu_epi32(p + 64, 0x5, w); //= maskstore@40+4x4:1010=01000000020000000300000004000000
	r = _mm_mask_loadu_epi32(_mm_set1_epi32(9), 0x3, p + 64); //= maskload@40+4x4:1100=01000000000000000900000009000000
	show("mask", (unsigned)_mm_extract_epi32(r, 2));
	_mm_mask_compressstoreu_epi32(p + 128, 0xa, w); //= scatter@80+4x4:0101=01000000020000000300000004000000
	r = _mm_maskz_expandloadu_epi32(0xc, p + 128); //= gather@80+4x4:0011=00000000000000000200000004000000
	show("expand", (unsigned)_mm_extract_epi32(r, 3));
	_mm_i32scatter_epi32((int *)(p + 192), i, w, 4); //= scatter@c0+4x4:1111=01000000020000000300000004000000
	r = _mm_mmask_i32gather_epi32(w, 0x2, i, (int *)(p + 192), 4); //= gather@c0+4x4:0100=01000000020000000300000004000000
	show("gather", (unsigned)_mm_extract_epi32(r, 1));
}

static void all(char *p)
{
	lanes(p);
}
