/*
 * label.c - which byte of memory has which label, and the flags that say so to instrumented code.
 *
 * Labels of bytes are expressions of 8 bits, in pages of 4096 that a table of two levels leads to;
 * both are in memory of the runtime's own and are touched by slow paths only. The flags, a bit a
 * byte, are one mapping of 16 TB that can be read from the start, and takes no memory: where a
 * label is set, a piece of it is made writable. It counts for nothing where memory is overcommitted
 * strictly, because what cannot be written needs no memory.
 *
 * Invariants:
 *  1. A flag is set if and only if the byte has a label.
 *  2. A label is never a constant.
 *
 * Code that is not instrumented writes without updating labels. So a read compares memory with the
 * value of the label, and drops a wrong label. A byte that happens to have the value of its old
 * label is not noticed; the path that follows from it diverges when it is run, and is counted
 * there.
 */
#include "runtime/symbolic/symbolic.h"
#include "base/bug.h"
#include "runtime/base/raw.h"
#include "runtime/pm/pool.h"
#include "runtime/pm/shadow.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>

enum {
	PAGE = 4096,
	SECOND = 1 << 18, /* pages of a table: 1 GB */
	FIRST = 1 << 17,  /* tables */
	PIECE = 2 << 20,  /* of flags, that is made writable: for 16 MB */
	POOL = 64,	  /* pages that are asked for together */
};

struct page {
	uint64_t base; /* address of its first byte */
	uint32_t n;    /* labels */
	bool closed;   /* the program may only read it */
	pd_expr label[PAGE];
};

static struct {
	bool mapped;
	struct page **table[FIRST];
	struct page **pages; /* all there are, for pd_labels_refresh */
	uint32_t npages, cap;
	struct page *pool;
	uint32_t left; /* of it */
	uint64_t writable[(1ULL << 44) / PIECE / 64];
} labels PD_TABLE;

/* ---- flags ----------------------------------------------------------------------------------- */

