/*
 * pm/pool_map.c - what the program has mapped inside the window; see pool.h.
 *
 * A list of mappings, oldest first. Two mappings of the same bytes are two entries with the same
 * address, so entries may overlap: the protection of a page is the union of its entries', and
 * munmap and mprotect apply to the newest entry that covers a page (or the newest that fits
 * exactly). Precision lost: a store through a read-only mapping does not fault while the same page
 * is also mapped writable.
 *
 * paint() sets the page protections to what the list says; it follows every change of the list.
 *
 * An entry whose address is not the home of its bytes is a *guest*: the first `moved` bytes of it
 * were moved there by mremap, and go home when the last guest that shows them goes. An entry
 * without a pool is ordinary memory of the program that happens to be in the window: a reservation,
 * or what was put into one, or a private mapping (pm/veil_copy.c).
 *
 * Invariants:
 *  1. moved > 0 only for guests, and is a multiple of the page size.
 *  2. Two entries with bytes of different origin never cover the same page.
 *  3. pd_pool_away says whether some entry is a guest or ordinary memory inside a slot.
 */
#include "base/vec.h"
#include "runtime/pm/pool.h"
#include "runtime/base/raw.h"
#include "runtime/pm/veil.h"
#include "runtime/thread/door.h"
#include <string.h>

struct map {
	uint64_t addr;
	uint64_t end;
	uint64_t off;
	uint64_t moved;
	uint32_t pool; /* PD_POOL_NONE: ordinary memory */
	bool copy;     /* ordinary memory whose pages may be closed */
	int prot;
	int may; /* protections that mprotect may set */
};

static struct {
	struct map *v;
	uint32_t n;
	uint32_t cap;
} maps;

bool pd_pool_away;

_Noreturn static void cannot(const struct pd_pool *p, uint64_t addr, const char *what)
{
	pd_rt_fail(2,
		   "%s: %s (at address %lx); perdure cannot follow that. Map it without MAP_FIXED",
		   p ? p->name : "a mapping with MAP_FIXED", what, addr);
}

static uint64_t home(const struct map *r)
{
	return pd_pool_get(r->pool)->base + r->off;
}

static bool is_guest(const struct map *r)
{
	return r->pool != PD_POOL_NONE && r->addr != home(r);
}

static uint64_t backed_size(uint32_t pool)
{
	return PD_PAGE_UP(pd_pool_get(pool)->size);
}

static void note_away(void)
{
	pd_pool_away = false;
	for (uint32_t i = 0; i < maps.n; i++)
		if (is_guest(&maps.v[i]) ||
		    (maps.v[i].pool == PD_POOL_NONE && maps.v[i].addr < PD_POOL_RESERVATIONS))
			pd_pool_away = true;
}

static void insert(uint32_t i, struct map m)
{
	if (maps.n == maps.cap) {
		uint32_t cap = maps.cap ? maps.cap * 2 : 16;
		struct map *v = pd_pool_alloc(cap * sizeof(*v));

		if (maps.n)
			memcpy(v, maps.v, maps.n * sizeof(*v));
		maps.v = v;
		maps.cap = cap;
	}
	memmove(&maps.v[i + 1], &maps.v[i], (maps.n - i) * sizeof(*maps.v));
	maps.v[i] = m;
	maps.n++;
}

static void drop(uint32_t i)
{
	maps.n--;
	memmove(&maps.v[i], &maps.v[i + 1], (maps.n - i) * sizeof(*maps.v));
}

/* The part [a, b) of an entry. */
static struct map part(struct map r, uint64_t a, uint64_t b)
{
	uint64_t skip = a - r.addr;

	r.moved = r.moved > skip ? PD_MIN(r.moved - skip, b - a) : 0;
	r.off += r.pool == PD_POOL_NONE ? 0 : skip;
	r.addr = a;
	r.end = b;
	return r;
}

/*
 * The newest entry that covers an address, or -1; *next is reduced to where that answer may change.
 */
static int newest(uint64_t at, uint64_t *next)
{
	int found = -1;

	for (uint32_t i = 0; i < maps.n; i++) {
		const struct map *r = &maps.v[i];

		if (r->addr > at && r->addr < *next)
			*next = r->addr;
		if (r->addr > at || r->end <= at)
			continue;
		found = (int)i;
		*next = PD_MIN(*next, r->end);
	}
	return found;
}

