/*
 * file/map.c - mmap and its family.
 *
 * A shared mapping of a pool is a part of the window (pm/pool_map.c). A hint is only a hint: the
 * program gets the pool's own place. MAP_FIXED works inside the window, that is, over one of our
 * mappings or reservations. Elsewhere it is taken for a hint, too, since accesses there would not
 * be seen: the program gets an address in the window, and what it asked for cannot be accessed. So
 * that reserve-then-map (libpmem2) gets into the window, anonymous mappings that cannot be written
 * are served from it. MAP_SYNC is granted: a pool is PM.
 *
 * A private mapping of a pool is a copy in ordinary memory, made immediately; in a recovery, where
 * to read a byte means something, it is made byte by byte (pm/veil_copy.c). The kernel would show
 * later changes in pages not yet written; POSIX leaves that open.
 *
 * What does not concern pools goes to the kernel without libc: an allocator may call before libc is
 * ready.
 */
#include "runtime/file/file.h"
#include "runtime/base/raw.h"
#include "runtime/pm/veil.h"
#include "runtime/symbolic/symbolic.h"
#include <sys/shm.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define KNOWN_FLAGS                                                                                \
	(MAP_TYPE | MAP_FIXED | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_DENYWRITE | MAP_EXECUTABLE |   \
	 MAP_LOCKED | MAP_NORESERVE | MAP_POPULATE | MAP_NONBLOCK | MAP_STACK | MAP_HUGETLB |      \
	 MAP_SYNC | MAP_FIXED_NOREPLACE)

static bool in_window(const void *p)
{
	return (PD_IS_PM(p) || (PD_IS_SIDE(p) && pd_rt.side_files)) && pd_inside_pm();
}

static bool in_side_window(const void *p, size_t n)
{
	return PD_IS_SIDE(p) && PD_IS_SIDE((const char *)p + n - 1);
}

static void *map_result(long r)
{
	if (!pd_raw_failed(r))
		return (void *)r;
	errno = (int)-r;
	return MAP_FAILED;
}

static bool is_fixed(int flags)
{
	return flags & (MAP_FIXED | MAP_FIXED_NOREPLACE);
}

static void forget(const void *p, size_t n)
{
	if (pd_symbolic.on)
		pd_labels_forget(p, n);
}

/* Fills memory of ours or of the program with bytes of the pool, as loads. */
static void copy_in(struct pd_pool *p, char *to, uint64_t off, uint64_t n)
{
	char *buf = pd_raw_borrow(1 << 16);

	while (buf && n) {
		long k = pd_file_pool_read(p, buf, PD_MIN(n, 1u << 16), off);

		if (k <= 0)
			break;
		memcpy(to, buf, (size_t)k);
		if (pd_symbolic.on)
			pd_labels_move(to, buf, (size_t)k);
		to += k;
		off += (uint64_t)k;
		n -= (uint64_t)k;
	}
	forget(buf, 1 << 16);
	if (buf)
		pd_raw_give_back(buf, 1 << 16);
}

static long map_private(struct pd_pool *p, void *addr, size_t n, int prot, int flags, uint64_t off)
{
	int rw = PROT_READ | PROT_WRITE;
	bool inside = is_fixed(flags) && in_window(addr);
	long r;

	if (pd_veil_on && !p->side && inside == is_fixed(flags))
		return pd_copy_map(p, off, n, prot, inside ? (uint64_t)addr : 0);
	r = inside ? pd_pool_map_ordinary(n, rw, (uint64_t)addr)
		   : pd_raw_mmap((uint64_t)addr, n, rw, flags | MAP_ANONYMOUS, -1, 0);
	if (pd_raw_failed(r))
		return r;
	copy_in(p, (char *)r, off, n);
	if (inside)
		pd_pool_protect((uint64_t)r, n, prot);
	else
		pd_raw_mprotect((uint64_t)r, PD_PAGE_UP(n), prot);
	return r;
}

