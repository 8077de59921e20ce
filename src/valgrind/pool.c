/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pool.c - PM files and their names; see pool.h. */
#include "pool.h"
#include "base/glob.h"
#include "core.h"
#include "pub_tool_mallocfree.h"

enum {
	SEEK_DATA_ = 3,
	SEEK_HOLE_ = 4,
	COPY = 1 << 18,
	FDS = 4096, /* more than the program can have */
};

#define ROOM	    (1ULL << 36) /* of a pool: 64 GB */
#define SMALL_ROOM  (1ULL << 30)
#define LAST_ROOM   (10ULL << 40) /* smaller ones from here on */
#define END_OF_ROOM (12ULL << 40)

static PD_VEC(const HChar *) globs;
static PD_VEC(struct vg_pool *) pools;
static PD_VEC(struct name {
	const HChar *path;
	struct vg_pool *pool; /* NULL: deleted */
}) names;
static ULong next_room;
static UInt links_deleted;

#define ARENA (&vg_session.arena)

static void *need(void *p)
{
	if (!p)
		vg_fail(4, "memory ran out");
	return p;
}

void vg_pool_glob(const HChar *glob)
{
	*(const HChar **)need(pd_vec_push(&globs, ARENA)) = vg_strdup(glob);
	vg_session.channel->nglobs = PD_MIN(globs.n, PD_CHANNEL_GLOBS);
}

/* ---- names ---------------------------------------------------------------------------------- */

Bool vg_name_of_fd(Int fd, HChar *buf)
{
	HChar link[32];
	SSizeT n;

	VG_(sprintf)(link, "/proc/self/fd/%d", fd);
	n = VG_(readlink)(link, buf, VKI_PATH_MAX - 1);
	if (n <= 0)
		return False;
	buf[n] = 0;
	return buf[0] == '/';
}

static Int open_path(Int dirfd, const HChar *path, UInt flags)
{
	SysRes r = vg_sys(__NR_openat, (UWord)(Word)dirfd, (UWord)path,
			  VG_O_PATH | VG_O_CLOEXEC | flags, 0, 0, 0);

	return sr_isError(r) ? -(Int)sr_Err(r) : (Int)sr_Res(r);
}

/* The absolute name of a file that exists; False: it does not. */
static Bool resolve_existing(Int dirfd, const HChar *path, Bool follow, struct vg_found *f,
			     struct vg_stat *st)
{
	Int fd = open_path(dirfd, path, follow ? 0 : VG_O_NOFOLLOW);
	Bool ok;

	if (fd < 0)
		return False;
	ok = VG_(fstat)(fd, st) == 0;
	if (ok && !vg_name_of_fd(fd, f->path))
		f->path[0] = 0; /* a pipe, a socket */
	VG_(close)(fd);
	return ok;
}

/* The absolute name that a new file would have; False: no such directory. */
static Bool resolve_new(Int dirfd, const HChar *path, struct vg_found *f)
{
	const HChar *slash = VG_(strrchr)(path, '/'), *last = slash ? slash + 1 : path;
	HChar dir[VKI_PATH_MAX];
	SizeT n = slash ? (SizeT)(slash - path) : 0;
	Int fd;

	if (!*last || VG_(strcmp)(last, ".") == 0 || VG_(strcmp)(last, "..") == 0 ||
	    n >= sizeof(dir))
		return False;
	VG_(memcpy)(dir, path, n);
	dir[n] = 0;
	fd = open_path(dirfd, !slash ? "." : n ? dir : "/", VG_O_DIRECTORY);
	if (fd < 0)
		return False;
	if (!vg_name_of_fd(fd, f->path) ||
	    VG_(strlen)(f->path) + VG_(strlen)(last) + 2 > VKI_PATH_MAX)
		f->path[0] = 0;
	VG_(close)(fd);
	if (!f->path[0])
		return False;
	if (f->path[1])
		VG_(strcat)(f->path, "/");
	VG_(strcat)(f->path, last);
	return True;
}

Bool vg_name_is_made_up(const HChar *abs)
{
	return VG_(strncmp)(abs, "/proc/", 6) == 0 || VG_(strncmp)(abs, "/sys/", 5) == 0 ||
	       VG_(strncmp)(abs, "/memfd:", 7) == 0 ||
	       (VG_(strncmp)(abs, "/dev/", 5) == 0 && VG_(strncmp)(abs, "/dev/shm/", 9) != 0);
}

