/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * syscall.c - system calls that concern PM files.
 *
 * vg_on_syscall runs before the instruction, and before Valgrind reads the registers. It may change
 * them: a path becomes that of the copy (/proc/self/fd/N), a mapping goes into the window; or it
 * replaces the call by a harmless one and sets the result itself. vg_syscall_after restores the
 * registers; syscall_made.c then reports what has happened.
 */
#include "vg.h"
#include "core.h"
#include "libvex_guest_amd64.h"
#include "pool.h"
#include "pub_tool_aspacemgr.h"
#include "syscall.h"

enum {
	AT_NOFOLLOW = 0x100,
	AT_REMOVE_DIRECTORY = 0x200,
	MAP_KIND = 0xf,
	MAP_SHARED_ = 1,
	MAP_SHARED_CHECKED = 3,
	MAP_SYNC_ = 0x80000,
	MREMAP_MAY_MOVE = 1,
	MREMAP_TO = 2,
	DROPPED = VG_O_CREAT | VG_O_EXCL | VG_O_NOFOLLOW | VG_O_DIRECT,
};

static struct vg_call *calls; /* by thread */
/* PMEM_IS_PMEM_FORCE=1: every file that can be mapped for writing is PM */
static Bool forced;
static Bool asked;

static const Int registers[6] = {
	offsetof(VexGuestAMD64State, guest_RDI), offsetof(VexGuestAMD64State, guest_RSI),
	offsetof(VexGuestAMD64State, guest_RDX), offsetof(VexGuestAMD64State, guest_R10),
	offsetof(VexGuestAMD64State, guest_R8),	 offsetof(VexGuestAMD64State, guest_R9)};

/* ---- helpers -------------------------------------------------------------------------------- */

static void fake(struct vg_call *c, Word result)
{
	c->faked = True;
	c->result = result;
	c->number = __NR_getpid;
}

static void redirect(struct vg_call *c, UInt path, const struct vg_pool *p)
{
	VG_(sprintf)(c->path, "/proc/self/fd/%d", p->fd);
	c->a[path] = (UWord)c->path;
}

/* Looks up the file that an argument names; dirfd: the argument with its directory, or -1. */
static void find(const struct vg_call *c, Int dirfd, UInt path, Bool follow, Bool force,
		 struct vg_found *f)
{
	const HChar *name = (const HChar *)c->a[path];

	f->what = VG_NAME_OTHER;
	f->pool = NULL;
	if (VG_(am_is_valid_for_client)((Addr)name, 1, VKI_PROT_READ))
		vg_name_find(dirfd < 0 ? VG_AT_CWD : (Int)c->a[dirfd], name, follow, force, f);
}

/* A pool for a name that exists; NULL: impossible, and the kernel's error will say why. */
static struct vg_pool *pool_of(struct vg_found *f)
{
	if (f->what == VG_NAME_REAL)
		f->pool = vg_pool_make(f, True, 0);
	return f->pool;
}

static UInt umask_now(void)
{
	UInt mask = (UInt)sr_Res(vg_sys(__NR_umask, 022, 0, 0, 0, 0, 0));

	vg_sys(__NR_umask, mask, 0, 0, 0, 0, 0);
	return mask;
}

/* ---- opening -------------------------------------------------------------------------------- */

static Bool may_access(const HChar *path, UInt how)
{
	return !sr_isError(vg_sys(__NR_access, (UWord)path, how, 0, 0, 0, 0));
}

/* Whether a file could be created there; if not, the kernel's error says why. */
static Bool may_make(struct vg_found *f)
{
	HChar *slash = VG_(strrchr)(f->path, '/'), c = slash[1];
	Bool ok;

	slash[1] = 0;
	ok = may_access(f->path, 3 /* write and search */);
	slash[1] = c;
	return ok;
}

static void open_pool(struct vg_call *c, struct vg_found *f, UInt path, UInt flags, UWord mode)
{
	UWord how = c->a[flags] & VKI_O_ACCMODE;
	Bool create = (c->a[flags] & VG_O_CREAT) != 0;

	if (f->what == VG_NAME_REAL && !may_access(f->path, how == VKI_O_RDONLY	  ? 4
							    : how == VKI_O_WRONLY ? 2
										  : 6))
		return;
	if (f->what == VG_NAME_POOL || f->what == VG_NAME_REAL) {
		if (create && c->a[flags] & VG_O_EXCL) {
			fake(c, -VKI_EEXIST);
			return;
		}
		if (!pool_of(f))
			return;
	} else if (!create) {
		if (f->what == VG_NAME_DELETED)
			fake(c, -VKI_ENOENT);
		return;
	} else if (may_make(f)) {
		f->pool = vg_pool_make(f, False, (UInt)mode & ~umask_now());
		c->made = True;
	} else {
		return;
	}
	c->pool = f->pool;
	redirect(c, path, f->pool);
	c->a[flags] &= ~(UWord)DROPPED;
}