/* What the kernel would refuse; 0 or -errno. */
static long check_map(const struct pd_ofd *o, void *addr, size_t n, int prot, int flags,
		      int64_t off)
{
	int acc = o->flags & O_ACCMODE, type = flags & MAP_TYPE;

	if (!n || (off & (int64_t)(PD_PAGE - 1)) ||
	    (is_fixed(flags) && ((uint64_t)addr & (PD_PAGE - 1))))
		return -EINVAL;
	if (PD_PAGE_UP(n) < n)
		return -ENOMEM;
	if (off < 0)
		return -EOVERFLOW;
	if (o->flags & O_PATH)
		return -EBADF;
	if (type != MAP_SHARED && type != MAP_PRIVATE && type != MAP_SHARED_VALIDATE)
		return -EINVAL;
	if (type == MAP_SHARED_VALIDATE && (flags & ~KNOWN_FLAGS))
		return -EOPNOTSUPP;
	if (acc == O_WRONLY || (type != MAP_PRIVATE && (prot & PROT_WRITE) && acc != O_RDWR))
		return -EACCES;
	return o->kind == PD_OFD_POOL ? 0 : -ENODEV;
}

/* Only the first is recorded. */
static void note_elsewhere(const char *name, const void *asked, const void *got)
{
	char *say = pd_rt.channel->elsewhere;

	if (!*say)
		snprintf(say, PD_CHANNEL_WHAT, "it asked for %s at %p and got %p", name, asked,
			 got);
}

/* A program with pointers in PM may fail without the address that it asks for: the report mentions
 * it. */
static long map_hinted(struct pd_pool *p, uint64_t off, size_t n, int prot, int may,
		       const void *hint)
{
	long r = pd_pool_map(p, off, n, prot, may, 0);

	if (hint && !p->side && !pd_raw_failed(r) && (void *)r != hint && !in_window(hint))
		note_elsewhere(p->name, hint, (void *)r);
	return r;
}

/*
 * Keeps the program from accessing [addr, addr+n), where it wanted a pool: what was there is gone,
 * as it would be. -EINVAL: memory of ours is there, or may come there.
 */
static long close_place(const void *addr, size_t n, int flags)
{
	int how = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
	uint64_t at = (uint64_t)addr;
	long r;

	if (at & (PD_PAGE - 1))
		return -EINVAL;
	if ((at < PD_LAYOUT_BOARD_END && at + n > PD_LAYOUT_PM) ||
	    (pd_symbolic.on && at < PD_LAYOUT_LABELS_END && at + n > PD_LAYOUT_LABELS))
		return -EINVAL;
	r = pd_raw_mmap(at, n, PROT_NONE, how | MAP_FIXED_NOREPLACE, -1, 0);
	if (r != -EEXIST || (flags & MAP_FIXED_NOREPLACE))
		return r;
	forget(addr, n);
	return pd_raw_mmap(at, n, PROT_NONE, how | MAP_FIXED, -1, 0);
}

/* A program that goes by the address that mmap returns does not notice. One that has it in its
 * code fails at the first access, and the report mentions why. */
static long map_moved(struct pd_pool *p, uint64_t off, size_t n, int prot, int may,
		      const void *addr, int flags)
{
	long r = close_place(addr, n, flags);

	if (r == -EEXIST)
		return r;
	if (pd_raw_failed(r))
		pd_rt_fail(
			2,
			"%s: mapped with MAP_FIXED at %p, where perdure keeps memory of its own; "
			"map it at the start of the PM window (%lx)",
			p->name, addr, (uint64_t)PD_PM_BASE);
	return map_hinted(p, off, n, prot, may, addr);
}