/* ---- pages ------------------------------------------------------------------------------------
 */

/* Paints a range that no entry covers: a pool's own pages are closed, others absent. */
static void paint_free(uint64_t at, uint64_t next)
{
	while (at < next) {
		const struct pd_pool *p = pd_pool_slot_owner(at);
		uint64_t slot_end = p ? PD_MIN(next, p->base + p->reserve) : next;
		uint64_t end = p ? p->base + PD_PAGE_UP(p->size) : at;

		end = PD_MIN(PD_MAX(end, at), slot_end);
		pd_pool_pages_protect(at, end - at,
				      p && p->open ? PROT_READ | PROT_WRITE : PROT_NONE);
		pd_pool_pages_clear(end, slot_end - end);
		at = slot_end;
	}
}

/* Closed to all but the runtime (veil.h), except where the veil is lifted. */
static void paint_veiled(const struct map *r, uint64_t at, uint64_t live, int prot)
{
	uint64_t off = home(r) + (at - r->addr) - PD_PM_BASE, page;
	uint32_t i = 0;

	pd_pool_pages_protect(at, live - at, PROT_NONE);
	while (pd_veil_next_lifted(off, live - at, &i, &page))
		pd_pool_pages_protect(at + (page - off), PD_PAGE, prot);
}

static void paint_copy(uint64_t at, uint64_t next, int prot)
{
	pd_pool_pages_protect(at, next - at, PROT_NONE);
	for (; at < next; at += PD_PAGE)
		if (!pd_copy_is_closed(at))
			pd_pool_pages_protect(at, PD_PAGE, prot);
}

static void paint_map(const struct map *r, uint64_t at, uint64_t next, int prot)
{
	uint64_t live = next;

	if (r->copy) {
		paint_copy(at, next, prot);
		return;
	}
	if (is_guest(r))
		live = r->addr + r->moved;
	else if (r->pool != PD_POOL_NONE)
		live = pd_pool_get(r->pool)->base + backed_size(r->pool);
	live = PD_MIN(PD_MAX(live, at), next);
	if (pd_veil_on && r->pool != PD_POOL_NONE && PD_IS_PM(at))
		paint_veiled(r, at, live, prot);
	else
		pd_pool_pages_protect(at, live - at, prot);
	pd_pool_pages_put_beyond_end(live, next - live, prot);
}

int pd_pool_map_prot(uint64_t addr)
{
	int prot = PROT_NONE;

	for (uint32_t k = 0; k < maps.n; k++)
		if (maps.v[k].addr <= addr && addr < maps.v[k].end)
			prot |= maps.v[k].prot;
	return prot;
}

static void paint(uint64_t from, uint64_t to)
{
	uint64_t next;

	pd_veil_remapped();
	for (uint64_t at = from; at < to; at = next) {
		int i;

		next = to;
		i = newest(at, &next);
		if (i < 0)
			paint_free(at, next);
		else
			paint_map(&maps.v[i], at, next, pd_pool_map_prot(at));
	}
}

void pd_pool_map_paint(uint64_t addr, uint64_t n)
{
	paint(addr, addr + n);
}

/* ---- guests -----------------------------------------------------------------------------------
 */

/* Whether another entry shows the same moved bytes; *next as in newest(). */
static bool held(const struct map *m, uint64_t at, uint64_t *next)
{
	bool yes = false;

	for (uint32_t i = 0; i < maps.n; i++) {
		const struct map *r = &maps.v[i];

		if (r == m || r->pool != m->pool || r->addr - r->off != m->addr - m->off)
			continue;
		if (r->addr > at) {
			*next = PD_MIN(*next, r->addr);
		} else if (r->addr + r->moved > at) {
			yes = true;
			*next = PD_MIN(*next, r->addr + r->moved);
		}
	}
	return yes;
}

/*
 * Moves the bytes of guest m, which is not in the list at this time, home or away, except those
 * that another entry shows.
 */
static void exchange(const struct map *m, uint64_t from, uint64_t to, bool go_home)
{
	uint64_t next;

	for (uint64_t at = from; at < to; at = next) {
		uint64_t there = home(m) + (at - m->addr);

		next = to;
		if (held(m, at, &next))
			continue;
		pd_pool_pages_move(go_home ? at : there, go_home ? there : at, next - at);
		pd_pool_pages_clear(go_home ? at : there, next - at);
		if (go_home)
			pd_pool_pages_protect(there, next - at, PROT_NONE);
	}
}