static void before_nameless(struct vg_call *c, Int dirfd, UInt path, UInt flags, UWord mode)
{
	const HChar *name = (const HChar *)c->a[path];
	struct vg_found f;

	if (!VG_(am_is_valid_for_client)((Addr)name, 1, VKI_PROT_READ) ||
	    !vg_name_nameless(dirfd < 0 ? VG_AT_CWD : (Int)c->a[dirfd], name, forced, &f))
		return;
	c->pool = vg_pool_make(&f, False, (UInt)mode & ~umask_now());
	c->made = True;
	vg_name_set(f.path, NULL);
	redirect(c, path, c->pool);
	c->a[flags] &= ~(UWord)(VG_O_TMPFILE | DROPPED);
}

/* Devices cannot be copied by opening them, and must not be written to. */
static void refuse_device(const struct vg_call *c, UInt path)
{
	const HChar *name = (const HChar *)c->a[path];

	if (VG_(am_is_valid_for_client)((Addr)name, 1, VKI_PROT_READ) &&
	    VG_(strncmp)(name, "/dev/dax", 8) == 0)
		vg_fail(2,
			"the program opens the device '%s', which would be changed; give it a "
			"file, or "
			"compile it with 'perdure cc'",
			name);
}

static void before_open(struct vg_call *c, Int dirfd, UInt path, UInt flags, UWord mode)
{
	Bool follow = !(c->a[flags] & VG_O_NOFOLLOW) &&
		      (c->a[flags] & (VG_O_CREAT | VG_O_EXCL)) != (VG_O_CREAT | VG_O_EXCL);
	struct vg_found f;

	refuse_device(c, path);
	if ((c->a[flags] & VG_O_TMPFILE) == VG_O_TMPFILE)
		before_nameless(c, dirfd, path, flags, mode);
	if (c->a[flags] & VG_O_DIRECTORY)
		return;
	find(c, dirfd, path, follow, forced && (c->a[flags] & VKI_O_ACCMODE) == VKI_O_RDWR, &f);
	if (f.what != VG_NAME_OTHER)
		open_pool(c, &f, path, flags, mode);
}

static void before_creat(struct vg_call *c)
{
	UWord mode = c->a[1];

	c->number = __NR_open;
	c->a[1] = VG_O_CREAT | VKI_O_WRONLY | VKI_O_TRUNC;
	before_open(c, -1, 0, 1, mode);
	c->a[2] = mode;
}

/* ---- other calls with names ----------------------------------------------------------------- */

/* stat, access: only look. flags: the argument with AT_SYMLINK_NOFOLLOW, or -1. */
static void before_look(struct vg_call *c, Int dirfd, UInt path, Int flags)
{
	Bool follow = c->number != __NR_lstat && (flags < 0 || !(c->a[flags] & AT_NOFOLLOW));
	struct vg_found f;

	find(c, dirfd, path, follow, False, &f);
	if (f.what == VG_NAME_DELETED)
		fake(c, -VKI_ENOENT);
	if (f.what != VG_NAME_POOL)
		return;
	c->pool = f.pool;
	redirect(c, path, f.pool);
	if (c->number == __NR_lstat)
		c->number = __NR_stat;
	if (flags >= 0)
		c->a[flags] &= ~(UWord)AT_NOFOLLOW;
}

/* truncate, chmod, chown, utimensat: change the file. */
static void before_change(struct vg_call *c, Int dirfd, UInt path)
{
	struct vg_found f;

	find(c, dirfd, path, True, False, &f);
	if (f.what == VG_NAME_DELETED)
		fake(c, -VKI_ENOENT);
	c->pool = pool_of(&f);
	if (c->pool)
		redirect(c, path, c->pool);
}

static void before_unlink(struct vg_call *c, Int dirfd, UInt path)
{
	struct vg_found f;

	find(c, dirfd, path, False, False, &f);
	if (f.what == VG_NAME_DELETED) {
		fake(c, -VKI_ENOENT);
	} else if (f.what == VG_NAME_LINK) {
		vg_name_set(f.path, NULL);
		fake(c, 0);
	} else if (f.what == VG_NAME_POOL || f.what == VG_NAME_REAL) {
		/* Its contents no longer matter: an empty pool stands for it. */
		if (!f.pool)
			f.pool = vg_pool_make(&f, False, 0600);
		vg_name_set(f.path, NULL);
		fake(c, 0);
		vg_pool_report(PD_EV_POOL_UNLINK, f.pool, 0, f.pool->size);
	}
}

