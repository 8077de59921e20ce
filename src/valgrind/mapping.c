/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mapping.c - the mappings of PM; see pool.h. */
#include "core.h"
#include "pool.h"

#define AWAY_FROM (PD_PM_BASE + (12ULL << 40)) /* above all homes */

Bool vg_window_only = True;
Bool vg_pools_away;
struct vg_hull vg_hull;

static PD_VEC(struct vg_mapping) maps; /* by address */
static UInt latest;

/* The first mapping that ends after a. */
static UInt first_after(Addr a)
{
	UInt lo = 0, hi = maps.n;

	while (lo < hi) {
		UInt mid = (lo + hi) / 2;

		if (maps.v[mid].to <= a)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct vg_mapping *vg_mapping_at(Addr a)
{
	UInt i = latest;

	if (i >= maps.n || a < maps.v[i].from || a >= maps.v[i].to)
		i = first_after(a);
	if (i >= maps.n || a < maps.v[i].from)
		return NULL;
	latest = i;
	return &maps.v[i];
}

static Bool at_home(const struct vg_mapping *m)
{
	return m->pool && m->from == m->pool->base + m->offset;
}

/* Existing code checks only for the window, and would miss PM outside: discard it. */
static void leave_window(void)
{
	vg_window_only = False;
	VG_(discard_translations)(0, ~0ULL >> 1, "perdure: PM outside the window");
}

static void settle(void)
{
	Addr from = ~0UL, to = 0;

	vg_pools_away = False;
	for (UInt i = 0; i < maps.n; i++) {
		const struct vg_mapping *m = &maps.v[i];

		vg_pools_away |= !at_home(m);
		if (!m->pool)
			continue;
		from = PD_MIN(from, m->from);
		to = PD_MAX(to, m->to);
		if (vg_window_only && (!PD_IS_PM(m->from) || !PD_IS_PM(m->to - 1)))
			leave_window();
	}
	vg_hull.from = from;
	vg_hull.size = to > from ? to - from : 0;
}

static void insert(UInt at, struct vg_mapping m)
{
	struct vg_mapping *last = pd_vec_push(&maps, &vg_session.arena);

	if (!last)
		vg_fail(4, "memory ran out");
	for (UInt i = maps.n - 1; i > at; i--)
		maps.v[i] = maps.v[i - 1];
	maps.v[at] = m;
}

static void erase(UInt at)
{
	maps.n--;
	for (UInt i = at; i < maps.n; i++)
		maps.v[i] = maps.v[i + 1];
}

void vg_mapping_add(Addr a, SizeT n, struct vg_pool *p, ULong offset)
{
	n = VG_PGROUNDUP(n);
	vg_mapping_remove(a, n);
	insert(first_after(a), (struct vg_mapping){a, a + n, p, offset});
	settle();
	if (!p)
		return;
	if (p->glob < PD_CHANNEL_GLOBS)
		vg_session.channel->glob_mapped[p->glob]++;
	vg_pool_report(PD_EV_POOL_MAP, p, offset, n);
}

static void report_gone(const struct vg_mapping *m, Addr from, Addr to)
{
	if (m->pool)
		vg_pool_report(PD_EV_POOL_UNMAP, m->pool, m->offset + (from - m->from), to - from);
}

void vg_mapping_remove(Addr a, SizeT n)
{
	Addr end = a + VG_PGROUNDUP(n);
	UInt i = first_after(a);

	if (i >= maps.n || maps.v[i].from >= end)
		return;
	while (i < maps.n && maps.v[i].from < end) {
		struct vg_mapping m = maps.v[i];

		report_gone(&m, PD_MAX(m.from, a), PD_MIN(m.to, end));
		erase(i);
		if (m.from < a)
			insert(i++, (struct vg_mapping){m.from, a, m.pool, m.offset});
		if (m.to > end)
			insert(i++,
			       (struct vg_mapping){end, m.to, m.pool, m.offset + (end - m.from)});
	}
	settle();
}

Bool vg_mapping_any(Addr a, SizeT n)
{
	UInt i = first_after(a);

	return i < maps.n && maps.v[i].from < a + n;
}

Bool vg_mapping_of(const struct vg_pool *p)
{
	for (UInt i = 0; i < maps.n; i++)
		if (maps.v[i].pool == p)
			return True;
	return False;
}

void vg_mapping_synced(Addr a, SizeT n)
{
	Addr end = a + VG_PGROUNDUP(n);

	for (UInt i = first_after(a); i < maps.n && maps.v[i].from < end; i++) {
		const struct vg_mapping *m = &maps.v[i];
		Addr from = PD_MAX(m->from, a), to = PD_MIN(m->to, end);

		if (m->pool)
			vg_pool_report(PD_EV_MSYNC, m->pool, m->offset + (from - m->from),
				       to - from);
	}
}

/* Asks the kernel, which knows Valgrind's own mappings. */
Bool vg_mapping_free(Addr a, SizeT n)
{
	SysRes r;

	n = VG_PGROUNDUP(n);
	if (!a || a & (VKI_PAGE_SIZE - 1) || PD_IS_PM(a) || PD_IS_PM(a + n - 1))
		return False;
	r = vg_sys(__NR_mmap, a, n, VKI_PROT_NONE,
		   VKI_MAP_PRIVATE | VKI_MAP_ANONYMOUS | VG_MAP_FIXED_EMPTY | VKI_MAP_NORESERVE,
		   ~0UL, 0);
	if (sr_isError(r))
		return False;
	vg_sys(__NR_munmap, sr_Res(r), n, 0, 0, 0, 0);
	return sr_Res(r) == a;
}

/* The first gap above all homes. */
static Addr away(SizeT n)
{
	Addr a = AWAY_FROM;

	/* Leave a gap: running over the end faults, as it does natively */
	n = VG_PGROUNDUP(n) + VKI_PAGE_SIZE;
	for (UInt i = first_after(a); i < maps.n && maps.v[i].from < a + n; i++)
		a = maps.v[i].to + VKI_PAGE_SIZE;
	return a + n <= PD_PM_END ? a : 0;
}

Addr vg_mapping_place(const struct vg_pool *p, ULong offset, SizeT n)
{
	Addr home = p->base + offset;

	if (offset + n > p->room)
		return 0;
	return vg_mapping_any(home, VG_PGROUNDUP(n)) ? away(n) : home;
}

Addr vg_mapping_place_reservation(SizeT n)
{
	return away(n);
}
