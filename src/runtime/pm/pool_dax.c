/*
 * pm/pool_dax.c - device DAX as a pool.
 *
 * A device has no MAP_PRIVATE: its bytes are copied once, when the pool is created, without
 * all-zero pages. That is slow for a large device: use a namespace of a few gigabytes for tests.
 */
#include "runtime/pm/pool.h"
#include "runtime/base/raw.h"
#include "runtime/pm/veil.h"
#include <string.h>
#include <sys/sysmacros.h>

#define STEP (2ULL << 20) /* devices are mapped in multiples of their alignment, usually 2 MB */

int pd_pool_dax_size(const struct stat *st, uint64_t *size)
{
	char path[64], text[32] = "";
	struct pd_outbuf b;
	long fd, n;

	pd_outbuf_init(&b, path, sizeof(path));
	pd_outf(&b.out, "/sys/dev/char/%u:%u/size", major(st->st_rdev), minor(st->st_rdev));
	fd = pd_raw_open(path, O_RDONLY);
	if (fd < 0)
		return (int)fd;
	n = pd_raw_read((int)fd, text, sizeof(text) - 1);
	pd_raw_close((int)fd);
	if (n < 0)
		return (int)n;
	*size = 0;
	for (const char *s = text; *s >= '0' && *s <= '9'; s++)
		*size = *size * 10 + (uint64_t)(*s - '0');
	return 0;
}

static void copy_pages(struct pd_pool *p, uint64_t at, const char *from, uint64_t n)
{
	bool veiled = pd_veil_on;

	pd_veil_on = false; /* no code has seen them yet */
	pd_pool_expose(p->base + at, n);
	for (uint64_t k = 0; k < n; k += PD_PAGE)
		if (from[k] || memcmp(from + k, from + k + 1, PD_PAGE - 1))
			memcpy((void *)(p->base + at + k), from + k, PD_PAGE);
	pd_pool_conceal(p->base + at, n);
	pd_veil_on = veiled;
}

int pd_pool_dax_copy(struct pd_pool *p)
{
	long fd = pd_raw_open(p->real, O_RDONLY), r = 0;

	if (fd < 0)
		return (int)fd;
	for (uint64_t at = 0; at < p->size && !pd_raw_failed(r); at += STEP) {
		uint64_t n = PD_MIN(STEP, p->size - at);

		r = pd_raw_mmap(0, n, PROT_READ, MAP_SHARED, (int)fd, at);
		if (pd_raw_failed(r))
			break;
		copy_pages(p, at, (const char *)r, n);
		pd_raw_munmap((uint64_t)r, n);
	}
	pd_raw_close((int)fd);
	return pd_raw_failed(r) ? (int)r : 0;
}
