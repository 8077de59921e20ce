/*
 * insn.c - every form in which an instruction touches PM. Each line says in its comment which events it
 * makes, in order: kind@offset+size=value, in hex but for the size; no value where it is wider than
 * a word. An event outside PM has no place: kind@out.
 */
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define A(text, ...) __asm__ volatile(text : : __VA_ARGS__ : "memory", "cc", "rax", "rcx", "rdx", "rbx", "xmm0", "xmm1")
#define X(text, ...) __asm__ volatile(text : : __VA_ARGS__ : "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3")
#define S(text, to, from, n, v)                                                                    \
	do {                                                                                       \
		char *to_ = (to);                                                                  \
		const char *from_ = (from);                                                        \
		long n_ = (n), v_ = (v);                                                           \
		__asm__ volatile(text : "+D"(to_), "+S"(from_), "+c"(n_), "+a"(v_) : : "memory", "cc"); \
	} while (0)
#define P(off) "r"(p + (off))

static uint64_t outside[16] __asm__("outside") __attribute__((used)) __attribute__((aligned(64)));

static void stores(char *p)
{
	A("movb $0x11, (%0)", P(0)); //= store@0+1=11
	A("movw $0x2222, (%0)", P(2)); //= store@2+2=2222
	A("movl $0x33333333, (%0)", P(4)); //= store@4+4=33333333
	A("movq $0x44444444, (%0)", P(8)); //= store@8+8=44444444
	A("movabs $0x5555555555555555, %%rax; mov %%rax, (%0)", P(16)); //= store@10+8=5555555555555555
	A("mov $0x66, %%al; mov %%al, (%0)", P(24)); //= store@18+1=66
	A("movl $0x77777777, (%0)", P(62)); //= store@3e+4=77777777
	A("xor %%eax, %%eax; sete (%0)", P(25)); //= store@19+1=1
	A("mov $0x01020304, %%eax; movbe %%eax, (%0)", P(28)); //= store@1c+4=4030201
	A("push $0x12; pop (%0)", P(32)); //= store@20+8=12
	A("movq $1, 8(%0, %1, 4)", P(0), "r"(9L)); //= store@2c+8=1
	A("mov $0x88, %%ecx; movnti %%ecx, (%0)", P(56)); //= ntstore@38+4=88
}

/* A value that is not used is not loaded: Valgrind leaves that out. */
static void loads(char *p)
{
	A("movb (%0), %%al; mov %%rax, outside(%%rip)", P(0)); //= load@0+1=11
	A("movw (%0), %%ax; mov %%rax, outside(%%rip)", P(2)); //= load@2+2=2222
	A("movl (%0), %%eax; mov %%rax, outside(%%rip)", P(4)); //= load@4+4=33333333
	A("movq (%0), %%rax; mov %%rax, outside(%%rip)", P(8)); //= load@8+8=44444444
	A("movzbl (%0), %%eax; mov %%rax, outside(%%rip)", P(0)); //= load@0+1=11
	A("movswq (%0), %%rax; mov %%rax, outside(%%rip)", P(2)); //= load@2+2=2222
	A("movslq (%0), %%rax; mov %%rax, outside(%%rip)", P(4)); //= load@4+4=33333333
	A("cmpq $0, (%0); setne outside(%%rip)", P(8)); //= load@8+8=44444444
	A("pushq (%0); pop %%rax; mov %%rax, outside(%%rip)", P(8)); //= load@8+8=44444444
	A("xor %%eax, %%eax; cmove (%0), %%rax; mov %%rax, outside(%%rip)", P(8)); //= load@8+8=44444444
	S("lodsb", p, p, 0, 0); //= load@0+1=11
}

static void read_and_write(char *p)
{
	A("addl $1, (%0)", P(4)); //= load@4+4=33333333 store@4+4=33333334
	A("incq (%0)", P(8)); //= load@8+8=44444444 store@8+8=44444445
	A("negb (%0)", P(0)); //= load@0+1=11 store@0+1=ef
	A("orw $1, (%0)", P(2)); //= load@2+2=2222 store@2+2=2223
	A("shll $4, (%0)", P(4)); //= load@4+4=33333334 store@4+4=33333340
	A("mov $3, %%eax; xadd %%eax, (%0)", P(4)); //= load@4+4=33333340 store@4+4=33333343
	A("btsl $2, (%0)", P(4)); //= load@4+4=33333343 store@4+4=33333347
}