static void before_readlink(struct vg_call *c, Int dirfd, UInt path)
{
	struct vg_found f;

	find(c, dirfd, path, False, False, &f);
	if (f.what == VG_NAME_DELETED)
		fake(c, -VKI_ENOENT);
	else if (f.what == VG_NAME_POOL && !(f.mode && (f.mode & VKI_S_IFMT) != VKI_S_IFREG))
		fake(c, -VKI_EINVAL);
}

static Bool is_there(const struct vg_found *f)
{
	return f->what == VG_NAME_POOL || f->what == VG_NAME_REAL || f->what == VG_NAME_LINK ||
	       (f->what == VG_NAME_OTHER && f->mode);
}

/* The pool to rename, made from the file if there is none yet. A file outside PM is hidden then. */
static struct vg_pool *source_pool(struct vg_found *f)
{
	if (!f->pool && (f->mode & VKI_S_IFMT) == VKI_S_IFREG)
		f->pool = vg_pool_make(f, True, 0);
	return f->pool;
}

static void exchange(struct vg_call *c, struct vg_found *f, struct vg_found *g)
{
	if (!source_pool(f) || !source_pool(g))
		return;
	vg_name_set(f->path, g->pool);
	vg_name_set(g->path, f->pool);
	fake(c, 0);
	vg_pool_report(PD_EV_POOL_RENAME, f->pool, 0, f->pool->size);
	vg_pool_report(PD_EV_POOL_RENAME, g->pool, 0, g->pool->size);
}

static void note_rename(struct vg_call *c, struct vg_found *f, struct vg_found *g, Bool link)
{
	if ((g->mode & VKI_S_IFMT) == VKI_S_IFDIR && g->what == VG_NAME_OTHER) {
		fake(c, link ? -VKI_EEXIST : -VKI_EISDIR);
		return;
	}
	if (!source_pool(f))
		return;
	if (g->pool != f->pool || link) { /* two names of one file: nothing happens */
		vg_name_set(g->path, f->pool);
		if (!link && f->path[0] == '/')
			vg_name_set(f->path, NULL);
		f->pool->name = vg_strdup(g->path);
	}
	fake(c, 0);
	vg_pool_report(PD_EV_POOL_RENAME, f->pool, 0, f->pool->size);
}

enum { NO_REPLACE = 1, EXCHANGE = 2, FOLLOW = 0x400 };

static void before_rename(struct vg_call *c, Int from_dir, UInt from, Int to_dir, UInt to,
			  UInt flags, Bool link)
{
	struct vg_found f, g;

	find(c, from_dir, from, link && flags & FOLLOW, False, &f);
	find(c, to_dir, to, False, False, &g);
	if ((f.what == VG_NAME_OTHER && g.what == VG_NAME_OTHER) || !g.path[0] ||
	    (f.what == VG_NAME_OTHER && (f.mode & VKI_S_IFMT) != VKI_S_IFREG) ||
	    f.what == VG_NAME_FREE)
		return; /* not ours, or the kernel returns the error */
	if (f.what == VG_NAME_DELETED)
		fake(c, -VKI_ENOENT);
	else if (f.what == VG_NAME_LINK)
		vg_fail(2,
			"the program renames the link '%s', whose name is that of PM; name its "
			"target "
			"with --pm, not the link",
			f.path);
	else if (is_there(&g) && (link || flags & NO_REPLACE))
		fake(c, -VKI_EEXIST);
	else if (!link && flags & EXCHANGE && !is_there(&g))
		fake(c, -VKI_ENOENT);
	else if (!link && flags & EXCHANGE)
		exchange(c, &f, &g);
	else
		note_rename(c, &f, &g, link);
}

/* ---- mappings ------------------------------------------------------------------------------- */

static Bool is_reservation(const struct vg_call *c)
{
	return !(c->a[2] & VKI_PROT_WRITE) && !c->a[0] &&
	       c->a[3] == (VKI_MAP_PRIVATE | VKI_MAP_ANONYMOUS) && c->a[1] >= VKI_PAGE_SIZE;
}

