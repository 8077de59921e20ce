/* veil.c - see veil.h. */
#include "runtime/pm/veil.h"
#include "base/map.h"
#include "base/vec.h"
#include "runtime/place/foreign.h"
#include "runtime/pm/pool.h"
#include "runtime/base/quiet.h"
#include "runtime/base/raw.h"
#include "runtime/pm/shadow.h"
#include <string.h>

enum {
	PATIENCE = 32, /* instructions on one page that are single-stepped */
	/* Bytes that one instruction may access, of which the fault shows only the start */
	WIDEST = 64,
};

struct lifted {
	uint64_t off; /* home of the page */
	bool stays;
	uint32_t holds; /* by running inline asm */
};

bool pd_veil_on;

static struct {
	struct pd_veil_memory memory;
	struct pd_arena arena;
	PD_VEC(struct lifted) lifted;
	struct pd_map touched; /* page -> number of instructions that have touched it */
	uint32_t exposed;
	/* The mapping asked about last: at home, with bytes */
	uint64_t from, to;
	int prot;
} veil;

void pd_veil_begin(const struct pd_veil_memory *memory)
{
	veil.memory = *memory;
	if (!veil.arena.host.grow)
		pd_arena_init(&veil.arena, pd_rt_memory());
	pd_veil_on = true;
}

/* ---- which bytes ---------------------------------------------------------------------------- */

static struct lifted *find_lifted(uint64_t off)
{
	for (uint32_t i = 0; i < veil.lifted.n; i++)
		if (veil.lifted.v[i].off == PD_PAGE_DOWN(off))
			return &veil.lifted.v[i];
	return NULL;
}

bool pd_veil_covers(uint64_t off)
{
	return pd_veil_on && off < PD_PM_END - PD_PM_BASE && !(veil.lifted.n && find_lifted(off));
}

bool pd_veil_next_lifted(uint64_t off, uint64_t n, uint32_t *at, uint64_t *page)
{
	while (*at < veil.lifted.n) {
		*page = veil.lifted.v[(*at)++].off;
		if (*page >= PD_PAGE_DOWN(off) && *page < off + n)
			return true;
	}
	return false;
}

void pd_veil_remapped(void)
{
	veil.from = veil.to = 0;
	pd_quiet_forget();
}

void pd_veil_expose(void)
{
	veil.exposed++;
}

void pd_veil_conceal(void)
{
	veil.exposed--;
}

/* On x86 what can be written or executed can be read. */
static bool permits(int have, int want)
{
	return want == PROT_READ ? have != PROT_NONE : (have & want) == want;
}

/* Whether these bytes are in the mapping asked about last, and the program may access them so. */
static inline bool is_known(uint64_t addr, size_t n, int want)
{
	return addr >= veil.from && n <= veil.to - veil.from &&
	       addr - veil.from <= veil.to - veil.from - n && permits(veil.prot, want);
}

static bool is_permitted(uint64_t addr, int want)
{
	uint64_t from, to;
	int prot;

	if (!pd_pool_map_around(addr, &from, &to, &prot))
		return false;
	if (pd_pool_canonical(from) == from) {
		veil.from = from;
		veil.to = to;
		veil.prot = prot;
	}
	return permits(prot, want);
}

/* Whether the bytes of this page of the program are in the shadow. */
static bool is_veiled(uint64_t addr, int want)
{
	uint64_t off;
	struct pd_pool *p = PD_IS_PM(addr) ? pd_pool_of_address(addr, &off) : NULL;

	return p && pd_veil_covers(p->base + off - PD_PM_BASE) &&
	       (veil.exposed || is_permitted(addr, want));
}

/* Whether they are in a private mapping, and closed (veil_copy.c). */
static bool is_copied(uint64_t addr, int want)
{
	return pd_unlikely(pd_copy_any) && pd_copy_is_closed(addr) &&
	       permits(pd_pool_map_prot(addr), want);
}

static size_t piece(uint64_t addr, size_t n)
{
	return PD_MIN(n, PD_PAGE - addr % PD_PAGE);
}

/* ---- hooks ---------------------------------------------------------------------------------- */

static void read_shadow(void *to, uint64_t off, size_t n)
{
	memcpy(to, pd_shadow(off), n);
	if (pd_unlikely(pd_rt.buffered))
		veil.memory.overlay(off, n, to);
}

