/*
 * pm/pool_side.c - side files: files that are not PM but can be mapped shared and written to.
 *
 * Such a file is part of what an execution starts from, so `check` keeps it as it keeps PM: a pool,
 * but outside the PM window, so that nothing that is stored there is an event. Every execution
 * starts with the real file; the real file is never written to; locks on it are those of one
 * execution. After a crash it has what the program has synced (msync, fsync, fdatasync, O_SYNC),
 * page by page, on top of what it was at the start, and its size at the last sync. That is the
 * state of a disk to which the kernel has written nothing back on its own; that it may have done so
 * is not explored (docs/model.md, "Other files").
 *
 * Synced pages are kept on the board and never change there. The list of them is private memory, so
 * a snapshot has its own; at a crash it is put on the board, too, as the start of recoveries.
 */
#include "base/vec.h"
#include "protocol/board.h"
#include "runtime/pm/pool.h"
#include "runtime/base/raw.h"
#include <string.h>

struct page {
	uint64_t off;
	struct pd_digest digest;
	const uint8_t *bytes; /* on the board */
};

/* What a crash leaves of it, on the board; never changed. */
struct image {
	uint64_t size;
	uint64_t real_limit;
	struct pd_digest digest;
	uint64_t n;
	struct page page[];
};

struct pd_side {
	uint64_t size;
	uint64_t real_limit;
	struct page *page; /* ascending */
	uint64_t n;
	uint64_t cap;
	const struct image *image; /* NULL: changed since the last one */
};

/* ---- what was synced ------------------------------------------------------------------------ */

static struct page *make_room(struct pd_side *s, uint64_t at)
{
	if (s->n == s->cap) {
		uint64_t cap = s->cap ? 2 * s->cap : 16;
		struct page *v = pd_pool_alloc(cap * sizeof(*v));

		if (s->n)
			memcpy(v, s->page, s->n * sizeof(*v));
		s->page = v;
		s->cap = cap;
	}
	memmove(&s->page[at + 1], &s->page[at], (s->n - at) * sizeof(*s->page));
	s->n++;
	return &s->page[at];
}

/* The first page at or after this offset. */
static uint64_t find_page(const struct pd_side *s, uint64_t off)
{
	uint64_t from = 0, to = s->n;

	while (from < to) {
		uint64_t mid = (from + to) / 2;

		if (s->page[mid].off < off)
			from = mid + 1;
		else
			to = mid;
	}
	return from;
}

static void drop_pages(struct pd_side *s, uint64_t from, uint64_t to)
{
	uint64_t a = find_page(s, from), b = find_page(s, to);

	memmove(&s->page[a], &s->page[b], (s->n - b) * sizeof(*s->page));
	s->n -= b - a;
}

static void keep_page(struct pd_side *s, uint64_t off, const uint8_t *bytes)
{
	uint64_t at = find_page(s, off);
	bool known = at < s->n && s->page[at].off == off;
	struct page new = {.off = off, .digest = PD_DIGEST_INIT};
	uint8_t *copy;

	if (known && memcmp(s->page[at].bytes, bytes, PD_PAGE) == 0)
		return;
	copy = pd_board_alloc(NULL, PD_PAGE);
	if (!copy)
		pd_rt_fail(4, "the shared memory is full");
	memcpy(copy, bytes, PD_PAGE);
	new.bytes = copy;
	pd_digest_bytes(&new.digest, bytes, PD_PAGE);
	*(known ? &s->page[at] : make_room(s, at)) = new;
}

