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
};

#define ROOM	    (1ULL << 36) /* of a pool: 64 GB */
#define SMALL_ROOM  (1ULL << 30)
#define LAST_ROOM   (10ULL << 40) /* from here on small ones */
#define END_OF_ROOM (12ULL << 40)

static PD_VEC(const HChar *) globs;
static PD_VEC(struct vg_pool *) pools;
static PD_VEC(struct name {
	const HChar *path;
	struct vg_pool *pool; /* NULL: deleted */
}) names;
static ULong next_room;

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

/* What /proc says a descriptor is. */
static Bool path_of_fd(Int fd, HChar *buf)
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
	SysRes r = vg_sys(__NR_openat, (UWord)(Word)dirfd, (UWord)path, VG_O_PATH | VG_O_CLOEXEC | flags,
			  0, 0, 0);

	return sr_isError(r) ? -(Int)sr_Err(r) : (Int)sr_Res(r);
}

/* The name of a file that exists; False: it does not. */
static Bool resolve_existing(Int dirfd, const HChar *path, Bool follow, struct vg_found *f,
			     struct vg_stat *st)
{
	Int fd = open_path(dirfd, path, follow ? 0 : VG_O_NOFOLLOW);
	Bool ok;

	if (fd < 0)
		return False;
	ok = VG_(fstat)(fd, st) == 0;
	if (ok && !path_of_fd(fd, f->path))
		f->path[0] = 0; /* a pipe, a socket */
	VG_(close)(fd);
	return ok;
}

/* The name that a new file would have; False: there is no such directory. */
static Bool resolve_new(Int dirfd, const HChar *path, struct vg_found *f)
{
	const HChar *slash = VG_(strrchr)(path, '/'), *last = slash ? slash + 1 : path;
	HChar dir[VKI_PATH_MAX];
	SizeT n = slash ? (SizeT)(slash - path) : 0;
	Int fd;

	if (!*last || VG_(strcmp)(last, ".") == 0 || VG_(strcmp)(last, "..") == 0 || n >= sizeof(dir))
		return False;
	VG_(memcpy)(dir, path, n);
	dir[n] = 0;
	fd = open_path(dirfd, !slash ? "." : n ? dir : "/", VG_O_DIRECTORY);
	if (fd < 0)
		return False;
	if (!path_of_fd(fd, f->path) || VG_(strlen)(f->path) + VG_(strlen)(last) + 2 > VKI_PATH_MAX)
		f->path[0] = 0;
	VG_(close)(fd);
	if (!f->path[0])
		return False;
	if (f->path[1])
		VG_(strcat)(f->path, "/");
	VG_(strcat)(f->path, last);
	return True;
}

/* Files that the kernel makes up are not PM under any glob. */
static Bool is_made_up(const HChar *abs)
{
	return VG_(strncmp)(abs, "/proc/", 6) == 0 || VG_(strncmp)(abs, "/sys/", 5) == 0 ||
	       (VG_(strncmp)(abs, "/dev/", 5) == 0 && VG_(strncmp)(abs, "/dev/shm/", 9) != 0);
}