static long map_pool(struct pd_ofd *o, void *addr, size_t n, int prot, int flags, int64_t off)
{
	long r = check_map(o, addr, n, prot, flags, off);
	int may = (o->flags & O_ACCMODE) == O_RDWR ? ~0 : ~PROT_WRITE;

	if (r < 0)
		return r;
	if ((flags & MAP_TYPE) == MAP_PRIVATE)
		return map_private(o->pool, addr, n, prot, flags, (uint64_t)off);
	o->mapped = true;
	if (o->pool->side && (prot & PROT_WRITE) && !pd_pool_is_made_up(o->pool->name))
		pd_channel_map_other(pd_rt.channel, o->pool->name);
	if (o->pool->side && is_fixed(flags) && !in_side_window(addr, n)) {
		pd_rt_loss(PD_LOSS_CALL, 0,
			   "a file that is not PM, mapped shared at a fixed address: a copy");
		return map_private(o->pool, addr, n, prot, flags, (uint64_t)off);
	}
	if (!is_fixed(flags))
		return map_hinted(o->pool, (uint64_t)off, n, prot, may, addr);
	if (!in_window(addr) || !in_window((char *)addr + n - 1))
		return map_moved(o->pool, (uint64_t)off, n, prot, may, addr, flags);
	if ((flags & MAP_FIXED_NOREPLACE) && !pd_pool_map_free((uint64_t)addr, PD_PAGE_UP(n)))
		return -EEXIST;
	return pd_pool_map(o->pool, (uint64_t)off, n, prot, may, (uint64_t)addr);
}

/* A file that is not PM, but may have been meant: the tool names it if nothing else was mapped. */
static void note_other(int prot, int flags, int fd)
{
	int type = flags & MAP_TYPE;
	char path[PATH_MAX];

	if ((flags & MAP_ANONYMOUS) || !(prot & PROT_WRITE) ||
	    (type != MAP_SHARED && type != MAP_SHARED_VALIDATE) || !pd_file_driven() ||
	    pd_pool_path_of_fd(fd, path) < 0 || pd_pool_is_made_up(path))
		return;
	pd_channel_map_other(pd_rt.channel, path);
}

/*
 * Anonymous memory is shared only with children of the program; but snapshots are children, too,
 * and each execution must have its own.
 */
static int without_sharing(int flags)
{
	if (!(flags & MAP_ANONYMOUS) || !pd_rt.side_files || !pd_file_driven() ||
	    ((flags & MAP_TYPE) != MAP_SHARED && (flags & MAP_TYPE) != MAP_SHARED_VALIDATE))
		return flags;
	pd_rt.shares_memory = true;
	return (flags & ~MAP_TYPE) | MAP_PRIVATE;
}

/* An ordinary mapping; fd may be a file that is not PM. */
static long map_other(void *addr, size_t n, int prot, int flags, int fd, int64_t off)
{
	bool anon = flags & MAP_ANONYMOUS;
	long r;

	flags = without_sharing(flags);
	note_other(prot, flags, fd);
	if (is_fixed(flags))
		forget(addr, n);
	if (!pd_inside() || !n || PD_PAGE_UP(n) < n)
		return pd_raw_mmap((uint64_t)addr, n, prot, flags, fd, (uint64_t)off);
	if (!is_fixed(flags) && anon && !(prot & (PROT_WRITE | PROT_EXEC)) &&
	    (flags & MAP_TYPE) == MAP_PRIVATE && pd_file_driven() && pd_pool_any()) {
		r = pd_pool_map_ordinary(n, prot, 0);
		if (!pd_raw_failed(r))
			return r;
	}
	if (!is_fixed(flags) || !in_window(addr) || !pd_file_driven())
		return pd_raw_mmap((uint64_t)addr, n, prot, flags, fd, (uint64_t)off);
	if ((uint64_t)addr & (PD_PAGE - 1))
		return -EINVAL;
	if ((flags & MAP_FIXED_NOREPLACE) && !pd_pool_map_free((uint64_t)addr, PD_PAGE_UP(n)))
		return -EEXIST;
	r = pd_pool_map_ordinary(n, prot, (uint64_t)addr);
	if (pd_raw_failed(r) || (anon && (flags & MAP_TYPE) == MAP_PRIVATE))
		return r;
	return pd_raw_mmap((uint64_t)addr, n, prot, (flags & ~MAP_FIXED_NOREPLACE) | MAP_FIXED, fd,
			   (uint64_t)off);
}