/* Removes [from, to) from entry i. */
static void cut(uint32_t i, uint64_t from, uint64_t to)
{
	struct map r = maps.v[i], gone = part(r, from, to);

	drop(i);
	if (to < r.end)
		insert(i, part(r, to, r.end));
	if (from > r.addr)
		insert(i, part(r, r.addr, from));
	if (gone.copy)
		pd_copy_unmap(gone.addr, gone.end);
	exchange(&gone, gone.addr, gone.addr + gone.moved, true);
}

void pd_pool_map_recall(struct pd_pool *p, uint64_t from)
{
	for (uint32_t i = 0; i < maps.n; i++) {
		struct map r = maps.v[i];
		uint64_t keep = from > r.off ? PD_MIN(from - r.off, r.moved) : 0;

		if (r.pool != p->id || !r.moved)
			continue;
		maps.v[i].moved = keep;
		exchange(&maps.v[i], r.addr + keep, r.addr + r.moved, true);
	}
}

/* Moves everything before it paints anything: what an entry shows may be held by another. */
void pd_pool_map_settle(struct pd_pool *p)
{
	uint64_t b = backed_size(p->id);

	for (uint32_t i = 0; i < maps.n; i++) {
		struct map *r = &maps.v[i];
		uint64_t want = b > r->off ? PD_MIN(b - r->off, r->end - r->addr) : 0;

		if (r->pool != p->id || !is_guest(r) || want <= r->moved)
			continue;
		exchange(r, r->addr + r->moved, r->addr + want, false);
		r->moved = want;
	}
	for (uint32_t i = 0; i < maps.n; i++)
		if (maps.v[i].pool == p->id)
			paint(maps.v[i].addr, maps.v[i].end);
}

/* ---- questions --------------------------------------------------------------------------------
 */

struct pd_pool *pd_pool_at(uint64_t addr, uint64_t *off)
{
	struct pd_pool *p;
	uint64_t next = UINT64_MAX;
	int i = pd_pool_away ? newest(addr, &next) : -1;

	if (i >= 0 && maps.v[i].pool == PD_POOL_NONE)
		return NULL;
	if (i >= 0) {
		*off = maps.v[i].off + (addr - maps.v[i].addr);
		p = pd_pool_get(maps.v[i].pool);
	} else {
		p = pd_pool_slot_owner(addr);
		if (!p)
			return NULL;
		*off = addr - p->base;
	}
	return *off < PD_PAGE_UP(p->size) ? p : NULL;
}

struct pd_pool *pd_pool_of_address(uint64_t addr, uint64_t *off)
{
	struct pd_pool *p = pd_pool_at(addr, off);

	return p && !p->side ? p : NULL;
}

uint64_t pd_pool_home_of(uint64_t addr)
{
	uint64_t off;
	struct pd_pool *p = pd_pool_of_address(addr, &off);

	return p ? p->base + off : addr;
}

uint64_t pd_pool_where(const struct pd_pool *p, uint64_t off, uint64_t *n)
{
	for (uint32_t i = 0; pd_pool_away && i < maps.n; i++) {
		const struct map *r = &maps.v[i];

		if (r->pool != p->id || !r->moved)
			continue;
		if (off >= r->off && off < r->off + r->moved) {
			*n = PD_MIN(*n, r->off + r->moved - off);
			return r->addr + (off - r->off);
		}
		if (r->off > off)
			*n = PD_MIN(*n, r->off - off);
	}
	return p->base + off;
}

bool pd_pool_map_around(uint64_t addr, uint64_t *from, uint64_t *to, int *prot)
{
	uint64_t next = UINT64_MAX;
	int i = newest(addr, &next);
	const struct map *r = i < 0 ? NULL : &maps.v[i];

	if (!r || r->pool == PD_POOL_NONE)
		return false;
	*from = r->addr;
	*prot = pd_pool_map_prot(addr);
	for (uint32_t k = 0; k < maps.n; k++) {
		if (maps.v[k].addr <= addr)
			*from = PD_MAX(*from, maps.v[k].addr);
		if (maps.v[k].end <= addr)
			*from = PD_MAX(*from, maps.v[k].end);
	}
	*to = PD_MIN(next, is_guest(r) ? r->addr + r->moved
				       : pd_pool_get(r->pool)->base + backed_size(r->pool));
	return addr < *to;
}

