/* words.c - see words.h. */
#include "report/words/words.h"
#include "finding/text.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* ---- what sentences have in common ---------------------------------------------------------- */

void pd_words_frame(FILE *to, const struct pd_frame *f)
{
	/* Compilers give no line to what they make of two branches that end alike */
	if (f->file && !f->line && f->function)
		fprintf(to, "%s (%s)", pd_text_base(f->file), f->function);
	else if (f->file)
		fprintf(to, "%s:%" PRIu32, pd_text_base(f->file), f->line);
	else
		fputs(f->function ? f->function : "an unknown place", to);
}

static const struct pd_finding_site *find_site(const struct pd_finding *f, enum pd_role role,
					       uint32_t nth)
{
	for (uint32_t i = 0; i < f->nsites; i++)
		if (f->sites[i].role == role && !nth--)
			return &f->sites[i];
	return NULL;
}

void pd_words_site(FILE *to, const struct pd_finding *f, enum pd_role role, uint32_t nth)
{
	const struct pd_finding_site *s = find_site(f, role, nth);

	if (!s)
		fputs("an unknown place", to);
	else
		pd_words_frame(to, s->about && s->about <= s->nstack ? &s->stack[s->about - 1]
								     : &s->at);
}

void pd_words_fact_site(FILE *to, const struct pd_finding *f, enum pd_fact_key key, uint32_t nth)
{
	const struct pd_fact *x = pd_fact_get(&f->facts, key, nth);

	if (x && x->number < f->nsites)
		pd_words_frame(to, &f->sites[x->number].at);
	else
		fputs("an unknown place", to);
}

bool pd_words_has(const struct pd_finding *f, enum pd_role role)
{
	return find_site(f, role, 0);
}

static bool same_function(const struct pd_frame *a, const struct pd_frame *b)
{
	return a->function && b->function && strcmp(a->function, b->function) == 0 && a->file &&
	       b->file && strcmp(a->file, b->file) == 0;
}

/* Whether a store of the finding was made in this function, or by one that it called. */
static bool has_stored(const struct pd_finding *f, const struct pd_frame *in)
{
	for (uint32_t i = 0; i < f->nsites; i++) {
		const struct pd_finding_site *s = &f->sites[i];

		if (s->role != PD_ROLE_STORE)
			continue;
		if (same_function(&s->at, in))
			return true;
		for (uint32_t k = 0; k < s->nstack; k++)
			if (same_function(&s->stack[k], in))
				return true;
	}
	return false;
}

void pd_words_crash_place(FILE *to, const struct pd_finding *f)
{
	const struct pd_finding_site *s = NULL;
	uint32_t k = 0;

	for (uint32_t i = 0; i < f->nsites && !s; i++)
		if (f->sites[i].role == PD_ROLE_CRASH)
			s = &f->sites[i];
	if (s && s->inside) {
		fprintf(to, "during %s() at ", s->inside);
		pd_words_frame(to, &s->at);
		return;
	}
	if (pd_fact_get(&f->facts, PD_FACT_AFTER_STORE, 0)) {
		fputs("right after the store at ", to);
		pd_words_site(to, f, PD_ROLE_CRASH, 0);
		return;
	}
	while (s && k < s->nstack && !has_stored(f, &s->stack[k]))
		k++;
	if (!s || k == s->nstack || has_stored(f, &s->at) ||
	    !(k ? &s->stack[k - 1] : &s->at)->function) {
		fputs("before ", to);
		pd_words_site(to, f, PD_ROLE_CRASH, 0);
		return;
	}
	fprintf(to, "during %s() at ", (k ? &s->stack[k - 1] : &s->at)->function);
	pd_words_frame(to, &s->stack[k]);
}

void pd_words_address(FILE *to, const struct pd_fact *address)
{
	if (address && address->text)
		fprintf(to, "%s+0x%" PRIx64, pd_text_base(address->text), address->number);
	else
		fprintf(to, "PM 0x%" PRIx64, address ? address->number : 0);
}

enum { LEAST_LETTERS = 4 };

