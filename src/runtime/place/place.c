/* place.c - see place.h. */
#include "runtime/place/place.h"
#include "base/hash.h"
#include "base/vec.h"
#include "runtime/place/foreign.h"
#include "runtime/base/raw.h"
#include "runtime/thread/sched.h"
#include <string.h>
#include <sys/auxv.h>

enum { FRAME_MAX = 1 << 20, PLACES_MAX = 1 << 24 };

struct place {
	uint64_t hash;
	uint32_t site;
	uint32_t first; /* in pcs */
	uint32_t n;
};

struct module {
	struct pd_wire_module m;
	bool defined;
};

static struct {
	struct pd_arena arena;
	PD_VEC(struct place) places;
	PD_VEC(uintptr_t) pcs;
	uint32_t *slots; /* places by hash; 0: empty */
	uint32_t mask;
	PD_VEC(struct module) modules;
} table;

/* The code range of this library: its own frames are not callers. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

static bool is_own(uintptr_t pc)
{
	return pc - (uintptr_t)__ehdr_start < (uintptr_t)etext - (uintptr_t)__ehdr_start;
}

/* ---- walking -------------------------------------------------------------------------------- */

/* The frame that it returns to; NULL: there is none, or it is not a valid frame. */
static inline const struct pd_walk_frame *caller(const struct pd_walk_frame *f, uintptr_t top)
{
	return f->up - (uintptr_t)f - 1 < FRAME_MAX && f->up + sizeof(*f) <= top && f->up % 8 == 0
		       ? (const struct pd_walk_frame *)f->up
		       : NULL;
}

/*
 * Collects the callers. If the program called a libc function that we interpose, to take a lock,
 * that is the first of them. Records the frames on the way, if they fit.
 */
static uint32_t walk(const struct pd_walk_frame *f, bool libc, uintptr_t *pc, struct pd_walked *w)
{
	uintptr_t top = pd_place_top(), own = 0;
	uint32_t n = 0;

	for (w->n = 0; f && f->to; f = caller(f, top)) {
		if (w->n < PD_WALK_FRAMES)
			w->held[w->n] = (struct pd_walk_held){f, *f};
		w->n++;
		if (is_own(f->to)) {
			own = f->to;
			continue;
		}
		if (libc && own && !n)
			pc[n++] = own - 1;
		pc[n++] = f->to - 1; /* an address inside the call, not after it */
		if (n >= PD_PLACE_DEPTH)
			break;
	}
	return PD_MIN(n, PD_PLACE_DEPTH);
}

/* ---- the files of code ---------------------------------------------------------------------- */

static const struct module *module_of(uintptr_t pc)
{
	for (uint32_t i = table.modules.n; i-- > 0;)
		if (pc - table.modules.v[i].m.low <
		    table.modules.v[i].m.high - table.modules.v[i].m.low)
			return &table.modules.v[i];
	return NULL;
}

static bool is_known(const struct pd_wire_module *m)
{
	for (uint32_t i = 0; i < table.modules.n; i++)
		if (table.modules.v[i].m.base == m->base && table.modules.v[i].m.low == m->low &&
		    strcmp(table.modules.v[i].m.path, m->path) == 0)
			return true;
	return false;
}

static int list_module(struct dl_phdr_info *info, size_t size, void *ctx)
{
	struct pd_wire_module m = {.base = info->dlpi_addr, .low = UINT64_MAX};
	char self[4096];
	struct module *to;

	(void)size;
	(void)ctx;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_DYNAMIC)
			m.instrumented = pd_foreign_is_instrumented(
				(const void *)(info->dlpi_addr + p->p_vaddr));
		if (p->p_type == PT_LOAD && p->p_flags & PF_X) {
			m.low = PD_MIN(m.low, info->dlpi_addr + p->p_vaddr);
			m.high = PD_MAX(m.high, info->dlpi_addr + p->p_vaddr + p->p_memsz);
		}
	}
	m.path = info->dlpi_name;
	if (!*m.path && table.modules.n == 0) { /* the program itself comes first */
		long n = pd_raw_readlink("/proc/self/exe", self, sizeof(self) - 1);
		const char *name = (const char *)getauxval(AT_EXECFN); /* if there is no /proc */

		self[PD_MAX(n, 0)] = '\0';
		m.path = n > 0 || !name ? self : name;
		m.instrumented = true;
	}
	if (m.low > m.high || !*m.path || is_known(&m) ||
	    !(to = pd_vec_push(&table.modules, &table.arena)))
		return 0;
	m.path = pd_arena_strndup(&table.arena, m.path, strlen(m.path));
	*to = (struct module){.m = m};
	return 0;
}