bool pd_pool_map_free(uint64_t addr, uint64_t n)
{
	uint64_t next = addr + n;

	return newest(addr, &next) < 0 && next == addr + n;
}

bool pd_pool_map_covered(uint64_t addr, uint64_t n)
{
	uint64_t next;

	for (uint64_t at = addr; at < addr + n; at = next) {
		next = addr + n;
		if (newest(at, &next) < 0)
			return false;
	}
	return true;
}

bool pd_pool_map_free_of_others(const struct pd_pool *p, uint64_t addr, uint64_t n)
{
	for (uint32_t i = 0; i < maps.n; i++) {
		const struct map *r = &maps.v[i];

		if (r->addr < addr + n && addr < r->end && (r->pool != p->id || is_guest(r)))
			return false;
	}
	return true;
}

/* Whether the program itself may read and write all of it. */
static bool open_to_all(uint64_t addr, uint64_t n)
{
	const struct pd_pool *p = PD_IS_SIDE(addr) ? pd_pool_slot_owner(addr) : NULL;
	uint64_t next;

	if (p && p->open)
		return true;
	for (uint64_t at = addr; at < addr + n; at = next) {
		int i;

		next = addr + n;
		i = newest(at, &next);
		if (i < 0 ||
		    (maps.v[i].prot & (PROT_READ | PROT_WRITE)) != (PROT_READ | PROT_WRITE))
			return false;
	}
	return true;
}

/* While all of it is veiled there is nothing to open: its bytes are elsewhere. Where pages are away
 * from home, that is known of all of PM or not at all. */
static bool is_all_veiled(uint64_t addr, uint64_t n)
{
	uint64_t page, off = pd_pool_away ? 0 : addr - PD_PM_BASE;
	uint32_t i = 0;

	return pd_veil_on && PD_IS_PM(addr) &&
	       !pd_veil_next_lifted(off, pd_pool_away ? UINT64_MAX : n, &i, &page);
}

void pd_pool_expose(uint64_t addr, uint64_t n)
{
	uint64_t from = PD_PAGE_DOWN(addr);

	if (pd_veil_on && PD_IS_PM(addr))
		pd_veil_expose();
	if (!is_all_veiled(addr, n) && !open_to_all(addr, n))
		pd_pool_pages_protect(from, PD_PAGE_UP(addr + n) - from, PROT_READ | PROT_WRITE);
}

void pd_pool_conceal(uint64_t addr, uint64_t n)
{
	if (pd_veil_on && PD_IS_PM(addr))
		pd_veil_conceal();
	if (!is_all_veiled(addr, n) && !open_to_all(addr, n))
		paint(PD_PAGE_DOWN(addr), PD_PAGE_UP(addr + n));
}

/* ---- changes ----------------------------------------------------------------------------------
 */

/* Removes a range from the newest entry that covers each page. */
static void uncover(uint64_t addr, uint64_t end)
{
	uint64_t next;

	for (uint32_t i = maps.n; i-- > 0;)
		if (maps.v[i].addr == addr && maps.v[i].end == end) {
			cut(i, addr, end);
			return;
		}
	for (uint64_t at = addr; at < end; at = next) {
		int i;

		next = end;
		i = newest(at, &next);
		if (i >= 0)
			cut((uint32_t)i, at, next);
	}
}

static uint64_t find_free(uint64_t n)
{
	uint64_t at = PD_POOL_RESERVATIONS, align = 2ULL << 20;

	while (at + n <= PD_PM_END && at + n > at) {
		uint64_t busy = 0;

		for (uint32_t i = 0; i < maps.n; i++)
			if (maps.v[i].addr < at + n && at < maps.v[i].end)
				busy = PD_MAX(busy, maps.v[i].end);
		if (!busy)
			return at;
		at = (busy + align - 1) & ~(align - 1);
	}
	return 0;
}

/* Whether pages of some pool are at home in this range. */
static bool has_homes(uint64_t addr, uint64_t n)
{
	for (uint32_t id = 0; id < pd_pool_count(); id++) {
		const struct pd_pool *p = pd_pool_get(id);

		if (p->base < addr + n && addr < p->base + PD_PAGE_UP(p->size))
			return true;
	}
	return false;
}