static Bool matches(const HChar *given, const HChar *abs, UInt *which)
{
	if (!abs[0] || vg_name_is_made_up(abs))
		return False;
	for (UInt i = 0; i < globs.n; i++)
		if (pd_glob_path(globs.v[i], given, abs)) {
			*which = i;
			return True;
		}
	return False;
}

static struct name *name_of(const HChar *path)
{
	for (UInt i = 0; i < names.n; i++)
		if (VG_(strcmp)(names.v[i].path, path) == 0)
			return &names.v[i];
	return NULL;
}

static struct vg_pool *pool_by_inode(const struct vg_stat *st)
{
	for (UInt i = 0; i < pools.n; i++)
		if (pools.v[i]->real_ino == st->ino && pools.v[i]->real_dev == st->dev && st->ino)
			return pools.v[i];
	return NULL;
}

/* By the name of a descriptor in /proc, which leads to the copy itself. */
static struct vg_pool *pool_by_copy(const struct vg_stat *st)
{
	for (UInt i = 0; i < pools.n; i++)
		if (pools.v[i]->ino == st->ino && pools.v[i]->dev == st->dev)
			return pools.v[i];
	return NULL;
}

/* A link that can be followed, but that the program has deleted. */
static Bool is_deleted_link(Int dirfd, const HChar *path, struct vg_found *f)
{
	struct vg_stat st;
	struct name *n;

	if (!links_deleted || !resolve_existing(dirfd, path, False, f, &st))
		return False;
	n = name_of(f->path);
	return n && !n->pool;
}

static void judge(const HChar *path, Bool forced, const struct vg_stat *st, struct vg_found *f)
{
	UInt type = st->mode & VKI_S_IFMT;

	if (!f->path[0] || vg_name_is_made_up(f->path) ||
	    (!matches(path, f->path, &f->glob) && !(forced && type != VKI_S_IFLNK)))
		return;
	if (!f->mode)
		f->what = VG_NAME_FREE;
	else if (type == VKI_S_IFLNK)
		f->what = VG_NAME_LINK;
	else if (type == VKI_S_IFREG)
		f->what = VG_NAME_REAL;
}

void vg_name_find(Int dirfd, const HChar *path, Bool follow, Bool forced, struct vg_found *f)
{
	struct vg_stat st = {0};
	struct name *n;

	f->what = VG_NAME_OTHER;
	f->pool = NULL;
	f->glob = PD_CHANNEL_GLOBS;
	f->mode = 0;
	f->path[0] = 0;
	if (!*path || (!globs.n && !forced && !names.n))
		return;
	if (follow && is_deleted_link(dirfd, path, f)) {
		f->what = VG_NAME_DELETED;
		return;
	}
	if (resolve_existing(dirfd, path, follow, f, &st))
		f->mode = st.mode;
	else if (!resolve_new(dirfd, path, f))
		return;
	n = name_of(f->path);
	f->pool = n	    ? n->pool
		  : f->mode ? pool_by_inode(&st)
			    : NULL; /* by inode: through a hard link */
	if (!f->pool && f->mode)
		f->pool = pool_by_copy(&st);
	if (n || f->pool)
		f->what = f->pool ? VG_NAME_POOL : VG_NAME_DELETED;
	else
		judge(path, forced, &st, f);
}

static Bool is_in(const HChar *path, const HChar *dir)
{
	const HChar *slash = VG_(strrchr)(path, '/');
	SizeT n = VG_(strlen)(dir);

	return (SizeT)(slash - path) == (n == 1 ? 0 : n) && VG_(strncmp)(path, dir, n) == 0;
}

Bool vg_name_differs(Int dirfd)
{
	HChar dir[VKI_PATH_MAX];
	struct vg_stat st;

	if (!names.n || !vg_name_of_fd(dirfd, dir))
		return False;
	for (UInt i = 0; i < names.n; i++)
		if (is_in(names.v[i].path, dir) &&
		    (names.v[i].pool == NULL) != sr_isError(VG_(stat)(names.v[i].path, &st)))
			return True;
	return False;
}

Bool vg_name_nameless(Int dirfd, const HChar *dir, Bool forced, struct vg_found *f)
{
	static UInt number;
	struct vg_stat st;

	*f = (struct vg_found){.what = VG_NAME_FREE, .glob = PD_CHANNEL_GLOBS};
	if (!resolve_existing(dirfd, dir, True, f, &st) || (st.mode & VKI_S_IFMT) != VKI_S_IFDIR ||
	    VG_(strlen)(f->path) + 12 > VKI_PATH_MAX)
		return False;
	VG_(sprintf)(f->path + VG_(strlen)(f->path), "/#%u", number++);
	return matches(f->path, f->path, &f->glob) || forced;
}