PD_EXPORT void *mmap(void *addr, size_t n, int prot, int flags, int fd, off_t off)
{
	struct pd_ofd *o = flags & MAP_ANONYMOUS ? NULL : pd_file_of(fd);

	if (!(flags & MAP_ANONYMOUS))
		pd_outside_maps(fd);
	return map_result(o ? map_pool(o, addr, n, prot, flags, off)
			    : map_other(addr, n, prot, flags, fd, off));
}

PD_EXPORT void *mmap64(void *addr, size_t n, int prot, int flags, int fd, off64_t off)
{
	return mmap(addr, n, prot, flags, fd, off);
}

PD_EXPORT void *shmat(int id, const void *addr, int flags)
{
	pd_outside_attaches(pd_mix((uint64_t)id) | 4, "shmat");
	return PD_REAL(shmat)(id, addr, flags);
}

static bool is_misaligned(const void *addr, size_t n)
{
	return ((uint64_t)addr & (PD_PAGE - 1)) || PD_PAGE_UP(n) < n;
}

PD_EXPORT int munmap(void *addr, size_t n)
{
	if (!in_window(addr)) {
		forget(addr, n);
		return (int)pd_file_result(pd_raw_munmap((uint64_t)addr, n));
	}
	if (is_misaligned(addr, n) || !n)
		return (int)pd_file_result(-EINVAL);
	return (int)pd_file_result(pd_pool_unmap((uint64_t)addr, n));
}

PD_EXPORT int mprotect(void *addr, size_t n, int prot)
{
	if (!in_window(addr))
		return (int)pd_file_result(pd_raw_mprotect((uint64_t)addr, n, prot));
	if (is_misaligned(addr, n))
		return (int)pd_file_result(-EINVAL);
	return (int)pd_file_result(pd_pool_protect((uint64_t)addr, n, prot));
}

/* Of ordinary memory. */
static long move(void *addr, size_t n, size_t to_n, int flags, uint64_t fixed)
{
	long r = pd_raw_mremap((uint64_t)addr, n, to_n, flags, fixed);

	if (pd_symbolic.on && !pd_raw_failed(r) && (void *)r != addr) {
		pd_labels_move((void *)r, addr, PD_MIN(n, to_n));
		pd_labels_forget(addr, n);
	}
	return r;
}

PD_EXPORT void *mremap(void *addr, size_t n, size_t to_n, int flags, ...)
{
	uint64_t fixed = 0;
	__builtin_va_list ap;

	if (flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) {
		__builtin_va_start(ap, flags);
		fixed = (uint64_t)__builtin_va_arg(ap, void *);
		__builtin_va_end(ap);
	}
	if (!in_window(addr))
		return map_result(move(addr, n, to_n, flags, fixed));
	if (is_misaligned(addr, n) || !to_n || (fixed & (PD_PAGE - 1)) ||
	    ((flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) && !(flags & MREMAP_MAYMOVE)) ||
	    (flags & MREMAP_DONTUNMAP))
		return map_result(-EINVAL);
	if ((flags & MREMAP_FIXED) && !in_window((void *)fixed))
		pd_rt_fail(2,
			   "PM moved by mremap to the fixed address %lx, outside the PM window; "
			   "perdure cannot follow that",
			   fixed);
	return map_result(pd_pool_remap((uint64_t)addr, n, to_n, flags & MREMAP_MAYMOVE,
					flags & MREMAP_FIXED ? fixed : 0));
}

