/*
 * own.c - the runtime's own memory, at addresses of its own.
 *
 * Where the kernel puts a mapping of the program depends on what is mapped already. What the
 * runtime needs differs between executions (the state of a crash, a walk through the tree), but the
 * program's addresses must not: programs hash and compare them. So the runtime's memory has a
 * window that holds nothing else.
 */
#include "runtime/base/raw.h"
#include "event/layout.h"

void *pd_raw_borrow(size_t n)
{
	static _Atomic uint64_t next = PD_LAYOUT_OWN;
	uint64_t size = (n + 4095) & ~4095ULL, align = size >= 2 << 20 ? 2 << 20 : 4096;
	uint64_t at = __atomic_fetch_add(&next, size + align, __ATOMIC_RELAXED);
	long r = -ENOMEM;

	at = (at + align - 1) & ~(align - 1);
	if (at + size <= PD_LAYOUT_OWN_END)
		r = pd_raw_mmap(at, size, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (pd_raw_failed(r)) /* the program's addresses may then differ */
		r = pd_raw_mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
				0);
	return pd_raw_failed(r) ? NULL : (void *)r;
}

void pd_raw_give_back(void *p, size_t n)
{
	pd_raw_munmap((uint64_t)p, n);
}
