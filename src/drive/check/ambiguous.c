/* check/ambiguous.c - notes about each read of recovery that could see more than one value (Jaaru's
 * debugging aid), and about the one that causes most states. See check.h. */
#include "base/sort.h"
#include "drive/check/failure.h"
#include "engine/crash/origin.h"
#include <stdlib.h>

enum { STORES = 16 };

struct load {
	uint32_t site;
	uint32_t n;
	uint64_t pairs;
	const struct pd_crash_several *store[STORES];
};

static int compare(const void *a, const void *b)
{
	const struct pd_crash_several *const *x = a, *const *y = b;

	if ((*x)->store.exec != (*y)->store.exec)
		return (*x)->store.exec < (*y)->store.exec ? -1 : 1;
	return (*x)->store.site<(*y)->store.site ? -1 : (*x)->store.site>(*y)->store.site;
}

/* The values, with the sites of their stores. */
static struct pd_facts facts_of(const struct load *l, const uint32_t *site, struct pd_arena *a)
{
	struct pd_fact_list to = {.arena = a};

	for (uint32_t i = 0; i < l->n; i++) {
		const struct pd_crash_source *s = &l->store[i]->store;

		pd_fact_put_nth(&to, PD_FACT_SEES_VALUE, i, s->value);
		if (!s->site)
			pd_fact_put_nth(&to, PD_FACT_SEES_DURABLE, i, 1);
		else if (site[i] != PD_NO_SITE)
			pd_fact_put_nth(&to, PD_FACT_SEES_STORE, i, site[i]);
	}
	pd_fact_put_if(&to, PD_FACT_SEES_MORE, l->pairs - l->n);
	return pd_facts_of(&to);
}

static void report(const struct pd_explored *x, struct load *l, struct pd_result *r)
{
	const struct pd_places places = {.arena = r->arena};
	struct pd_finding_site sites[STORES + 1];
	struct pd_finding f = {
		.kind = PD_KIND_CRASH_AMBIGUOUS, .sites = sites, .nsites = 1, .count = l->pairs};
	uint32_t site[STORES];

	pd_sort(l->store, l->n, sizeof(*l->store), compare, r->arena);
	sites[0] = pd_place(&places, PD_ROLE_LOAD, true, pd_explored_site(x, 1, l->site), NULL, 0);
	f.id = pd_finding_id(&f); /* by the read alone: the stores depend on the run */
	for (uint32_t i = 0; i < l->n; i++) {
		const struct pd_crash_source *s = &l->store[i]->store;

		sites[f.nsites] = pd_place(&places, PD_ROLE_STORE, s->exec > 0,
					   pd_explored_site(x, s->exec, s->site), NULL, 0);
		site[i] = pd_finding_site_known(&sites[f.nsites]) ? f.nsites++ : PD_NO_SITE;
	}
	f.facts = facts_of(l, site, r->arena);
	pd_findings_add(&r->findings, &f);
}

void pd_check_ambiguous(const struct pd_check_run *c, struct pd_result *r)
{
	const struct pd_board *b = c->board;
	const struct pd_explored x = {.first_site = b->first_site,
				      .recover_site = b->recover_site,
				      .nsite = PD_BOARD_SITES};
	struct load *loads = calloc(b->several.n + 1, sizeof(*loads));
	uint32_t n = 0;

	for (const struct pd_crash_several *s = b->several.list; loads && s; s = s->next) {
		uint32_t i = 0;

		while (i < n && loads[i].site != s->load)
			i++;
		n += i == n;
		loads[i].site = s->load;
		loads[i].pairs++;
		if (loads[i].n < STORES)
			loads[i].store[loads[i].n++] = s;
	}
	for (uint32_t i = 0; i < n; i++)
		report(&x, &loads[i], r);
	free(loads);
}

void pd_check_origin(struct pd_check_run *c)
{
	const struct pd_board *b = c->board;
	const struct pd_board_site *at;

	if (c->result.complete || c->random)
		return;
	at = pd_board_site(b, true, pd_origin_find(&b->roots, PD_BOARD_SITES, &c->arena));
	if (!at || !at->at.file || !at->at.function)
		return;
	pd_result_stat_text(&c->result, "most_states_function", at->at.function);
	pd_result_stat_text(&c->result, "most_states_file", at->at.file);
	pd_result_stat_int(&c->result, "most_states_line", at->at.line);
	for (uint32_t i = 0; i < c->nchecksum; i++)
		if (pd_checksum_is_name_of(c->checksum[i], at->at.function))
			pd_result_stat_int(&c->result, "most_states_checksum", 1);
}
