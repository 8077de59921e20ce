/* x86.c - see x86.h. */
#include "event/x86.h"

/* What follows an opcode. */
enum {
	M = 1,	/* ModRM */
	I8 = 2, /* immediates */
	I16 = 4,
	IZ = 8,		/* 4 bytes, 2 with an operand-size prefix */
	IV = 16,	/* 8 bytes with REX.W, else as IZ */
	MOFFS = 32,	/* an address of 8 bytes, 4 with an address-size prefix */
	TEST = 64,	/* an immediate only where ModRM's reg is 0 or 1 */
	NONE = 128,	/* no instruction in 64-bit mode */
	JUMP = I8 | IZ, /* a displacement of 4 bytes whatever the prefixes */
};

struct bytes {
	const uint8_t *p, *end;
	bool p66, p67, rep, segment;
	uint8_t rex;
	uint8_t map; /* 0: one byte, 1: 0f, 2: 0f 38, 3: 0f 3a */
	uint8_t opcode;
	bool vex;
};

static uint8_t one_byte(uint8_t op)
{
	if (op < 0x40)
		return (op & 7) < 4 ? M : (op & 7) == 4 ? I8 : (op & 7) == 5 ? IZ : NONE;
	switch (op) {
	case 0x60 ... 0x62:
	case 0x82:
	case 0x9a:
	case 0xc4:
	case 0xc5:
	case 0xce:
	case 0xd4 ... 0xd6:
	case 0xea:
		return NONE;
	case 0x63:
	case 0x84 ... 0x8f:
	case 0xd0 ... 0xd3:
	case 0xd8 ... 0xdf:
	case 0xfe ... 0xff:
		return M;
	case 0x68:
	case 0xa9:
		return IZ;
	case 0x69:
	case 0x81:
	case 0xc7:
		return M | IZ;
	case 0x6b:
	case 0x80:
	case 0x83:
	case 0xc0 ... 0xc1:
	case 0xc6:
		return M | I8;
	case 0x6a:
	case 0x70 ... 0x7f:
	case 0xa8:
	case 0xb0 ... 0xb7:
	case 0xcd:
	case 0xe0 ... 0xe7:
	case 0xeb:
		return I8;
	case 0xa0 ... 0xa3:
		return MOFFS;
	case 0xb8 ... 0xbf:
		return IV;
	case 0xc2:
	case 0xca:
		return I16;
	case 0xc8:
		return I16 | I8;
	case 0xe8 ... 0xe9:
		return JUMP;
	case 0xf6:
		return M | TEST | I8;
	case 0xf7:
		return M | TEST | IZ;
	default:
		return 0;
	}
}

static uint8_t two_bytes(uint8_t op)
{
	switch (op) {
	case 0x04:
	case 0x0a:
	case 0x0c:
	case 0x0e:
	case 0x0f:
	case 0x24 ... 0x27:
	case 0x36:
	case 0x38 ... 0x3f:
	case 0x7a ... 0x7b:
	case 0xa6 ... 0xa7:
		return NONE;
	case 0x05 ... 0x09:
	case 0x0b:
	case 0x30 ... 0x35:
	case 0x37:
	case 0x77:
	case 0xa0 ... 0xa2:
	case 0xa8 ... 0xaa:
	case 0xc8 ... 0xcf:
		return 0;
	case 0x70 ... 0x73:
	case 0xa4:
	case 0xac:
	case 0xba:
	case 0xc2:
	case 0xc4 ... 0xc6:
		return M | I8;
	case 0x80 ... 0x8f:
		return JUMP;
	default:
		return M;
	}
}

/* The same map behind a VEX or EVEX prefix. */
static uint8_t vector(uint8_t op)
{
	if (op == 0x77)
		return 0;
	return (op >= 0x70 && op <= 0x73) || op == 0xc2 || (op >= 0xc4 && op <= 0xc6) ? M | I8 : M;
}

static bool take(struct bytes *b, size_t n)
{
	if ((size_t)(b->end - b->p) < n)
		return false;
	b->p += n;
	return true;
}

static void prefixes(struct bytes *b)
{
	for (; b->p < b->end; b->p++) {
		switch (*b->p) {
		case 0x66:
			b->p66 = true;
			break;
		case 0x67:
			b->p67 = true;
			break;
		case 0xf2:
		case 0xf3:
			b->rep = true;
			break;
		case 0x64:
		case 0x65:
			b->segment = true;
			break;
		case 0x26:
		case 0x2e:
		case 0x36:
		case 0x3e:
		case 0xf0:
			break;
		default:
			return;
		}
	}
}

/* A VEX or EVEX prefix of n bytes, whose second byte has the map. */
static bool vex(struct bytes *b, size_t n, uint8_t map)
{
	b->vex = true;
	b->map = map;
	return map >= 1 && map <= 6 && take(b, n);
}

static bool escape(struct bytes *b)
{
	b->map = b->p[1] == 0x38 ? 2 : b->p[1] == 0x3a ? 3 : 1;
	return take(b, b->map == 1 ? 1 : 2);
}