/* Makes room for a guest or ordinary memory at a fixed address. */
static void clear_place(const struct pd_pool *p, uint64_t addr, uint64_t n)
{
	uncover(addr, addr + n);
	if (!pd_pool_map_free(addr, n))
		cannot(p, addr, "mapped with MAP_FIXED over a file that is mapped twice");
	if (has_homes(addr, n))
		cannot(p, addr, "mapped with MAP_FIXED over another PM file");
	note_away();
}

/* An entry that shows all these bytes as a guest already, or NULL. *some: one that shows a part. */
static const struct map *find_guest(const struct pd_pool *p, uint64_t off, uint64_t n, bool *some)
{
	*some = false;
	for (uint32_t i = 0; i < maps.n; i++) {
		const struct map *r = &maps.v[i];

		if (r->pool != p->id || !is_guest(r) || r->off >= off + n ||
		    off >= r->off + (r->end - r->addr))
			continue;
		if (off >= r->off && off + n <= r->off + (r->end - r->addr))
			return r;
		*some = true;
	}
	return NULL;
}

bool pd_pool_map_any(const struct pd_pool *p)
{
	for (uint32_t i = 0; i < maps.n; i++)
		if (maps.v[i].pool == p->id)
			return true;
	return false;
}

static bool in_use_at_home(const struct pd_pool *p, uint64_t off, uint64_t n)
{
	for (uint32_t i = 0; i < maps.n; i++) {
		const struct map *r = &maps.v[i];

		if (r->pool == p->id && !is_guest(r) && r->off < off + n &&
		    off < r->off + (r->end - r->addr))
			return true;
	}
	return false;
}

static uint64_t choose_place(const struct pd_pool *p, uint64_t off, uint64_t n)
{
	bool some;
	const struct map *g = find_guest(p, off, n, &some);

	if (g)
		return g->addr + (off - g->off);
	if (some)
		cannot(p, p->base + off,
		       "a part is mapped with MAP_FIXED and a larger part without");
	if (pd_pool_map_free_of_others(p, p->base + off, n) && off + n <= p->reserve)
		return p->base + off;
	return p->side ? 0 : find_free(n);
}

long pd_pool_map(struct pd_pool *p, uint64_t off, uint64_t n, int prot, int may, uint64_t fixed)
{
	struct map m = {.off = off, .pool = p->id, .prot = prot, .may = may};
	bool some;

	n = PD_PAGE_UP(n);
	if (off + n < off)
		return -EOVERFLOW;
	m.addr = fixed ? fixed : choose_place(p, off, n);
	if (!m.addr)
		return -ENOMEM;
	m.end = m.addr + n;
	if (fixed && !is_guest(&m)) {
		uncover(m.addr, m.end);
		note_away();
		if (!pd_pool_map_free_of_others(p, m.addr, n))
			cannot(p, m.addr, "mapped with MAP_FIXED over another PM file");
	} else if (fixed) {
		clear_place(p, m.addr, n);
		if (in_use_at_home(p, off, n) || find_guest(p, off, n, &some) || some)
			cannot(p, fixed, "mapped with MAP_FIXED while it is mapped elsewhere");
	} else if (is_guest(&m) && in_use_at_home(p, off, n)) {
		cannot(p, m.addr, "the place of its further bytes was taken with MAP_FIXED");
	}
	insert(maps.n, m);
	note_away();
	pd_pool_map_settle(p);
	p->mapped++;
	pd_pool_glob_note(p->glob, true);
	pd_pool_emit(PD_EV_POOL_MAP, p, p->base + off, n);
	return (long)m.addr;
}

static long map_ordinary(uint64_t n, int prot, uint64_t fixed, bool copy)
{
	struct map m = {.pool = PD_POOL_NONE, .copy = copy, .prot = prot, .may = ~0};

	n = PD_PAGE_UP(n);
	m.addr = fixed ? fixed : find_free(n);
	m.end = m.addr + n;
	if (!m.addr)
		return -ENOMEM;
	if (fixed && !copy && prot == PROT_NONE && has_homes(fixed, n)) {
		/* "Keep the addresses, drop the file": the home of a pool is never given away. */
		pd_pool_unmap(fixed, n);
		return (long)fixed;
	}
	if (fixed)
		clear_place(NULL, fixed, n);
	pd_pool_pages_put(m.addr, n, copy ? PROT_NONE : prot);
	insert(maps.n, m);
	note_away();
	return (long)m.addr;
}

