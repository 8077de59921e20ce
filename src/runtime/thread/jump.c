/*
 * thread/jump.c - longjmp stays in its thread.
 *
 * A jump into a frame of another thread is undefined, and with coroutines it would run for a while
 * as two threads in one. The stack pointer that the jump restores is compared with the frames of
 * all other threads: from a thread's saved stack pointer up to its base. Stacks that the program
 * made itself (makecontext and the like) belong to no thread, and jumps there are not checked.
 */
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/real.h"

enum { JB_RSP = 6, MANGLE = 17 };

extern void *__libc_stack_end;

/* glibc hides the pointers in a jmp_buf: xor with a secret of the thread, then rotated. */
static uintptr_t target_of(const struct __jmp_buf_tag *env)
{
	uintptr_t p = (uintptr_t)env->__jmpbuf[JB_RSP];
	uintptr_t guard;

	__asm__("movq %%fs:0x30, %0" : "=r"(guard));
	return (p >> MANGLE | p << (64 - MANGLE)) ^ guard;
}

static bool is_in(uintptr_t p, const struct pd_thread *t)
{
	uintptr_t begin = t->number ? t->fs : (uintptr_t)__libc_stack_end;

	return t != pd_sched.cur && p >= (uintptr_t)t->sp && p <= begin;
}

static void check(const struct __jmp_buf_tag *env)
{
	uintptr_t p;
	uint32_t i;

	if (!pd_thread_driven())
		return;
	p = target_of(env);
	for (i = 0; i < pd_sched.nlive; i++)
		if (is_in(p, pd_sched.live[i]))
			pd_rt_fail(PD_STATUS_JUMP,
				   "thread %u jumps (longjmp) into a frame of thread %u, which is "
				   "undefined",
				   pd_sched.cur->number, pd_sched.live[i]->number);
}

/* Declared here: the header's longjmp may be a macro or the checked one. */
#define JUMP(name)                                                                                 \
	PD_EXPORT _Noreturn void name(struct __jmp_buf_tag env[1], int value)                      \
	{                                                                                          \
		check(env);                                                                        \
		pd_real.name(env, value);                                                          \
		__builtin_unreachable();                                                           \
	}

JUMP(longjmp)
JUMP(_longjmp)
JUMP(siglongjmp)
JUMP(__longjmp_chk)
