/*
 * pool.h - PM files, served from a copy-on-write overlay inside the PM window.
 *
 * A pool is a PM file as the tested program sees it. Its bytes live in private memory of this
 * process: pages of the real file mapped MAP_PRIVATE as far as the file reaches, zeros after. So a
 * fork is a snapshot of every pool, and the real file is only ever read.
 *
 * Place. A pool gets a slot of the window at its first use, in order of first use, and keeps it (a
 * file that was always empty and outgrows its slot moves to a larger one): its *home* is base +
 * offset, whatever the program maps. Every mapping of a pool without a fixed address is a part of
 * the home, so several mappings of the same bytes are the same bytes. For a mapping with a fixed
 * address (MAP_FIXED onto a reservation, as libpmem2 does) the pages are moved there while it
 * lasts; pd_pool_canonical gives the home of such an address, which is what the model must use.
 *
 *	window:  | slots of 64 GB (96) | slots of 1 GB (8192) | reservations (2 TB) |
 *
 * Names. A table of absolute names says which pool a name leads to, or that it leads nowhere (the
 * program deleted it; the real file is still there). A name that is not in the table and matches a
 * glob of PERDURE_PM is a pool if the real file exists.
 *
 * Side files. Where an exploration has to start every execution from the same files, those that are
 * not PM but are opened for reading and writing are pools as well, in a window of their own
 * (pm/pool_side.c). All that is said of PM here holds for them, except that they have no events.
 *
 * Globs are separated by ':'; '*' and '?' match every character, '/' too; '[...]' and '\' as in the
 * shell. A glob is tried on the path as the program gave it, on the absolute path, on the base name
 * and on what symbolic links lead to; files in /proc, /sys and /dev (but for /dev/shm) never match.
 * Besides, /dev/dax* is PM, and with PMEM_IS_PMEM_FORCE=1 every regular file that is opened for
 * reading and writing.
 *
 * Invariants:
 *  1. No function here writes to the file system.
 *  2. Pages of a pool that no mapping of the program covers are PROT_NONE: a dangling pointer
 * faults as it would natively. Pages that are mapped and lie beyond the end of the file raise
 * SIGBUS.
 *  3. Pages are away from home only while a mapping of the program holds them away.
 *  4. Every backed range is cut into VMAs of 16 MB (more for pools beyond 64 GB): after a write,
 * fork copies the page table of that VMA only.
 *
 * Thread rule: as in rt.h; only driven, only the thread that holds the baton.
 */
#ifndef PD_RUNTIME_PM_POOL_H
#define PD_RUNTIME_PM_POOL_H

#include "base/hash.h"
#include "event/abi.h"
#include "runtime/base/rt.h"
#include <sys/stat.h>
#include <sys/types.h>

#define PD_POOL_NONE	UINT32_MAX
#define PD_PAGE		4096ULL
#define PD_PAGE_UP(x)	(((x) + PD_PAGE - 1) & ~(PD_PAGE - 1))
#define PD_PAGE_DOWN(x) ((x) & ~(PD_PAGE - 1))

/* A larger pool may be sparse: large pages would fill it up. */
#define PD_LARGE_PAGES_MAX (256ULL << 20)

/* Where reservations of the program (anonymous, not writable) are put. */
#define PD_POOL_RESERVATIONS PD_LAYOUT_PM_RESERVATIONS

/* Where side files are: outside the PM window, so that what is stored there is no event. */
#define PD_SIDE_BASE	 PD_LAYOUT_SIDE
#define PD_SIDE_END	 PD_LAYOUT_SIDE_END
#define PD_IS_SIDE(addr) ((uint64_t)(addr) >> PD_LAYOUT_SHIFT == PD_LAYOUT_SIDE >> PD_LAYOUT_SHIFT)

struct pd_side;

struct pd_pool {
	uint32_t id;
	uint32_t names;	 /* how many names lead here; 0: deleted */
	uint32_t glob;	 /* index of the glob that made it PM, or PD_POOL_NONE */
	uint32_t mapped; /* how often it was mapped shared */
	bool device;	 /* /dev/dax*: the bytes were copied, since there is no file to map */
	bool had_bytes;	 /* it was not always empty: its place is known */
	bool touched;	 /* the program has set the times below */
	/* A side file whose bytes are always accessible, mapped or not: they are input
	 * (runtime/explore) */
	bool open;
	uint64_t base;	  /* home of offset 0 */
	uint64_t reserve; /* size of its slot */
	uint64_t size;
	uint64_t real_limit; /* bytes of the real file that are visible; less after a truncation */
	uint64_t kept;	     /* bytes from before this execution that it has not truncated */
	uint32_t mode;	     /* permissions as the program sees them, with the file type */
	uint32_t uid;
	uint32_t gid;
	uint32_t chunk_shift; /* log2 of the size of its VMAs */
	int64_t atime;	      /* nanoseconds since 1970 */
	int64_t mtime;
	uint64_t dev; /* of the real file; ino 0: none */
	uint64_t ino;
	struct pd_side *side; /* not NULL: a side file, not PM (pm/pool_side.c) */
	const char *name;     /* the newest name; stays after deletion */
	const char *real;     /* where the real file is, or NULL */
};

