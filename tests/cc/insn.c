/* insn.c - every way in which C touches memory; see insn.h. */
#include "insn.h"
#include <complex.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <wchar.h>

/* ---- widths and types ---------------------------------------------------------------------- */

static void integers(char *p)
{
	AT(uint8_t, 0) = 0x11;			   //= store@0+1=11
	AT(uint16_t, 2) = 0x2222;		   //= store@2+2=2222
	AT(uint32_t, 4) = 0x33333333;		   //= store@4+4=33333333
	AT(uint64_t, 8) = 0x4444444444444444;	   //= store@8+8=4444444444444444
	AT(unsigned __int128, 16) = ((unsigned __int128)5 << 64) | 6; //= store@10+16=5.0000000000000006
	show("u8", AT(uint8_t, 0));		   //= load@0+1=11
	show("u16", AT(uint16_t, 2));		   //= load@2+2=2222
	show("u32", AT(uint32_t, 4));		   //= load@4+4=33333333
	show("u64", AT(uint64_t, 8));		   //= load@8+8=4444444444444444
	show("u128", (uint64_t)(AT(unsigned __int128, 16) >> 64)); //= load@10+16=5.0000000000000006
	AT(int8_t, 32) = -1;			   //= store@20+1=ff
	show("i8", (unsigned long long)AT(int8_t, 32)); //= load@20+1=ff
	AT(int32_t, 33) = -2;			   //= store@21+4=fffffffe
	show("unaligned", (unsigned)AT(int32_t, 33)); //= load@21+4=fffffffe
	AT(_Bool, 40) = 1;			   //= store@28+1=1
	show("bool", AT(_Bool, 40));		   //= load@28+1=1
	AT(uint64_t, 60) = 0x8877665544332211;	   //= store@3c+8=8877665544332211
	AT(uint32_t, 4)++;			   //= load@4+4=33333333 store@4+4=33333334
	AT(uint64_t, 8) += 2;	//= load@8+8=4444444444444444 store@8+8=4444444444444446
}

static void other_types(char *p)
{
	AT(float, 64) = 1.5f;		    //= store@40+4=3fc00000
	AT(double, 72) = 2.5;		    //= store@48+8=4004000000000000
	AT(long double, 80) = 1.25L;	    //= storeb@50+10=00000000000000a0ff3f
	AT(char *, 96) = p;		    //= store@60+8=100000000000
	show("float", AT(float, 64) == 1.5f); //= load@40+4=3fc00000
	show("double", AT(double, 72) == 2.5); //= load@48+8=4004000000000000
	show("ld", AT(long double, 80) == 1.25L); //= loadb@50+10=00000000000000a0ff3f
	show("pointer", AT(char *, 96) == p); //= load@60+8=100000000000
	AT(_Complex float, 104) = 1;	    //= store@68+4=3f800000 store@6c+4=0
	show("complex", crealf(AT(_Complex float, 104)) == 1); //= load@68+4=3f800000 load@6c+4=0
	AT(unsigned _BitInt(24), 112) = 0x010203;  //= store@70+4=10203
	AT(__fp16, 116) = 1;		    //= store@74+2=3c00
	AT(char *, 96) = NULL;		    //= store@60+8=0
}

struct bits {
	unsigned a : 3;
	unsigned b : 21;
	unsigned long c : 40;
	unsigned char whole;
};

static void bit_fields(char *p)
{
	struct bits *b = (struct bits *)(p + 128);

	b->a = 5;		//= load@80+8=0!f store@80+8=5!f
	b = afresh(b);
	b->b = 1000;		//= load@80+8=5!f store@80+8=1f45!f
	b = afresh(b);
	b->c = 0x1234567890;	//= load@80+8=1f45!f store@80+8=1234567890001f45!f
	b = afresh(b);
	b->whole = 7;		//= store@88+1=7
	b = afresh(b);
	show("bits", b->b);	//= load@80+8=1234567890001f45!f
	AT(uint32_t, 144) = (AT(uint32_t, 144) & ~7u) | 5; //= load@90+4=0 store@90+4=5
}