long pd_pool_map_ordinary(uint64_t n, int prot, uint64_t fixed)
{
	return map_ordinary(n, prot, fixed, false);
}

long pd_pool_map_copy(uint64_t n, int prot, uint64_t fixed)
{
	return map_ordinary(n, prot, fixed, true);
}

/* Reports which bytes of pools are in a range that is about to be unmapped. */
static void emit_unmap(uint64_t addr, uint64_t end)
{
	uint64_t next;

	for (uint64_t at = addr; at < end; at = next) {
		int i;

		next = end;
		i = newest(at, &next);
		if (i >= 0 && maps.v[i].pool != PD_POOL_NONE)
			pd_pool_emit(PD_EV_POOL_UNMAP, pd_pool_get(maps.v[i].pool),
				     home(&maps.v[i]) + (at - maps.v[i].addr), next - at);
	}
}

int pd_pool_unmap(uint64_t addr, uint64_t n)
{
	n = PD_PAGE_UP(n);
	emit_unmap(addr, addr + n);
	uncover(addr, addr + n);
	note_away();
	paint(addr, addr + n);
	return 0;
}

int pd_pool_protect(uint64_t addr, uint64_t n, int prot)
{
	uint64_t next;

	n = PD_PAGE_UP(n);
	if (!pd_pool_map_covered(addr, n))
		return -ENOMEM;
	for (uint64_t at = addr; at < addr + n; at = next) {
		struct map r, mid;
		uint32_t i;

		next = addr + n;
		i = (uint32_t)newest(at, &next);
		r = maps.v[i];
		if (prot & PROT_WRITE & ~r.may)
			return -EACCES;
		mid = part(r, at, next);
		mid.prot = prot;
		drop(i);
		if (next < r.end)
			insert(i, part(r, next, r.end));
		insert(i, mid);
		if (at > r.addr)
			insert(i, part(r, r.addr, at));
	}
	paint(addr, addr + n);
	return 0;
}

/* Grows entry i in place; false: there is no room. */
static bool extend(uint32_t i, uint64_t to)
{
	struct map *r = &maps.v[i];
	struct pd_pool *p = pd_pool_get(r->pool);
	uint64_t more = to - r->end;
	bool room = is_guest(r) ? pd_pool_map_free(r->end, more) && !has_homes(r->end, more) &&
					  to <= PD_PM_END
				: pd_pool_map_free_of_others(p, r->end, more) &&
					  to <= p->base + p->reserve;

	if (!room)
		return false;
	r->end = to;
	pd_pool_emit(PD_EV_POOL_MAP, p, home(r), to - r->addr);
	pd_pool_map_settle(p);
	return true;
}

long pd_pool_remap(uint64_t addr, uint64_t n, uint64_t to_n, bool may_move, uint64_t fixed)
{
	uint64_t next = addr + PD_PAGE_UP(PD_MAX(n, PD_PAGE)), end = next;
	int i = newest(addr, &next);
	struct map r;

	if (i < 0 || maps.v[i].end < end)
		return -EFAULT;
	r = part(maps.v[i], addr, maps.v[i].end);
	n = PD_PAGE_UP(n);
	to_n = PD_PAGE_UP(to_n);
	if (r.copy && (n < to_n || fixed))
		pd_rt_loss(PD_LOSS_SYSCALL, 0, "mremap of a private mapping of PM: refused");
	if (r.pool == PD_POOL_NONE)
		return n >= to_n && !fixed ? (pd_pool_unmap(addr + to_n, n - to_n), (long)addr)
					   : -ENOMEM;
	if (!n && !fixed) /* the old way to map the same bytes once more */
		return may_move ? pd_pool_map(pd_pool_get(r.pool), r.off, to_n, r.prot, r.may, 0)
				: -ENOMEM;
	if (!fixed && to_n <= n) {
		if (to_n < n)
			pd_pool_unmap(addr + to_n, n - to_n);
		return (long)addr;
	}
	if (!fixed && maps.v[i].end == end && extend((uint32_t)i, addr + to_n))
		return (long)addr;
	if (!fixed && !may_move)
		return -ENOMEM;
	pd_pool_unmap(addr, n);
	return pd_pool_map(pd_pool_get(r.pool), r.off, to_n, r.prot, r.may, fixed);
}
