/*
 * insn_asm.c - flushes and fences, non-temporal stores, and inline asm in the forms that programs
 * have; see insn.h. Instructions that a machine may lack are left out natively: they compute nothing.
 */
#include "insn.h"
#include <immintrin.h>

#ifdef NATIVE
#define ONLY_HERE(x) ((void)0)
#else
#define ONLY_HERE(x) x
#endif

typedef long long i64;

__attribute__((target("clflushopt,clwb"))) static void intrinsics(char *p)
{
	_mm_clflush(p + 64);		  //= clflush@40
	ONLY_HERE(_mm_clflushopt(p + 128)); //= clflushopt@80
	ONLY_HERE(_mm_clwb(p + 192));	  //= clwb@c0
	_mm_sfence();			  //= sfence
	_mm_mfence();			  //= mfence
	_mm_lfence();			  //= lfence
	_mm_pause();			  //= pause
	_mm_prefetch(p, _MM_HINT_T0);
}

static void flushes(char *p)
{
	volatile char *v = p + 64;

	asm volatile("clflush %0" : "+m"(*v));		     //= clflush@40!s
	asm volatile("clflush (%0)" ::"r"(p + 64) : "memory"); //= clflush@40!s
	asm volatile("clflush %0" ::"m"(*v) : "memory");     //= clflush@40!s
	asm volatile("clflush 64(%0)" ::"r"(p));	     //= clflush@40!s
	asm volatile("clflush (%%rax)" ::"a"(p + 64));	     //= clflush@40!s
	ONLY_HERE(asm volatile("clflushopt %0" : "+m"(*v))); //= clflushopt@40!s
	ONLY_HERE(asm volatile(".byte 0x66; clflush %0" : "+m"(*v))); //= clflushopt@40!s
	ONLY_HERE(asm volatile(".byte 0x66\n\tclflush %0" : "+m"(*v))); //= clflushopt@40!s
	ONLY_HERE(asm volatile("data16 clflush %0" : "+m"(*v))); //= clflushopt@40!s
	ONLY_HERE(asm volatile("clwb %0" : "+m"(*v)));	     //= clwb@40!s
	ONLY_HERE(asm volatile("clwb (%0)" ::"r"((long)p + 64) : "memory")); //= clwb@40!s
	ONLY_HERE(asm volatile(".byte 0x66; xsaveopt %0" : "+m"(*v))); //= clwb@40!s
	asm volatile(".byte 0x0f, 0xae, 0x3f" ::"D"(p + 64) : "memory"); //= clflush@40!s
	ONLY_HERE(asm volatile(".byte 0x66, 0x0f, 0xae, 0x38" ::"a"(p + 64) : "memory")); //= clflushopt@40!s
	ONLY_HERE(asm volatile(".byte 0x66; .byte 0x0f, 0xae, 0x3e" ::"S"(p + 64) : "memory")); //= clflushopt@40!s
	ONLY_HERE(asm volatile(".byte 0x66, 0x0f, 0xae, 0x30" ::"a"(p + 64) : "memory")); //= clwb@40!s
	ONLY_HERE(asm volatile("CLWB %0\n\tSFENCE" : "+m"(*v)::"memory")); //= clwb@40!s sfence!s
}

static void fences(char *p)
{
	(void)p;
	asm volatile("sfence" ::: "memory");		     //= sfence!s
	asm volatile("mfence" ::: "memory");		     //= mfence!s
	asm volatile("lfence" ::: "memory");		     //= lfence!s
	asm volatile("sfence; mfence" ::: "memory");	     //= sfence!s mfence!s
	asm volatile(".byte 0x0f, 0xae, 0xf8" ::: "memory"); //= sfence!s
	asm volatile("lock; addl $0,0(%%rsp)" ::: "memory", "cc"); //= mfence!s
	asm volatile("lock orq $0,(%%rsp)" ::: "memory", "cc"); //= mfence!s
	asm volatile("pause" ::: "memory");		     //= pause!s
	asm volatile("rep; nop" ::: "memory");		     //= pause!s
	asm volatile("" ::: "memory");
	asm volatile("nop");
}