static Bool is_link(const HChar *path)
{
	HChar buf[8];

	return VG_(readlink)(path, buf, sizeof(buf)) > 0;
}

void vg_name_set(const HChar *path, struct vg_pool *p)
{
	struct name *n = name_of(path);
	struct vg_pool *old = n ? n->pool : NULL;

	if (!p && is_link(path))
		links_deleted++;
	if (!n) {
		n = need(pd_vec_push(&names, ARENA));
		n->path = vg_strdup(path);
	}
	n->pool = p;
	if (p)
		p->links++;
	if (old)
		old->links--;
}

/* ---- pools ---------------------------------------------------------------------------------- */

static Bool copy_range(Int from, Int to, Long at, Long end, void *buf)
{
	while (at < end) {
		SysRes r = vg_sys(__NR_pread64, (UWord)from, (UWord)buf,
				  (UWord)PD_MIN(end - at, (Long)COPY), (UWord)at, 0, 0);
		SysRes w;

		if (sr_isError(r) || !sr_Res(r))
			return !sr_isError(r);
		w = vg_sys(__NR_pwrite64, (UWord)to, (UWord)buf, sr_Res(r), (UWord)at, 0, 0);
		if (sr_isError(w) || sr_Res(w) != sr_Res(r))
			return False;
		at += (Long)sr_Res(r);
	}
	return True;
}

/* Keeps holes. */
static Bool copy_file(Int from, Int to, Long size)
{
	void *buf = VG_(malloc)("perdure.copy", COPY);
	Bool ok = True;

	for (Long at = 0, end; ok && at < size; at = end) {
		SysRes data = vg_sys(__NR_lseek, (UWord)from, (UWord)at, SEEK_DATA_, 0, 0, 0), hole;

		if (sr_isError(data) && sr_Err(data) == VKI_ENXIO)
			break;
		if (!sr_isError(data))
			at = (Long)sr_Res(data);
		hole = vg_sys(__NR_lseek, (UWord)from, (UWord)at, SEEK_HOLE_, 0, 0, 0);
		end = sr_isError(hole) ? size : (Long)sr_Res(hole);
		ok = copy_range(from, to, at, end, buf);
	}
	VG_(free)(buf);
	return ok;
}

/* Closes our descriptors of deleted pools that are not mapped: a process that still uses one has
 * its own. */
static void drop_unused(void)
{
	for (UInt i = 0; i < pools.n; i++) {
		struct vg_pool *p = pools.v[i];

		if (p->links || p->fd < 0 || vg_mapping_of(p))
			continue;
		VG_(close)(p->fd);
		p->fd = -1;
	}
}

/* Moves a descriptor out of the program's reach. Valgrind reserves a few numbers above the
 * program's limit; the first call raises the kernel's limit to make room for more. */
static Int keep_fd(Int fd, const HChar *path)
{
	static Bool raised;
	struct vki_rlimit limit;
	Int high;

	if (!raised && VG_(getrlimit)(VKI_RLIMIT_NOFILE, &limit) == 0) {
		limit.rlim_cur = PD_MIN(limit.rlim_cur + FDS, limit.rlim_max);
		VG_(setrlimit)(VKI_RLIMIT_NOFILE, &limit);
		raised = True;
	}
	high = VG_(fcntl)(fd, VKI_F_DUPFD, (Addr)VG_(fd_hard_limit));
	if (high < 0) {
		drop_unused();
		high = VG_(fcntl)(fd, VKI_F_DUPFD, (Addr)VG_(fd_hard_limit));
	}
	VG_(close)(fd);
	if (high < 0)
		vg_fail(3,
			"the program uses too many PM files: no descriptor is left for '%s'; raise "
			"the "
			"limit (ulimit -Hn)",
			path);
	VG_(fcntl)(high, VKI_F_SETFD, VKI_FD_CLOEXEC);
	return high;
}

static Int memory_file(const HChar *path)
{
	const HChar *slash = VG_(strrchr)(path, '/');
	HChar name[200];
	SysRes r;

	VG_(snprintf)(name, sizeof(name), "perdure:%.180s", slash ? slash + 1 : path);
	r = vg_sys(__NR_memfd_create, (UWord)name, 0, 0, 0, 0, 0);
	if (sr_isError(r))
		vg_fail(4, "cannot make a memory file for '%s' (errno %lu)", path, sr_Err(r));
	return keep_fd((Int)sr_Res(r), path);
}

