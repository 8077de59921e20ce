/*
 * x86.h - x86-64 instructions as bytes: how long one is, what its operand in memory is, and whether
 * it flushes or fences.
 *
 * For reading code that perdure did not compile (runtime/access/probe.h, valgrind/decode.h).
 * Lengths are those of 64-bit mode (Intel SDM volume 2, chapter 2 and appendix A): prefixes, opcode
 * map, ModRM, SIB, displacement, immediate. Of what an instruction does, only flushes and fences
 * are known.
 *
 * Precision lost: AMD's XOP and 3DNow! are not decoded; encodings that raise an exception have the
 * length that their opcode map gives them; the displacement of an EVEX operand is not scaled.
 */
#ifndef PD_EVENT_X86_H
#define PD_EVENT_X86_H

#include "base/types.h"

enum pd_x86_is {
	PD_X86_OTHER,
	PD_X86_CLFLUSH,
	PD_X86_CLFLUSHOPT,
	PD_X86_CLWB,
	PD_X86_SFENCE,
	PD_X86_MFENCE,
	PD_X86_LFENCE,
};

enum { PD_X86_LONGEST = 15, PD_X86_REGISTERS = 16 };

struct pd_x86 {
	uint8_t length;
	uint8_t is;  /* enum pd_x86_is */
	uint8_t rex; /* W 8, R 4, X 2, B 1; also from a VEX prefix */
	uint8_t map; /* of the opcode: 0 one byte, 1 0f, 2 0f 38, 3 0f 3a */
	uint8_t opcode;
	uint8_t modrm;	 /* offset of that byte; 0: there is none */
	uint8_t segment; /* 0, or the prefix of fs or gs */
	bool p66, repeat, vex;
	bool short_address; /* 32 bits */
};

/* An operand in memory. Registers are -1 if there is none. */
struct pd_x86_operand {
	int8_t base, index;
	uint8_t shift; /* of the index */
	bool from_end; /* the displacement is from the end of the instruction */
	int64_t displacement;
};

/* Reads the instruction at p, of at most n bytes; false: there is none, or it is not known. */
bool pd_x86_read(const uint8_t *p, size_t n, struct pd_x86 *in);

/* Whether it flushes, or orders flushes. */
static inline bool pd_x86_persists(const struct pd_x86 *in)
{
	return in->is != PD_X86_OTHER && in->is != PD_X86_LFENCE;
}

/* Of an instruction with a ModRM byte that names memory. */
struct pd_x86_operand pd_x86_operand(const struct pd_x86 *in, const uint8_t *p);

/* Its address, without segment: registers by their numbers, and where the instruction is. */
uint64_t pd_x86_address(const struct pd_x86 *in, const uint8_t *p,
			const uint64_t reg[PD_X86_REGISTERS], uint64_t at);

#endif
