/*
 * x86.h - x86-64 instructions as bytes: how long one is, and whether it flushes or fences.
 *
 * For reading code that perdure did not compile (runtime/access/probe.h). Lengths are those of
 * 64-bit mode (Intel SDM volume 2, chapter 2 and appendix A): prefixes, opcode map, ModRM, SIB,
 * displacement, immediate. Of what an instruction does, only the five that persist are known.
 *
 * Precision lost: AMD's XOP and 3DNow! are not decoded; encodings that raise an exception have the
 * length that their opcode map gives them.
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
};

enum { PD_X86_LONGEST = 15, PD_X86_REGISTERS = 16 };

struct pd_x86 {
	uint8_t length;
	uint8_t is;    /* enum pd_x86_is */
	uint8_t rex;   /* W 8, R 4, X 2, B 1 */
	uint8_t modrm; /* offset of that byte; 0: there is none */
	/* The address is not what registers and displacement say: a segment, or 32 bits */
	bool odd_address;
};

/* Reads the instruction at p, of at most n bytes; false: there is none, or it is not known. */
bool pd_x86_read(const uint8_t *p, size_t n, struct pd_x86 *in);

/* The address that the memory operand of a flush names: registers by their numbers, and where the
 * instruction is. */
uint64_t pd_x86_address(const struct pd_x86 *in, const uint8_t *p,
			const uint64_t reg[PD_X86_REGISTERS], uint64_t at);

#endif
