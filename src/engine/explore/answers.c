/* answers.c - see answers.h. */
#include "engine/explore/answers.h"

enum {
	SLOTS = 1 << 12,
	VALUES = 1 << 16,
	REFUTED = 1 << 10,    /* slices without a solution */
	LEADS = 1 << 10,      /* hash table of their first conditions */
	CONDITIONS = 1 << 14, /* of all of these */
	DOMAINS = 1 << 13,
};

struct slot {
	struct pd_digest d;
	uint32_t first; /* of its values */
	uint16_t n;
	uint16_t answer; /* + 1; 0: empty */
};

struct refuted {
	uint32_t next; /* of one lead: number + 1 */
	uint32_t condition, nconditions;
	uint32_t domain, ndomains;
};

struct byte_domain {
	uint32_t byte;
	struct pd_set domain;
};

struct pd_answers {
	struct pd_exprs *x;
	struct slot slot[SLOTS];
	uint32_t nslots;
	uint8_t value[VALUES];
	uint32_t nvalues;

	uint32_t lead[LEADS]; /* by hash of the condition with the least number: number + 1 */
	struct refuted refuted[REFUTED];
	uint32_t nrefuted;
	pd_expr condition[CONDITIONS];
	uint32_t nconditions;
	struct byte_domain domain[DOMAINS];
	uint32_t ndomains;
};

struct pd_answers *pd_answers_create(struct pd_arena *a, struct pd_exprs *x)
{
	struct pd_answers *s = pd_new(a, struct pd_answers);

	if (s)
		s->x = x;
	return s;
}

struct pd_digest pd_answers_digest(const struct pd_exprs *x, const struct pd_slice *l)
{
	struct pd_digest sum = {0, 0};

	for (uint32_t i = 0; i < l->holds.n; i++) {
		struct pd_digest d = pd_expr_digest(x, l->holds.v[i]);

		sum.a += pd_mix(d.a);
		sum.b += pd_mix(d.b ^ 0x5bd1e995);
	}
	for (uint32_t i = 0; i < l->byte.n; i++) {
		struct pd_digest d = PD_DIGEST_INIT;

		pd_digest_u64(&d, l->byte.v[i]);
		for (uint32_t j = 0; j < 4; j++)
			pd_digest_u64(&d, l->domain.v[i].w[j]);
		sum.a += d.a;
		sum.b += d.b;
	}
	return sum;
}

static struct slot *slot_of(struct pd_answers *s, struct pd_digest d)
{
	uint32_t i = (uint32_t)d.a & (SLOTS - 1);

	while (s->slot[i].answer && (s->slot[i].d.a != d.a || s->slot[i].d.b != d.b))
		i = (i + 1) & (SLOTS - 1);
	return &s->slot[i];
}

/* ---- slices without a solution -------------------------------------------------------------- */

static uint32_t lead_of(pd_expr e)
{
	return (uint32_t)pd_mix(e) & (LEADS - 1);
}

/* Both are ascending. */
static bool has_all(const pd_expr *v, uint32_t n, const pd_expr *of, uint32_t nof)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < nof; i++) {
		while (at < n && v[at] < of[i])
			at++;
		if (at == n || v[at] != of[i])
			return false;
	}
	return true;
}

static bool no_value_more(const struct pd_slice *l, const struct byte_domain *of, uint32_t n)
{
	uint32_t at = 0;

	for (uint32_t i = 0; i < n; i++) {
		while (at < l->byte.n && l->byte.v[at] < of[i].byte)
			at++;
		if (at == l->byte.n || l->byte.v[at] != of[i].byte ||
		    !pd_set_is_within(&l->domain.v[at], &of[i].domain))
			return false;
	}
	return true;
}

static bool is_refuted(const struct pd_answers *s, const struct pd_slice *l)
{
	for (uint32_t i = 0; i < l->holds.n; i++)
		for (uint32_t k = s->lead[lead_of(l->holds.v[i])]; k; k = s->refuted[k - 1].next) {
			const struct refuted *r = &s->refuted[k - 1];

			if (s->condition[r->condition] == l->holds.v[i] &&
			    has_all(l->holds.v, l->holds.n, s->condition + r->condition,
				    r->nconditions) &&
			    no_value_more(l, s->domain + r->domain, r->ndomains))
				return true;
		}
	return false;
}

/* Expressions get other numbers from here on. */
static void forget(struct pd_answers *s)
{
	memset(s->lead, 0, sizeof(s->lead));
	s->nrefuted = s->nconditions = s->ndomains = 0;
}

static void refute(struct pd_answers *s, const struct pd_slice *l)
{
	struct refuted *r;
	uint32_t *lead;

	if (l->holds.n == 0 || l->holds.n > CONDITIONS / 16 || l->byte.n > DOMAINS / 16)
		return;
	if (s->nrefuted == REFUTED || s->nconditions + l->holds.n > CONDITIONS ||
	    s->ndomains + l->byte.n > DOMAINS)
		forget(s);
	lead = &s->lead[lead_of(l->holds.v[0])];
	r = &s->refuted[s->nrefuted++];
	*r = (struct refuted){*lead, s->nconditions, l->holds.n, s->ndomains, l->byte.n};
	*lead = s->nrefuted;
	memcpy(s->condition + s->nconditions, l->holds.v, l->holds.n * sizeof(pd_expr));
	s->nconditions += l->holds.n;
	for (uint32_t i = 0; i < l->byte.n; i++)
		s->domain[s->ndomains++] = (struct byte_domain){l->byte.v[i], l->domain.v[i]};
}

/* ---- answers -------------------------------------------------------------------------------- */

bool pd_answers_find(struct pd_answers *s, struct pd_digest d, const struct pd_slice *l,
		     uint8_t *input, enum pd_ask_answer *answer)
{
	const struct slot *t = slot_of(s, d);

	if (!t->answer) {
		*answer = PD_ASK_NO;
		return is_refuted(s, l);
	}
	*answer = (enum pd_ask_answer)(t->answer - 1);
	if (*answer == PD_ASK_YES)
		for (uint32_t i = 0; i < t->n; i++)
			input[l->byte.v[i]] = s->value[t->first + i];
	return true;
}

void pd_answers_keep(struct pd_answers *s, struct pd_digest d, const struct pd_slice *l,
		     const uint8_t *input, enum pd_ask_answer answer)
{
	uint32_t n = answer == PD_ASK_YES ? l->byte.n : 0;
	struct slot *t;

	if (answer == PD_ASK_NO)
		refute(s, l);
	if (n > VALUES / 16)
		return;
	if (s->nslots >= SLOTS / 2 || s->nvalues + n > VALUES) {
		memset(s->slot, 0, sizeof(s->slot));
		s->nslots = s->nvalues = 0;
	}
	t = slot_of(s, d);
	if (t->answer)
		return;
	s->nslots++;
	*t = (struct slot){d, s->nvalues, (uint16_t)n, (uint16_t)(answer + 1)};
	for (uint32_t i = 0; i < n; i++)
		s->value[s->nvalues++] = input[l->byte.v[i]];
}
