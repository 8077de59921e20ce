/* pm/pool_page.c - pages of the window: mapped, moved, opened and closed. See pool.h. */
#include "runtime/pm/pool.h"
#include "runtime/base/raw.h"

static void put(uint64_t addr, uint64_t n, int prot, int how, int fd)
{
	long r;

	if (!n)
		return;
	r = pd_raw_mmap(addr, n, prot, MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED | how, fd, 0);
	if (pd_raw_failed(r))
		pd_rt_fail(4, "cannot map %lu bytes at %lx (error %d)", n, addr, (int)-r);
}

void pd_pool_pages_put(uint64_t addr, uint64_t n, int prot)
{
	put(addr, n, prot, MAP_ANONYMOUS, -1);
}

void pd_pool_pages_clear(uint64_t addr, uint64_t n)
{
	pd_pool_pages_put(addr, n, PROT_NONE);
}

void pd_pool_pages_put_beyond_end(uint64_t addr, uint64_t n, int prot)
{
	long fd;

	if (!n)
		return;
	fd = pd_raw(SYS_memfd_create, (long)"beyond the end", MFD_CLOEXEC, 0, 0, 0, 0);
	if (fd < 0) {
		pd_pool_pages_clear(addr, n);
		return;
	}
	put(addr, n, prot, 0, (int)fd);
	pd_raw_close((int)fd);
}

void pd_pool_pages_protect(uint64_t addr, uint64_t n, int prot)
{
	long r = n ? pd_raw_mprotect(addr, n, prot) : 0;

	if (r < 0)
		pd_rt_fail(4, "cannot protect %lu bytes at %lx (error %d)", n, addr, (int)-r);
}

/* mremap takes one VMA at a time; finds where VMAs end by halving. */
void pd_pool_pages_move(uint64_t from, uint64_t to, uint64_t n)
{
	uint64_t half = PD_PAGE_UP(n / 2);
	long r;

	if (!n)
		return;
	r = pd_raw_mremap(from, n, n, MREMAP_MAYMOVE | MREMAP_FIXED, to);
	if (!pd_raw_failed(r))
		return;
	if (n <= PD_PAGE || (r != -EFAULT && r != -EINVAL))
		pd_rt_fail(4, "cannot move %lu bytes of PM (error %d)", n, (int)-r);
	pd_pool_pages_move(from, to, half);
	pd_pool_pages_move(from + half, to + half, n - half);
}
