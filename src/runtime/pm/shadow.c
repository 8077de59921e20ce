/* shadow.c - see shadow.h. */
#include "runtime/pm/shadow.h"
#include "base/vec.h"
#include "runtime/place/foreign.h"
#include "runtime/base/listen.h"
#include "runtime/base/raw.h"
#include "runtime/pm/veil.h"
#include "runtime/thread/door.h"

#define NONE_YET UINT64_MAX

enum { CHUNK = 16 << 20 };

/* The size of each pool's shadow, by pool. */
static struct {
	struct pd_arena arena;
	PD_VEC(uint64_t) size;
	uint64_t named; /* blind stores reported by name so far */
} shadow;

void (*pd_shadow_written)(uint64_t from, uint64_t to, void (*each)(uint64_t page));

static void must(long r)
{
	if (pd_raw_failed(r))
		pd_rt_fail(4,
			   "no memory for a second copy of the PM files (errno %d); see 'perdure "
			   "doctor'",
			   (int)-r);
}

/* Maps zeros from `from` to `to`, offsets in the pool. */
static void map_zeros(const struct pd_pool *p, uint64_t from, uint64_t to)
{
	uint64_t addr = (uint64_t)pd_shadow(p->base - PD_PM_BASE + from);

	if (from >= to)
		return;
	must(pd_raw_mmap(addr, to - from, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0));
	if (pd_rt.large_pages && to <= PD_LARGE_PAGES_MAX)
		pd_raw_madvise(addr, to - from, MADV_HUGEPAGE);
}

static void map_file(const struct pd_pool *p, uint64_t n)
{
	long fd = pd_raw_open(p->real, O_RDONLY);

	if (fd < 0)
		pd_rt_fail(2, "cannot read the PM file '%s' (errno %d)", p->real, (int)-fd);
	for (uint64_t off = 0; off < n; off += CHUNK)
		must(pd_raw_mmap((uint64_t)pd_shadow(p->base - PD_PM_BASE + off),
				 PD_MIN(n - off, (uint64_t)CHUNK), PROT_READ | PROT_WRITE,
				 MAP_PRIVATE | MAP_FIXED | MAP_NORESERVE, (int)fd, off));
	pd_raw_close((int)fd);
}

/* Copied bytes (of a device) have no file that could be mapped a second time. */
static void copy_bytes(const struct pd_pool *p)
{
	bool veiled = pd_veil_on;

	pd_veil_on = false; /* these bytes really are in the pages */
	for (uint64_t off = 0; off < p->size; off += PD_PAGE)
		pd_pool_peek(pd_shadow(p->base - PD_PM_BASE + off), p->base + off,
			     PD_MIN(PD_PAGE, p->size - off));
	pd_veil_on = veiled;
}

static void create(const struct pd_pool *p)
{
	uint64_t file = p->real && !p->device ? PD_MIN(p->size, p->real_limit) : 0;

	if (file)
		map_file(p, PD_PAGE_UP(file));
	map_zeros(p, PD_PAGE_UP(file), PD_PAGE_UP(p->size));
	if (p->device)
		copy_bytes(p);
	/* The file's last page may extend beyond what is still visible */
	else if (file % PD_PAGE)
		memset(pd_shadow(p->base - PD_PM_BASE + file), 0, PD_PAGE - file % PD_PAGE);
}

static void resize(const struct pd_pool *p, uint64_t old)
{
	uint8_t *end = pd_shadow(p->base - PD_PM_BASE + p->size);

	if (p->size > old) {
		map_zeros(p, PD_PAGE_UP(old), PD_PAGE_UP(p->size));
		return;
	}
	/* Truncated: zeros, should it grow again. */
	if (p->size % PD_PAGE)
		memset(end, 0, PD_PAGE - p->size % PD_PAGE);
	map_zeros(p, PD_PAGE_UP(p->size), PD_PAGE_UP(old));
}

void pd_shadow_pool(const struct pd_pool *p)
{
	if (!shadow.arena.host.grow)
		pd_arena_init(&shadow.arena, pd_rt_memory());
	while (shadow.size.n <= p->id) {
		uint64_t *size = pd_vec_push(&shadow.size, &shadow.arena);

		if (!size)
			pd_rt_fail(4, "out of memory");
		*size = NONE_YET;
	}
	if (shadow.size.v[p->id] == NONE_YET)
		create(p);
	else if (shadow.size.v[p->id] != p->size)
		resize(p, shadow.size.v[p->id]);
	shadow.size.v[p->id] = p->size;
}

