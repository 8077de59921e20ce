/*
 * veil_copy.c - private mappings of PM files in a recovery: a byte is read when it is first used.
 *
 * The kernel gives a private mapping its pages when they are touched. A copy of all of them, made
 * when the file is mapped, would read all of the file, and what a recovery reads is what it is
 * known by (engine/crash/tree.h): every value of every line that the crash left open would be
 * explored. So a private mapping lies in the window, among the reservations, and its pages are
 * *closed* (PROT_NONE): instrumented code gets its bytes from here, and bytes that nobody has read
 * yet from the file, by a load like any other (access/mem.c). What is stored stays here.
 * libpmemobj's pmemobj_check is what this is for.
 *
 * Other code faults on a closed page, as on a veiled one: all of the page is read then, and stays
 * *open*.
 *
 * A byte is what the file holds when it is first used, and what the file gets later does not show.
 * POSIX leaves that open.
 *
 * Thread rule: as in veil.h.
 */
#include "runtime/pm/veil.h"
#include "base/vec.h"
#include "runtime/pm/pool.h"
#include "runtime/base/raw.h"
#include <string.h>

/* What is left of a private mapping; its memory, below, begins with the byte at `origin`. */
struct copy {
	uint64_t addr;
	uint64_t end;
	uint64_t origin;
	uint64_t size; /* bytes from the origin on that its memory is for */
	uint64_t home; /* of the byte at the origin */
	uint32_t pool;
	uint8_t *bytes;
	uint64_t *known; /* a bit a byte: it was read or stored */
	uint8_t *open;	 /* one a page */
};

bool pd_copy_any;

static struct {
	struct pd_arena arena;
	PD_VEC(struct copy) v;
} copies;

static struct copy *find(uint64_t addr)
{
	for (uint32_t i = 0; i < copies.v.n; i++)
		if (copies.v.v[i].addr <= addr && addr < copies.v.v[i].end)
			return &copies.v.v[i];
	return NULL;
}

/* ---- mappings ------------------------------------------------------------------------------- */

static uint64_t memory_size(uint64_t n)
{
	return n + PD_PAGE_UP(n / 8) + PD_PAGE_UP(n / PD_PAGE);
}

static struct copy *add(const struct copy *c)
{
	struct copy *to;

	if (!copies.arena.host.grow)
		pd_arena_init(&copies.arena, pd_rt_memory());
	to = pd_vec_push(&copies.v, &copies.arena);
	if (!to)
		pd_rt_fail(4, "out of memory");
	*to = *c;
	pd_copy_any = true;
	return to;
}

long pd_copy_map(const struct pd_pool *p, uint64_t off, uint64_t n, int prot, uint64_t fixed)
{
	struct copy c = {.size = PD_PAGE_UP(n), .home = p->base + off, .pool = p->id};
	long at = pd_pool_map_copy(n, prot, fixed), memory;

	if (pd_raw_failed(at))
		return at;
	memory = pd_raw_mmap(0, memory_size(c.size), PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (pd_raw_failed(memory))
		pd_rt_fail(4, "no memory for a private mapping of %s", p->name);
	c.addr = c.origin = (uint64_t)at;
	c.end = c.addr + c.size;
	c.bytes = (uint8_t *)memory;
	c.known = (uint64_t *)(c.bytes + c.size);
	c.open = (uint8_t *)c.known + PD_PAGE_UP(c.size / 8);
	add(&c);
	return at;
}

/* Where nothing is left of it, its memory goes, too; of one that was cut in two it stays. */
static void cut(struct copy *c, uint64_t from, uint64_t to)
{
	struct copy after = *c;

	if (from <= c->addr && c->end <= to) {
		if (c->end - c->addr == c->size)
			pd_raw_munmap((uint64_t)c->bytes, memory_size(c->size));
		*c = copies.v.v[--copies.v.n];
		pd_copy_any = copies.v.n != 0;
	} else if (from <= c->addr) {
		c->addr = to;
	} else {
		c->end = from;
		after.addr = to;
		if (to < after.end)
			add(&after);
	}
}

void pd_copy_unmap(uint64_t from, uint64_t to)
{
	for (uint32_t i = copies.v.n; i-- > 0;)
		if (copies.v.v[i].addr < to && from < copies.v.v[i].end)
			cut(&copies.v.v[i], from, to);
}

/* ---- bytes ---------------------------------------------------------------------------------- */

bool pd_copy_is_closed(uint64_t addr)
{
	const struct copy *c = find(addr);

	return c && !c->open[(addr - c->origin) / PD_PAGE];
}

/* The bytes of the block at `at` that are missing, of n from `at` on; the file may end before. */
static uint64_t missing_in(const struct copy *c, uint64_t at, uint64_t n)
{
	const struct pd_pool *p = pd_pool_get(c->pool);
	uint64_t file = p->base + p->size, home = c->home + at;
	uint64_t mask;

	n = PD_MIN(n, file > home ? file - home : 0);
	mask = (n >= 64 ? UINT64_MAX : (1ULL << n) - 1) << at % 64;
	return mask & ~c->known[at / 64];
}

bool pd_copy_missing(uint64_t addr, uint64_t n, struct pd_copy_piece *piece)
{
	const struct copy *c = find(addr);
	uint64_t at, end;

	if (!c)
		return false;
	at = addr - c->origin;
	end = PD_MIN(at + n, c->end - c->origin);
	while (at < end) {
		uint64_t k = PD_MIN(64 - at % 64, end - at), mask = missing_in(c, at, k);
		uint32_t first = mask ? (uint32_t)__builtin_ctzll(mask) : 0;
		uint64_t rest = ~(mask >> first);

		if (mask) {
			at += first - at % 64;
			*piece =
				(struct pd_copy_piece){c->origin + at, c->home + at,
						       rest ? (uint32_t)__builtin_ctzll(rest) : 64};
			return true;
		}
		at += k;
	}
	return false;
}

/* Bytes inside of one page. */
static void take(struct copy *c, uint64_t addr, const uint8_t *data, size_t n)
{
	uint64_t at = addr - c->origin;

	memcpy(c->bytes + at, data, n);
	for (uint64_t i = at; i < at + n; i++)
		c->known[i / 64] |= 1ULL << i % 64;
}

void pd_copy_fill(const struct pd_copy_piece *piece, const void *bytes)
{
	take(find(piece->addr), piece->addr, bytes, piece->n);
}

void pd_copy_read(void *to, uint64_t addr, size_t n)
{
	const struct copy *c = find(addr);

	memcpy(to, c->bytes + (addr - c->origin), n);
}

void pd_copy_write(uint64_t addr, const void *data, size_t n)
{
	take(find(addr), addr, data, n);
}

void pd_copy_open(uint64_t addr)
{
	struct copy *c = find(addr);
	uint64_t page = PD_PAGE_DOWN(addr);

	if (pd_raw_mprotect(page, PD_PAGE, PROT_READ | PROT_WRITE) < 0)
		pd_rt_fail(4, "cannot open a page of a private mapping");
	memcpy((void *)page, c->bytes + (page - c->origin), PD_PAGE);
	c->open[(page - c->origin) / PD_PAGE] = 1;
	pd_pool_map_paint(page, PD_PAGE);
}