void pd_place_modules(struct pd_wire_writer *t)
{
	for (uint32_t i = 0; i < table.modules.n; i++)
		if (!table.modules.v[i].defined) {
			table.modules.v[i].defined = true;
			pd_wire_module(t, &table.modules.v[i].m);
		}
}

/* ---- interning ------------------------------------------------------------------------------ */

static bool grow(void)
{
	uint32_t n = table.slots ? (table.mask + 1) * 2 : 1024;
	uint32_t *fresh = pd_new_array(&table.arena, uint32_t, n);

	if (!fresh)
		return false;
	table.slots = fresh;
	table.mask = n - 1;
	for (uint32_t p = 1; p < table.places.n; p++) {
		uint32_t i = (uint32_t)table.places.v[p].hash & table.mask;

		while (fresh[i])
			i = (i + 1) & table.mask;
		fresh[i] = p;
	}
	return true;
}

static bool same(const struct place *p, uint64_t hash, uint32_t site, const uintptr_t *pc,
		 uint32_t n)
{
	const uintptr_t *known = table.pcs.v + p->first;

	if (p->hash != hash || p->site != site || p->n != n)
		return false;
	for (uint32_t i = 0; i < n; i++) /* they are few: calling memcmp costs more */
		if (known[i] != pc[i])
			return false;
	return true;
}

/* Adds a place. Its callers end where the chain leaves all code: that was no frame. */
static uint32_t make(uint64_t hash, uint32_t site, const uintptr_t *pc, uint32_t n)
{
	struct place *p;
	uintptr_t *to;

	if (table.places.n >= PLACES_MAX)
		return 0;
	p = pd_vec_push(&table.places, &table.arena);
	if (!p)
		pd_rt_fail(4, "out of memory");
	*p = (struct place){hash, site, table.pcs.n, n};
	for (uint32_t i = 0; i < n; i++) {
		to = pd_vec_push(&table.pcs, &table.arena);
		if (!to)
			pd_rt_fail(4, "out of memory");
		*to = pc[i];
		if (!module_of(pc[i]))
			dl_iterate_phdr(list_module, NULL);
	}
	return table.places.n - 1;
}

static void have_arena(void)
{
	if (!table.arena.host.grow)
		pd_arena_init(&table.arena, pd_rt_memory());
}

static uint32_t intern(uint32_t site, const uintptr_t *pc, uint32_t n)
{
	uint64_t hash = 0x9e3779b97f4a7c15ULL ^ site;
	uint32_t i;

	if (pd_unlikely(!table.slots)) {
		have_arena();
		make(0, 0, NULL, 0); /* 0 is unknown */
	}
	for (i = 0; i < n; i++)
		hash = (hash ^ pc[i]) * 0xff51afd7ed558ccdULL;
	hash ^= hash >> 32;
	if (pd_unlikely(table.places.n * 2 > table.mask) && !grow())
		pd_rt_fail(4, "out of memory");
	for (i = (uint32_t)hash & table.mask; table.slots[i]; i = (i + 1) & table.mask)
		if (same(&table.places.v[table.slots[i]], hash, site, pc, n))
			return table.slots[i];
	return table.slots[i] = make(hash, site, pc, n);
}