/* A file that is not PM, but may have been meant: if no PM is mapped, the driver names it. */
static void note_other(Int fd)
{
	/* Valgrind's stack is small, and runs one thread at a time */
	static HChar name[VKI_PATH_MAX];

	if (vg_name_of_fd(fd, name) && !vg_name_is_made_up(name))
		pd_channel_map_other(vg_session.channel, name);
}

static void before_mmap(struct vg_call *c)
{
	UWord kind = c->a[3] & MAP_KIND;
	Addr at;

	if (c->a[3] & VKI_MAP_ANONYMOUS) {
		at = is_reservation(c) && (forced || vg_session.channel->nglobs)
			     ? vg_mapping_place_reservation(c->a[1])
			     : 0;
		if (!at)
			return;
	} else {
		c->pool = vg_pool_of_fd((Int)c->a[4]);
		if (!c->pool && (c->a[2] & VKI_PROT_WRITE) && kind != VKI_MAP_PRIVATE)
			note_other((Int)c->a[4]);
		if (!c->pool || (kind != MAP_SHARED_ && kind != MAP_SHARED_CHECKED)) {
			c->pool = NULL; /* a private mapping is a copy, not PM */
			return;
		}
		vg_pool_hold(c->pool, (Int)c->a[4]);
		c->a[3] = (c->a[3] & ~(UWord)(MAP_KIND | MAP_SYNC_)) | MAP_SHARED_;
		if (c->a[3] & VG_MAP_FIXED_EMPTY) {
			if (vg_mapping_any(c->a[0], c->a[1]))
				fake(c, -VKI_EEXIST);
			return;
		}
		if (c->a[3] & VKI_MAP_FIXED)
			return;
		at = vg_mapping_free(c->a[0], c->a[1]) ? c->a[0] : 0;
		if (!at)
			at = vg_mapping_place(c->pool, c->a[5], c->a[1]);
		if (!at)
			vg_fail(3, "there is no room for a mapping of '%s'", c->pool->name);
	}
	c->a[0] = at;
	c->a[3] |= VKI_MAP_FIXED;
}

/*
 * Valgrind would move a growing mapping out of the window. If it can grow in place, a second
 * mapping is added behind the first; else the pool is mapped once more, and the old mapping stays,
 * unused.
 */
static void before_mremap(struct vg_call *c)
{
	const struct vg_mapping *m = vg_mapping_at(c->a[0]);
	SizeT from = VG_PGROUNDUP(c->a[1]), to = VG_PGROUNDUP(c->a[2]);
	Addr at = c->a[0];
	ULong offset;

	if (!m || !m->pool || to <= from || c->a[3] & MREMAP_TO)
		return;
	offset = m->offset + (at - m->from);
	c->pool = m->pool;
	c->result = (Word)at;
	if (at + to > c->pool->base + c->pool->room || vg_mapping_any(at + from, to - from)) {
		if (!(c->a[3] & MREMAP_MAY_MOVE)) {
			fake(c, -VKI_ENOMEM);
			return;
		}
		at = vg_mapping_place(c->pool, offset, to);
		if (!at)
			vg_fail(3, "there is no room for a mapping of '%s'", c->pool->name);
		vg_mapping_remove(c->a[0], from);
		c->result = (Word)at;
		from = 0;
	}
	c->number = __NR_mmap;
	c->a[0] = at + from;
	c->a[1] = to - from;
	c->a[2] = VKI_PROT_READ | VKI_PROT_WRITE;
	c->a[3] = VKI_MAP_FIXED | MAP_SHARED_;
	c->a[4] = (UWord)c->pool->fd;
	c->a[5] = offset + from;
}

/* ---- before --------------------------------------------------------------------------------- */

/* Calls that change names or mappings. */
static void before_move(struct vg_call *c)
{
	switch (c->number) {
	case __NR_unlink:
		before_unlink(c, -1, 0);
		break;
	case __NR_unlinkat:
		if (!(c->a[2] & AT_REMOVE_DIRECTORY))
			before_unlink(c, 0, 1);
		break;
	case __NR_rename:
		before_rename(c, -1, 0, -1, 1, 0, False);
		break;
	case __NR_renameat:
		before_rename(c, 0, 1, 2, 3, 0, False);
		break;
	case __NR_renameat2:
		before_rename(c, 0, 1, 2, 3, (UInt)c->a[4], False);
		break;
	case __NR_link:
		before_rename(c, -1, 0, -1, 1, 0, True);
		break;
	case __NR_linkat:
		before_rename(c, 0, 1, 2, 3, (UInt)c->a[4], True);
		break;
	case __NR_mmap:
		before_mmap(c);
		break;
	case __NR_mremap:
		before_mremap(c);
		break;
	default:
		break;
	}
}