typedef int v4 __attribute__((vector_size(16)));
typedef int v8 __attribute__((vector_size(32), aligned(16)));
typedef char v3 __attribute__((ext_vector_type(3)));

static void vectors(char *p)
{
	v4 a = {1, 2, 3, 4};
	v8 b = {1, 2, 3, 4, 5, 6, 7, 8};
	v3 c = {1, 2, 3};

	AT(v4, 160) = a; //= storeb@a0+16=01000000020000000300000004000000
	AT(v8, 192) = b; //= storeb@c0+32=0100000002000000030000000400000005000000060000000700000008000000
	AT(v3, 224) = c; //= storeb@e0+4=01020300
	show("v4", (unsigned)AT(v4, 160)[2]); //= loadb@a0+16=01000000020000000300000004000000
}

static void volatiles(char *p)
{
	volatile int local = 3;

	AT(volatile int, 232) = local; //= store@e8+4=3!v
	show("volatile", (unsigned)AT(volatile int, 232)); //= load@e8+4=3!v
	AT(volatile int, 232) = AT(volatile int, 232) + 1; //= load@e8+4=3!v store@e8+4=4!v
}

/* ---- atomics ------------------------------------------------------------------------------- */

static void atomic_loads_stores(char *p)
{
	_Atomic uint64_t *a = (_Atomic uint64_t *)(p + 256);

	atomic_store_explicit(a, 1, memory_order_relaxed); //= astore@100+8=1/rlx!a
	atomic_store_explicit(a, 2, memory_order_release); //= astore@100+8=2/rel!a
	atomic_store(a, 3);				   //= astore@100+8=3/sc!a
	show("rlx", atomic_load_explicit(a, memory_order_relaxed)); //= aload@100+8=3/rlx!a
	show("con", atomic_load_explicit(a, memory_order_consume)); //= aload@100+8=3/acq!a
	show("acq", atomic_load_explicit(a, memory_order_acquire)); //= aload@100+8=3/acq!a
	show("sc", atomic_load(a));			   //= aload@100+8=3/sc!a
	AT(_Atomic uint8_t, 264) = 1;			   //= astore@108+1=1/sc!a
	AT(_Atomic uint16_t, 266) = 2;			   //= astore@10a+2=2/sc!a
	AT(_Atomic uint32_t, 268) = 3;			   //= astore@10c+4=3/sc!a
	show("a1", AT(_Atomic uint8_t, 264));		   //= aload@108+1=1/sc!a
	show("a2", AT(_Atomic uint16_t, 266));		   //= aload@10a+2=2/sc!a
	show("a4", AT(_Atomic uint32_t, 268));		   //= aload@10c+4=3/sc!a
	AT(_Atomic(char *), 272) = NULL;		   //= astore@110+8=0/sc!a
	AT(_Atomic double, 280) = 1;		   //= astore@118+8=3ff0000000000000/sc!a
}

