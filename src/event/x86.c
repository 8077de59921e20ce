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
	struct pd_x86 in; /* as far as it is read */
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
			b->in.p66 = true;
			break;
		case 0x67:
			b->in.short_address = true;
			break;
		case 0xf2:
		case 0xf3:
			b->in.repeat = true;
			break;
		case 0x64:
		case 0x65:
			b->in.segment = *b->p;
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

/* A VEX prefix of two bytes. */
static bool short_vex(struct bytes *b)
{
	b->in.vex = true;
	b->in.map = 1;
	b->in.rex = (uint8_t)((~b->p[1] >> 7 & 1) << 2);
	b->in.p66 = (b->p[1] & 3) == 1;
	return take(b, 2);
}

/* One of three bytes, or an EVEX prefix of four: the bits in question are in the same places. */
static bool long_vex(struct bytes *b, size_t n, uint8_t map)
{
	b->in.vex = true;
	b->in.map = b->p[1] & map;
	b->in.rex = (uint8_t)((~b->p[1] >> 5 & 7) | (b->p[2] >> 7 & 1) << 3);
	b->in.p66 = (b->p[2] & 3) == 1;
	return b->in.map >= 1 && b->in.map <= 6 && take(b, n);
}

static bool escape(struct bytes *b)
{
	b->in.map = b->p[1] == 0x38 ? 2 : b->p[1] == 0x3a ? 3 : 1;
	return take(b, b->in.map == 1 ? 1 : 2);
}

/* What comes between the prefixes and the opcode. */
static bool opcode_map(struct bytes *b)
{
	size_t left = (size_t)(b->end - b->p);

	if (left > 2 && b->p[0] == 0xc5)
		return short_vex(b);
	if (left > 3 && b->p[0] == 0xc4)
		return long_vex(b, 3, 31);
	if (left > 4 && b->p[0] == 0x62)
		return long_vex(b, 4, 7);
	return left < 2 || b->p[0] != 0x0f || escape(b);
}

static bool opcode(struct bytes *b)
{
	if (!opcode_map(b) || b->p == b->end)
		return false;
	b->in.opcode = *b->p++;
	return true;
}

static uint8_t follows(const struct pd_x86 *in)
{
	switch (in->map) {
	case 0:
		return one_byte(in->opcode);
	case 1:
		return in->vex ? vector(in->opcode) : two_bytes(in->opcode);
	case 3:
		return M | I8;
	default:
		return M;
	}
}

/* ModRM's register, its SIB byte and displacement. */
static bool operand(struct bytes *b, uint8_t *modrm)
{
	const struct pd_x86 *in = &b->in;
	uint8_t mod, rm;

	if (!take(b, 1))
		return false;
	*modrm = b->p[-1];
	mod = *modrm >> 6;
	rm = *modrm & 7;
	/* Moves of control and debug registers have registers only. */
	if (mod == 3 || (in->map == 1 && !in->vex && in->opcode >= 0x20 && in->opcode <= 0x23))
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

static size_t immediate(const struct pd_x86 *in, uint8_t what, uint8_t modrm)
{
	size_t z = in->p66 && !(in->rex & 8) ? 2 : 4;

	if (what & TEST && (modrm >> 3 & 7) > 1)
		return 0;
	if ((what & (M | I8 | IZ)) == JUMP)
		return 4;
	return (what & I8 ? 1 : 0) + (what & I16 ? 2 : 0) + (what & IZ ? z : 0) +
	       (what & IV ? in->rex & 8 ? 8 : z : 0) +
	       (what & MOFFS ? in->short_address ? 4 : 8 : 0);
}

/* 0f ae: a fence if the operand is a register, a flush if it is in memory. */
static enum pd_x86_is kind_of(const struct pd_x86 *in, uint8_t modrm)
{
	static const enum pd_x86_is fences[] = {PD_X86_LFENCE, PD_X86_MFENCE, PD_X86_SFENCE};
	uint8_t reg = modrm >> 3 & 7;

	if (in->vex || in->map != 1 || in->opcode != 0xae || in->repeat)
		return PD_X86_OTHER;
	if (modrm >> 6 == 3)
		return reg >= 5 && !in->p66 ? fences[reg - 5] : PD_X86_OTHER;
	if (reg == 7)
		return in->p66 ? PD_X86_CLFLUSHOPT : PD_X86_CLFLUSH;
	return reg == 6 && in->p66 ? PD_X86_CLWB : PD_X86_OTHER;
}

bool pd_x86_read(const uint8_t *p, size_t n, struct pd_x86 *in)
{
	struct bytes b = {.p = p, .end = p + PD_MIN(n, (size_t)PD_X86_LONGEST)};
	uint8_t what, modrm = 0;

	*in = (struct pd_x86){0};
	prefixes(&b);
	if (b.p < b.end && (*b.p & 0xf0) == 0x40)
		b.in.rex = *b.p++ & 15;
	if (!opcode(&b))
		return false;
	what = follows(&b.in);
	if (what == NONE)
		return false;
	if (what & M) {
		b.in.modrm = (uint8_t)(b.p - p);
		if (!operand(&b, &modrm))
			return false;
		b.in.is = kind_of(&b.in, modrm);
	}
	if (!take(&b, immediate(&b.in, what, modrm)))
		return false;
	b.in.length = (uint8_t)(b.p - p);
	*in = b.in;
	return true;
}

static int64_t displacement(const uint8_t *p, unsigned bytes)
{
	if (bytes == 1)
		return (int8_t)p[0];
	return (int32_t)(p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24);
}

struct pd_x86_operand pd_x86_operand(const struct pd_x86 *in, const uint8_t *p)
{
	const uint8_t *q = p + in->modrm + 1;
	unsigned mod = p[in->modrm] >> 6, rm = p[in->modrm] & 7, bytes = mod == 1 ? 1 : 4;
	struct pd_x86_operand o = {.base = -1, .index = -1};
	uint8_t high = (in->rex & 1) << 3; /* of the base register */

	if (rm == 4) {
		uint8_t index = (*q >> 3 & 7) | (in->rex & 2) << 2;

		o.index = index == 4 ? -1 : (int8_t)index;
		o.shift = *q >> 6;
		rm = *q++ & 7;
		if (mod != 0 || rm != 5)
			o.base = (int8_t)(rm | high);
	} else if (mod == 0 && rm == 5) {
		o.from_end = true;
	} else {
		o.base = (int8_t)(rm | high);
	}
	if (mod || o.base < 0)
		o.displacement = displacement(q, bytes);
	return o;
}

uint64_t pd_x86_address(const struct pd_x86 *in, const uint8_t *p,
			const uint64_t reg[PD_X86_REGISTERS], uint64_t at)
{
	struct pd_x86_operand o = pd_x86_operand(in, p);
	uint64_t a = (uint64_t)o.displacement;

	if (o.from_end)
		a += at + in->length;
	if (o.base >= 0)
		a += reg[o.base];
	if (o.index >= 0)
		a += reg[o.index] << o.shift;
	return a;
}