void pd_veil_show(uint64_t addr, const void *data, size_t n)
{
	if (pd_likely(!veil.memory.shown))
		return;
	pd_raw_mprotect(PD_PAGE_DOWN(addr), PD_PAGE, PROT_READ | PROT_WRITE);
	memcpy((void *)addr, data, n);
	pd_pool_map_paint(PD_PAGE_DOWN(addr), PD_PAGE);
}

/*
 * A program that has protected its PM may open it in a handler of its own. So the fault has to
 * happen before the access that is announced, and the access must not be left to one instruction
 * that is simply repeated: the page is veiled by then. These only fault; pd_veil_after_fault
 * leaves them out once a handler has returned.
 */
void pd_veil_knock_read(uint64_t addr) __attribute__((visibility("hidden")));
void pd_veil_knock_write(uint64_t addr) __attribute__((visibility("hidden")));
__asm__(".pushsection .text\n"
	"pd_veil_knock_read:\n"
	"	testb $0, (%rdi)\n"
	"	ret\n"
	"pd_veil_knock_write:\n"
	"	lock orb $0, (%rdi)\n"
	"pd_veil_knocked:\n"
	"	ret\n"
	".popsection\n");
extern const char pd_veil_knocked[] __attribute__((visibility("hidden")));

uintptr_t pd_veil_after_fault(uintptr_t pc)
{
	return pc == (uintptr_t)pd_veil_knock_read || pc == (uintptr_t)pd_veil_knock_write
		       ? (uintptr_t)pd_veil_knocked
		       : pc;
}

/* Whether it is veiled now, after the program's own handler had its chance. */
static bool is_opened(uint64_t addr, int want)
{
	if (!PD_IS_PM(addr) || permits(pd_pool_map_prot(addr), want))
		return false;
	(want == PROT_WRITE ? pd_veil_knock_write : pd_veil_knock_read)(addr);
	return is_veiled(addr, want);
}

void pd_veil_read(void *to, const void *from, size_t n)
{
	uint64_t addr = (uint64_t)from;

	if (pd_likely(!veil.lifted.n && is_known(addr, n, PROT_READ))) {
		read_shadow(to, addr - PD_PM_BASE, n);
		return;
	}
	while (n) {
		size_t k = piece(addr, n);

		if (is_veiled(addr, PROT_READ))
			read_shadow(to, pd_pool_canonical(addr) - PD_PM_BASE, k);
		else if (is_copied(addr, PROT_READ))
			pd_copy_read(to, addr, k);
		else if (is_opened(addr, PROT_READ))
			read_shadow(to, pd_pool_canonical(addr) - PD_PM_BASE, k);
		else
			memcpy(to, (const void *)addr, k);
		to = (uint8_t *)to + k;
		addr += k;
		n -= k;
	}
}

void pd_veil_write(void *to, const void *data, size_t n)
{
	uint64_t addr = (uint64_t)to;

	if (pd_likely(!veil.lifted.n && is_known(addr, n, PROT_WRITE) && !veil.memory.shown))
		return;
	while (n) {
		size_t k = piece(addr, n);

		if (is_veiled(addr, PROT_WRITE))
			pd_veil_show(addr, data, k);
		else if (is_copied(addr, PROT_WRITE))
			pd_copy_write(addr, data, k);
		else if (is_opened(addr, PROT_WRITE))
			pd_veil_show(addr, data, k);
		else
			memcpy((void *)addr, data, k);
		data = (const uint8_t *)data + k;
		addr += k;
		n -= k;
	}
}

/* ---- others --------------------------------------------------------------------------------- */

/* Where a page is now, and how much of it the file has. */
static uint64_t place_of(uint64_t off, uint64_t *n)
{
	uint64_t at;
	struct pd_pool *p = pd_pool_slot_owner(PD_PM_BASE + off);

	*n = PD_PAGE;
	at = PD_PM_BASE + off - p->base;
	off = pd_pool_where(p, at, n);
	*n = p->size > at ? PD_MIN(p->size - at, PD_PAGE) : 0;
	return off;
}

/* Opens a page, as the running thread sees it. */
static struct lifted *lift(uint64_t off)
{
	struct lifted *l = find_lifted(off);
	uint64_t n, at = place_of(off, &n);

	if (l)
		return l;
	l = pd_vec_push(&veil.lifted, &veil.arena);
	if (!l)
		pd_rt_fail(4, "out of memory");
	*l = (struct lifted){.off = off};
	if (pd_raw_mprotect(at, PD_PAGE, PROT_READ | PROT_WRITE) < 0)
		pd_rt_fail(4, "cannot open a page of PM");
	read_shadow((void *)at, off, PD_PAGE);
	pd_pool_map_paint(at, PD_PAGE);
	return l;
}