static void about_pool(struct pd_event *e)
{
	const struct pd_pool *p = pd_pool_get((uint32_t)e->aux);

	if (p)
		pd_shadow_pool(p);
}

void pd_shadow_listen(void)
{
	static const struct pd_listener shadows = {
		.stays = true,
		.wants = PD_EV_BIT(POOL_OPEN) | PD_EV_BIT(POOL_SIZE) | PD_EV_BIT(POOL_MAP) |
			 PD_EV_BIT(POOL_RENAME),
		.event = about_pool};

	pd_listen_add(&shadows);
}

/* ---- blind stores --------------------------------------------------------------------------- */

static void name_blind(uint64_t off, size_t n, uint32_t site)
{
	uint64_t at = 0;
	struct pd_pool *p = pd_pool_of_address(PD_PM_BASE + off, &at);
	struct pd_outbuf b;
	char what[512];

	pd_outbuf_init(&b, what, sizeof(what));
	pd_outf(&b.out, "%zu bytes of %s at offset 0x%lx changed by code that was not instrumented",
		n, p ? p->name : "PM", at);
	pd_rt_loss(PD_LOSS_BLIND, site, what);
	if (!shadow.named++)
		pd_foreign_suspects(pd_rt.channel->suspects, sizeof(pd_rt.channel->suspects));
}

void pd_shadow_blind(uint64_t off, const uint8_t *bytes, size_t n, uint32_t site)
{
	for (size_t i = 0; i < n;) {
		size_t from = i;

		if (bytes[i] == *pd_shadow(off + i)) {
			i++;
			continue;
		}
		while (i < n && bytes[i] != *pd_shadow(off + i))
			i++;
		name_blind(off + from, i - from, site);
		pd_listen_blind(off + from, bytes + from, i - from);
	}
}

/* Bit 61 of a pagemap entry: the page is the file's own, so it was not written to. */
enum { PAGEMAP_BATCH = 512 };
#define PAGEMAP_FILE  (1ULL << 61)
#define PAGEMAP_THERE (3ULL << 62) /* present or swapped out */

/* Checks contiguous pages; `entries` has pagemap entries for the first `known` of them. */
static void check_pages(const struct pd_pool *p, uint64_t off, uint64_t at, uint64_t pages,
			const uint64_t *entries, uint64_t known)
{
	uint64_t n = PD_MIN(pages * PD_PAGE, p->size - off);

	pd_pool_expose(at, n);
	for (uint64_t i = 0; i < pages; i++)
		if (pd_veil_covers(p->base - PD_PM_BASE + off + i * PD_PAGE))
			continue;
		else if (i >= known ||
			 ((entries[i] & PAGEMAP_THERE) && !(entries[i] & PAGEMAP_FILE)))
			pd_shadow_check(p->base - PD_PM_BASE + off + i * PD_PAGE,
					(const void *)(at + i * PD_PAGE),
					PD_MIN(PD_PAGE, n - i * PD_PAGE), 0);
	pd_pool_conceal(at, n);
}

static void check_pool(const struct pd_pool *p, int pagemap)
{
	uint64_t entries[PAGEMAP_BATCH];

	for (uint64_t off = 0; off < p->size;) {
		uint64_t n = p->size - off;
		uint64_t at = pd_pool_where(p, off, &n);
		uint64_t pages = PD_MIN((n + PD_PAGE - 1) / PD_PAGE, PAGEMAP_BATCH);
		long got = pd_raw(SYS_pread64, pagemap, (long)entries, (long)(pages * 8),
				  (long)(at / PD_PAGE * 8), 0, 0);

		check_pages(p, off, at, pages, entries, (uint64_t)PD_MAX(got, 0) / 8);
		off += pages * PD_PAGE;
	}
}

static void check_page(uint64_t page)
{
	uint64_t off = 0;
	const struct pd_pool *p = pd_pool_of_address(page, &off);

	if (p && p->id < shadow.size.n && shadow.size.v[p->id] != NONE_YET && off < p->size)
		check_pages(p, off, page, 1, NULL, 0);
}

void pd_shadow_check_all(void)
{
	long pagemap;

	if (pd_shadow_written) {
		pd_shadow_written(PD_PM_BASE, PD_PM_END, check_page);
		return;
	}
	pagemap = pd_raw_open("/proc/self/pagemap", O_RDONLY);

	for (uint32_t id = 0; id < pd_pool_count() && id < shadow.size.n; id++)
		if (shadow.size.v[id] != NONE_YET)
			check_pool(pd_pool_get(id), (int)pagemap);
	if (pagemap >= 0)
		pd_raw_close((int)pagemap);
}
