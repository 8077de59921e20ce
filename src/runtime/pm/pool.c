/*
 * pool.c - the table of pools and names, and the memory behind a pool; see pool.h.
 *
 * Slots are assigned by two counters, so that the same order of first use gives the same addresses.
 * A slot is never reused for another pool: the model keys its state by address.
 *
 * A change of size recalls the pages that disappear (pm/pool_map.c), exchanges the memory behind
 * them, and lets every mapping show what it now covers. The real file is visible up to real_limit
 * only, so that a file that is truncated and grown again reads as zeros.
 *
 * The kernel would merge adjacent VMAs of the same kind: every second chunk is marked
 * MADV_SEQUENTIAL, which has no other effect on private memory.
 */
#include "runtime/pm/pool.h"
#include "runtime/base/listen.h"
#include "base/hash.h"
#include "base/vec.h"
#include "runtime/base/env.h"
#include "runtime/base/raw.h"
#include "runtime/pm/shadow.h"
#include "runtime/pm/veil.h"
#include "runtime/thread/thread.h"
#include <limits.h>
#include <string.h>

#define BIG_SHIFT	 36 /* 64 GB */
#define BIG_SLOTS	 96
#define SMALL_SHIFT	 30
#define SMALL_SLOTS	 8192
#define SMALL_BASE	 (PD_PM_BASE + ((uint64_t)BIG_SLOTS << BIG_SHIFT))
#define CHUNK_SHIFT	 24
#define MAX_CHUNKS_SHIFT 12
#define SIDE_SHIFT	 34 /* 16 GB */
#define SIDE_SLOTS	 ((PD_SIDE_END - PD_SIDE_BASE) >> SIDE_SHIFT)

struct name {
	const char *path;
	uint64_t hash;
	uint32_t pool; /* PD_POOL_NONE: deleted */
};

static struct {
	bool ready;
	struct pd_arena arena;
	PD_VEC(struct pd_pool *) pools;
	PD_VEC(struct name) names;
	uint32_t big_used;
	uint32_t small_used;
	uint16_t big[BIG_SLOTS]; /* id + 1 */
	uint16_t small[SMALL_SLOTS];
	uint32_t side_used;
	uint16_t side[SIDE_SLOTS];
} table PD_TABLE;

static void no_memory(void)
{
	pd_rt_fail(4, "no memory for the table of PM files");
}

void *pd_pool_alloc(size_t n)
{
	void *p = pd_arena_alloc(&table.arena, n);

	if (!p)
		no_memory();
	return p;
}

static const char *copy_name(const char *s)
{
	const char *p = pd_arena_strndup(&table.arena, s, strlen(s));

	if (!p)
		no_memory();
	return p;
}

/* Reserves address space without memory. */
static void reserve(uint64_t addr, uint64_t n, int how)
{
	long r = pd_raw_mmap(addr, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | how,
			     -1, 0);

	if (r != (long)addr)
		pd_rt_fail(4,
			   "cannot reserve %lu GB of address space at %lx (error %d); is there "
			   "a limit on virtual memory (ulimit -v)?",
			   n >> 30, addr, r < 0 ? (int)-r : EEXIST);
}

void pd_pool_init(void)
{
	if (table.ready)
		return;
	table.ready = true;
	pd_arena_init(&table.arena, pd_rt_memory());
	reserve(PD_PM_BASE, PD_PM_END - PD_PM_BASE, MAP_FIXED_NOREPLACE);
	if (pd_rt.side_files)
		reserve(PD_SIDE_BASE, PD_SIDE_END - PD_SIDE_BASE, MAP_FIXED_NOREPLACE);
	pd_pool_path_init();
}

uint32_t pd_pool_count(void)
{
	return table.pools.n;
}

struct pd_pool *pd_pool_get(uint32_t id)
{
	return id < table.pools.n ? table.pools.v[id] : NULL;
}

void pd_pool_emit(enum pd_event_kind kind, const struct pd_pool *p, uint64_t addr, uint64_t n)
{
	struct pd_event e = {
		.kind = (uint8_t)kind,
		.order = PD_ORDER_NONE,
		.addr = addr - PD_PM_BASE,
		.size = n,
		.aux = p->id,
	};

	if (!p->side)
		pd_rt_emit(&e);
}