static void atomic_rmw(char *p)
{
	_Atomic uint32_t *a = (_Atomic uint32_t *)(p + 288);
	int *i = (int *)(p + 292);
	uint64_t *u = (uint64_t *)(p + 296);

	show("add", atomic_fetch_add(a, 5));		  //= rmw.add@120+4=5/sc!a
	show("sub", atomic_fetch_sub_explicit(a, 1, memory_order_relaxed)); //= rmw.sub@120+4=1/rlx!a
	show("or", atomic_fetch_or_explicit(a, 8, memory_order_acquire)); //= rmw.or@120+4=8/acq!a
	show("and", atomic_fetch_and_explicit(a, 12, memory_order_release)); //= rmw.and@120+4=c/rel!a
	show("xor", atomic_fetch_xor_explicit(a, 1, memory_order_acq_rel)); //= rmw.xor@120+4=1/ar!a
	show("xchg", atomic_exchange(a, 77));		  //= rmw.xchg@120+4=4d/sc!a
	show("nand", __atomic_fetch_nand((uint32_t *)a, 5, __ATOMIC_SEQ_CST)); //= rmw.nand@120+4=5/sc!a
	show("max", (unsigned)__atomic_fetch_max(i, 4, __ATOMIC_RELAXED)); //= rmw.max@124+4=4/rlx!a
	show("min", (unsigned)__atomic_fetch_min(i, -4, __ATOMIC_RELAXED)); //= rmw.min@124+4=fffffffc/rlx!a
	show("umax", __atomic_fetch_max(u, 9, __ATOMIC_SEQ_CST)); //= rmw.umax@128+8=9/sc!a
	show("umin", __atomic_fetch_min(u, 8, __ATOMIC_SEQ_CST)); //= rmw.umin@128+8=8/sc!a
	show("sync", __sync_fetch_and_add(u, 1));	  //= rmw.add@128+8=1/sc!a
	show("after", __sync_add_and_fetch(u, 1));	  //= rmw.add@128+8=1/sc!a
	AT(_Atomic uint8_t, 304)++;			  //= rmw.add@130+1=1/sc!a
	AT(_Atomic uint16_t, 306)--;			  //= rmw.sub@132+2=1/sc!a
	show("tas", __atomic_test_and_set(p + 308, __ATOMIC_ACQUIRE)); //= rmw.xchg@134+1=1/acq!a
	__atomic_clear(p + 308, __ATOMIC_RELEASE);	  //= astore@134+1=0/rel!a
	show("flag", atomic_flag_test_and_set((atomic_flag *)(p + 309))); //= rmw.xchg@135+1=1/sc!a
	show("lock", (unsigned)__sync_lock_test_and_set(i, 3)); //= rmw.xchg@124+4=3/sc!a
	__sync_lock_release(i);				  //= astore@124+4=0/rel!a
}

static void atomic_cas(char *p)
{
	_Atomic uint64_t *a = (_Atomic uint64_t *)(p + 320);
	uint64_t e = 0;

	show("strong", atomic_compare_exchange_strong(a, &e, 9)); //= cas@140+8=0=9/sc,sc!a
	show("failed", atomic_compare_exchange_strong(a, &e, 8)); //= cas@140+8=0=8/sc,sc!a
	show("seen", e);
	show("weak", atomic_compare_exchange_weak_explicit( //= cas@140+8=9=a/ar,acq!a
			     a, &e, 10, memory_order_acq_rel, memory_order_acquire));
	show("rlx", atomic_compare_exchange_strong_explicit( //= cas@140+8=9=b/rel,rlx!a
			    a, &e, 11, memory_order_release, memory_order_relaxed));
	show("val", __sync_val_compare_and_swap((uint64_t *)a, 10, 12)); //= cas@140+8=a=c/sc,sc!a
	show("bool", __sync_bool_compare_and_swap((uint32_t *)(p + 328), 0, 1)); //= cas@148+4=0=1/sc,sc!a
	show("c1", __sync_bool_compare_and_swap((uint8_t *)(p + 332), 0, 2)); //= cas@14c+1=0=2/sc,sc!a
	show("c2", __sync_bool_compare_and_swap((uint16_t *)(p + 334), 0, 3)); //= cas@14e+2=0=3/sc,sc!a
}

struct two {
	uint64_t a, b;
};

static void atomic_16(char *p)
{
	_Atomic struct two *t = (_Atomic struct two *)(p + 336);
	struct two v = {1, 2}, e = {1, 2}, r;

	atomic_store(t, v);		//= astore@150+16=2.0000000000000001/sc!a
	r = atomic_load_explicit(t, memory_order_acquire); //= aload@150+16=2.0000000000000001/acq!a
	show("load16", r.a + r.b);
	show("cas16", atomic_compare_exchange_strong(t, &e, ((struct two){3, 4}))); //= cas@150+16=2.0000000000000001=4.0000000000000003/sc,sc!a
	r = atomic_exchange(t, e);	//= rmw.xchg@150+16=2.0000000000000001/sc!a
	show("xchg16", r.a);
}

static void fences(char *p)
{
	(void)p;
	atomic_thread_fence(memory_order_seq_cst); //= mfence!a
	atomic_thread_fence(memory_order_acquire); //= cfence/acq!a
	atomic_thread_fence(memory_order_release); //= cfence/rel!a
	atomic_thread_fence(memory_order_acq_rel); //= cfence/ar!a
	atomic_signal_fence(memory_order_seq_cst);
	__sync_synchronize(); //= mfence!a
}

