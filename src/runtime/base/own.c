/*
 * own.c - the runtime's own memory, at addresses of its own.
 *
 * Where the kernel puts a mapping of the program depends on what is mapped already. What the
 * runtime needs differs between executions (the state of a crash, a walk through the tree), but the
 * program's addresses must not: programs hash and compare them. So the runtime's memory has a
 * window that holds nothing else.
 *
 * Small pieces are cut from slabs. An execution borrows about ten of them, and a mapping for each
 * would cost more than what it is for; most executions need no slab but what the zygote left of
 * its own.
 */
#include "runtime/base/raw.h"
#include "event/layout.h"

enum { SLAB = 1 << 20, LARGEST_PIECE = SLAB / 8 };

static uint64_t map(uint64_t size, uint64_t align)
{
	static _Atomic uint64_t next = PD_LAYOUT_OWN;
	uint64_t at = __atomic_fetch_add(&next, size + align, __ATOMIC_RELAXED);
	long r = -ENOMEM;

	at = (at + align - 1) & ~(align - 1);
	if (at + size <= PD_LAYOUT_OWN_END)
		r = pd_raw_mmap(at, size, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	if (pd_raw_failed(r)) /* the program's addresses may then differ */
		r = pd_raw_mmap(0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
				0);
	return pd_raw_failed(r) ? 0 : (uint64_t)r;
}

/* The rest of the slab begins at `rest` and ends at the next multiple of SLAB; no rest: that is a
 * multiple itself. */
static uint64_t cut(uint64_t size)
{
	static _Atomic uint64_t rest;
	uint64_t at = __atomic_load_n(&rest, __ATOMIC_ACQUIRE);

	for (;;) {
		bool fits = at % SLAB && at % SLAB + size <= SLAB;
		uint64_t from = fits ? at : map(SLAB, SLAB);

		if (from && (fits || from % SLAB == 0) &&
		    __atomic_compare_exchange_n(&rest, &at, from + size, false, __ATOMIC_ACQ_REL,
						__ATOMIC_ACQUIRE))
			return from;
		if (fits)
			continue;
		if (from) /* another thread was faster, or it lies outside the window */
			pd_raw_munmap(from, SLAB);
		if (!from || from % SLAB)
			return map(size, 4096);
	}
}

void *pd_raw_borrow(size_t n)
{
	uint64_t size = (n + 4095) & ~4095ULL;

	if (size <= LARGEST_PIECE)
		return (void *)cut(size);
	return (void *)map(size, size >= 2 << 20 ? 2 << 20 : 4096);
}

void pd_raw_give_back(void *p, size_t n)
{
	pd_raw_munmap((uint64_t)p, n);
}