/* ---- the table: what the session enumerates, saves before a crash and loads for a recovery ----
 */

/* Reads PERDURE_PM and reserves the window; idempotent; call before the functions below. */
void pd_pool_init(void);

uint32_t pd_pool_count(void);
struct pd_pool *pd_pool_get(uint32_t id);

/* The pool whose bytes are at this address, and their offset; NULL: ordinary memory or nothing. */
struct pd_pool *pd_pool_at(uint64_t addr, uint64_t *off);
/* The same for PM only. */
struct pd_pool *pd_pool_of_address(uint64_t addr, uint64_t *off);

/* True while some pool's pages are away from home. */
extern PD_OWN bool pd_pool_away;
uint64_t pd_pool_home_of(uint64_t addr);

/* The home of an address in the window, as the model uses it. */
static inline uint64_t pd_pool_canonical(uint64_t addr)
{
	return pd_likely(!pd_pool_away) ? addr : pd_pool_home_of(addr);
}

/* Writes the pool's bytes to a descriptor of ours; 0 or -errno. */
int pd_pool_write_image(struct pd_pool *p, int fd);

/*
 * The table as plain bytes. Save returns the size (nothing is written if cap is less). Load
 * recreates the pools of the execution that saved, with the real file's bytes as far as they are
 * still visible and zeros after; the session writes what was stored since. It replaces a table in
 * which nothing is mapped. False: the bytes are not a table, or a real file has changed meanwhile
 * (`why` says which).
 */
size_t pd_pool_table_save(void *buf, size_t cap);
bool pd_pool_table_load(const void *buf, size_t n, const char **why);

/* The globs, and how many of the pools that each has matched were opened and mapped. */
struct pd_pool_glob {
	const char *text;
	uint32_t opened;
	uint32_t mapped;
};
uint32_t pd_pool_globs(const struct pd_pool_glob **globs);

/* ---- bytes ------------------------------------------------------------------------------------
 */

/* Where the bytes at this offset are now. *n is reduced to what is contiguous. */
uint64_t pd_pool_where(const struct pd_pool *p, uint64_t off, uint64_t *n);

/* Makes a range of the window readable and writable, whatever the program's mappings allow; and
 * undoes it. */
void pd_pool_expose(uint64_t addr, uint64_t n);
void pd_pool_conceal(uint64_t addr, uint64_t n);

/*
 * Copies bytes in and out, past all protections and without events, for the session itself. By home
 * address, wherever the bytes are now.
 */
void pd_pool_poke(uint64_t addr, const void *src, size_t n);
void pd_pool_peek(void *dst, uint64_t addr, size_t n);

/* ---- for file*.c ------------------------------------------------------------------------------
 */

/* Absolute, without "." and ".." (by text) and doubled slashes; 0 or -errno. buf has PATH_MAX
 * bytes. */
int pd_pool_path(int dirfd, const char *path, char *buf);
/* The same name with symbolic links in its directory resolved, in place; 0 or -errno. */
int pd_pool_path_resolve(char *abs);
/* The path of a descriptor according to /proc: its length or -errno. buf has PATH_MAX bytes. */
long pd_pool_path_of_fd(int fd, char *buf);
/* Files that the kernel generates, or has in memory only, are not PM under any glob. */
bool pd_pool_is_made_up(const char *abs);
/* The index of a glob that matches one of these, or PD_POOL_NONE. */
uint32_t pd_pool_match(const char *given, const char *abs);
bool pd_pool_forced(void);
/* Whether any path can be PM at all. */
bool pd_pool_any(void);

/* Looks up a name: true if the table has an entry; *p is NULL if the name was deleted. */
bool pd_pool_name_find(const char *abs, struct pd_pool **p);
/* The i-th entry of the table of names; false: there are no more. */
bool pd_pool_name_at(uint32_t i, const char **abs, struct pd_pool **p);
/* Makes a name lead to p, or to nothing; updates p->names of both pools. */
void pd_pool_name_set(const char *abs, struct pd_pool *p);

struct pd_pool *pd_pool_find_by_inode(uint64_t dev, uint64_t ino);

