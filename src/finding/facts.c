/* facts.c - see facts.h. */
#include "finding/facts.h"
#include "base/vec.h"
#include "finding/text.h"

const struct pd_fact_info pd_fact_info[PD_FACT_N] = {
#define PD_FACT(ID, group, name, type, words, doc)                                                 \
	[PD_FACT_##ID] = {name, #words, doc, PD_FACT_GROUP_##group, PD_FACT_IS_##type},
#include "finding/facts.def"
};

const char *const pd_fact_group_name[PD_FACT_GROUP_N] = {
#define PD_FACT_GROUP(ID, name, doc) [PD_FACT_GROUP_##ID] = name,
#include "finding/facts.def"
};

const struct pd_word_info pd_word_info[PD_WORD_N] = {
#define PD_WORD(set, ID, name, doc) [PD_WORD_##ID] = {#set, name, doc},
#include "finding/facts.def"
};

enum pd_fact_key pd_fact_find(enum pd_fact_group group, const char *name)
{
	unsigned i = 0;

	while (i < PD_FACT_N &&
	       (pd_fact_info[i].group != group || pd_text_cmp(pd_fact_info[i].name, name) != 0))
		i++;
	return (enum pd_fact_key)i;
}

enum pd_word pd_word_find(const char *set, const char *name)
{
	unsigned i = 0;

	while (i < PD_WORD_N && (pd_text_cmp(pd_word_info[i].set, set) != 0 ||
				 pd_text_cmp(pd_word_info[i].name, name) != 0))
		i++;
	return (enum pd_word)i;
}

/* ---- making --------------------------------------------------------------------------------- */

void pd_fact_add(struct pd_fact_list *l, const struct pd_fact *f)
{
	if (l->n == l->cap && (!l->arena || l->n >= PD_FACTS_MAX ||
			       !pd_vec_grow(l->arena, (void **)&l->v, &l->cap, sizeof(*l->v)))) {
		l->dropped++;
		return;
	}
	l->v[l->n++] = *f;
}

void pd_fact_put_nth(struct pd_fact_list *l, enum pd_fact_key key, uint32_t nth, uint64_t number)
{
	pd_fact_add(
		l, &(struct pd_fact){.key = (uint16_t)key, .nth = (uint16_t)nth, .number = number});
}

void pd_fact_put(struct pd_fact_list *l, enum pd_fact_key key, uint64_t number)
{
	pd_fact_put_nth(l, key, 0, number);
}

void pd_fact_put_text(struct pd_fact_list *l, enum pd_fact_key key, const char *text)
{
	if (text)
		pd_fact_add(l, &(struct pd_fact){.key = (uint16_t)key, .text = text});
}

void pd_fact_put_address(struct pd_fact_list *l, enum pd_fact_key key, uint64_t offset,
			 const char *file)
{
	pd_fact_add(l, &(struct pd_fact){.key = (uint16_t)key, .number = offset, .text = file});
}

/* ---- asking --------------------------------------------------------------------------------- */

const struct pd_fact *pd_fact_get(const struct pd_facts *f, enum pd_fact_key key, uint32_t nth)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (f->v[i].key == key && f->v[i].nth == nth)
			return &f->v[i];
	return NULL;
}

uint64_t pd_fact_number(const struct pd_facts *f, enum pd_fact_key key)
{
	const struct pd_fact *x = pd_fact_get(f, key, 0);

	return x ? x->number : 0;
}

enum pd_word pd_fact_word(const struct pd_facts *f, enum pd_fact_key key)
{
	return (enum pd_word)pd_fact_number(f, key);
}

const char *pd_fact_text(const struct pd_facts *f, enum pd_fact_key key)
{
	const struct pd_fact *x = pd_fact_get(f, key, 0);

	return x ? x->text : NULL;
}

uint32_t pd_fact_count(const struct pd_facts *f, enum pd_fact_group group)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < f->n; i++)
		if (pd_fact_info[f->v[i].key].group == group)
			n = PD_MAX(n, f->v[i].nth + 1u);
	return n;
}

static int cmp_u64(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

int pd_facts_cmp(const struct pd_facts *a, const struct pd_facts *b)
{
	int c = cmp_u64(a->n, b->n);

	for (uint32_t i = 0; !c && i < a->n; i++) {
		const struct pd_fact *x = &a->v[i], *y = &b->v[i];

		c = cmp_u64(x->key, y->key);
		c = c ? c : cmp_u64(x->nth, y->nth);
		c = c ? c : cmp_u64(x->number, y->number);
		c = c ? c : pd_text_cmp(x->text, y->text);
	}
	return c;
}

struct pd_facts pd_facts_copy(struct pd_arena *a, const struct pd_facts *f)
{
	struct pd_fact *v = f->n ? pd_new_array(a, struct pd_fact, f->n) : NULL;

	if (!v)
		return (struct pd_facts){0};
	for (uint32_t i = 0; i < f->n; i++) {
		v[i] = f->v[i];
		if (v[i].text)
			v[i].text = pd_arena_strndup(a, v[i].text, pd_text_len(v[i].text));
	}
	return (struct pd_facts){f->n, v};
}

/* ---- as bytes ------------------------------------------------------------------------------- */

static bool has_text(enum pd_fact_type t)
{
	return t == PD_FACT_IS_TEXT || t == PD_FACT_IS_ADDRESS;
}

void pd_facts_encode(struct pd_leb_writer *w, const struct pd_facts *f)
{
	pd_leb_put(w, f->n);
	for (uint32_t i = 0; i < f->n; i++) {
		pd_leb_put(w, f->v[i].key);
		pd_leb_put(w, f->v[i].nth);
		pd_leb_put(w, f->v[i].number);
		if (has_text(pd_fact_info[f->v[i].key].type))
			pd_leb_put_text(w, f->v[i].text);
	}
}

static bool is_of_its_set(const struct pd_fact *f)
{
	const struct pd_fact_info *k = &pd_fact_info[f->key];

	return k->type != PD_FACT_IS_WORD ||
	       (f->number < PD_WORD_N && pd_text_cmp(pd_word_info[f->number].set, k->words) == 0);
}

static void decode(struct pd_leb_reader *r, struct pd_arena *a, struct pd_fact *f)
{
	f->key = (uint16_t)pd_leb_get_small(r, PD_FACT_N - 1);
	f->nth = (uint16_t)pd_leb_get_small(r, PD_FACTS_MAX);
	f->number = pd_leb_get(r);
	if (has_text(pd_fact_info[f->key].type))
		f->text = pd_leb_get_text(r, a);
	r->bad |= !is_of_its_set(f);
}

struct pd_facts pd_facts_decode(struct pd_leb_reader *r, struct pd_arena *a)
{
	uint32_t n = pd_leb_get_small(r, PD_FACTS_MAX);
	struct pd_fact *v = n && pd_leb_ok(r) ? pd_new_array(a, struct pd_fact, n) : NULL;

	r->bad |= n && !v;
	for (uint32_t i = 0; i < n && pd_leb_ok(r); i++)
		decode(r, a, &v[i]);
	return pd_leb_ok(r) ? (struct pd_facts){n, v} : (struct pd_facts){0};
}
