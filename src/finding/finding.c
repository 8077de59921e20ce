/* finding.c - the id of a finding, and the set; see finding.h. */
#include "finding/finding.h"
#include "base/hash.h"
#include "base/sort.h"
#include "finding/steps.h"
#include "finding/text.h"
#include "finding/witness.h"

bool pd_frame_same(const struct pd_frame *a, const struct pd_frame *b)
{
	return a->line == b->line && !a->file == !b->file && !a->function == !b->function &&
	       (!a->file || pd_text_cmp(a->file, b->file) == 0) &&
	       (!a->function || pd_text_cmp(a->function, b->function) == 0);
}

bool pd_callers_same(const struct pd_finding_site *a, const struct pd_finding_site *b)
{
	if (a->nstack != b->nstack)
		return false;
	for (uint32_t i = 0; i < a->nstack; i++)
		if (!pd_frame_same(&a->stack[i], &b->stack[i]))
			return false;
	return true;
}

bool pd_frame_is_system(const struct pd_frame *f)
{
	static const char *const folders[] = {"/usr/include/", "/usr/lib/", "/usr/local/include/"};

	for (uint32_t i = 0; f->file && i < PD_LEN(folders); i++)
		if (memcmp(folders[i], f->file,
			   PD_MIN(pd_text_len(folders[i]), pd_text_len(f->file) + 1)) == 0)
			return true;
	/* Functions of perdure.h, by which a program annotates */
	return f->file && pd_text_find(f->file, "/lib/perdure/include/perdure");
}

/* ---- the id --------------------------------------------------------------------------------- */

static void digest_text(struct pd_digest *d, const char *s)
{
	pd_digest_bytes(d, s ? s : "", pd_text_len(s));
}

static uint64_t site_digest(const struct pd_finding_site *s)
{
	struct pd_digest d = PD_DIGEST_INIT;
	const char *function = s->at.function ? s->at.function : "";
	size_t n = 0;
	bool relative = s->function_line && s->at.line >= s->function_line;

	/* A name without debug information ("libx.so+0x1234") contains dots. */
	while (function[n] && (function[n] != '.' || !s->at.file))
		n++;
	digest_text(&d, pd_role_info[s->role].name);
	pd_digest_bytes(&d, function, n);
	digest_text(&d, pd_text_base(s->at.file));
	pd_digest_u64(&d, relative);
	pd_digest_u64(&d, relative ? s->at.line - s->function_line : s->at.line);
	return d.a;
}

/* A sum, so that the order of sites does not matter. */
static uint64_t sites_digest(const struct pd_finding *f, bool all, uint32_t *counted)
{
	uint64_t sum = 0;

	*counted = 0;
	for (uint32_t i = 0; i < f->nsites; i++) {
		if (!all && !pd_role_info[f->sites[i].role].identifies)
			continue;
		sum += site_digest(&f->sites[i]);
		(*counted)++;
	}
	return sum;
}

static void digest_facts(struct pd_digest *d, const struct pd_facts *f)
{
	for (uint32_t i = 0; i < f->n; i++) {
		digest_text(d, pd_fact_info[f->v[i].key].name);
		pd_digest_u64(d, f->v[i].number);
		digest_text(d, f->v[i].text);
	}
}

uint64_t pd_finding_id(const struct pd_finding *f)
{
	struct pd_digest d = PD_DIGEST_INIT;
	uint32_t counted;
	uint64_t sites = sites_digest(f, false, &counted);
	uint64_t id;

	if (!counted)
		sites = sites_digest(f, true, &counted);
	digest_text(&d, pd_kind_info[f->kind].name);
	digest_text(&d, f->field);
	pd_digest_u64(&d, counted);
	pd_digest_u64(&d, sites);
	if (!counted) {
		digest_facts(&d, &f->facts);
		digest_text(&d, f->message);
	}
	id = d.a & PD_FINDING_ID_MAX;
	return id ? id : 1;
}

void pd_finding_id_print(struct pd_out *o, uint64_t id)
{
	pd_outf(o, "%010lx", (unsigned long)id);
}

bool pd_finding_id_parse(const char *text, uint64_t *id)
{
	uint64_t x = 0;

	if (pd_text_len(text) != PD_FINDING_ID_DIGITS)
		return false;
	for (const char *p = text; *p; p++) {
		if (*p >= '0' && *p <= '9')
			x = x << 4 | (uint64_t)(*p - '0');
		else if (*p >= 'a' && *p <= 'f')
			x = x << 4 | (uint64_t)(*p - 'a' + 10);
		else
			return false;
	}
	if (x)
		*id = x;
	return x != 0;
}

