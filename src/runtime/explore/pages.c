/* pages.c - see pages.h. */
#include "runtime/explore/pages.h"
#include "base/hash.h"
#include "runtime/base/raw.h"
#include "runtime/base/rt.h"
#include "runtime/pm/pool.h"
#include "runtime/symbolic/symbolic.h"
#include <errno.h>
#include <fcntl.h>

enum {
	REGIONS = 4096, /* mappings of the program */
	HOT = 4096,	/* pages, at most; beyond that no run is in place any more */
	BUCKETS = 4 * HOT,
	CHANGES = 1024, /* of protections, during a run */
};

/* Bytes of a mapping for which memory for labels is prepared. */
#define RESERVED (1ULL << 30)

struct region {
	uint64_t from, to;
	int prot;
};

/* In memory that is neither protected nor restored. */
static struct pages {
	uint64_t size; /* of all this */
	uint64_t kernels;
	struct pd_pages_asked asked; /* during the run */
	uint32_t nregions, nhot, nchanges;
	struct region except;
	struct region code;	       /* the runtime's own */
	struct region region[REGIONS]; /* ascending */
	struct region change[CHANGES]; /* the newest one counts */
	uint64_t hot[HOT];	       /* addresses of pages */
	uint32_t bucket[BUCKETS];      /* number in hot + 1 */
	uint8_t copy[HOT][PD_PAGE];    /* of hot pages, as of the checkpoint */
} *self;

/* ---- pages ---------------------------------------------------------------------------------- */

/* Not a call: a function of libc may have to be resolved first, which writes to memory. */
static inline void copy_page(void *to, const void *from)
{
	uint64_t n = PD_PAGE / 8;

	__asm__ volatile("rep movsq" : "+D"(to), "+S"(from), "+c"(n) : : "memory");
}