static void locked(char *p)
{
	A("lock addl $1, (%0)", P(4)); //= rmw@4+4=33333348
	A("lock incq (%0)", P(8)); //= rmw@8+8=44444446
	A("lock decb (%0)", P(0)); //= rmw@0+1=ee
	A("lock orw $4, (%0)", P(2)); //= rmw@2+2=2227
	A("lock notb (%0)", P(0)); //= rmw@0+1=11
	A("lock btsl $0, (%0)", P(4)); //= rmw@4+4=33333349
	A("mov $1, %%eax; lock xadd %%eax, (%0)", P(4)); //= rmw@4+4=3333334a
	A("mov $7, %%eax; xchg %%eax, (%0)", P(4)); //= rmw@4+4=7
	A("mov $9, %%al; xchg %%al, (%0)", P(0)); //= rmw@0+1=9
	A("mov $7, %%eax; mov $8, %%ecx; lock cmpxchg %%ecx, (%0)", P(4)); //= rmw@4+4=8
	A("mov $7, %%eax; mov $6, %%ecx; lock cmpxchg %%ecx, (%0)", P(4)); //= rmw-failed@4+4=8
	A("mov $9, %%al; mov $5, %%cl; lock cmpxchg %%cl, (%0)", P(0)); //= rmw@0+1=5
	A("mov $1, %%ax; mov $5, %%cx; lock cmpxchg %%cx, (%0)", P(2)); //= rmw-failed@2+2=2227
	A("mov $0x44444446, %%eax; mov $1, %%ecx; lock cmpxchg %%rcx, (%0)", P(8)); //= rmw@8+8=1
	A("mov $1, %%eax; xor %%edx, %%edx; mov $2, %%ebx; xor %%ecx, %%ecx; lock cmpxchg8b (%0)", "D"(p + 8)); //= rmw@8+8=2
	A("mov $1, %%eax; xor %%edx, %%edx; mov $3, %%ebx; xor %%ecx, %%ecx; lock cmpxchg8b (%0)", "D"(p + 8)); //= rmw-failed@8+8=2
	A("xor %%eax, %%eax; xor %%edx, %%edx; mov $3, %%ebx; mov $4, %%ecx; lock cmpxchg16b (%0)", "D"(p + 96)); //= rmw@60+16
	A("xor %%eax, %%eax; xor %%edx, %%edx; mov $3, %%ebx; mov $4, %%ecx; lock cmpxchg16b (%0)", "D"(p + 96)); //= rmw-failed@60+16
	A("lock addl $0, (%%rsp)", P(0)); //= atomic-rmw@out
	A("lock incl (%0)", "r"(outside)); //= atomic-rmw@out
	A("mov $1, %%eax; xchg %%eax, (%0)", "r"(outside)); //= atomic-rmw@out
}