/* ---- what was asked last -------------------------------------------------------------------- */

struct pd_walked pd_walks[1 << PD_WALKS_BITS][2] PD_TABLE;

/* Replaces the older one of the two. */
uint32_t pd_walk_new(struct pd_walked *two, uint32_t site, const struct pd_walk_frame *frame,
		     bool libc)
{
	uintptr_t pc[PD_PLACE_DEPTH + 1];
	struct pd_walked *w = &two[two[0].next];
	uint32_t n = walk(frame, libc, pc, w), place = intern(site, pc, n);

	two[0].next ^= 1;
	w->thread = (uintptr_t)__builtin_thread_pointer();
	w->libc = libc;
	w->site = site;
	w->place = place;
	if (!w->n || w->n > PD_WALK_FRAMES || (uintptr_t)frame < pd_place_low() ||
	    (uintptr_t)frame > pd_place_top()) {
		/* Not reusable: a frame may be gone when it is checked again */
		w->held[0].at = NULL;
		return place;
	}
	for (; w->n % PD_WALK_TOGETHER; w->n++) /* pad with entries that always match */
		w->held[w->n].at = &w->held[w->n].was;
	return place;
}

/* Walks from our outermost frame, or the one before it, so that the same place has the same frame,
 * whatever we did. */
uint32_t pd_place_here(uint32_t site)
{
	const struct pd_walk_frame *f = __builtin_frame_address(0), *before = f, *up;
	uintptr_t top = pd_place_top();

	for (; is_own(f->to) && (up = caller(f, top)); f = up)
		before = f;
	return pd_place_hook(site, pd_place_in_libc() ? before : f);
}

bool pd_place_is_called_by(const struct pd_walk_frame *frame, const uint64_t *caller, uint32_t n)
{
	static struct pd_walked unused;
	uintptr_t pc[PD_PLACE_DEPTH + 1];
	uint32_t have = walk(frame, false, pc, &unused);

	for (uint32_t i = 0; i < n; i++) {
		const struct module *m = i < have ? module_of(pc[i]) : NULL;

		if (i < have && !m) {
			have_arena();
			dl_iterate_phdr(list_module, NULL);
			m = module_of(pc[i]);
		}
		if (!m || pc[i] - m->m.base != caller[i])
			return false;
	}
	return true;
}

struct pd_place_last pd_place_lasts[PD_PLACE_LASTS] PD_TABLE;

uint32_t pd_place_from(uint32_t site, const struct pd_walk_frame *frame)
{
	struct pd_place_last *l = pd_place_last_of(site, frame);

	if (!caller(frame, pd_place_top()))
		return pd_place_hook(site, frame);
	*l = (struct pd_place_last){.hook = *frame,
				    .caller = *(const struct pd_walk_frame *)frame->up,
				    .thread = (uintptr_t)__builtin_thread_pointer(),
				    .site = site};
	return l->place = pd_place_hook(site, frame);
}

uint32_t pd_place_of(uint32_t site, const uintptr_t *pc, uint32_t n)
{
	return intern(site, pc, PD_MIN(n, PD_PLACE_DEPTH));
}

uint32_t pd_place_site(uint32_t site)
{
	return intern(site, NULL, 0);
}

uint64_t pd_place_bytes(void)
{
	return table.arena.held;
}

uint32_t pd_place_frames(void *ctx, uint32_t place, struct pd_wire_frame *to, uint32_t max)
{
	const struct place *p = place < table.places.n ? &table.places.v[place] : NULL;
	uint32_t n = 0;

	(void)ctx;
	if (p && p->site && n < max)
		to[n++] = (struct pd_wire_frame){.how = PD_WIRE_SITE, .site = p->site};
	for (uint32_t i = 0; p && i < p->n && n < max && module_of(table.pcs.v[p->first + i]); i++)
		to[n++] =
			(struct pd_wire_frame){.how = PD_WIRE_PC, .pc = table.pcs.v[p->first + i]};
	return n;
}
