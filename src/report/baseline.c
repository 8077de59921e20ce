/*
 * baseline.c - what is new since an earlier result: see result.h.
 *
 * Findings are the same if their ids are. Findings that only the earlier result has are gone;
 * results alone do not show whether they were fixed or just not reached again, so for an incomplete
 * run the list says so (text.c).
 */
#include "report/result.h"
#include <string.h>

static void add_gone(struct pd_result *r, const struct pd_finding *f)
{
	struct pd_gone *g = pd_vec_push(&r->gone, r->arena);
	const char *say = f->message ? f->message : pd_kind_info[f->kind].doc;

	if (g)
		*g = (struct pd_gone){f->id, f->kind, pd_arena_strndup(r->arena, say, strlen(say))};
	r->nomem |= !g || !g->message;
}

void pd_result_compare(struct pd_result *r, const struct pd_result *before, const char *name)
{
	r->baseline = pd_arena_strndup(r->arena, name, strlen(name));
	r->nomem |= !r->baseline;
	r->gone.n = 0;
	for (uint32_t i = 0; i < r->findings.items.n; i++) {
		struct pd_finding *f = r->findings.items.v[i];

		f->known = pd_findings_get(&before->findings, f->id) != NULL;
	}
	for (uint32_t i = 0; i < before->findings.items.n; i++)
		if (!pd_findings_get(&r->findings, before->findings.items.v[i]->id))
			add_gone(r, before->findings.items.v[i]);
}

void pd_result_uncompare(struct pd_result *r)
{
	r->baseline = NULL;
	r->gone.n = 0;
	for (uint32_t i = 0; i < r->findings.items.n; i++)
		r->findings.items.v[i]->known = false;
}

uint32_t pd_result_known(const struct pd_result *r)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < r->findings.items.n; i++)
		n += r->findings.items.v[i]->known;
	return n;
}