static void vectors(char *p)
{
	X("movups (%0), %%xmm0; movups %%xmm0, outside(%%rip)", P(128)); //= load@80+16
	A("mov $1, %%eax; movd %%eax, %%xmm0; movd %%xmm0, (%0)", P(128)); //= store@80+4=1
	X("movq %%xmm0, (%0)", P(128)); //= store@80+8=1
	X("movaps %%xmm0, (%0)", P(128)); //= store@80+16
	X("movups %%xmm0, (%0)", P(131)); //= store@83+16
	X("movdqa %%xmm0, (%0)", P(144)); //= store@90+16
	X("movdqu %%xmm0, (%0)", P(145)); //= store@91+16
	X("movss %%xmm0, (%0)", P(160)); //= store@a0+4=1
	X("movsd %%xmm0, (%0)", P(160)); //= store@a0+8=1
	X("movlps %%xmm0, (%0)", P(160)); //= store@a0+8=1
	X("movhps %%xmm0, (%0)", P(160)); //= store@a0+8=0
	X("movhps (%0), %%xmm1", P(160)); //= load@a0+8=0
	X("pextrb $0, %%xmm0, (%0)", P(168)); //= store@a8+1=1
	X("pextrw $0, %%xmm0, (%0)", P(168)); //= store@a8+2=1
	X("pextrd $0, %%xmm0, (%0)", P(168)); //= store@a8+4=1
	X("pextrq $0, %%xmm0, (%0)", P(168)); //= store@a8+8=1
	X("paddd (%0), %%xmm0", P(128)); //= load@80+16
	X("movntdq %%xmm0, (%0)", P(192)); //= ntstore@c0+16
	X("movntps %%xmm0, (%0)", P(192)); //= ntstore@c0+16
	X("movntpd %%xmm0, (%0)", P(192)); //= ntstore@c0+16
	X("movntdqa (%0), %%xmm1; movups %%xmm1, outside(%%rip)", P(192)); //= load@c0+16
	X("movnti %0, (%1)", "r"(0x99L), P(208)); //= ntstore@d0+8=99
	X("pxor %%mm0, %%mm0; movntq %%mm0, (%0); emms", P(208)); //= ntstore@d0+8=0
	X("stmxcsr (%0)", P(216)); //= store@d8+4=1f80
	X("pcmpeqb %%xmm1, %%xmm1; movdqa %%xmm0, %%xmm2; maskmovdqu %%xmm1, %%xmm2", "D"(p + 224)); //= ntstore@e0+16
	X("pxor %%xmm1, %%xmm1; maskmovdqu %%xmm1, %%xmm2", "D"(p + 224)); //=
	X("movq %0, %%xmm1; maskmovdqu %%xmm1, %%xmm2", "r"(0x0080008000808080), "D"(p + 224)); //= ntstore@e0+3=2 ntstore@e4+1=0 ntstore@e6+1=0
	X("movq %0, %%mm1; pxor %%mm0, %%mm0; maskmovq %%mm1, %%mm0; emms", "r"(0x8000000000000080), "D"(p + 224)); //= ntstore@e0+1=0 ntstore@e7+1=0
}

static void x87(char *p)
{
	X("fld1; fstps (%0)", P(256)); //= store@100+4=3f800000
	X("fld1; fstpl (%0)", P(256)); //= store@100+8=3ff0000000000000
	X("fld1; fstpt (%0)", P(272)); //= store@110+10
	X("fldt (%0); fstp %%st", P(272)); //= load@110+10
	X("fld1; fistpl (%0)", P(256)); //= store@100+4=1
	X("fld1; fisttpll (%0)", P(256)); //= store@100+8=1
	X("fildl (%0); fstp %%st", P(256)); //= load@100+4=1
	X("fnstcw (%0)", P(256)); //= store@100+2=37f
}

static void strings(char *p)
{
	static const char from[] = "abcdefghijklmnop";

	S("rep movsb", p + 320, from, 3, 0); //= store@140+1=61 store@141+1=62 store@142+1=63
	S("rep movsq", p + 320, from, 2, 0); //= store@140+8=6867666564636261 store@148+8=706f6e6d6c6b6a69
	S("rep movsl", p + 336, p + 320, 1, 0); //= load@140+4=64636261 store@150+4=64636261
	S("rep stosb", p + 344, from, 2, 7); //= store@158+1=7 store@159+1=7
	S("rep stosq", p + 344, from, 1, 8); //= store@158+8=8
	S("movsw", p + 352, from, 0, 0); //= store@160+2=6261
	S("std; rep movsb; cld", p + 355, from + 1, 2, 0); //= store@163+1=62 store@162+1=61
	S("repe cmpsb", p + 320, from, 2, 0); //= load@140+1=61 load@141+1=62
	S("rep movsb", p + 355, from + 1, 0, 0); //=
}