/* ---- blocks -------------------------------------------------------------------------------- */

struct large {
	uint64_t v[6];
};

static __attribute__((noinline)) uint64_t by_value(struct large a, int x, struct large b)
{
	return a.v[0] + b.v[5] + (unsigned)x;
}

static __attribute__((noinline)) uint64_t variadic(int n, ...)
{
	va_list ap;
	uint64_t sum = 0;

	va_start(ap, n);
	for (int i = 0; i < n; i++)
		sum += va_arg(ap, uint64_t);
	sum += va_arg(ap, struct large).v[1];
	va_end(ap);
	return sum;
}

static __attribute__((noinline)) struct large make(uint64_t x)
{
	return (struct large){{x, x + 1, x + 2, x + 3, x + 4, x + 5}};
}

static __attribute__((noinline)) uint64_t last(const struct large *l)
{
	return l->v[5];
}

static void blocks(char *p)
{
	struct large l = make(3), m;
	volatile size_t n = 20;

	AT(struct large, 512) = l;		    //= memcpy@200+48<-!b
	AT(struct large, 576) = AT(struct large, 512); //= memcpy@240+48<200!b
	m = AT(struct large, 576);		    //= memcpy@-+48<240!b
	show("copy", last(&m));
	memcpy(p + 640, p + 512, n);		    //= memcpy@280+20<200!b
	memmove(p + 644, p + 640, n);		    //= memmove@284+20<280!b
	memset(p + 672, 0xab, n);		    //= memset@2a0+20=ab!b
	__builtin_memcpy_inline(p + 704, p + 512, 8); //= memcpy@2c0+8<200
	__builtin_memset_inline(p + 712, 3, 5);	    //= memset@2c8+5=3!b
	show("byval", by_value(AT(struct large, 512), 1, AT(struct large, 576))); //= loadb@200+48=030000000000000004000000000000000500000000000000060000000000000007000000000000000800000000000000!b loadb@240+48=030000000000000004000000000000000500000000000000060000000000000007000000000000000800000000000000!b
	show("varargs", variadic(1, AT(uint64_t, 512), AT(struct large, 512))); //= load@200+8=3 loadb@200+48=030000000000000004000000000000000500000000000000060000000000000007000000000000000800000000000000!b
	AT(struct large, 768) = make(9);	    //= memcpy@300+48<-!b
}

static jmp_buf env;

static void jumps(char *p)
{
	AT(int, 832) = 1; //= store@340+4=1
	if (setjmp(env) == 0) {
		AT(int, 832) += 1; //= load@340+4=1 store@340+4=2
		longjmp(env, 1);
	}
	show("after longjmp", (unsigned)AT(int, 832)); //= load@340+4=2
}

/* ---- the C library ------------------------------------------------------------------------- */

static __attribute__((noinline)) size_t n_bytes(void)
{
	return 6;
}

static void library(char *p)
{
	char *(*volatile copy)(char *, const char *) = strcpy;
	char local[32];

	strcpy(p + 1024, "hello");	      //= strcpy()!b
	strcpy(p + 1040, p + 1024);	      //= strcpy()!b
	show("strlen", strlen(p + 1040));     //= strlen()!b
	snprintf(p + 1056, 16, "%d", 42);     //= snprintf()!b
	show("strtol", (unsigned)strtol(p + 1056, NULL, 10)); //= strtol()!b
	show("memcmp", memcmp(p + 1024, p + 1040, n_bytes()) != 0); //= memcmp()!b
	strcpy(local, "stays outside");
	show("local", strlen(local));
	copy(p + 1072, "abc");		      //= ^strcpy()
	wmemset((wchar_t *)(p + 1088), L'x', 2); //= wmemset()!b
	printf("%s %s\n", p + 1024, local);   //= printf()!b
	puts("constant");
}

static void all(char *p)
{
	integers(p);
	other_types(p);
	bit_fields(p);
	vectors(p);
	volatiles(p);
	atomic_loads_stores(p);
	atomic_rmw(p);
	atomic_cas(p);
	atomic_16(p);
	fences(p);
	blocks(p);
	jumps(p);
	library(p);
}