/* Closes the pages that nothing needs open. */
static void lower(void)
{
	for (uint32_t i = 0; i < veil.lifted.n; i++) {
		uint64_t off = veil.lifted.v[i].off, n, at;

		if (veil.lifted.v[i].stays || veil.lifted.v[i].holds)
			continue;
		at = place_of(off, &n);
		pd_shadow_check(off, (const void *)at, n, 0);
		veil.lifted.v[i--] = veil.lifted.v[--veil.lifted.n];
		pd_pool_map_paint(at, PD_PAGE);
	}
}

void pd_veil_close(void)
{
	lower();
}

void pd_veil_hold(const void *p, size_t n)
{
	for (uint64_t addr = (uint64_t)p, end = addr + n; addr < end;
	     addr = PD_PAGE_DOWN(addr) + PD_PAGE) {
		uint64_t off = pd_pool_canonical(addr) - PD_PM_BASE;

		if (is_veiled(addr, PROT_READ))
			lift(PD_PAGE_DOWN(off))->holds++;
		else if (find_lifted(off))
			find_lifted(off)->holds++;
	}
}

void pd_veil_release(const void *p, size_t n)
{
	for (uint64_t addr = (uint64_t)p, end = addr + n; addr < end;
	     addr = PD_PAGE_DOWN(addr) + PD_PAGE) {
		struct lifted *l = find_lifted(pd_pool_canonical(addr) - PD_PM_BASE);

		if (l && l->holds)
			l->holds--;
	}
	lower();
}

/* Bytes of one page are about to be accessed: decides their lines. */
static void touch(uint64_t off, uint64_t n, uintptr_t pc)
{
	uint64_t size = veil.memory.line;
	uint64_t from = off & ~(size - 1), to = (off + n + size - 1) & ~(size - 1);

	if (veil.memory.is_open(from, to - from))
		pd_foreign_reads(pc);
	veil.memory.touch(from, to - from);
}

/* All of a closed page is read, and it stays open. */
static void open_copy(uint64_t addr, uintptr_t pc)
{
	struct pd_copy_piece missing;
	uint8_t bytes[WIDEST];

	while (pd_copy_missing(PD_PAGE_DOWN(addr), PD_PAGE, &missing)) {
		uint64_t off = missing.home - PD_PM_BASE;

		touch(off, missing.n, pc);
		read_shadow(bytes, off, missing.n);
		pd_copy_fill(&missing, bytes);
	}
	pd_copy_open(addr);
}

static uint32_t count_touch(uint64_t off)
{
	uint64_t *n = pd_map_put(&veil.touched, &veil.arena, off / PD_PAGE);

	if (!n)
		pd_rt_fail(4, "out of memory");
	return (uint32_t)++*n;
}

enum pd_veil_fault pd_veil_fault(uint64_t addr, bool writes, uintptr_t pc)
{
	enum pd_veil_fault how = PD_VEIL_STEP;
	int want = writes ? PROT_WRITE : PROT_READ;
	uint64_t off, page;

	if (!pd_veil_on || !(is_veiled(addr, want) || is_copied(addr, want)))
		return PD_VEIL_NONE;
	pd_rt_drain_now();
	if (is_copied(addr, want)) {
		open_copy(addr, pc);
		return PD_VEIL_STAYS;
	}
	off = pd_pool_canonical(addr) - PD_PM_BASE;
	page = PD_PAGE_DOWN(off);
	touch(off, PD_MIN(WIDEST, PD_PAGE - off % PD_PAGE), pc);
	if (count_touch(page) > PATIENCE) {
		touch(page, PD_PAGE, pc);
		how = PD_VEIL_STAYS;
	}
	lift(page)->stays = how == PD_VEIL_STAYS;
	return how;
}

/* ---- system calls --------------------------------------------------------------------------- */

void pd_veil_open(uint64_t addr, uint64_t n, uintptr_t pc)
{
	while (n) {
		size_t k = piece(addr, n);

		if (is_veiled(addr, PROT_READ)) {
			uint64_t off = pd_pool_canonical(addr) - PD_PM_BASE;

			touch(off, k, pc);
			lift(PD_PAGE_DOWN(off));
		} else if (is_copied(addr, PROT_READ)) {
			open_copy(addr, pc);
		}
		addr += k;
		n -= k;
	}
}