/* ---- names ------------------------------------------------------------------------------------
 */

static uint64_t hash_text(const char *s)
{
	struct pd_digest d = PD_DIGEST_INIT;

	pd_digest_bytes(&d, s, strlen(s));
	return d.a;
}

static struct name *name_find(const char *abs)
{
	uint64_t h = hash_text(abs);

	for (uint32_t i = 0; i < table.names.n; i++)
		if (table.names.v[i].hash == h && !strcmp(table.names.v[i].path, abs))
			return &table.names.v[i];
	return NULL;
}

bool pd_pool_name_find(const char *abs, struct pd_pool **p)
{
	struct name *m = name_find(abs);

	*p = m ? pd_pool_get(m->pool) : NULL;
	return m;
}

bool pd_pool_name_at(uint32_t i, const char **abs, struct pd_pool **p)
{
	if (i >= table.names.n)
		return false;
	*abs = table.names.v[i].path;
	*p = pd_pool_get(table.names.v[i].pool);
	return true;
}

static struct name *name_push(struct name m)
{
	struct name *at = pd_vec_push(&table.names, &table.arena);

	if (!at)
		no_memory();
	*at = m;
	return at;
}

void pd_pool_name_set(const char *abs, struct pd_pool *p)
{
	struct name *m = name_find(abs);
	struct pd_pool *old = m ? pd_pool_get(m->pool) : NULL;

	if (!m)
		m = name_push((struct name){.path = copy_name(abs), .hash = hash_text(abs)});
	if (old)
		old->names--;
	m->pool = p ? p->id : PD_POOL_NONE;
	if (p) {
		p->names++;
		p->name = m->path;
	}
}

struct pd_pool *pd_pool_find_by_inode(uint64_t dev, uint64_t ino)
{
	for (uint32_t i = 0; i < table.pools.n; i++)
		if (table.pools.v[i]->ino == ino && table.pools.v[i]->dev == dev)
			return table.pools.v[i];
	return NULL;
}

/* ---- slots ------------------------------------------------------------------------------------
 */

static uint64_t slots_for(uint64_t size, uint32_t shift)
{
	return size <= 1ULL << (shift - 1) ? 1 : (2 * size >> shift) + 1;
}

static bool slot_take_side(struct pd_pool *p, uint64_t size)
{
	uint64_t want = slots_for(size, SIDE_SHIFT);

	if (table.side_used + want > SIDE_SLOTS)
		return false;
	p->base = PD_SIDE_BASE + ((uint64_t)table.side_used << SIDE_SHIFT);
	p->reserve = want << SIDE_SHIFT;
	table.side_used += (uint32_t)want;
	return true;
}

static bool slot_take(struct pd_pool *p, uint64_t size, bool side)
{
	uint64_t want = slots_for(size, BIG_SHIFT);

	if (side) {
		if (!slot_take_side(p, size))
			return false;
	} else if (table.big_used + want <= BIG_SLOTS) {
		p->base = PD_PM_BASE + ((uint64_t)table.big_used << BIG_SHIFT);
		p->reserve = want << BIG_SHIFT;
		table.big_used += (uint32_t)want;
	} else if (table.small_used < SMALL_SLOTS && size <= 1ULL << SMALL_SHIFT) {
		p->base = SMALL_BASE + ((uint64_t)table.small_used++ << SMALL_SHIFT);
		p->reserve = 1ULL << SMALL_SHIFT;
	} else {
		return false;
	}
	p->chunk_shift = CHUNK_SHIFT;
	while (p->reserve >> p->chunk_shift > 1ULL << MAX_CHUNKS_SHIFT)
		p->chunk_shift++;
	return true;
}

static void slot_own(const struct pd_pool *p)
{
	uint64_t at = p->base;

	for (; p->side && at < p->base + p->reserve; at += 1ULL << SIDE_SHIFT)
		table.side[(at - PD_SIDE_BASE) >> SIDE_SHIFT] = (uint16_t)(p->id + 1);
	for (; at < p->base + p->reserve && at < SMALL_BASE; at += 1ULL << BIG_SHIFT)
		table.big[(at - PD_PM_BASE) >> BIG_SHIFT] = (uint16_t)(p->id + 1);
	if (p->base >= SMALL_BASE && !p->side)
		table.small[(p->base - SMALL_BASE) >> SMALL_SHIFT] = (uint16_t)(p->id + 1);
}