void pd_words_value(FILE *to, uint64_t value)
{
	char text[9] = "";
	uint32_t n = 0;

	for (; n < 8 && (value >> 8 * n & 0xff); n++) {
		text[n] = (char)(value >> 8 * n);
		if (text[n] < ' ' || text[n] > '~' || text[n] == '"')
			break;
	}
	fprintf(to, "0x%" PRIx64, value);
	if (n >= LEAST_LETTERS && (n == 8 || !(value >> 8 * n)))
		fprintf(to, " (\"%.*s\")", (int)n, text);
}

void pd_words_bytes(FILE *to, const struct pd_facts *f)
{
	uint64_t n = pd_fact_number(f, PD_FACT_SIZE);

	fprintf(to, "%" PRIu64 " byte%s at ", n, n == 1 ? "" : "s");
	pd_words_address(to, pd_fact_get(f, PD_FACT_ADDRESS, 0));
}

void pd_words_cost(FILE *to, const struct pd_facts *f)
{
	uint64_t ns = pd_fact_number(f, PD_FACT_COST_NS);
	uint64_t percent = pd_fact_number(f, PD_FACT_COST_PERCENT);

	if (ns >= 10000000)
		fprintf(to, "; costs about %" PRIu64 " ms", ns / 1000000);
	else if (ns >= 10000)
		fprintf(to, "; costs about %" PRIu64 " us", ns / 1000);
	else if (ns)
		fprintf(to, "; costs about %" PRIu64 " ns", ns);
	if (percent)
		fprintf(to, ", %" PRIu64 "%% of what all flushes and fences cost", percent);
}

/* ---- a finding ------------------------------------------------------------------------------ */

static const struct {
	const char *name;
	pd_words_engine *make;
} engines[] = {
	{"crash", pd_words_crash}, {"explore", pd_words_explore}, {"linear", pd_words_linear},
	{"lint", pd_words_lint},   {"lockset", pd_words_lockset}, {"torn", pd_words_torn},
};

static pd_words_engine *engine_of(enum pd_kind kind)
{
	for (size_t i = 0; i < PD_LEN(engines); i++)
		if (pd_kind_own_name(kind, engines[i].name))
			return engines[i].make;
	return NULL;
}

const char *pd_words_keep(struct pd_arena *a, FILE *f, char **text, size_t *n)
{
	const char *kept;

	if (!f)
		return NULL;
	fclose(f);
	kept = *text && *n ? pd_arena_strndup(a, *text, *n) : NULL;
	free(*text);
	return kept;
}

void pd_words_make(struct pd_arena *a, struct pd_finding *f)
{
	pd_words_engine *make = f->message ? NULL : engine_of(f->kind);
	char *message = NULL, *fix = NULL;
	size_t nmessage = 0, nfix = 0;
	struct pd_words w = {.f = f};
	const char *made;

	if (!make)
		return;
	w.message = open_memstream(&message, &nmessage);
	w.fix = open_memstream(&fix, &nfix);
	if (w.message && w.fix)
		make(&w);
	f->message = pd_words_keep(a, w.message, &message, &nmessage);
	made = pd_words_keep(a, w.fix, &fix, &nfix);
	if (!f->fix)
		f->fix = made;
}

const char *pd_words_standing(const struct pd_finding *f)
{
	if (f->confirmed)
		return "confirmed: executed and replayed";
	switch ((int)pd_fact_number(&f->facts,
				    PD_FACT_VERDICT)) { /* an int: verdicts of races, or none */
	case PD_WORD_VERDICT_OBSERVED:
	case PD_WORD_VERDICT_UNREAD:
	case PD_WORD_VERDICT_TOLERATED:
	case PD_WORD_VERDICT_HELPED:
		return "not confirmed: it was made to happen, but no recovery failed";
	case PD_WORD_VERDICT_FAILS_ANYWAY:
		return "not confirmed: recovery fails anyway; 'perdure check' says why";
	case PD_WORD_VERDICT_ANOTHER:
		return "not confirmed: recovery fails for a later store to the same line";
	case PD_WORD_VERDICT_NOT_REPLAYED:
		return "not confirmed: a recovery failed, but not when it was replayed";
	}
	/* Failed recoveries were always executed. */
	return pd_kind_own_name(f->kind, "crash")
		       ? "executed, but not confirmed: the limits below say why"
		       : "not confirmed: inferred from the run, no failure was executed";
}
