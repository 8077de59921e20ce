/* flow.c - one step of a finding's path through the source, in words (report/flow.h). See
 * words.h. */
#include "report/flow.h"
#include "report/words/words.h"
#include <inttypes.h>

/* What a read of recovery saw instead of a store that was lost. */
static bool put_read(FILE *to, const struct pd_facts *f, uint32_t site)
{
	for (uint32_t i = 0; i < pd_fact_count(f, PD_FACT_GROUP_LOST); i++) {
		const struct pd_fact *load = pd_fact_get(f, PD_FACT_LOST_LOAD, i);
		const struct pd_fact *seen = pd_fact_get(f, PD_FACT_LOST_SEEN, i);
		const struct pd_fact *expected = pd_fact_get(f, PD_FACT_LOST_EXPECTED, i);

		if (!load || load->number != site || !seen || !expected)
			continue;
		fputs("recovery reads ", to);
		pd_words_value(to, seen->number);
		fputs(" here instead of ", to);
		pd_words_value(to, expected->number);
		return true;
	}
	return false;
}

static bool is_lost(const struct pd_facts *f, uint32_t site)
{
	for (uint32_t i = 0; i < pd_fact_count(f, PD_FACT_GROUP_LOST); i++) {
		const struct pd_fact *store = pd_fact_get(f, PD_FACT_LOST_STORE, i);

		if (store && store->number == site)
			return true;
	}
	return false;
}

void pd_words_flow(FILE *to, const struct pd_finding *f, const struct pd_flow_step *s)
{
	if (s->role == PD_ROLE_CRASH)
		fputs("power fails here", to);
	else if (s->role == PD_ROLE_STORE && is_lost(&f->facts, s->site))
		fputs("this store is not durable yet", to);
	else if (s->role != PD_ROLE_LOAD || !put_read(to, &f->facts, s->site))
		fprintf(to, "%s: %s", pd_role_info[s->role].name, pd_role_info[s->role].doc);
}