/*
 * A new pool with this name: of the real file that st describes, or a new and empty one if st is
 * NULL. NULL with *err = -errno.
 */
struct pd_pool *pd_pool_create(const char *abs, const struct stat *st, uint32_t mode, bool side,
			       int *err);

/* Returns 0 or -EFBIG. New bytes are zeros. Emits POOL_SIZE. */
int pd_pool_resize(struct pd_pool *p, uint64_t size);

/* Side files: the bytes of a range, and the size of the file, are durable from here on. */
void pd_side_sync(struct pd_pool *p, uint64_t off, uint64_t n);
/* Digests what a crash would leave of it. */
void pd_side_digest(const struct pd_pool *p, struct pd_digest *d);
/* Between pool*.c: a new one is durable as it is; saves it into a table and loads it; then fills
 * its pages. */
struct pd_side *pd_side_create(const struct pd_pool *p);
void pd_side_save(const struct pd_pool *p, struct pd_pool *to);
void pd_side_load(struct pd_pool *p);
void pd_side_fill(struct pd_pool *p);

/* Between pool*.c: reads the environment; counts a pool of a glob that is opened or mapped. */
void pd_pool_path_init(void);
void pd_pool_glob_note(uint32_t glob, bool mapped);

/* The pool in whose slot of the window this address is, or NULL. */
struct pd_pool *pd_pool_slot_owner(uint64_t addr);

/* The size of a /dev/dax device; copies one into a new pool; 0 or -errno. */
int pd_pool_dax_size(const struct stat *st, uint64_t *size);
int pd_pool_dax_copy(struct pd_pool *p);

/* Around a change of size: recalls pages from `from` on; then updates what every mapping shows. */
void pd_pool_map_recall(struct pd_pool *p, uint64_t from);
void pd_pool_map_settle(struct pd_pool *p);

/* Whether no mapping shows anything but p there, so that p may grow into it. */
bool pd_pool_map_free_of_others(const struct pd_pool *p, uint64_t addr, uint64_t n);
/*
 * The protection (PROT_*) that the program has set for the mapping of PM around addr, and the range
 * [from, to) with the same, up to the end of the file. False: addr is in no mapping.
 */
bool pd_pool_map_around(uint64_t addr, uint64_t *from, uint64_t *to, int *prot);
/* Sets the protection of pages to what the list of mappings says. */
void pd_pool_map_paint(uint64_t addr, uint64_t n);
/* Whether the program has nothing mapped in [addr, addr+n). */
bool pd_pool_map_free(uint64_t addr, uint64_t n);
/* Whether anything of p is mapped now. */
bool pd_pool_map_any(const struct pd_pool *p);
/* Whether every page of [addr, addr+n) is mapped by the program. */
bool pd_pool_map_covered(uint64_t addr, uint64_t n);

/*
 * The program's mappings inside the window. A fixed address is inside the window and page-aligned.
 * map returns the address or -errno; the others 0 or -errno.
 */
long pd_pool_map(struct pd_pool *p, uint64_t off, uint64_t n, int prot, int may, uint64_t fixed);
long pd_pool_map_ordinary(uint64_t n, int prot, uint64_t fixed);
/* The same for a private mapping, whose pages are closed (pm/veil_copy.c). */
long pd_pool_map_copy(uint64_t n, int prot, uint64_t fixed);
/* What the program may do with a mapping of any kind; PROT_NONE where there is none. */
int pd_pool_map_prot(uint64_t addr);
int pd_pool_unmap(uint64_t addr, uint64_t n);
int pd_pool_protect(uint64_t addr, uint64_t n, int prot);
long pd_pool_remap(uint64_t addr, uint64_t n, uint64_t to_n, bool may_move, uint64_t fixed);

/*
 * Between pool*.c: pages of the window. New memory; nothing; what is beyond the end of a mapped
 * file, where an access is SIGBUS; their protection; other addresses for them.
 */
void pd_pool_pages_put(uint64_t addr, uint64_t n, int prot);
void pd_pool_pages_clear(uint64_t addr, uint64_t n);
void pd_pool_pages_put_beyond_end(uint64_t addr, uint64_t n, int prot);
void pd_pool_pages_protect(uint64_t addr, uint64_t n, int prot);
void pd_pool_pages_move(uint64_t from, uint64_t to, uint64_t n);

/* Memory of the runtime that is never freed. */
void *pd_pool_alloc(size_t n);

/* Reports an event to the session: kind, a range of the pool's home, and the pool itself. */
void pd_pool_emit(enum pd_event_kind kind, const struct pd_pool *p, uint64_t addr, uint64_t n);

#endif
