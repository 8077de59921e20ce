/* raw.c - see raw.h. */
#include "finding/raw.h"

struct naming {
	const struct pd_namer *front;
	const struct pd_raw_finding *t;
	PD_VEC(struct pd_finding_site) sites;
	/* Indices of the reported sites among those of the finding; UINT32_MAX: none */
	uint32_t site[PD_RAW_SITES];
	const char *library; /* of the first */
	bool system;	     /* the innermost function of the first is libc's or the like */
	bool locks;
	struct pd_place place; /* the current one */
};

static struct pd_finding_site *push(struct naming *x, enum pd_role role)
{
	struct pd_finding_site *s = pd_vec_push(&x->sites, x->front->arena);

	if (s)
		*s = (struct pd_finding_site){.role = role};
	return s;
}

static void add_frames(struct naming *x, enum pd_role role, uint32_t at)
{
	struct pd_finding_site *s = push(x, role);
	const struct pd_place *p = &x->place;
	uint32_t n = p->n - at - 1;
	struct pd_frame *stack = n ? pd_new_array(x->front->arena, struct pd_frame, n) : NULL;

	if (!s)
		return;
	s->at = p->frame[at];
	if (!stack)
		return;
	memcpy(stack, p->frame + at + 1, n * sizeof(*stack));
	s->stack = stack;
	s->nstack = n;
}

/* The first site is what the finding is about. */
static void add_first(struct naming *x, enum pd_role role)
{
	const struct pd_place *p = &x->place;

	add_frames(x, role, p->at);
	if (x->sites.n && !p->library && p->caller < p->n)
		x->sites.v[0].about = p->caller - p->at;
	x->system = p->system;
	x->locks = p->locks;
	x->library = p->library;
	if (p->caller < p->n)
		add_frames(x, PD_ROLE_CALLER, p->caller);
}

static void add_other(struct naming *x, enum pd_role role)
{
	const struct pd_place *p = &x->place;

	add_frames(x, role, role == PD_ROLE_BEFORE && p->caller < p->n ? p->caller : p->at);
	if (role == PD_ROLE_FLUSH && !p->library && p->caller < p->n && x->sites.n)
		x->sites.v[x->sites.n - 1].about = p->caller - p->at;
}

static void add_site(struct naming *x, uint32_t i)
{
	enum pd_role role = (enum pd_role)x->t->site[i].role;
	uint32_t number = x->t->site[i].place, have = x->sites.n;

	if (!x->front->place(x->front->ctx, number, role, &x->place)) {
		if (number)
			push(x, role);
	} else if (!have) {
		add_first(x, role);
	} else {
		add_other(x, role);
	}
	x->site[i] = x->sites.n > have ? have : UINT32_MAX;
}

/*
 * libc copies large blocks with such instructions; and locks may be in PM, where their words are
 * never flushed. Neither concerns the user.
 */
static bool is_systems_own(const struct naming *x)
{
	return x->locks || (x->system && (x->t->kind == PD_KIND_LINT_EXTRA_FENCE ||
					  x->t->kind == PD_KIND_LINT_EXTRA_FLUSH ||
					  x->t->kind == PD_KIND_LINT_EXTRA_AT_TIMES ||
					  x->t->kind == PD_KIND_LINT_FLUSH_VOLATILE));
}

/* The facts as the finding has them: addresses in files, sites by index in the finding. */
static struct pd_facts name_facts(const struct naming *x)
{
	struct pd_fact_list list = {.arena = x->front->arena};

	for (uint32_t i = 0; i < x->t->facts.n; i++) {
		struct pd_fact f = x->t->facts.v[i];

		if (pd_fact_info[f.key].type == PD_FACT_IS_ADDRESS)
			x->front->locate(x->front->ctx, &f);
		if (pd_fact_info[f.key].type == PD_FACT_IS_SITE) {
			if (f.number >= x->t->nsites || x->site[f.number] == UINT32_MAX)
				continue;
			f.number = x->site[f.number];
		}
		pd_fact_add(&list, &f);
	}
	return pd_facts_of(&list);
}

bool pd_finding_resolve(const struct pd_namer *front, const struct pd_raw_finding *t,
			struct pd_finding *to)
{
	struct naming x = {.front = front, .t = t};

	*to = (struct pd_finding){
		.kind = (enum pd_kind)t->kind,
		.cause = (enum pd_cause)t->cause,
		.confirmed = t->confirmed,
		.count = t->count,
		.field = t->field,
	};
	if (!front->wants(front->ctx, to->kind))
		return false;
	for (uint32_t i = 0; i < t->nsites; i++)
		add_site(&x, i);
	if (is_systems_own(&x))
		return false;
	to->facts = name_facts(&x);
	to->sites = x.sites.v;
	to->nsites = x.sites.n;
	if (x.library && !front->wants_library(front->ctx, x.library))
		to->library = x.library;
	return true;
}