bool pd_finding_decides(const struct pd_finding *f, bool strict)
{
	return !f->library && !f->known &&
	       (strict || pd_kind_info[f->kind].severity < PD_SEVERITY_PORTABILITY);
}

/* ---- copying into the set's arena ----------------------------------------------------------- */

/* No check per request, one at the end: arena.h, invariant 2. */
static const char *copy_text(struct pd_arena *a, const char *s)
{
	return s ? pd_arena_strndup(a, s, pd_text_len(s)) : NULL;
}

static void copy_frame(struct pd_arena *a, struct pd_frame *f)
{
	f->function = copy_text(a, f->function);
	f->file = copy_text(a, f->file);
}

static void *copy_array(struct pd_arena *a, const void *p, size_t n, size_t size)
{
	void *q;

	if (!n)
		return NULL;
	q = pd_arena_alloc(a, n * size);
	if (q)
		memcpy(q, p, n * size);
	return q;
}

static void copy_site(struct pd_arena *a, struct pd_finding_site *s)
{
	struct pd_frame *stack = copy_array(a, s->stack, s->nstack, sizeof(*stack));

	copy_frame(a, &s->at);
	for (uint32_t i = 0; stack && i < s->nstack; i++)
		copy_frame(a, &stack[i]);
	s->stack = stack;
}

void pd_witness_copy(struct pd_arena *a, struct pd_witness *w)
{
	struct pd_chosen *chosen =
		w->chosen ? copy_array(a, w->chosen, w->n, sizeof(*chosen)) : NULL;

	w->choices = copy_array(a, w->choices, w->n, sizeof(*w->choices));
	for (uint32_t i = 0; chosen && i < w->n; i++) {
		copy_frame(a, &chosen[i].at);
		chosen[i].next = copy_text(a, chosen[i].next);
	}
	w->chosen = chosen;
}

/* Copies all that they point to into the arena. The caller checks a->failed. */
static struct pd_steps copy_steps(struct pd_arena *a, const struct pd_steps *s)
{
	struct pd_step *v = copy_array(a, s->v, s->n, sizeof(*v));

	for (uint32_t i = 0; v && i < s->n; i++) {
		copy_site(a, &v[i].at);
		copy_site(a, &v[i].other);
		v[i].address.text = copy_text(a, v[i].address.text);
		v[i].end = pd_facts_copy(a, &v[i].end);
	}
	return (struct pd_steps){v ? s->n : 0, v};
}

static bool copy_finding(struct pd_arena *a, struct pd_finding *to, const struct pd_finding *f)
{
	bool failed_before = a->failed;
	struct pd_finding_site *sites;
	struct pd_finding c = *f;
	bool ok;

	a->failed = false;
	sites = copy_array(a, f->sites, f->nsites, sizeof(*sites));
	for (uint32_t i = 0; sites && i < f->nsites; i++)
		copy_site(a, &sites[i]);
	c.sites = sites;
	c.facts = pd_facts_copy(a, &f->facts);
	c.message = copy_text(a, f->message);
	c.field = copy_text(a, f->field);
	c.library = copy_text(a, f->library);
	c.fix = copy_text(a, f->fix);
	c.explain = copy_text(a, f->explain);
	c.output = copy_text(a, f->output);
	c.patch = copy_text(a, f->patch);
	c.replay = copy_text(a, f->replay);
	pd_witness_copy(a, &c.witness);
	c.story = copy_steps(a, &f->story);
	ok = !a->failed;
	a->failed |= failed_before;
	if (ok)
		*to = c;
	return ok;
}

/* ---- the set -------------------------------------------------------------------------------- */

void pd_findings_init(struct pd_findings *fs, struct pd_arena *a)
{
	memset(fs, 0, sizeof(*fs));
	fs->arena = a;
}

struct pd_finding *pd_findings_get(const struct pd_findings *fs, uint64_t id)
{
	uint64_t *p = pd_map_get(&fs->by_id, id);

	return p ? (struct pd_finding *)(uintptr_t)*p : NULL;
}

static int cmp_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

static int cmp_frames(const struct pd_frame *a, const struct pd_frame *b)
{
	int c = pd_text_cmp(a->file, b->file);

	c = c ? c : cmp_u64(a->line, b->line);
	return c ? c : pd_text_cmp(a->function, b->function);
}