/* The first region that ends after this address. */
static uint32_t region_from(uint64_t at)
{
	uint32_t lo = 0, hi = self->nregions;

	while (lo < hi) {
		uint32_t mid = (lo + hi) / 2;

		if (self->region[mid].to <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static const struct region *find_region(uint64_t at)
{
	uint32_t i = region_from(at);

	return i < self->nregions && self->region[i].from <= at ? &self->region[i] : NULL;
}

/* The protection that the run has set for this page, apart from ours. */
static int prot_of(const struct region *r, uint64_t at)
{
	for (uint32_t i = self->nchanges; i > 0; i--)
		if (at >= self->change[i - 1].from && at < self->change[i - 1].to)
			return self->change[i - 1].prot;
	return r->prot;
}

static uint32_t *bucket_of(uint64_t page)
{
	uint32_t i = (uint32_t)pd_mix(page) % BUCKETS;

	while (self->bucket[i] && self->hot[self->bucket[i] - 1] != page)
		i = (i + 1) % BUCKETS;
	return &self->bucket[i];
}

bool pd_pages_heat(uint64_t at)
{
	const struct region *r = find_region(at);
	uint64_t page = PD_PAGE_DOWN(at);
	uint32_t *b;
	int prot;

	if (!r || self->nhot == HOT)
		return false;
	prot = prot_of(r, page);
	b = bucket_of(page);
	if (*b || !(prot & PROT_WRITE))
		return false;
	copy_page(self->copy[self->nhot], (void *)page);
	if (pd_raw_mprotect(page, PD_PAGE, prot))
		return false;
	self->hot[self->nhot++] = page;
	*b = self->nhot;
	return true;
}

void pd_pages_heat_range(uint64_t at, uint64_t n)
{
	for (uint64_t page = PD_PAGE_DOWN(at); page < at + n; page += PD_PAGE)
		pd_pages_heat(page);
}

uint32_t pd_pages_hot(void)
{
	return self->nhot;
}

bool pd_pages_full(void)
{
	return self->nhot == HOT;
}

void pd_pages_each_hot(uint64_t from, uint64_t to, void (*each)(uint64_t page))
{
	for (uint32_t i = 0; i < self->nhot; i++)
		if (self->hot[i] >= from && self->hot[i] < to)
			each(self->hot[i]);
}

/* ---- protection ----------------------------------------------------------------------------- */

static void protect_range(uint64_t from, uint64_t to, int prot)
{
	if (from < to)
		pd_raw_mprotect(from, to - from, prot & ~PROT_WRITE);
}

/* Protects everything but the page that the kernel writes to. */
static void protect(void)
{
	uint64_t page = self->kernels;

	for (uint32_t i = 0; i < self->nregions; i++) {
		const struct region *r = &self->region[i];
		bool has = page >= r->from && page < r->to;

		protect_range(r->from, has ? page : r->to, r->prot);
		if (has)
			protect_range(page + PD_PAGE, r->to, r->prot);
	}
}

void pd_pages_cool(void)
{
	memset(self->bucket, 0, sizeof(self->bucket));
	self->nhot = 0;
	protect();
	pd_pages_heat(self->kernels);
}

/* Makes hot pages of this range writable, if its protection allows. */
static void protect_hot(uint64_t from, uint64_t to, int prot)
{
	for (uint32_t i = 0; i < self->nhot && (prot & PROT_WRITE); i++)
		if (self->hot[i] >= from && self->hot[i] < to)
			pd_raw_mprotect(self->hot[i], PD_PAGE, prot);
}

/* Whether all of it existed at the checkpoint, as the program's own. */
static bool is_known(uint64_t from, uint64_t to)
{
	for (uint32_t i = region_from(from); from < to; i++) {
		if (i == self->nregions || self->region[i].from > from)
			return false;
		from = self->region[i].to;
	}
	return true;
}

static bool change(uint64_t from, uint64_t to, int prot)
{
	struct region *last = self->nchanges ? &self->change[self->nchanges - 1] : NULL;

	if (last && last->from == from && last->to == to)
		self->nchanges--; /* it is fully covered */
	if (from >= to || self->nchanges == CHANGES || !is_known(from, to) ||
	    (self->kernels >= from && self->kernels < to))
		return false;
	protect_range(from, to, prot);
	self->change[self->nchanges++] = (struct region){from, to, prot};
	protect_hot(from, to, prot);
	return true;
}

static void undo_changes(void)
{
	for (uint32_t i = 0; i < self->nchanges; i++) {
		const struct region *c = &self->change[i];

		for (uint32_t k = region_from(c->from);
		     k < self->nregions && self->region[k].from < c->to; k++) {
			const struct region *r = &self->region[k];
			uint64_t from = PD_MAX(r->from, c->from), to = PD_MIN(r->to, c->to);

			protect_range(from, to, r->prot);
			protect_hot(from, to, r->prot);
		}
	}
	self->nchanges = 0;
}

void pd_pages_set_free(void)
{
	for (uint32_t i = 0; i < self->nregions; i++) {
		const struct region *r = &self->region[i];

		pd_raw_mprotect(r->from, r->to - r->from, r->prot);
	}
	for (uint32_t i = 0; i < self->nchanges; i++) {
		const struct region *c = &self->change[i];

		pd_raw_mprotect(c->from, c->to - c->from, c->prot);
	}
}

void pd_pages_put_back(void)
{
	undo_changes();
	for (uint32_t i = 0; i < self->nhot; i++)
		copy_page((void *)self->hot[i], self->copy[i]);
	for (uint32_t i = 0; i < self->asked.n; i++)
		pd_raw_munmap(self->asked.mapped[i].at, self->asked.mapped[i].n);
	self->asked.n = 0;
	if (self->asked.brk)
		pd_raw(SYS_brk, (long)self->asked.brk, 0, 0, 0, 0, 0);
	self->asked.brk = self->asked.brk_to = 0;
}

/* ---- snapshots of a run --------------------------------------------------------------------- */

static bool is_as_it_was(uint64_t page, const uint8_t *copy)
{
	const uint64_t *a = (const uint64_t *)page, *b = (const uint64_t *)copy;
	uint32_t i = 0;

	while (i < PD_PAGE / 8 && a[i] == b[i])
		i++;
	return i == PD_PAGE / 8;
}

static bool each_of(uint64_t from, uint64_t to, bool (*each)(void *ctx, uint64_t page), void *ctx)
{
	for (uint64_t page = PD_PAGE_DOWN(from); page < to; page += PD_PAGE)
		if (!each(ctx, page))
			return false;
	return true;
}

bool pd_pages_each_changed(bool (*each)(void *ctx, uint64_t page), void *ctx)
{
	const struct pd_pages_asked *a = &self->asked;

	if (self->nchanges)
		return false;
	for (uint32_t i = 0; i < self->nhot; i++)
		if (!is_as_it_was(self->hot[i], self->copy[i]) && !each(ctx, self->hot[i]))
			return false;
	for (uint32_t i = 0; i < a->n; i++)
		if (!(a->mapped[i].prot & PROT_READ) ||
		    !each_of(a->mapped[i].at, a->mapped[i].at + a->mapped[i].n, each, ctx))
			return false;
	/* The page that the heap ended in was there before */
	return !a->brk || each_of(PD_PAGE_UP(a->brk), a->brk_to, each, ctx);
}

const struct pd_pages_asked *pd_pages_asked(void)
{
	return &self->asked;
}

bool pd_pages_ask_again(const struct pd_pages_asked *a)
{
	for (; self->asked.n < a->n; self->asked.n++) {
		const struct pd_pages_mapped *m = &a->mapped[self->asked.n];

		if (pd_raw_mmap(m->at, m->n, m->prot,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE,
				-1, 0) != (long)m->at)
			return false;
		self->asked.mapped[self->asked.n] = *m;
	}
	self->asked.brk = a->brk;
	self->asked.brk_to = a->brk_to;
	return !a->brk || (uint64_t)pd_raw(SYS_brk, (long)a->brk_to, 0, 0, 0, 0, 0) == a->brk_to;
}

bool pd_pages_make_room(uint32_t n)
{
	if (self->nhot + n > HOT)
		pd_pages_cool();
	return self->nhot + n <= HOT;
}

void pd_pages_fill(uint64_t page, const uint8_t *content)
{
	pd_pages_heat(page); /* it is hot, or no page of the checkpoint's */
	copy_page((void *)page, content);
}

/* ---- system calls --------------------------------------------------------------------------- */

bool pd_pages_map(uint64_t at, uint64_t n, int prot, long flags, long *result)
{
	if ((flags & MAP_SHARED) || !(flags & MAP_ANONYMOUS) || (flags & MAP_FIXED) ||
	    self->asked.n == PD_PAGES_MAPPED)
		return false;
	*result = pd_raw_mmap(at, n, prot, (int)flags, -1, 0);
	if (!pd_raw_failed(*result))
		self->asked.mapped[self->asked.n++] =
			(struct pd_pages_mapped){(uint64_t)*result, PD_PAGE_UP(n), prot};
	return true;
}

bool pd_pages_unmap(uint64_t at, uint64_t n, long *result)
{
	*result = 0;
	n = PD_PAGE_UP(n);
	for (uint32_t i = 0; i < self->asked.n; i++)
		if (self->asked.mapped[i].at == at && self->asked.mapped[i].n == n) {
			pd_raw_munmap(at, n);
			self->asked.mapped[i] = self->asked.mapped[--self->asked.n];
			return true;
		}
	return at % PD_PAGE == 0 && change(at, at + n, PROT_NONE);
}

bool pd_pages_protect(uint64_t at, uint64_t n, int prot, long *result)
{
	*result = 0;
	return at % PD_PAGE == 0 && change(at, at + PD_PAGE_UP(n), prot);
}

bool pd_pages_break(uint64_t to, long *result)
{
	uint64_t now = (uint64_t)pd_raw(SYS_brk, 0, 0, 0, 0, 0, 0);

	if (to && to < (self->asked.brk ? self->asked.brk : now))
		return false; /* memory that existed at the checkpoint */
	if (!self->asked.brk)
		self->asked.brk = now;
	*result = pd_raw(SYS_brk, (long)to, 0, 0, 0, 0, 0);
	self->asked.brk_to = (uint64_t)*result;
	return true;
}

bool pd_pages_is_own_code(uint64_t pc)
{
	return pc - self->code.from < self->code.to - self->code.from;
}

/* ---- what there is -------------------------------------------------------------------------- */

static uint64_t parse_hex(const char **s)
{
	uint64_t v = 0;

	for (;; (*s)++) {
		int c = **s, d = c >= '0' && c <= '9'	? c - '0'
				 : c >= 'a' && c <= 'f' ? c - 'a' + 10
							: -1;

		if (d < 0)
			return v;
		v = v << 4 | (uint64_t)d;
	}
}

static bool is_ours(uint64_t from, uint64_t to)
{
	uint64_t at = (uint64_t)self;

	return (from < at + self->size && to > at) ||
	       (from < self->except.to && to > self->except.from);
}

/* A line of /proc/self/maps: "FROM-TO rw-p ..." */
static bool take_line(const char *s)
{
	struct region r = {.prot = PROT_READ | PROT_WRITE};
	uint64_t own = (uint64_t)pd_pages_start;

	r.from = parse_hex(&s);
	s++;
	r.to = parse_hex(&s);
	if (own >= r.from && own < r.to)
		self->code = r;
	if (s[0] != ' ' || s[2] != 'w' || s[4] != 'p' || r.from >> 47 || is_ours(r.from, r.to))
		return true;
	if (s[1] != 'r')
		r.prot &= ~PROT_READ;
	if (s[3] == 'x')
		r.prot |= PROT_EXEC;
	if (self->nregions == REGIONS)
		return false;
	self->region[self->nregions++] = r;
	return true;
}

static bool read_maps(void)
{
	long fd = pd_raw_open("/proc/self/maps", O_RDONLY), got;
	char line[512];
	uint32_t n = 0;
	char buf[4096];
	bool fits = fd >= 0;

	while (fits && (got = pd_raw_read((int)fd, buf, sizeof(buf))) > 0)
		for (long i = 0; i < got; i++) {
			if (buf[i] != '\n') {
				if (n < sizeof(line) - 1)
					line[n++] = buf[i];
				continue;
			}
			line[n] = '\0';
			fits &= take_line(line);
			n = 0;
		}
	if (fd >= 0)
		pd_raw_close((int)fd);
	return fits && self->nregions;
}

/*
 * So that a run need not allocate it. For a program with very much memory, only a part is prepared.
 */
static void reserve_labels(void)
{
	for (uint32_t i = 0; i < self->nregions; i++) {
		const struct region *r = &self->region[i];
		uint64_t part = r->from >> PD_LAYOUT_SHIFT;

		if (part != PD_LAYOUT_OWN >> PD_LAYOUT_SHIFT &&
		    part != PD_SYM_FLAGS >> PD_LAYOUT_SHIFT)
			pd_labels_reserve(r->from, PD_MIN(r->to, r->from + RESERVED));
	}
	self->nregions = 0;
}

bool pd_pages_start(uint64_t except, uint64_t n, uint64_t kernels)
{
	long at = pd_raw_mmap(0, sizeof(*self), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (pd_raw_failed(at))
		return false;
	self = (struct pages *)at;
	self->size = sizeof(*self);
	self->except = (struct region){except, except + n, 0};
	self->kernels = PD_PAGE_DOWN(kernels);
	if (!read_maps())
		return false;
	reserve_labels();
	return read_maps(); /* including that memory */
}