void pd_labels_map(void)
{
	long r;

	if (labels.mapped)
		return;
	r = pd_raw_mmap(PD_SYM_FLAGS, 1ULL << PD_LAYOUT_SHIFT, PROT_READ,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
	if (r != (long)PD_SYM_FLAGS)
		pd_rt_fail(4, "no address space for labels; is it limited (ulimit -v)?");
	labels.mapped = true;
}

static uint8_t *flag(const void *p)
{
	return (uint8_t *)(PD_SYM_FLAGS + ((uintptr_t)p >> 3));
}

static bool is_flagged(const void *p)
{
	return *flag(p) >> ((uintptr_t)p & 7) & 1;
}

static void make_writable(const void *p)
{
	uint64_t piece = ((uintptr_t)p >> 3) / PIECE;
	uint64_t at = PD_SYM_FLAGS + piece * PIECE;

	if (labels.writable[piece / 64] >> (piece & 63) & 1)
		return;
	if (pd_raw_failed(pd_raw(SYS_mprotect, (long)at, PIECE, PROT_READ | PROT_WRITE, 0, 0, 0)))
		pd_rt_fail(4, "no memory for labels");
	pd_raw(SYS_madvise, (long)at, PIECE, MADV_NOHUGEPAGE, 0, 0, 0);
	labels.writable[piece / 64] |= 1ULL << (piece & 63);
}

/* ---- pages ----------------------------------------------------------------------------------- */

static void *borrow(size_t n)
{
	void *p = pd_raw_borrow(n);

	if (!p)
		pd_rt_fail(4, "no memory for labels");
	return p;
}

static struct page ***second_of(const void *p)
{
	return &labels.table[((uintptr_t)p >> 30) & (FIRST - 1)];
}

static struct page *find_page(const void *p)
{
	struct page **t = *second_of(p);

	return t ? t[((uintptr_t)p >> 12) & (SECOND - 1)] : NULL;
}

static void list_page(struct page *page)
{
	if (labels.npages == labels.cap) {
		uint32_t cap = labels.cap ? labels.cap * 2 : 1024;
		struct page **more = borrow(cap * sizeof(*more));

		if (labels.npages)
			memcpy(more, labels.pages, labels.npages * sizeof(*more));
		labels.pages = more;
		labels.cap = cap;
	}
	labels.pages[labels.npages++] = page;
}

static void fill_pool(void)
{
	if (labels.left)
		return;
	labels.pool = borrow(POOL * sizeof(struct page));
	labels.left = POOL;
}

static struct page *make_page(const void *p)
{
	struct page *page = find_page(p), ***t = second_of(p);

	if (page)
		return page;
	if (!*t)
		*t = borrow(SECOND * sizeof(**t));
	fill_pool();
	page = &labels.pool[--labels.left];
	page->base = (uintptr_t)p & ~(uint64_t)(PAGE - 1);
	(*t)[((uintptr_t)p >> 12) & (SECOND - 1)] = page;
	list_page(page);
	return page;
}

/* Prepares what labels near this address will need: a run that allocates no memory is cheaper. */
static void prepare(const void *p)
{
	make_writable(p);
	make_page(p);
	fill_pool();
}

void pd_labels_reserve(uint64_t from, uint64_t to)
{
	for (uint64_t at = from; at < to; at += 8 * PIECE)
		make_writable((void *)at);
	make_writable((void *)(to - 1));
	for (uint64_t at = from; at < to; at += 1ULL << 30)
		if (!*second_of((void *)at))
			*second_of((void *)at) = borrow(SECOND * sizeof(struct page *));
	fill_pool();
}

/* ---- bytes ----------------------------------------------------------------------------------- */

pd_expr pd_label_get(const void *p)
{
	return is_flagged(p) ? find_page(p)->label[(uintptr_t)p & (PAGE - 1)] : 0;
}

static void clear(void *p)
{
	struct page *page;

	if (!is_flagged(p))
		return;
	page = find_page(p);
	page->label[(uintptr_t)p & (PAGE - 1)] = 0;
	page->n--;
	*flag(p) &= (uint8_t)~(1 << ((uintptr_t)p & 7));
}

static void set(void *p, pd_expr e)
{
	struct page *page;

	make_writable(p);
	page = make_page(p);
	if (!is_flagged(p))
		page->n++;
	page->label[(uintptr_t)p & (PAGE - 1)] = e;
	*flag(p) |= (uint8_t)(1 << ((uintptr_t)p & 7));
}

void pd_label_set(void *p, pd_expr e)
{
	if (!e || pd_symbolic_is_const(e)) {
		clear(p);
		return;
	}
	if (PD_IS_PM(p))
		pd_symbolic_used(e); /* who watches PM sees what is stored */
	set(p, e);
}

/* The next byte from `at` on, before `end`, that has a label; `end`: none has. */
static const uint8_t *next_flagged(const uint8_t *at, const uint8_t *end)
{
	for (; at < end && ((uintptr_t)at & 7); at++)
		if (is_flagged(at))
			return at;
	while (at < end) {
		if (((uintptr_t)at & 63) == 0 && end - at >= 64 && !*(const uint64_t *)flag(at)) {
			at += 64;
			continue;
		}
		if (!*flag(at)) {
			at += 8;
			continue;
		}
		for (int i = 0; i < 8 && at < end; i++, at++)
			if (is_flagged(at))
				return at;
	}
	return end;
}

bool pd_labels_any(const void *p, size_t n)
{
	const uint8_t *end = (const uint8_t *)p + n;

	return next_flagged(p, end) != end;
}

void pd_labels_used(const void *p, size_t n)
{
	const uint8_t *end = (const uint8_t *)p + n;

	for (const uint8_t *at = p; pd_symbolic.used && (at = next_flagged(at, end)) < end; at++)
		pd_symbolic_used(pd_label_get(at));
}

void pd_labels_clear(void *p, size_t n)
{
	const uint8_t *end = (const uint8_t *)p + n;

	for (const uint8_t *at = p; (at = next_flagged(at, end)) < end; at++)
		clear((void *)at);
}

void pd_labels_move(void *to, const void *from, size_t n)
{
	uint8_t *d = to;
	const uint8_t *s = from;

	if (d == s || (!pd_labels_any(s, n) && !pd_labels_any(d, n)))
		return;
	for (size_t i = 0; i < n; i++) {
		size_t k = d < s ? i : n - 1 - i;

		pd_label_set(d + k, pd_label_get(s + k));
	}
}

/* Writes bytes of files, mapped or not. It is not a store: the bytes count as having been there. */
static void put(uint8_t *at, uint8_t value)
{
	if (pd_likely(!PD_IS_PM(at))) {
		*at = value;
		return;
	}
	pd_pool_poke((uint64_t)at, &value, 1);
	*pd_shadow((uint64_t)at - PD_PM_BASE) = value;
}

void pd_labels_input(void *p, size_t n, uint32_t first)
{
	uint8_t *at = p;

	prepare(__builtin_frame_address(0));
	for (size_t i = 0; i < n; i++) {
		put(at + i, pd_symbolic.input[first + i]);
		set(at + i, pd_expr_input(pd_symbolic.exprs, first + (uint32_t)i));
	}
}

static void refresh(const struct page *page)
{
	const uint8_t *end = (const uint8_t *)page->base + PAGE;

	for (const uint8_t *at = (const uint8_t *)page->base; (at = next_flagged(at, end)) < end;
	     at++)
		put((uint8_t *)at, (uint8_t)pd_expr_value(pd_symbolic.exprs, pd_label_get(at)));
}

void pd_labels_refresh(void)
{
	for (uint32_t i = 0; i < labels.npages; i++) {
		const struct page *page = labels.pages[i];

		if (!page->n)
			continue;
		if (page->closed)
			pd_raw_mprotect(page->base, PAGE, PROT_READ | PROT_WRITE);
		refresh(page);
		if (page->closed)
			pd_raw_mprotect(page->base, PAGE, PROT_READ);
	}
}

/* Moves the first byte of the page from or to a copy of it; whether its protection forbids that. */
static bool is_closed(const struct page *page, uint8_t *byte, long call)
{
	long self = pd_raw(SYS_getpid, 0, 0, 0, 0, 0, 0);
	struct iovec here = {byte, 1}, there = {(void *)page->base, 1};

	return pd_raw(call, self, (long)&here, 1, (long)&there, 1, 0) == -EFAULT;
}

void pd_labels_settle(void)
{
	for (uint32_t i = 0; i < labels.npages; i++) {
		struct page *page = labels.pages[i];
		uint8_t byte;

		if (!page->n || PD_IS_PM(page->base))
			continue;
		if (is_closed(page, &byte, SYS_process_vm_readv))
			pd_labels_clear((void *)page->base, PAGE);
		else
			page->closed = is_closed(page, &byte, SYS_process_vm_writev);
	}
}

void pd_labels_forget(const void *p, size_t n)
{
	uint64_t from = (uint64_t)p, to = from + n;

	for (uint32_t i = 0; i < labels.npages; i++) {
		uint64_t base = labels.pages[i]->base;

		if (labels.pages[i]->n && base < to && base + PAGE > from)
			pd_labels_clear((void *)PD_MAX(base, from),
					PD_MIN(base + PAGE, to) - PD_MAX(base, from));
	}
}

/* ---- scalars --------------------------------------------------------------------------------- */

/* The label of a byte, if its value is what memory has. */
static pd_expr checked(const uint8_t *p)
{
	pd_expr e = pd_label_get(p);

	if (!e || pd_expr_value(pd_symbolic.exprs, e) == *p)
		return e;
	clear((void *)p);
	if (pd_symbolic.dropped)
		pd_symbolic.dropped(p);
	return 0;
}

pd_expr pd_label_load(const void *p, uint32_t n)
{
	struct pd_exprs *x = pd_symbolic.exprs;
	pd_expr byte[8], all = 0;
	bool any = false;

	PD_CHECK(n && n <= 8, "a scalar in memory has 1 to 8 bytes");
	for (uint32_t i = 0; i < n; i++) {
		byte[i] = checked((const uint8_t *)p + i);
		any |= byte[i] != 0;
		pd_symbolic_used(byte[i]);
	}
	if (!any)
		return 0;
	for (uint32_t i = n; i-- > 0;) {
		pd_expr b = byte[i] ? byte[i] : pd_expr_const(x, 8, ((const uint8_t *)p)[i]);

		if (!b)
			return 0;
		all = all ? pd_expr_concat(x, all, b) : b;
		if (!all)
			return 0;
	}
	return all;
}

void pd_label_store(void *p, uint32_t n, pd_expr e)
{
	if (!e) {
		pd_labels_clear(p, n);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		pd_label_set((uint8_t *)p + i, pd_expr_extract(pd_symbolic.exprs, e, i * 8, 8));
}