/* A larger slot, for a file that never had bytes: nothing knows the old one yet. */
static bool slot_move(struct pd_pool *p, uint64_t size)
{
	struct pd_pool to = *p;

	if (p->had_bytes || p->side || p->base >= SMALL_BASE || !slot_take(&to, size, false))
		return false;
	for (uint64_t at = p->base; at < p->base + p->reserve; at += 1ULL << BIG_SHIFT)
		table.big[(at - PD_PM_BASE) >> BIG_SHIFT] = 0;
	*p = to;
	slot_own(p);
	pd_pool_emit(PD_EV_POOL_OPEN, p, p->base, 0);
	return true;
}

struct pd_pool *pd_pool_slot_owner(uint64_t addr)
{
	uint32_t id = 0;

	if (addr >= PD_PM_BASE && addr < SMALL_BASE)
		id = table.big[(addr - PD_PM_BASE) >> BIG_SHIFT];
	else if (addr >= SMALL_BASE && addr < PD_POOL_RESERVATIONS)
		id = table.small[(addr - SMALL_BASE) >> SMALL_SHIFT];
	else if (PD_IS_SIDE(addr))
		id = table.side[(addr - PD_SIDE_BASE) >> SIDE_SHIFT];
	return id ? table.pools.v[id - 1] : NULL;
}

/* ---- memory -----------------------------------------------------------------------------------
 */

static void back_piece(const struct pd_pool *p, uint64_t at, uint64_t n, int fd)
{
	int how = MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED | (fd < 0 ? MAP_ANONYMOUS : 0);
	long r = pd_raw_mmap(p->base + at, n, PROT_NONE, how, fd, fd < 0 ? 0 : at);

	if (pd_raw_failed(r))
		pd_rt_fail(4, "%s: cannot map it copy-on-write (error %d)%s", p->name, (int)-r,
			   r == -ENOMEM ? "; vm.max_map_count may be too low" : "");
	if (at >> p->chunk_shift & 1)
		pd_raw_madvise(p->base + at, n, MADV_SEQUENTIAL);
	if (pd_rt.large_pages && fd < 0 && at + n <= PD_LARGE_PAGES_MAX)
		pd_raw_madvise(p->base + at, n, MADV_HUGEPAGE);
}

/*
 * Gives pages [from, to) at home their initial bytes: the real file's, then zeros. Returns 0 or
 * -errno.
 */
static int back(const struct pd_pool *p, uint64_t from, uint64_t to)
{
	uint64_t file_end = PD_PAGE_UP(p->real_limit), next;
	long fd = -1;

	if (from < file_end) {
		fd = pd_raw_open(p->real, O_RDONLY);
		if (fd < 0)
			return (int)fd;
	}
	for (uint64_t at = from; at < to; at = next) {
		next = PD_MIN(to, ((at >> p->chunk_shift) + 1) << p->chunk_shift);
		if (at < file_end)
			next = PD_MIN(next, file_end);
		back_piece(p, at, next - at, at < file_end ? (int)fd : -1);
	}
	if (fd >= 0)
		pd_raw_close((int)fd);
	return 0;
}

/* Clears the bytes of the last page beyond the end. */
static void clear_tail(const struct pd_pool *p, uint64_t end)
{
	uint64_t n = PD_PAGE_UP(end) - end, addr = p->base + end;

	if (!n || pd_veil_covers(addr - PD_PM_BASE))
		return;
	pd_pool_expose(addr, n);
	memset((void *)addr, 0, n);
	pd_pool_conceal(addr, n);
}

static void shrink(struct pd_pool *p, uint64_t size)
{
	uint64_t from = PD_PAGE_UP(size), to = PD_PAGE_UP(p->size);

	pd_pool_map_recall(p, PD_PAGE_DOWN(size));
	if (from < to)
		reserve(p->base + from, to - from, MAP_FIXED);
	p->real_limit = PD_MIN(p->real_limit, size);
	p->kept = PD_MIN(p->kept, size);
	p->size = size;
	clear_tail(p, size);
}