/* What only takes an address, and pcommit: nothing is read. */
static void hints(char *p)
{
	char *q;

	asm volatile("prefetcht0 %0" ::"m"(AT(i64, 256)));
	asm volatile("prefetchw %0; prefetchnta 64(%1)" ::"m"(AT(i64, 256)), "r"(p));
	asm volatile("leaq %1,%0" : "=r"(q) : "m"(AT(i64, 256)));
	asm volatile("leaq %1,%0; cpuid" : "=S"(q) : "m"(AT(i64, 256)) : "rax", "rbx", "rcx", "rdx");
	asm volatile("prefetcht0 %1; incq %0" : "+m"(AT(i64, 264)) : "m"(AT(i64, 256)) : "cc"); //= asm-pre@108+8!s asm-post@108+8!s
	ONLY_HERE(asm volatile(".byte 0x66, 0x0f, 0xae, 0xf8" ::: "memory"));
	printf("%d\n", q == p + 256);
}

static void non_temporal(char *p)
{
	__m128i v = _mm_set1_epi32(5);

	_mm_stream_si32((int *)(p + 256), 7);		     //= ntstore@100+4=7!n
	_mm_stream_si64((i64 *)(p + 264), 8);		     //= ntstore@108+8=8!n
	_mm_stream_si128((__m128i *)(p + 272), v); //= ntstoreb@110+16=05000000050000000500000005000000!n
	_mm_stream_pd((double *)(p + 288), _mm_setzero_pd()); //= ntstoreb@120+16=00000000000000000000000000000000!n
	__builtin_nontemporal_store(2.0, (double *)(p + 304)); //= ntstore@130+8=4000000000000000!n
	asm volatile("movnti %1,%0" : "=m"(AT(i64, 312)) : "r"(9LL)); //= ntstore@138+8=9!ns
	asm volatile("movntil %1,(%0)" ::"r"(p + 320), "r"(10) : "memory"); //= ntstore@140+4=a!ns
	asm volatile("movntdq %1,%0" : "=m"(AT(__m128i, 336)) : "x"(v)); //= ntstoreb@150+16=05000000050000000500000005000000!ns
	asm volatile("movdqa %1,%%xmm0\n\tmovntdq %%xmm0,%0" //= loadb@150+16=05000000050000000500000005000000!vs ntstoreb@160+16=05000000050000000500000005000000!ns
		     : "=m"(AT(__m128i, 352))
		     : "m"(AT(__m128i, 336))
		     : "xmm0");
}

/* Loads past the cache are loads. */
__attribute__((target("sse4.1"))) static void non_temporal_load(char *p)
{
	__m128i v = _mm_stream_load_si128((__m128i *)(p + 336)); //= loadb@150+16=05000000050000000500000005000000

	show("ntload", (unsigned)_mm_cvtsi128_si32(v));
}

__attribute__((target("movdiri,movdir64b"))) static void direct(char *p)
{
	(void)p;
#ifdef NATIVE
	AT(int, 384) = 0x21;
	AT(i64, 392) = 0x22;
	memcpy(p + 448, p + 256, 64);
	memcpy(p + 512, p + 256, 64);
#else
	_directstoreu_u32(p + 384, 0x21);		     //= ntstore@180+4=21!n
	_directstoreu_u64(p + 392, 0x22);		     //= ntstore@188+8=22!n
	_movdir64b(p + 448, p + 256); //= loadb@100+64=07000000000000000800000000000000050000000500000005000000050000000000000000000000000000000000000000000000000000400900000000000000!n ntstoreb@1c0+64=07000000000000000800000000000000050000000500000005000000050000000000000000000000000000000000000000000000000000400900000000000000!n
	asm volatile(".byte 0x66, 0x0f, 0x38, 0xf8, 0x02" ::"a"(p + 512), "d"(p + 256) : "memory"); //= loadb@100+64=07000000000000000800000000000000050000000500000005000000050000000000000000000000000000000000000000000000000000400900000000000000!ns ntstoreb@200+64=07000000000000000800000000000000050000000500000005000000050000000000000000000000000000000000000000000000000000400900000000000000!ns
#endif
}