/* By all that sentences are made of. */
static int cmp_sites(const struct pd_finding *a, const struct pd_finding *b)
{
	int c = cmp_u64(a->nsites, b->nsites);

	for (uint32_t i = 0; !c && i < a->nsites; i++) {
		const struct pd_finding_site *x = &a->sites[i], *y = &b->sites[i];

		c = cmp_u64(x->role, y->role);
		c = c ? c : cmp_frames(&x->at, &y->at);
		c = c ? c : cmp_u64(x->nstack, y->nstack);
		for (uint32_t k = 0; !c && k < x->nstack; k++)
			c = cmp_frames(&x->stack[k], &y->stack[k]);
	}
	return c;
}

/* Negative: a is the better representative. */
static int rank(const struct pd_finding *a, const struct pd_finding *b)
{
	int c;

	if (a->confirmed != b->confirmed)
		return a->confirmed ? -1 : 1;
	c = pd_witness_cmp(&a->witness, &b->witness);
	c = c ? c : pd_facts_cmp(&a->facts, &b->facts);
	return c ? c : cmp_sites(a, b);
}

static void count_duplicate(struct pd_findings *fs, struct pd_finding *have,
			    const struct pd_finding *f)
{
	uint64_t count = have->count + PD_MAX(f->count, 1);
	const char *fix = have->fix;
	enum pd_cause cause = have->cause;

	/* If memory runs out the current representative stays: only brevity is lost. */
	if (rank(f, have) < 0)
		(void)copy_finding(fs->arena, have, f);
	have->count = count;
	if (!have->fix)
		have->fix = fix ? fix : copy_text(fs->arena, f->fix);
	if (have->cause == PD_CAUSE_UNKNOWN)
		have->cause = cause != PD_CAUSE_UNKNOWN ? cause : f->cause;
}

static struct pd_finding *insert(struct pd_findings *fs, const struct pd_finding *f, uint64_t id)
{
	struct pd_finding *fresh = pd_new(fs->arena, struct pd_finding);
	struct pd_finding **item;
	uint64_t *slot;

	if (!fresh || !copy_finding(fs->arena, fresh, f))
		return NULL;
	item = pd_vec_push(&fs->items, fs->arena);
	if (!item)
		return NULL;
	slot = pd_map_put(&fs->by_id, fs->arena, id);
	if (!slot) {
		fs->items.n--;
		return NULL;
	}
	*slot = (uintptr_t)fresh;
	*item = fresh;
	fresh->id = id;
	fresh->count = PD_MAX(f->count, 1);
	return fresh;
}

struct pd_finding *pd_findings_add(struct pd_findings *fs, const struct pd_finding *f)
{
	uint64_t id = f->id ? f->id : pd_finding_id(f);
	struct pd_finding *have = pd_findings_get(fs, id);
	struct pd_finding same_id;

	if (have) {
		same_id = *f;
		same_id.id = id;
		count_duplicate(fs, have, &same_id);
		return have;
	}
	have = insert(fs, f, id);
	if (!have)
		fs->dropped += PD_MAX(f->count, 1);
	return have;
}

bool pd_findings_join(struct pd_findings *fs, const struct pd_findings *from)
{
	uint64_t dropped = fs->dropped;

	for (uint32_t i = 0; i < from->items.n; i++)
		pd_findings_add(fs, from->items.v[i]);
	dropped = fs->dropped - dropped;
	fs->dropped += from->dropped;
	fs->suppressed += from->suppressed;
	return !dropped;
}

/* ---- order ---------------------------------------------------------------------------------- */

/* Ids make the order total. */
static int order(const void *one, const void *other)
{
	const struct pd_finding *a = *(struct pd_finding *const *)one;
	const struct pd_finding *b = *(struct pd_finding *const *)other;
	static const struct pd_finding_site nowhere;
	const struct pd_frame *fa = a->nsites ? &a->sites[0].at : &nowhere.at;
	const struct pd_frame *fb = b->nsites ? &b->sites[0].at : &nowhere.at;
	int c;

	c = cmp_u64(pd_kind_info[a->kind].severity, pd_kind_info[b->kind].severity);
	if (!c)
		c = cmp_u64(a->kind, b->kind);
	if (!c)
		c = pd_text_cmp(fa->file, fb->file);
	if (!c)
		c = cmp_u64(fa->line, fb->line);
	if (!c)
		c = pd_text_cmp(fa->function, fb->function);
	return c ? c : cmp_u64(a->id, b->id);
}

void pd_findings_sort(struct pd_findings *fs)
{
	pd_sort(fs->items.v, fs->items.n, sizeof(*fs->items.v), order, fs->arena);
}