int pd_pool_resize(struct pd_pool *p, uint64_t size)
{
	uint64_t from = PD_PAGE_UP(p->size), to = PD_PAGE_UP(size);

	if (size > p->reserve && !slot_move(p, size)) {
		pd_rt_loss(PD_LOSS_CAPPED, 0, "a PM file grew beyond its part of the window");
		return -EFBIG;
	}
	if (size != p->size && !p->side)
		pd_rt_files_change();
	if (size < p->size) {
		if (!p->side)
			pd_listen_cut(p->base + size - PD_PM_BASE, p->size - size);
		shrink(p, size);
	} else if (to > from) {
		if (!pd_pool_map_free_of_others(p, p->base + from, to - from))
			pd_rt_fail(2,
				   "%s: grows to where another file was mapped with MAP_FIXED; "
				   "perdure cannot follow that",
				   p->name);
		back(p, from, to);
	}
	p->size = size;
	p->had_bytes |= size != 0;
	p->mtime = pd_env_now();
	pd_pool_map_settle(p);
	pd_pool_emit(PD_EV_POOL_SIZE, p, p->base, size);
	return 0;
}

static struct pd_pool *pool_push(void)
{
	struct pd_pool **slot = pd_vec_push(&table.pools, &table.arena);

	if (!slot)
		no_memory();
	*slot = pd_pool_alloc(sizeof(**slot));
	(*slot)->id = table.pools.n - 1;
	(*slot)->glob = PD_POOL_NONE;
	(*slot)->kept = UINT64_MAX;
	return *slot;
}

static int describe_real(struct pd_pool *p, const char *abs, const struct stat *st)
{
	p->real = copy_name(abs);
	p->dev = st->st_dev;
	p->ino = st->st_ino;
	p->mode = st->st_mode;
	p->uid = st->st_uid;
	p->gid = st->st_gid;
	p->atime = st->st_atim.tv_sec * 1000000000LL + st->st_atim.tv_nsec;
	p->mtime = st->st_mtim.tv_sec * 1000000000LL + st->st_mtim.tv_nsec;
	p->size = (uint64_t)st->st_size;
	p->had_bytes = p->size != 0;
	p->device = S_ISCHR(st->st_mode);
	if (p->device)
		return pd_pool_dax_size(st, &p->size);
	p->real_limit = p->size;
	return 0;
}

struct pd_pool *pd_pool_create(const char *abs, const struct stat *st, uint32_t mode, bool side,
			       int *err)
{
	struct pd_pool new = {.mode = S_IFREG | mode, .name = abs};
	struct pd_pool *p;

	new.uid = (uint32_t)pd_raw(SYS_geteuid, 0, 0, 0, 0, 0, 0);
	new.gid = (uint32_t)pd_raw(SYS_getegid, 0, 0, 0, 0, 0, 0);
	*err = st ? describe_real(&new, abs, st) : 0;
	if (!*err && !slot_take(&new, new.size, side)) {
		pd_rt_loss(PD_LOSS_CAPPED, 0,
			   side ? "too many files are opened for reading and writing: the real one "
				  "is used"
				: "too many PM files for the window");
		*err = -ENOSPC;
	}
	if (!*err)
		*err = back(&new, 0, PD_PAGE_UP(new.size));
	if (*err)
		return NULL;
	if (!st)
		new.atime = new.mtime = pd_env_now();
	p = pool_push();
	new.id = p->id;
	new.glob = PD_POOL_NONE;
	new.side = side ? pd_side_create(&new) : NULL;
	*p = new;
	slot_own(p);
	pd_pool_name_set(abs, p);
	if (p->device)
		*err = pd_pool_dax_copy(p);
	return p;
}

/* ---- bytes ------------------------------------------------------------------------------------
 */

/* Where the bytes of this home address are now; any other address is returned as it is. */
static uint64_t place_of(uint64_t addr, uint64_t *n)
{
	const struct pd_pool *p = pd_pool_slot_owner(addr);

	if (!p || addr - p->base >= PD_PAGE_UP(p->size))
		return addr;
	return pd_pool_where(p, addr - p->base, n);
}