static void before(struct vg_call *c)
{
	switch (c->number) {
	case __NR_open:
		before_open(c, -1, 0, 1, c->a[2]);
		break;
	case __NR_openat:
		before_open(c, 0, 1, 2, c->a[3]);
		break;
	case __NR_creat:
		before_creat(c);
		break;
	case __NR_stat:
	case __NR_lstat:
	case __NR_access:
	case __NR_statfs:
		before_look(c, -1, 0, -1);
		break;
	case __NR_newfstatat:
		before_look(c, 0, 1, 3);
		break;
	case __NR_statx:
		before_look(c, 0, 1, 2);
		break;
	case __NR_faccessat:
	case __NR_faccessat2:
		before_look(c, 0, 1, -1);
		break;
	case __NR_readlink:
		before_readlink(c, -1, 0);
		break;
	case __NR_readlinkat:
		before_readlink(c, 0, 1);
		break;
	case __NR_truncate:
	case __NR_chmod:
	case __NR_chown:
	case __NR_utime:
	case __NR_utimes:
		before_change(c, -1, 0);
		break;
	case __NR_fchmodat:
	case __NR_fchownat:
	case __NR_utimensat:
		before_change(c, 0, 1);
		break;
	default:
		before_move(c);
	}
}

static void prepare(void)
{
	const HChar *force = VG_(getenv)("PMEM_IS_PMEM_FORCE");

	forced = force && VG_(strcmp)(force, "1") == 0;
	calls = vg_alloc(VG_N_THREADS * sizeof(*calls));
	asked = True;
}

void vg_on_syscall(void *state)
{
	VexGuestAMD64State *g = state;
	struct vg_call *c;

	if (!asked)
		prepare();
	c = &calls[VG_(get_running_tid)()];
	*c = (struct vg_call){.number = (UInt)g->guest_RAX,
			      .a = {g->guest_RDI, g->guest_RSI, g->guest_RDX, g->guest_R10,
				    g->guest_R8, g->guest_R9}};
	c->was_number = c->number;
	VG_(memcpy)(c->was, c->a, sizeof(c->was));
	before(c);
	c->changed = c->number != c->was_number || VG_(memcmp)(c->a, c->was, sizeof(c->a)) != 0;
	if (!c->changed)
		return;
	g->guest_RAX = c->number;
	g->guest_RDI = c->a[0];
	g->guest_RSI = c->a[1];
	g->guest_RDX = c->a[2];
	g->guest_R10 = c->a[3];
	g->guest_R8 = c->a[4];
	g->guest_R9 = c->a[5];
}

static void report_exec(ThreadId tid, const HChar *path)
{
	HChar text[400];

	if (!VG_(am_is_valid_for_client)((Addr)path, 1, VKI_PROT_READ) ||
	    !may_access(path, 1 /* X_OK */))
		return;
	VG_(snprintf)(text, sizeof(text), "exec of '%.300s': what it does is not seen", path);
	vg_loss(PD_LOSS_SYSCALL, vg_place_here(tid), text);
	vg_session_end(True);
}

void vg_syscall_before(ThreadId tid, UInt number, UWord *args, UInt n)
{
	(void)n;
	vg_turn_syscall(tid, number);
	if (number == __NR_exit_group || (number == __NR_exit && vg_threads_alive() == 1))
		vg_session_end(True);
	else if (number == __NR_execve)
		report_exec(tid, (const HChar *)args[0]);
}

Bool vg_syscall_only_looks(ThreadId tid)
{
	return asked && (calls[tid].number == __NR_msync || calls[tid].number == __NR_madvise);
}

void vg_syscall_after(ThreadId tid, UInt number, UWord *args, UInt n, SysRes res)
{
	struct vg_call *c = &calls[tid];
	Word result = c->result;

	(void)n;
	vg_turn_returned(tid);
	if (!asked)
		return;
	if (!sr_isError(res) && !c->faked)
		vg_call_made(tid, c, number, args, sr_Res(res));
	if (!c->changed)
		return;
	for (UInt i = 0; i < 6; i++)
		VG_(set_shadow_regs_area)(tid, 0, (PtrdiffT)registers[i], sizeof(c->was[i]),
					  (const UChar *)&c->was[i]);
	if (c->faked || (c->was_number == __NR_mremap && !sr_isError(res)))
		VG_(set_shadow_regs_area)(tid, 0, offsetof(VexGuestAMD64State, guest_RAX),
					  sizeof(result), (const UChar *)&result);
	c->changed = False;
}
