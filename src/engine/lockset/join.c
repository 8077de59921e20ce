/* join.c - see join.h. */
#include "engine/lockset/join.h"

/* The id of a finding is that of its one or two stores, whatever flushes follow. */
static uint64_t id_by_store(const struct pd_finding *f)
{
	struct pd_finding_site sites[PD_RAW_SITES];
	struct pd_finding less = *f;

	less.nsites = 0;
	less.sites = sites;
	for (uint32_t i = 0; i < f->nsites && less.nsites < PD_RAW_SITES; i++)
		if (f->sites[i].role == PD_ROLE_STORE)
			sites[less.nsites++] = f->sites[i];
	return pd_finding_id(&less);
}

static bool has_site(const struct pd_finding *f, const struct pd_finding_site *s)
{
	for (uint32_t i = 0; i < f->nsites; i++)
		if (f->sites[i].role == s->role && pd_frame_same(&f->sites[i].at, &s->at))
			return true;
	return false;
}

static uint32_t loads_from(const struct pd_finding *f)
{
	uint32_t i = 0;

	while (i < f->nsites && f->sites[i].role != PD_ROLE_LOAD)
		i++;
	return i;
}

/* Inserts it before the loads. */
static void add_flush(struct pd_arena *a, struct pd_finding *into, const struct pd_finding_site *s)
{
	struct pd_finding_site *all = pd_new_array(a, struct pd_finding_site, into->nsites + 1);
	uint32_t at = loads_from(into);

	if (!all)
		return;
	memcpy(all, into->sites, at * sizeof(*all));
	all[at] = *s;
	memcpy(all + at + 1, into->sites + at, (into->nsites - at) * sizeof(*all));
	into->sites = all;
	into->nsites++;
}

static bool is_durable(const struct pd_finding *f)
{
	return pd_fact_number(&f->facts, PD_FACT_UNTIL) == PD_WORD_UNTIL_DURABLE;
}

/*
 * Adds the flushes that make the store durable eventually; that none does at times is less
 * informative.
 */
static void join_flushes(struct pd_arena *a, struct pd_finding *into, const struct pd_finding *f)
{
	for (uint32_t i = 0; i < f->nsites; i++)
		if (f->sites[i].role == PD_ROLE_FLUSH && !has_site(into, &f->sites[i]))
			add_flush(a, into, &f->sites[i]);
	if (is_durable(into) || !is_durable(f))
		return;
	into->facts = f->facts;
	into->cause = f->cause;
}

/* Several loads of one source line are one; the locks of each follow it. */
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
			taking = sites[i].role == PD_ROLE_LOAD && !has_site(into, &sites[i]);
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
	uint32_t n, head;

	if (!pd_finding_resolve(front, t, &f))
		return 0;
	sites = f.sites;
	n = f.nsites;
	f.id = id_by_store(&f);
	known = pd_findings_get(to, f.id);
	if (known) {
		known->count += f.count;
		join_flushes(front->arena, known, &f);
		join_loads(front->arena, known, sites, n);
		return f.id;
	}
	head = loads_from(&f);
	f.nsites = head;
	join_loads(front->arena, &f, sites + head, n - head);
	pd_findings_add(to, &f);
	return f.id;
}