/* Page by page, if some may be veiled. */
static uint64_t piece(uint64_t addr, uint64_t n)
{
	return pd_veil_on ? PD_MIN(n, PD_PAGE - addr % PD_PAGE) : n;
}

void pd_pool_poke(uint64_t addr, const void *src, size_t n)
{
	while (n) {
		uint64_t k = piece(addr, n), at = place_of(addr, &k);

		/* The shadow has the bytes; this copy is for a debugger */
		if (pd_veil_covers(addr - PD_PM_BASE)) {
			pd_veil_show(at, src, k);
		} else {
			pd_pool_expose(at, k);
			memcpy((void *)at, src, k);
			pd_pool_conceal(at, k);
		}
		src = (const char *)src + k;
		addr += k;
		n -= k;
	}
}

void pd_pool_peek(void *dst, uint64_t addr, size_t n)
{
	while (n) {
		uint64_t k = piece(addr, n), at = place_of(addr, &k);

		if (pd_veil_covers(addr - PD_PM_BASE)) {
			memcpy(dst, pd_shadow(addr - PD_PM_BASE), k);
		} else {
			pd_pool_expose(at, k);
			memcpy(dst, (const void *)at, k);
			pd_pool_conceal(at, k);
		}
		dst = (char *)dst + k;
		addr += k;
		n -= k;
	}
}

static int write_all(int fd, const char *s, uint64_t n)
{
	while (n) {
		long k = pd_raw_write(fd, s, n);

		if (k == -EINTR)
			continue;
		if (k <= 0)
			return k ? (int)k : -EIO;
		s += k;
		n -= (uint64_t)k;
	}
	return 0;
}

/* Leaves a hole where everything is zero, if the descriptor can. */
static int write_sparse(int fd, const char *s, uint64_t n)
{
	if (!s[0] && (n == 1 || !memcmp(s, s + 1, n - 1)) &&
	    pd_raw(SYS_lseek, fd, (long)n, SEEK_CUR, 0, 0, 0) >= 0)
		return 0;
	return write_all(fd, s, n);
}

int pd_pool_write_image(struct pd_pool *p, int fd)
{
	uint64_t at = 0, n;
	int err = 0;

	for (; at < p->size && !err; at += n) {
		char bytes[PD_PAGE];

		n = PD_MIN(p->size - at, sizeof(bytes));
		pd_pool_peek(bytes, p->base + at, n);
		err = write_sparse(fd, bytes, n);
	}
	if (!err && pd_raw(SYS_lseek, fd, 0, SEEK_CUR, 0, 0, 0) >= 0)
		err = (int)pd_raw(SYS_ftruncate, fd, (long)p->size, 0, 0, 0, 0);
	return err;
}

/* ---- the table as bytes ------------------------------------------------------------------------
 */

#define MAGIC 0x3130306c6f6f7064ULL

struct sink {
	uint8_t *buf;
	size_t cap;
	size_t n;
};

static void put(struct sink *s, const void *p, size_t n)
{
	if (s->n + n <= s->cap)
		memcpy(s->buf + s->n, p, n);
	s->n += n;
}

static void put_text(struct sink *s, const char *t)
{
	put(s, t ? t : "", t ? strlen(t) + 1 : 1);
}

static size_t save(struct sink s)
{
	uint64_t head[] = {MAGIC,	   table.pools.n,    table.names.n,
			   table.big_used, table.small_used, table.side_used};

	put(&s, head, sizeof(head));
	for (uint32_t i = 0; i < table.pools.n; i++) {
		struct pd_pool saved = *table.pools.v[i];

		if (saved.side)
			pd_side_save(table.pools.v[i], &saved);
		put(&s, &saved, sizeof(saved));
		put_text(&s, table.pools.v[i]->name);
		put_text(&s, table.pools.v[i]->real);
	}
	for (uint32_t i = 0; i < table.names.n; i++) {
		put(&s, &table.names.v[i].pool, sizeof(uint32_t));
		put_text(&s, table.names.v[i].path);
	}
	return s.n;
}