/* Makes the pool bytes in a range of addresses durable. */
static void emit_msync(uint64_t addr, uint64_t end)
{
	while (addr < end) {
		uint64_t off, n = PD_PAGE - (addr & (PD_PAGE - 1));
		struct pd_pool *p = pd_pool_at(addr, &off), *q;
		uint64_t next;

		while (p && addr + n < end) {
			q = pd_pool_at(addr + n, &next);
			if (q != p || next != off + n)
				break;
			n += PD_PAGE;
		}
		n = PD_MIN(n, end - addr);
		if (p)
			pd_file_sync_range(p, off, n);
		addr += n;
	}
}

PD_EXPORT int msync(void *addr, size_t n, int flags)
{
	if (!in_window(addr))
		return (int)pd_file_result(pd_raw(SYS_msync, (long)addr, (long)n, flags, 0, 0, 0));
	if (is_misaligned(addr, n) || (flags & ~(MS_ASYNC | MS_SYNC | MS_INVALIDATE)) ||
	    (flags & (MS_ASYNC | MS_SYNC)) == (MS_ASYNC | MS_SYNC))
		return (int)pd_file_result(-EINVAL);
	if (!pd_pool_map_covered((uint64_t)addr, PD_PAGE_UP(n)))
		return (int)pd_file_result(-ENOMEM);
	if (flags & MS_SYNC)
		emit_msync((uint64_t)addr, (uint64_t)addr + PD_PAGE_UP(n));
	return 0;
}

/*
 * Advice about a shared mapping never changes its bytes, except MADV_REMOVE; MADV_DONTNEED would
 * change our private memory. So none of it reaches the kernel.
 */
static long advise(uint64_t addr, uint64_t n, int advice)
{
	uint64_t off;
	struct pd_pool *p;

	if (!pd_pool_map_covered(addr, PD_PAGE_UP(n)))
		return -ENOMEM;
	switch (advice) {
	case MADV_REMOVE:
		for (uint64_t k = 0; k < n; k += PD_PAGE) {
			p = pd_pool_at(addr + k, &off);
			if (p)
				pd_file_pool_zero(p, off, PD_PAGE);
		}
		emit_msync(addr, addr + PD_PAGE_UP(n)); /* like fallocate */
		return 0;
	case MADV_FREE:
	case MADV_WIPEONFORK:
		return -EINVAL;
	default:
		return advice >= 0 && advice <= MADV_POPULATE_WRITE ? 0 : -EINVAL;
	}
}

PD_EXPORT int madvise(void *addr, size_t n, int advice)
{
	if (!in_window(addr))
		return (int)pd_file_result(pd_raw_madvise((uint64_t)addr, n, advice));
	if (is_misaligned(addr, n))
		return (int)pd_file_result(-EINVAL);
	return (int)pd_file_result(advise((uint64_t)addr, n, advice));
}

PD_EXPORT int posix_madvise(void *addr, size_t n, int advice)
{
	if (!in_window(addr))
		return PD_REAL(posix_madvise)(addr, n, advice);
	if (is_misaligned(addr, n) || advice < 0 || advice > POSIX_MADV_DONTNEED)
		return EINVAL;
	return pd_pool_map_covered((uint64_t)addr, PD_PAGE_UP(n)) ? 0 : ENOMEM;
}

/* Locking private memory would copy all of it. */
#define LOCK(name, params, flags)                                                                  \
	PD_EXPORT int name params                                                                  \
	{                                                                                          \
		if (!in_window(addr))                                                              \
			return (int)pd_file_result(                                                \
				pd_raw(SYS_##name, (long)addr, (long)n, flags, 0, 0, 0));          \
		return pd_pool_map_covered(PD_PAGE_DOWN((uint64_t)addr), PD_PAGE_UP(n))            \
			       ? 0                                                                 \
			       : (int)pd_file_result(-ENOMEM);                                     \
	}

LOCK(mlock, (const void *addr, size_t n), 0)
LOCK(mlock2, (const void *addr, size_t n, unsigned flags), flags)
LOCK(munlock, (const void *addr, size_t n), 0)