/* Contiguous pages: keeps those that were written to; the others are the real file's, or zeros. */
static void sync_pages(struct pd_side *s, uint64_t off, uint64_t at, uint64_t pages, int pagemap)
{
	/* Of pagemap: the file's own page; present or swapped out */
	static const uint64_t file = 1ULL << 61, there = 3ULL << 62;
	uint64_t entry[64];
	long got = pd_raw(SYS_pread64, pagemap, (long)entry, (long)(pages * 8),
			  (long)(at / PD_PAGE * 8), 0, 0);

	pd_pool_expose(at, pages * PD_PAGE);
	for (uint64_t i = 0; i < pages; i++) {
		bool known = got >= (long)(i + 1) * 8;

		if (known && (!(entry[i] & there) || (entry[i] & file)))
			drop_pages(s, off + i * PD_PAGE, off + (i + 1) * PD_PAGE);
		else
			keep_page(s, off + i * PD_PAGE, (const uint8_t *)at + i * PD_PAGE);
	}
	pd_pool_conceal(at, pages * PD_PAGE);
}

void pd_side_sync(struct pd_pool *p, uint64_t off, uint64_t n)
{
	uint64_t end = PD_PAGE_UP(PD_MIN(off + n, p->size));
	struct pd_side *s = p->side;
	long pagemap;

	if (!pd_rt.side_synced || (!s->image && !s->cap && !p->size && !s->size))
		return;
	s->image = NULL;
	s->size = p->size;
	s->real_limit = p->real_limit;
	drop_pages(s, PD_PAGE_UP(p->size), UINT64_MAX);
	pagemap = pd_raw_open("/proc/self/pagemap", O_RDONLY);
	for (off = PD_PAGE_DOWN(off); off < end;) {
		uint64_t k = PD_MIN(end - off, 64 * PD_PAGE), at = pd_pool_where(p, off, &k);

		k = PD_PAGE_UP(k);
		sync_pages(s, off, at, k / PD_PAGE, (int)pagemap);
		off += k;
	}
	if (pagemap >= 0)
		pd_raw_close((int)pagemap);
}

/* ---- crashes -------------------------------------------------------------------------------- */

static const struct image *image_of(struct pd_side *s)
{
	struct image *m;

	pd_board()->has_side = 1;
	if (s->image)
		return s->image;
	m = pd_board_alloc(NULL, sizeof(*m) + s->n * sizeof(*s->page));
	if (!m)
		pd_rt_fail(4, "the shared memory is full");
	m->size = s->size;
	m->real_limit = s->real_limit;
	m->n = s->n;
	m->digest = PD_DIGEST_INIT;
	pd_digest_u64(&m->digest, s->size);
	pd_digest_u64(&m->digest, s->real_limit);
	for (uint64_t i = 0; i < s->n; i++) {
		m->page[i] = s->page[i];
		pd_digest_u64(&m->digest, s->page[i].off);
		pd_digest_u64(&m->digest, s->page[i].digest.a);
		pd_digest_u64(&m->digest, s->page[i].digest.b);
	}
	s->image = m;
	return m;
}

void pd_side_digest(const struct pd_pool *p, struct pd_digest *d)
{
	const struct image *m = image_of(p->side);

	pd_digest_u64(d, m->digest.a);
	pd_digest_u64(d, m->digest.b);
}

struct pd_side *pd_side_create(const struct pd_pool *p)
{
	struct pd_side *s = pd_pool_alloc(sizeof(*s));

	s->size = p->size;
	s->real_limit = p->real_limit;
	return s;
}

void pd_side_save(const struct pd_pool *p, struct pd_pool *to)
{
	const struct image *m = image_of(p->side);

	*to = *p;
	to->size = m->size;
	to->real_limit = m->real_limit;
	to->side = (struct pd_side *)(uintptr_t)m; /* for pd_side_load */
}

void pd_side_load(struct pd_pool *p)
{
	const struct image *m = (const struct image *)p->side;
	struct pd_side *s = pd_side_create(p);

	s->image = m;
	for (uint64_t i = 0; i < m->n; i++)
		*make_room(s, i) = m->page[i];
	p->side = s;
}

void pd_side_fill(struct pd_pool *p)
{
	const struct pd_side *s = p->side;

	for (uint64_t i = 0; i < s->n && s->page[i].off < p->size; i++)
		pd_pool_poke(p->base + s->page[i].off, s->page[i].bytes, PD_PAGE);
}