static void take_room(struct vg_pool *p)
{
	ULong room = next_room < LAST_ROOM ? ROOM : SMALL_ROOM;

	while (room < 2 * p->size)
		room *= 2;
	if (next_room + room > END_OF_ROOM)
		vg_fail(3,
			"the program uses too many PM files, or too large ones; '%s' has no room",
			p->name);
	p->base = PD_PM_BASE + next_room;
	p->room = room;
	next_room += room;
}

static struct vg_pool *new_pool(const HChar *path, UInt mode)
{
	struct vg_pool *p = vg_alloc(sizeof(*p));
	struct vg_stat st;

	p->fd = memory_file(path);
	vg_sys(__NR_fchmod, (UWord)p->fd, mode & 07777, 0, 0, 0, 0);
	VG_(fstat)(p->fd, &st);
	p->dev = st.dev;
	p->ino = st.ino;
	p->name = vg_strdup(path);
	p->id = pools.n;
	*(struct vg_pool **)need(pd_vec_push(&pools, ARENA)) = p;
	return p;
}

static struct vg_pool *copied_pool(const HChar *path)
{
	SysRes r = VG_(open)(path, VKI_O_RDONLY | VG_O_CLOEXEC, 0);
	struct vg_pool *p;
	struct vg_stat st;
	Int fd;

	if (sr_isError(r))
		return NULL;
	fd = (Int)sr_Res(r);
	VG_(fstat)(fd, &st);
	p = new_pool(path, st.mode);
	p->real_dev = st.dev;
	p->real_ino = st.ino;
	p->size = (ULong)st.size;
	r = vg_sys(__NR_ftruncate, (UWord)p->fd, (UWord)st.size, 0, 0, 0, 0);
	if (sr_isError(r) || !copy_file(fd, p->fd, st.size))
		vg_fail(4, "cannot copy '%s' into memory: is there enough?", path);
	VG_(close)(fd);
	return p;
}

struct vg_pool *vg_pool_make(const struct vg_found *f, Bool copy, UInt mode)
{
	struct vg_pool *p = copy ? copied_pool(f->path) : new_pool(f->path, mode);

	if (!p)
		return NULL;
	take_room(p);
	p->had_bytes = p->size != 0;
	p->glob = f->glob;
	vg_name_set(f->path, p);
	if (f->glob < PD_CHANNEL_GLOBS)
		vg_session.channel->glob_opened[f->glob]++;
	return p;
}

Bool vg_pool_has(ULong dev, ULong ino)
{
	struct vg_stat st = {.dev = dev, .ino = ino};

	return pool_by_copy(&st) != NULL;
}

struct vg_pool *vg_pool_of_fd(Int fd)
{
	struct vg_stat st;

	if (!pools.n || fd < 0 || VG_(fstat)(fd, &st) != 0)
		return NULL;
	return pool_by_copy(&st);
}

struct vg_pool *vg_pool_get(UInt id)
{
	return id < pools.n ? pools.v[id] : NULL;
}

UInt vg_pool_count(void)
{
	return pools.n;
}

/* The pool is about to be mapped. */
void vg_pool_hold(struct vg_pool *p, Int fd)
{
	SysRes r;

	if (p->fd >= 0)
		return;
	r = vg_sys(__NR_dup, (UWord)fd, 0, 0, 0, 0, 0);
	if (!sr_isError(r))
		p->fd = keep_fd((Int)sr_Res(r), p->name);
}

void vg_pool_resized(struct vg_pool *p, Int fd)
{
	struct vg_stat st;

	if (VG_(fstat)(fd, &st) != 0 || (ULong)st.size == p->size)
		return;
	p->size = (ULong)st.size;
	/* Nobody knows where a file is that was always empty. */
	if (p->size > p->room && !p->had_bytes) {
		take_room(p);
		vg_pool_report(PD_EV_POOL_OPEN, p, 0, 0);
	}
	p->had_bytes = True;
	if (p->size > p->room)
		vg_fail(3, "'%s' grows beyond %llu GB, for which there is no room", p->name,
			p->room >> 30);
	vg_pool_report(PD_EV_POOL_SIZE, p, 0, p->size);
}

void vg_pool_report(UInt kind, struct vg_pool *p, ULong offset, ULong n)
{
	struct pd_event e = {.kind = (uint8_t)kind,
			     .order = PD_ORDER_NONE,
			     .addr = p->base - PD_PM_BASE + offset,
			     .size = n,
			     .aux = p->id};

	vg_emit(&e);
}