static void flushes(char *p)
{
	register char *r12 __asm__("r12") = p + 640, *r13 __asm__("r13") = p + 704;

	A("clflush (%0)", P(512 + 10)); //= clflush@200+64
	A("clflush 3(%0)", P(512)); //= clflush@200+64
	A("clflushopt (%0)", P(576)); //= clflushopt@240+64
	A("clflushopt 8(%0, %1, 8)", P(512), "r"(8L)); //= clflushopt@240+64
	A("clwb (%0)", P(576)); //= clwb@240+64
	A("clwb 0x1000(%0)", P(576 - 4096)); //= clwb@240+64
	A("clwb -0x40(%0, %1)", P(512), "r"(0x80L)); //= clwb@240+64
	A("clwb (, %0, 2)", "r"((uintptr_t)(p + 576) / 2)); //= clwb@240+64
	A(".byte 0x66; xsaveopt (%0)", P(640)); //= clwb@280+64
	A(".byte 0x66; clflush (%0)", P(640)); //= clflushopt@280+64
	A("clwb (%0)", "r"(r12)); //= clwb@280+64
	A("clwb (%0)", "r"(r13)); //= clwb@2c0+64
	A("clwb 0x40(%0)", "r"(r12)); //= clwb@2c0+64
	A("clflushopt (%0)", "r"(r13)); //= clflushopt@2c0+64
	A("clwb outside(%%rip)", P(0)); //= clwb@out
	A("clflush outside(%%rip)", P(0)); //= clflush@out
	A("sfence", P(0)); //= sfence
	A("mfence", P(0)); //= mfence
	A("lfence", P(0)); //= lfence
	A("xor %%eax, %%eax; cpuid", P(0)); //=
}

static void direct(char *p)
{
	/* By their bytes: the machine need not have them, Valgrind's does not. */
	A("mov $0x77, %%eax; .byte 0x0f, 0x38, 0xf9, 0x07", "D"(p + 768)); //= ntstore@300+4=77
	A("mov $0x77, %%eax; .byte 0x48, 0x0f, 0x38, 0xf9, 0x47, 0x08", "D"(p + 768)); //= ntstore@308+8=77
	A(".byte 0x66, 0x0f, 0x38, 0xf8, 0x3e", "D"(p + 832), "S"(p + 768)); //= load@300+64 ntstore@340+64
}

#ifdef AVX2
static void avx(char *p)
{
	X("vpxor %%ymm0, %%ymm0, %%ymm0; vmovdqu %%ymm0, (%0)", P(1024)); //= store@400+32
	X("vmovdqu %%ymm0, (%0)", P(1033)); //= store@409+32
	X("vmovups (%0), %%ymm1", P(1024)); //= load@400+32
	X("vmovdqa %%xmm0, (%0)", P(1024)); //= store@400+16
	X("vmovntdq %%ymm0, (%0)", P(1024)); //= ntstore@400+32
	X("vmovntps %%ymm0, (%0)", P(1024)); //= ntstore@400+32
	X("vmovntpd %%xmm0, (%0)", P(1024)); //= ntstore@400+16
	X("vextracti128 $1, %%ymm0, (%0)", P(1024)); //= store@400+16
	X("vmovq %0, %%xmm1; vpmaskmovd %%xmm0, %%xmm1, (%1)", "r"(0x8000000000000000), P(1024)); //= store@404+4=0
	X("vmovq %0, %%xmm1; vpmaskmovq %%ymm0, %%ymm1, (%1)", "r"(0x8000000000000000), P(1024)); //= store@400+8=0
	X("vmovq %0, %%xmm1; vmaskmovps %%xmm0, %%xmm1, (%1)", "r"(0x80000000L), P(1024)); //= store@400+4=0
	X("vmovq %0, %%xmm1; vpmaskmovd (%1), %%xmm1, %%xmm2", "r"(0x80000000L), P(1024)); //= load@400+4=0
	X("vpcmpeqd %%xmm1, %%xmm1, %%xmm1; vpxor %%xmm2, %%xmm2, %%xmm2; vpgatherqq %%xmm1, 8(%0, %%xmm2, 1), %%xmm0", P(1024)); //= load@408+8=0 load@408+8=0
	X("vmovq %0, %%xmm1; vmaskmovdqu %%xmm1, %%xmm0", "r"(0x80L), "D"(p + 1024)); //= ntstore@400+1=0
	X("vzeroupper", P(0)); //=
}
#endif

int main(int argc, char **argv)
{
	int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
	char *p;

	if (argc < 2 || fd < 0 || ftruncate(fd, 8192) != 0)
		return 1;
	p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return 1;
	stores(p);
	loads(p);
	read_and_write(p);
	locked(p);
	vectors(p);
	x87(p);
	strings(p);
	flushes(p);
	direct(p);
#ifdef AVX2
	avx(p);
#endif
	return 0;
}
