/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * pool.h - PM files: the copies that the program works on, and where they are mapped.
 *
 * The program's file is never written to. When it is opened, its bytes are copied into a memory
 * file of ours, and the program gets a descriptor of that: reading, writing, truncating, mapping
 * it, several times and by several processes, works as the kernel has it. A table says which name
 * leads to which copy, or that the program has deleted it.
 *
 * The window. A pool has a range of the PM window from the start; its *home* is base + offset. A
 * shared mapping that does not ask for an address is put there, if nothing is mapped there yet,
 * else at the end of the window. One that asks for an address outside gets it if it is free, as the
 * kernel has it: programs with pointers in PM end without it. vg_pool_home gives the home of an
 * address; while every mapping is at home that is the address itself. A reservation (anonymous
 * memory without any access, as libpmem2 makes one before it maps files into it) is put into the
 * window, too.
 */
#ifndef PD_VALGRIND_POOL_H
#define PD_VALGRIND_POOL_H

#include "vg.h"

#ifndef VKI_PATH_MAX
#define VKI_PATH_MAX 4096
#endif

struct vg_pool {
	UInt id;
	Int fd; /* ours; -1: nobody can name or reach it any more but by his own */
	ULong dev;
	ULong ino;
	ULong base;
	ULong room;
	ULong size;
	ULong real_dev; /* of the file that it is a copy of; 0: of none */
	ULong real_ino;
	UInt glob;
	const HChar *name; /* the first one */
	UInt links;	   /* names that lead to it */
};

struct vg_mapping {
	Addr from;
	Addr to;
	struct vg_pool *pool; /* NULL: a reservation */
	ULong offset;
};

/* All PM is in the window. */
extern Bool vg_window_only;
/* Some mapping in the window is not at home: addresses have to be looked up. */
extern Bool vg_pools_away;
/* Around all PM, where it is not only in the window. Read by the program's translated code. */
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

/* The address as events have it; False: not PM. */
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
	VG_NAME_OTHER,	 /* no PM: the program's own business */
	VG_NAME_POOL,	 /* leads to a pool */
	VG_NAME_DELETED, /* the program has deleted it */
	VG_NAME_REAL,	 /* is PM, the file exists, nobody has opened it yet */
	VG_NAME_FREE,	 /* would be PM: there is no such file */
	VG_NAME_LINK,	 /* a symbolic link that is not followed, and whose name is PM's */
};

struct vg_found {
	enum vg_name what;
	struct vg_pool *pool;
	UInt glob;
	UInt mode;		  /* of the real file; 0: there is none */
	HChar path[VKI_PATH_MAX]; /* absolute, without links; "": there is no such directory */
};

/* Files that the kernel makes up are not PM under any glob. */
Bool vg_name_is_made_up(const HChar *abs);

/* follow: whether a link as the last part is followed. forced: everything is PM. */
void vg_name_find(Int dirfd, const HChar *path, Bool follow, Bool forced, struct vg_found *f);
void vg_name_set(const HChar *path, struct vg_pool *p);
/* Whether the directory, as the program should see it, differs from the real one. */
Bool vg_name_differs(Int dirfd);
/* What /proc says a descriptor is, if that has a path; buf: VKI_PATH_MAX bytes. */
Bool vg_name_of_fd(Int fd, HChar *buf);
/* Whether a file without a name, made in this directory, would be PM; then its would-be name. */
Bool vg_name_nameless(Int dirfd, const HChar *dir, Bool forced, struct vg_found *f);

/* ---- pools ---------------------------------------------------------------------------------- */

/* A copy of the file, or a new, empty one. NULL: there is no such file or it cannot be read. */
struct vg_pool *vg_pool_make(const struct vg_found *f, Bool copy, UInt mode);
struct vg_pool *vg_pool_of_fd(Int fd);
/* Whether this is the copy of a PM file. */
Bool vg_pool_has(ULong dev, ULong ino);
struct vg_pool *vg_pool_get(UInt id);
UInt vg_pool_count(void);
void vg_pool_hold(struct vg_pool *p, Int fd);
/* Asks the kernel for the size, by any descriptor of it; reports where it changed. */
void vg_pool_resized(struct vg_pool *p, Int fd);
void vg_pool_report(UInt kind, struct vg_pool *p, ULong offset, ULong n);

/* ---- mappings ------------------------------------------------------------------------------- */

/* An address in the window for n bytes of the pool; 0: there is no room. */
Addr vg_mapping_place(const struct vg_pool *p, ULong offset, SizeT n);
Addr vg_mapping_place_reservation(SizeT n);
/* Whether this is an address outside the window, with nothing behind it. */
Bool vg_mapping_free(Addr a, SizeT n);
void vg_mapping_add(Addr a, SizeT n, struct vg_pool *p, ULong offset);
/* Reports what was PM. */
void vg_mapping_remove(Addr a, SizeT n);
Bool vg_mapping_any(Addr a, SizeT n);
Bool vg_mapping_of(const struct vg_pool *p);
/* Reports that [a, a+n) is on the medium, as far as it is PM. */
void vg_mapping_synced(Addr a, SizeT n);

#endif
