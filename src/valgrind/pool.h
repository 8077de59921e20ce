/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pool.h - PM files: the copies that the program works on, and their mappings.
 *
 * The program's file is never written to. When it is opened, its bytes are copied into a memory
 * file of ours, and the program gets a descriptor of that: reading, writing, truncating and mapping
 * it, several times and by several processes, work as in the kernel. A table says which name leads
 * to which copy, or that the program has deleted it.
 *
 * The window. A pool owns a range of the PM window from the start; the *home* of a byte is base +
 * offset. A shared mapping that does not ask for an address is put at its home if that is free,
 * else at the end of the window. One that asks for an address outside the window gets it if it is
 * free, as in the kernel: programs with pointers in PM would end without it. vg_pool_home gives the
 * home of an address; while every mapping is at home, that is the address itself. A reservation
 * (inaccessible anonymous memory, which libpmem2 makes before it maps files into it) is put into
 * the window, too.
 */
#ifndef PD_VALGRIND_POOL_H
#define PD_VALGRIND_POOL_H

#include "vg.h"

#ifndef VKI_PATH_MAX
#define VKI_PATH_MAX 4096
#endif

struct vg_pool {
	UInt id;
	Int fd; /* ours; -1: closed, because no other process can name or reach the file */
	ULong dev;
	ULong ino;
	ULong base;
	ULong room;
	ULong size;
	ULong real_dev; /* of the original file; 0: none */
	ULong real_ino;
	UInt glob;
	const HChar *name; /* the first name */
	UInt links;	   /* number of names that lead to it */
	Bool had_bytes;	   /* it was not always empty */
};

struct vg_mapping {
	Addr from;
	Addr to;
	struct vg_pool *pool; /* NULL: a reservation */
	ULong offset;
};

/* All PM is in the window. */
extern Bool vg_window_only;
/* Some mapping in the window is not at home: addresses must be looked up. */
extern Bool vg_pools_away;
/* The bounds of all PM, if some is outside the window. Read by translated code. */
extern struct vg_hull {
	volatile Addr from;
	volatile SizeT size;
} vg_hull;

const struct vg_mapping *vg_mapping_at(Addr a);

static inline Bool vg_pool_is_pm(Addr a)
{
	const struct vg_mapping *m;

	if (pd_likely(vg_window_only && !vg_pools_away))
		return PD_IS_PM(a);
	m = vg_mapping_at(a);
	return m && m->pool;
}

/* Stores the home of an address; False: not PM. */
static inline Bool vg_pool_home(Addr a, uint64_t *home)
{
	const struct vg_mapping *m;

	if (pd_likely(vg_window_only && !vg_pools_away)) {
		*home = a - PD_PM_BASE;
		return True;
	}
	m = vg_mapping_at(a);
	if (!m || !m->pool)
		return False;
	*home = m->pool->base - PD_PM_BASE + m->offset + (a - m->from);
	return True;
}

void vg_pool_glob(const HChar *glob);

/* ---- names ---------------------------------------------------------------------------------- */

enum vg_name {
	VG_NAME_OTHER,	 /* not PM: none of our business */
	VG_NAME_POOL,	 /* leads to a pool */
	VG_NAME_DELETED, /* the program has deleted it */
	VG_NAME_REAL,	 /* is PM and exists, but has not been opened yet */
	VG_NAME_FREE,	 /* would be PM, but there is no such file */
	VG_NAME_LINK,	 /* a symbolic link that is not followed, whose name is PM */
};

struct vg_found {
	enum vg_name what;
	struct vg_pool *pool;
	UInt glob;
	UInt mode;		  /* of the real file; 0: none */
	HChar path[VKI_PATH_MAX]; /* absolute, without links; "": no such directory */
};

/* Files that the kernel generates are never PM, whatever the globs say. */
Bool vg_name_is_made_up(const HChar *abs);

/* follow: whether to follow a link as the last component. forced: everything is PM. */
void vg_name_find(Int dirfd, const HChar *path, Bool follow, Bool forced, struct vg_found *f);
void vg_name_set(const HChar *path, struct vg_pool *p);
/* Whether the program must see other entries in the directory than the kernel has. */
Bool vg_name_differs(Int dirfd);
/* The path of a descriptor in /proc, if it has one; buf: VKI_PATH_MAX bytes. */
Bool vg_name_of_fd(Int fd, HChar *buf);
/* Whether a file without a name (O_TMPFILE) in this directory would be PM; then the name it would
 * have. */
Bool vg_name_nameless(Int dirfd, const HChar *dir, Bool forced, struct vg_found *f);

/* ---- pools ---------------------------------------------------------------------------------- */

/* A copy of the file, or a new, empty one. NULL: there is no such file, or it cannot be read. */
struct vg_pool *vg_pool_make(const struct vg_found *f, Bool copy, UInt mode);
struct vg_pool *vg_pool_of_fd(Int fd);
/* Whether this inode is the copy of a PM file. */
Bool vg_pool_has(ULong dev, ULong ino);
struct vg_pool *vg_pool_get(UInt id);
UInt vg_pool_count(void);
void vg_pool_hold(struct vg_pool *p, Int fd);
/* Asks the kernel for the size, by any descriptor of the pool; reports a change. */
void vg_pool_resized(struct vg_pool *p, Int fd);
void vg_pool_report(UInt kind, struct vg_pool *p, ULong offset, ULong n);

/* ---- mappings ------------------------------------------------------------------------------- */

/* An address in the window for n bytes of the pool; 0: no space left. */
Addr vg_mapping_place(const struct vg_pool *p, ULong offset, SizeT n);
Addr vg_mapping_place_reservation(SizeT n);
/* Whether this range is outside the window and unmapped. */
Bool vg_mapping_free(Addr a, SizeT n);
void vg_mapping_add(Addr a, SizeT n, struct vg_pool *p, ULong offset);
/* Removes a range; reports the part that was PM. */
void vg_mapping_remove(Addr a, SizeT n);
Bool vg_mapping_any(Addr a, SizeT n);
Bool vg_mapping_of(const struct vg_pool *p);
/* Reports that the PM in [a, a+n) is durable. */
void vg_mapping_synced(Addr a, SizeT n);

#endif