static Bool matches(const HChar *given, const HChar *abs, UInt *which)
{
	const HChar *slash = VG_(strrchr)(abs, '/');

	if (!abs[0] || is_made_up(abs))
		return False;
	for (UInt i = 0; i < globs.n; i++)
		if (pd_glob_match(globs.v[i], abs) || pd_glob_match(globs.v[i], given) ||
		    (slash && slash[1] && pd_glob_match(globs.v[i], slash + 1))) {
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

void vg_name_find(Int dirfd, const HChar *path, Bool follow, Bool forced, struct vg_found *f)
{
	struct vg_stat st;
	struct name *n;
	Bool exists, regular;

	f->what = VG_NAME_OTHER;
	f->pool = NULL;
	f->glob = PD_CHANNEL_GLOBS;
	f->path[0] = 0;
	if (!*path || (!globs.n && !forced && !names.n))
		return;
	exists = resolve_existing(dirfd, path, follow, f, &st);
	if (!exists && !resolve_new(dirfd, path, f))
		return;
	n = name_of(f->path);
	if (n) {
		f->what = n->pool ? VG_NAME_POOL : VG_NAME_DELETED;
		f->pool = n->pool;
		return;
	}
	regular = exists && (st.mode & VKI_S_IFMT) == VKI_S_IFREG;
	if ((exists && !regular) || !f->path[0] || is_made_up(f->path))
		return;
	if (!matches(path, f->path, &f->glob) && !forced)
		return;
	if (!exists) {
		f->what = VG_NAME_FREE;
		return;
	}
	f->pool = pool_by_inode(&st); /* a hard link */
	f->what = f->pool ? VG_NAME_POOL : VG_NAME_REAL;
}

void vg_name_set(const HChar *path, struct vg_pool *p)
{
	struct name *n = name_of(path);
	struct vg_pool *old = n ? n->pool : NULL;

	if (!n) {
		n = need(pd_vec_push(&names, ARENA));
		n->path = vg_strdup(path);
	}
	n->pool = p;
	if (p)
		p->named = True;
	if (!old || old == p)
		return;
	old->named = False;
	for (UInt i = 0; i < names.n; i++)
		if (names.v[i].pool == old)
			old->named = True;
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

/* Holes stay holes. */
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

static Int memory_file(const HChar *path)
{
	const HChar *slash = VG_(strrchr)(path, '/');
	HChar name[200];
	SysRes r;

	VG_(snprintf)(name, sizeof(name), "perdure:%.180s", slash ? slash + 1 : path);
	r = vg_sys(__NR_memfd_create, (UWord)name, 0, 0, 0, 0, 0);
	if (sr_isError(r))
		vg_fail(4, "cannot make a memory file for '%s' (errno %lu)", path, sr_Err(r));
	return VG_(safe_fd)((Int)sr_Res(r));
}

static void take_room(struct vg_pool *p)
{
	ULong room = next_room < LAST_ROOM ? ROOM : SMALL_ROOM;

	while (room < 2 * p->size)
		room *= 2;
	if (next_room + room > END_OF_ROOM)
		vg_fail(3, "the program uses too many PM files, or too large ones; '%s' has no room",
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
	fd = VG_(safe_fd)((Int)sr_Res(r));
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
	p->glob = f->glob;
	vg_name_set(f->path, p);
	if (f->glob < PD_CHANNEL_GLOBS)
		vg_session.channel->glob_opened[f->glob]++;
	return p;
}

struct vg_pool *vg_pool_of_fd(Int fd)
{
	struct vg_stat st;

	if (!pools.n || fd < 0 || VG_(fstat)(fd, &st) != 0)
		return NULL;
	for (UInt i = 0; i < pools.n; i++)
		if (pools.v[i]->ino == st.ino && pools.v[i]->dev == st.dev)
			return pools.v[i];
	return NULL;
}

struct vg_pool *vg_pool_get(UInt id)
{
	return id < pools.n ? pools.v[id] : NULL;
}

UInt vg_pool_count(void)
{
	return pools.n;
}

void vg_pool_resized(struct vg_pool *p)
{
	struct vg_stat st;

	if (VG_(fstat)(p->fd, &st) != 0 || (ULong)st.size == p->size)
		return;
	p->size = (ULong)st.size;
	if (p->size > p->room)
		vg_fail(3, "'%s' grows beyond %llu GB, for which there is no room", p->name,
			p->room >> 30);
	vg_pool_tell(PD_EV_POOL_SIZE, p, 0, p->size);
}

void vg_pool_tell(UInt kind, struct vg_pool *p, ULong offset, ULong n)
{
	struct pd_event e = {.kind = (uint8_t)kind,
			     .order = PD_ORDER_NONE,
			     .addr = p->base - PD_PM_BASE + offset,
			     .size = n,
			     .aux = p->id};

	vg_emit(&e);
}
