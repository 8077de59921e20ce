/* join.c - see join.h. */
#include "engine/lockset/join.h"

/* What a finding is about if the loads are left out: a store and what makes it durable. */
static uint64_t id_by_store(const struct pd_finding *f)
{
	struct pd_finding_site sites[PD_RAW_SITES];
	struct pd_finding less = *f;

	less.nsites = 0;
	less.sites = sites;
	for (uint32_t i = 0; i < f->nsites && less.nsites < PD_RAW_SITES; i++)
		if (f->sites[i].role == PD_ROLE_STORE || f->sites[i].role == PD_ROLE_FLUSH)
			sites[less.nsites++] = f->sites[i];
	return pd_finding_id(&less);
}

static bool has_load(const struct pd_finding *f, const struct pd_finding_site *s)
{
	for (uint32_t i = 0; i < f->nsites; i++)
		if (f->sites[i].role == PD_ROLE_LOAD && pd_frame_same(&f->sites[i].at, &s->at))
			return true;
	return false;
}

/* Loads that one line of the source has in several ways are one; with each go the locks after
 * it. */
static void join_loads(struct pd_arena *a, struct pd_finding *into,
		       const struct pd_finding_site *sites, uint32_t n)
{
	struct pd_finding_site *all = pd_new_array(a, struct pd_finding_site, into->nsites + n);
	bool taking = false;
	uint32_t k = into->nsites;

	if (!all)
		return;
	memcpy(all, into->sites, k * sizeof(*all));
	for (uint32_t i = 0; i < n; i++) {
		if (sites[i].role != PD_ROLE_LOCK)
			taking = sites[i].role == PD_ROLE_LOAD && !has_load(into, &sites[i]);
		if (taking)
			all[k++] = sites[i];
		into->sites = all;
		into->nsites = k;
	}
}

uint64_t pd_lockset_join(const struct pd_namer *front, const struct pd_raw_finding *t,
			 struct pd_findings *to)
{
	struct pd_finding f, *known;
	const struct pd_finding_site *sites;
	uint32_t n, head = 0;

	if (!pd_finding_resolve(front, t, &f))
		return 0;
	sites = f.sites;
	n = f.nsites;
	f.id = id_by_store(&f);
	known = pd_findings_get(to, f.id);
	if (known) {
		known->count += f.count;
		join_loads(front->arena, known, sites, n);
		return f.id;
	}
	while (head < n && sites[head].role != PD_ROLE_LOAD)
		head++;
	f.nsites = head;
	join_loads(front->arena, &f, sites + head, n - head);
	pd_findings_add(to, &f);
	return f.id;
}