static void exchanges(char *p)
{
	i64 q = 1;
	int l = 2;
	short w = 3;
	unsigned char b = 0xff, ok;

	asm volatile("xchgq %0,%1" : "=r"(q) : "m"(AT(volatile i64, 576)), "0"(q) : "memory"); //= rmw.xchg@240+8=1/sc!as
	show("xchgq", (unsigned long long)q);
	asm volatile("xchgl %0,%1" : "+r"(l), "+m"(AT(int, 576))); //= rmw.xchg@240+4=2/sc!as
	show("xchgl", (unsigned)l);
	asm volatile("xchg %1,%0" : "+r"(w), "+m"(AT(short, 584))); //= rmw.xchg@248+2=3/sc!as
	asm volatile("xchgb %0,%1" : "=q"(b), "=m"(AT(char, 586)) : "0"(b), "m"(AT(char, 586))); //= rmw.xchg@24a+1=ff/sc!as
	show("xchgb", b);
	q = 5;
	asm volatile("lock; xaddq %0,%1" : "+r"(q), "+m"(AT(i64, 592))::"memory"); //= rmw.add@250+8=5/sc!as
	show("xadd", (unsigned long long)q);
	asm volatile("lock; cmpxchgq %2,%1" : "=a"(q), "+m"(AT(i64, 592)) : "r"(6LL), "0"(5LL) : "memory"); //= cas@250+8=5=6/sc,sc!as
	show("cmpxchg", (unsigned long long)q);
	asm volatile("lock; cmpxchgl %3,%1; sete %0" : "=q"(ok), "+m"(AT(int, 592)), "+a"(l) : "r"(9) : "memory"); //= cas@250+4=1=9/sc,sc!as
	show("sete", ok * 16u + (unsigned)l);
	asm volatile("lock cmpxchgb %2,%1" : "=a"(b), "+m"(AT(char, 592)) : "q"((char)7), "0"((char)6)); //= cas@250+1=6=7/sc,sc!as
	show("cmpxchgb", b);
	asm volatile("lock cmpxchgl %2,%1" : "=@ccz"(l), "+m"(AT(int, 592)) : "r"(8), "a"(7)); //= cas@250+4=7=8/sc,sc!as
	show("ccz", (unsigned)l);
}

static void pairs(char *p)
{
	uint64_t lo = 0, hi = 0;
	unsigned char ok;

	asm volatile("lock cmpxchg16b %1\n\tsetz %0"	     //= cas@270+16=0=2.0000000000000001/sc,sc!as
		     : "=q"(ok), "+m"(AT(unsigned __int128, 624)), "+a"(lo), "+d"(hi)
		     : "b"(1ULL), "c"(2ULL)
		     : "memory", "cc");
	show("cmpxchg16b", ok + lo + hi);
	asm volatile("lock cmpxchg16b %1\n\tsetz %0"	     //= cas@270+16=0=2.0000000000000001/sc,sc!as
		     : "=q"(ok), "+m"(AT(unsigned __int128, 624)), "+a"(lo), "+d"(hi)
		     : "b"(1ULL), "c"(2ULL)
		     : "memory", "cc");
	show("failed", ok * 256 + lo * 16 + hi);
}

