/* lost.c - each line of this that cannot be instrumented is a loss, and nothing else is. */
#include <stddef.h>

asm(".symver unused_symbol, unused_symbol@V1\n.globl quiet_label\n");
asm(".text\nhand_written:\n\tmovl $1,(%rdi)\n\tret\n");

__attribute__((naked)) void naked_function(void)
{
	asm("ret");
}

void through_registers(long *p)
{
	asm volatile("incq (%0,%1)" ::"r"(p), "r"(0L) : "memory");
}

void intel(long *p)
{
	asm volatile(".intel_syntax noprefix\n\tinc qword ptr [rdi]\n\t.att_syntax" ::"D"(p) : "memory");
}

int asm_goto(int *p)
{
	asm goto("incl %0; js %l1" : : "m"(*p) : "memory" : negative);
	return 0;
negative:
	return 1;
}

struct odd {
	char c[3];
};

void odd_atomic(struct odd *a, struct odd *b)
{
	__atomic_store(a, b, __ATOMIC_SEQ_CST);
}

void fine(long *p)
{
	long x = 1;

	asm volatile("" : "+m"(*p)::"memory");
	asm volatile("bswapq %0" : "+r"(x));
	asm volatile("rdtsc" ::: "eax", "edx", "memory");
	asm volatile("incq %0" : "+m"(*p));
	asm volatile("leaq 8(%1),%0" : "=r"(x) : "r"(p));
	asm volatile("prefetcht0 (%0)" ::"r"(p));
	__builtin_prefetch(p);
}

int main(void)
{
	return 0;
}