/* Up to the opcode. */
static bool opcode(struct bytes *b)
{
	size_t left = (size_t)(b->end - b->p);

	if (left > 2 && b->p[0] == 0xc5 && vex(b, 2, 1)) {
		b->opcode = *b->p++;
		return true;
	}
	if (left > 3 && b->p[0] == 0xc4)
		left = vex(b, 3, b->p[1] & 31);
	else if (left > 4 && b->p[0] == 0x62)
		left = vex(b, 4, b->p[1] & 7);
	else if (left > 1 && b->p[0] == 0x0f)
		left = escape(b);
	if (!left || b->p == b->end)
		return false;
	b->opcode = *b->p++;
	return true;
}

static uint8_t follows(const struct bytes *b)
{
	switch (b->map) {
	case 0:
		return one_byte(b->opcode);
	case 1:
		return b->vex ? vector(b->opcode) : two_bytes(b->opcode);
	case 3:
		return M | I8;
	default:
		return M;
	}
}

/* ModRM's register, its SIB byte and displacement. */
static bool operand(struct bytes *b, uint8_t *modrm)
{
	uint8_t mod, rm;

	if (!take(b, 1))
		return false;
	*modrm = b->p[-1];
	mod = *modrm >> 6;
	rm = *modrm & 7;
	/* Moves of control and debug registers have registers only. */
	if (mod == 3 || (b->map == 1 && !b->vex && b->opcode >= 0x20 && b->opcode <= 0x23))
		return true;
	if (rm == 4) {
		if (!take(b, 1))
			return false;
		if (mod == 0 && (b->p[-1] & 7) == 5)
			return take(b, 4);
	} else if (mod == 0 && rm == 5) {
		return take(b, 4);
	}
	return take(b, mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

static size_t immediate(const struct bytes *b, uint8_t what, uint8_t modrm)
{
	size_t z = b->p66 && !(b->rex & 8) ? 2 : 4;

	if (what & TEST && (modrm >> 3 & 7) > 1)
		return 0;
	if ((what & (M | I8 | IZ)) == JUMP)
		return 4;
	return (what & I8 ? 1 : 0) + (what & I16 ? 2 : 0) + (what & IZ ? z : 0) +
	       (what & IV ? b->rex & 8 ? 8 : z : 0) + (what & MOFFS ? b->p67 ? 4 : 8 : 0);
}

static enum pd_x86_is kind_of(const struct bytes *b, uint8_t modrm)
{
	bool memory = modrm >> 6 != 3;
	uint8_t reg = modrm >> 3 & 7;

	if (b->vex || b->map != 1 || b->opcode != 0xae || b->rep)
		return PD_X86_OTHER;
	if (memory && reg == 7)
		return b->p66 ? PD_X86_CLFLUSHOPT : PD_X86_CLFLUSH;
	if (memory && reg == 6 && b->p66)
		return PD_X86_CLWB;
	if (memory || b->p66 || reg < 6)
		return PD_X86_OTHER;
	return reg == 7 ? PD_X86_SFENCE : PD_X86_MFENCE;
}

bool pd_x86_read(const uint8_t *p, size_t n, struct pd_x86 *in)
{
	struct bytes b = {.p = p, .end = p + PD_MIN(n, (size_t)PD_X86_LONGEST)};
	uint8_t what, modrm = 0;

	*in = (struct pd_x86){0};
	prefixes(&b);
	if (b.p < b.end && (*b.p & 0xf0) == 0x40)
		b.rex = *b.p++ & 15;
	if (!opcode(&b))
		return false;
	what = follows(&b);
	if (what == NONE)
		return false;
	if (what & M) {
		in->modrm = (uint8_t)(b.p - p);
		if (!operand(&b, &modrm))
			return false;
		in->is = kind_of(&b, modrm);
	}
	if (!take(&b, immediate(&b, what, modrm)))
		return false;
	in->length = (uint8_t)(b.p - p);
	in->rex = b.rex;
	in->odd_address = b.segment || b.p67;
	return true;
}

static int64_t displacement(const uint8_t *p, unsigned bytes)
{
	if (bytes == 1)
		return (int8_t)p[0];
	return (int32_t)(p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
}

uint64_t pd_x86_address(const struct pd_x86 *in, const uint8_t *p,
			const uint64_t reg[PD_X86_REGISTERS], uint64_t at)
{
	const uint8_t *q = p + in->modrm + 1;
	unsigned mod = p[in->modrm] >> 6, rm = p[in->modrm] & 7;
	unsigned extend = (in->rex & 1) << 3;
	uint64_t a = 0;

	if (rm == 4) {
		unsigned base = *q & 7, index = (*q >> 3 & 7) | (in->rex & 2) << 2;

		a = index == 4 ? 0 : reg[index] << (*q >> 6);
		q++;
		if (mod == 0 && base == 5)
			return a + (uint64_t)displacement(q, 4);
		a += reg[base | extend];
	} else if (mod == 0 && rm == 5) {
		return at + in->length + (uint64_t)displacement(q, 4);
	} else {
		a = reg[rm | extend];
	}
	return mod == 0 ? a : a + (uint64_t)displacement(q, mod == 1 ? 1 : 4);
}