static void arithmetic(char *p)
{
	unsigned char z, c;
	int r;

	asm volatile("lock; incl %0" : "+m"(AT(int, 640)));  //= rmw.add@280+4=1/sc!as
	asm volatile("lock decl %0; sete %1" : "+m"(AT(int, 640)), "=q"(z)); //= rmw.sub@280+4=1/sc!as
	show("dec", z);
	asm volatile("lock addl %1,%0" : "+m"(AT(int, 640)) : "ir"(12)); //= rmw.add@280+4=c/sc!as
	asm volatile("lock; subl %2,%0; setnz %1" : "+m"(AT(int, 640)), "=q"(z) : "r"(2)); //= rmw.sub@280+4=2/sc!as
	show("sub", z);
	asm volatile("lock orq %1,%0" : "+m"(AT(i64, 648)) : "r"(0xf0LL)); //= rmw.or@288+8=f0/sc!as
	asm volatile("lock andq $0x30,%0" : "+m"(AT(i64, 648))); //= rmw.and@288+8=30/sc!as
	asm volatile("lock xorb $1,%0" : "+m"(AT(char, 648))); //= rmw.xor@288+1=1/sc!as
	asm volatile("lock; btsl %2,%1; sbbl %0,%0" : "=r"(r), "+m"(AT(int, 656)) : "Ir"(3)); //= rmw.or@290+4=8/sc!as
	show("bts", (unsigned)r);
	asm volatile("lock btrq %2,%1; setc %0" : "=q"(c), "+m"(AT(i64, 656)) : "r"(67LL)); //= rmw.and@298+8=fffffffffffffff7/sc!as
	show("btr", c);
}

static void moves(char *p)
{
	i64 q;
	char *d = p + 768, *s = p + 256;
	size_t n = 24;

	asm volatile("movq %1,%0" : "=m"(AT(i64, 704)) : "r"(11LL)); //= store@2c0+8=b!vs
	asm volatile("movq %1,%0" : "=r"(q) : "m"(AT(i64, 704))); //= load@2c0+8=b!vs
	show("mov", (unsigned long long)q);
	asm volatile("movl $77,8(%0)" ::"r"(p + 704) : "memory"); //= store@2c8+4=4d!vs
	asm volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(n)::"memory"); //= memcpy@300+24<100!bs
	show("movs", (unsigned long long)(d - p) * 65536 + (unsigned long long)(s - p) + n);
	n = 5;
	asm volatile("rep stosb" : "+D"(d), "+c"(n) : "a"(0x5a) : "memory"); //= memset@318+5=5a!bs
	show("stos", (unsigned long long)(d - p));
	n = 1;
	asm volatile("cld; rep stosq" : "+D"(d), "+c"(n) : "a"(0x0101010101010101) : "memory"); //= memset@31d+8=1!bs
	show("stosq", (unsigned long long)(d - p));
}

/* What stays as it is: between brackets, or because it touches no memory. */
static void left(char *p)
{
	i64 q = 6;
	unsigned a = 0, b, c = 0, d;
	size_t n = 4;
	char *s = p + 832, *t = p + 833;

	asm volatile("incq %0" : "+m"(AT(i64, 832)));	     //= asm-pre@340+8!s asm-post@340+8!s
	asm volatile("lock negq %0" : "+m"(AT(i64, 832)));   //= asm-pre.locked@340+8!s asm-post.locked@340+8!s
	asm volatile("addq %1,%0" : "+r"(q) : "m"(AT(i64, 832))); //= asm-pre@340+8!s asm-post@340+8!s
	show("add", (unsigned long long)q);
	asm volatile("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d)::"memory");
	asm volatile("bsfq %1,%0" : "=r"(q) : "r"(16LL));
	show("bsf", (unsigned long long)q);
	asm volatile("rolq $3,%%rdi; rolq $13,%%rdi; rolq $61,%%rdi; rolq $51,%%rdi; xchgq %%rbx,%%rbx" ::
			     : "rdi", "memory");
	asm volatile("incl 4(%0,%1)" ::"r"(p + 840), "r"(0L) : "memory"); //= loss.0!s
	asm volatile("repe cmpsb" : "+S"(s), "+D"(t), "+c"(n)::"memory"); //= loss.0!s
	asm goto("jmp %l0" ::::here);
	show("not reached", 0);
here:
	show("asm goto", 1);
}

static void all(char *p)
{
	intrinsics(p);
	flushes(p);
	fences(p);
	hints(p);
	non_temporal(p);
	non_temporal_load(p);
	direct(p);
	exchanges(p);
	pairs(p);
	arithmetic(p);
	moves(p);
	left(p);
}
