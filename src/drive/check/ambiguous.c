/*
 * check/ambiguous.c - each read of recovery that could see more than one value, as a note (Jaaru's
 * debugging aid). See check.h.
 */
#include "drive/check/failure.h"
#include <stdio.h>
#include <stdlib.h>

enum { STORES = 16 };

struct load {
	uint32_t site;
	uint32_t n;
	uint64_t pairs;
	const struct pd_board_several *store[STORES];
};

static struct pd_finding_site place_of(const struct pd_places *p, const struct pd_board *b,
				       const struct pd_board_source *s)
{
	return pd_place(p, PD_ROLE_STORE, s->exec > 0, pd_board_site(b, s->exec > 0, s->site), NULL,
			0);
}

static int compare(const void *a, const void *b)
{
	const struct pd_board_several *const *x = a, *const *y = b;

	if ((*x)->store.exec != (*y)->store.exec)
		return (*x)->store.exec < (*y)->store.exec ? -1 : 1;
	return (*x)->store.site<(*y)->store.site ? -1 : (*x)->store.site>(*y)->store.site;
}

static char *message_of(const struct pd_places *p, const struct pd_board *b, const struct load *l,
			const struct pd_finding_site *at)
{
	char *text = NULL, where[300];
	size_t n;
	FILE *m = open_memstream(&text, &n);

	if (!m)
		return NULL;
	fprintf(m, "after some crash %s can read", pd_place_text(at, where, sizeof(where)));
	for (uint32_t i = 0; i < l->n; i++) {
		const struct pd_board_source *s = &l->store[i]->store;
		struct pd_finding_site from = place_of(p, b, s);

		fputs(i ? " or" : "", m);
		if (s->site)
			fprintf(m, " 0x%lx from %s", (unsigned long)s->value,
				pd_place_text(&from, where, sizeof(where)));
		else
			fprintf(m, " 0x%lx that is durable from before", (unsigned long)s->value);
	}
	if (l->pairs > l->n)
		fprintf(m, " or what %lu other stores gave", (unsigned long)(l->pairs - l->n));
	fclose(m);
	return text;
}

static void tell(const struct pd_places *p, const struct pd_board *b, struct load *l,
		 struct pd_result *r)
{
	struct pd_finding_site sites[STORES + 1];
	struct pd_finding f = {
		.kind = PD_KIND_CRASH_AMBIGUOUS, .sites = sites, .nsites = 1, .count = l->pairs};
	char *message;

	qsort(l->store, l->n, sizeof(*l->store), compare);
	sites[0] = pd_place(p, PD_ROLE_LOAD, true, pd_board_site(b, true, l->site), NULL, 0);
	f.id = pd_finding_id(&f); /* by the read alone: which stores it meets depends on the run */
	for (uint32_t i = 0; i < l->n; i++) {
		sites[f.nsites] = place_of(p, b, &l->store[i]->store);
		f.nsites += pd_finding_site_known(&sites[f.nsites]);
	}
	f.message = message = message_of(p, b, l, &sites[0]);
	pd_findings_add(&r->findings, &f);
	free(message);
}

void pd_check_ambiguous(const struct pd_check_run *c, struct pd_result *r)
{
	const struct pd_board *b = c->board;
	struct pd_places places = {.arena = r->arena};
	struct load *loads = calloc(b->several.n + 1, sizeof(*loads));
	uint32_t n = 0;

	for (const struct pd_board_several *s = b->several.list; loads && s; s = s->next) {
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
		tell(&places, b, &loads[i], r);
	free(loads);
}