size_t pd_pool_table_save(void *buf, size_t cap)
{
	size_t n = save((struct sink){NULL, 0, 0});

	return n <= cap ? save((struct sink){buf, cap, 0}) : n;
}

struct source {
	const uint8_t *p;
	size_t left;
	bool bad;
};

static void get(struct source *s, void *to, size_t n)
{
	if (s->left < n) {
		s->bad = true;
		memset(to, 0, n);
		return;
	}
	memcpy(to, s->p, n);
	s->p += n;
	s->left -= n;
}

static const char *get_text(struct source *s)
{
	const char *t = (const char *)s->p;
	size_t n = s->left ? strnlen(t, s->left) : 0;

	if (n >= s->left) {
		s->bad = true;
		return NULL;
	}
	s->p += n + 1;
	s->left -= n + 1;
	return n ? copy_name(t) : NULL;
}

static void forget_all(void)
{
	if (!table.pools.n && !table.names.n)
		return; /* a recovery begins with nothing: do not touch the memory */
	for (uint32_t i = 0; i < table.pools.n; i++) {
		struct pd_pool *p = table.pools.v[i];

		pd_pool_map_recall(p, 0);
		if (p->size)
			reserve(p->base, PD_PAGE_UP(p->size), MAP_FIXED);
	}
	memset(table.big, 0, sizeof(table.big));
	memset(table.small, 0, sizeof(table.small));
	memset(table.side, 0, sizeof(table.side));
	table.pools.n = table.names.n = 0;
}

/* Creates the memory of a pool from a saved table; false: the real file is another one. */
static bool revive(struct pd_pool *p)
{
	struct stat st;

	slot_own(p);
	p->had_bytes = true;
	if (!p->names) { /* deleted: the crash closed it, and nothing can reach it any more */
		p->size = p->real_limit = 0;
		p->ino = 0;
		return true;
	}
	if (p->ino && (pd_raw_fstatat(AT_FDCWD, p->real, &st, 0) < 0 || st.st_ino != p->ino ||
		       st.st_dev != p->dev || (uint64_t)st.st_size < p->real_limit))
		return false;
	if (back(p, 0, PD_PAGE_UP(p->size)) < 0)
		return false;
	if (p->device)
		return !pd_pool_dax_copy(p);
	if (p->real_limit && p->real_limit < PD_PAGE_UP(p->size))
		clear_tail(p, p->real_limit);
	if (p->side)
		pd_side_fill(p);
	return true;
}

static bool load_pool(struct source *s, const char **why)
{
	struct pd_pool in, *p;

	get(s, &in, sizeof(in));
	in.name = get_text(s);
	in.real = get_text(s);
	*why = "not a table of PM files";
	if (s->bad || !in.name || in.id != table.pools.n ||
	    in.base < (in.side ? PD_SIDE_BASE : PD_PM_BASE) ||
	    in.base + in.reserve > (in.side ? PD_SIDE_END : PD_POOL_RESERVATIONS) ||
	    in.size > in.reserve)
		return false;
	p = pool_push();
	*p = in;
	if (p->side)
		pd_side_load(p);
	p->kept = UINT64_MAX;
	*why = p->name;
	return revive(p);
}

bool pd_pool_table_load(const void *buf, size_t n, const char **why)
{
	struct source s = {buf, n, false};
	uint64_t head[6];

	get(&s, head, sizeof(head));
	*why = "not a table of PM files";
	if (s.bad || head[0] != MAGIC)
		return false;
	forget_all();
	for (uint64_t i = 0; i < head[1]; i++)
		if (!load_pool(&s, why))
			return false;
	for (uint64_t i = 0; i < head[2]; i++) {
		struct name m = {0};

		get(&s, &m.pool, sizeof(m.pool));
		m.path = get_text(&s);
		*why = "not a table of PM files";
		if (s.bad || !m.path || (m.pool != PD_POOL_NONE && m.pool >= table.pools.n))
			return false;
		m.hash = hash_text(m.path);
		name_push(m);
	}
	table.big_used = (uint32_t)head[3];
	table.small_used = (uint32_t)head[4];
	table.side_used = (uint32_t)head[5];
	*why = NULL;
	return true;
}
