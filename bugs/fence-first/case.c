/*
 * fence-first - fence and flush are both there, the wrong way round: the fence waits for nothing,
 * and nothing waits for the flush.
 */
#include "../pm.h"

enum { MAGIC = 0xfe2ce };

struct file {
	LINE uint64_t current; /* which of the two holds */
	LINE uint64_t balance[2][8];
};

static void persist(const void *p)
{
#if FIXED
	__asm__ volatile("clflushopt %0" : "+m"(*(volatile char *)(uintptr_t)p));
	__asm__ volatile("sfence" ::: "memory");
#else
	__asm__ volatile("sfence" ::: "memory");
	__asm__ volatile("clflushopt %0" : "+m"(*(volatile char *)(uintptr_t)p)); //@ flush
#endif
}

static void deposit(struct file *f, uint64_t amount)
{
	uint64_t now = f->current & 1, next = now ^ 1;

	f->balance[next][1] = f->balance[now][1] + amount; //@ store
	f->balance[next][0] = MAGIC;			   //@ store
	persist(f->balance[next]);
	pm_set(&f->current, 2 | next);
	persist(&f->current);
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	uint64_t now = f->current;

	if (now) {
		uint64_t *balance = f->balance[now & 1];

		if (balance[0] != MAGIC || balance[1] % 50) { //@ load
			fprintf(stderr, "the account is not there\n");
			return 1;
		}
	}
	deposit(f, 50);
	deposit(f, 100);
	pm_fence();
	return 0;
}
