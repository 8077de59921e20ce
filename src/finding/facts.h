/*
 * facts.h - what is known of a finding, as typed values: facts.def lists them.
 *
 * Facts are a flat list, in the order in which they were put. A fact that is a member of a group
 * has the number of its element, `nth`; others have 0. Each key occurs once for each nth.
 *
 * An engine states a fact, in the tested process or in the tool; it crosses between processes as
 * bytes (pd_facts_encode), and src/report/words, the reader and writer of JSON, and tests read it.
 * No decision looks at sentences: those are made of facts, at the end.
 *
 * Thread rule: none; values.
 */
#ifndef PD_FINDING_FACTS_H
#define PD_FINDING_FACTS_H

#include "base/arena.h"
#include "base/leb.h"

enum pd_fact_key {
#define PD_FACT(ID, group, name, type, words, doc) PD_FACT_##ID,
#include "finding/facts.def"
	PD_FACT_N
};

enum pd_fact_group {
#define PD_FACT_GROUP(ID, name, doc) PD_FACT_GROUP_##ID,
#include "finding/facts.def"
	PD_FACT_GROUP_N
};

/* All sets in one list: a value knows its set. */
enum pd_word {
#define PD_WORD(set, ID, name, doc) PD_WORD_##ID,
#include "finding/facts.def"
	PD_WORD_N
};

enum pd_fact_type {
	PD_FACT_IS_NUMBER,
	PD_FACT_IS_FLAG,
	PD_FACT_IS_WORD,
	PD_FACT_IS_ADDRESS,
	PD_FACT_IS_VALUE,
	PD_FACT_IS_TEXT,
	PD_FACT_IS_SITE,
};

struct pd_fact_info {
	const char *name;
	const char *words; /* the set; "NONE": its type is not WORD */
	const char *doc;
	enum pd_fact_group group;
	enum pd_fact_type type;
};

struct pd_word_info {
	const char *set;
	const char *name;
	const char *doc;
};

extern const struct pd_fact_info pd_fact_info[PD_FACT_N];
extern const char *const pd_fact_group_name[PD_FACT_GROUP_N];
extern const struct pd_word_info pd_word_info[PD_WORD_N];

/* By name; PD_FACT_N, PD_WORD_N if there is none. */
enum pd_fact_key pd_fact_find(enum pd_fact_group group, const char *name);
enum pd_word pd_word_find(const char *set, const char *name);

struct pd_fact {
	uint16_t key; /* enum pd_fact_key */
	uint16_t nth;
	uint64_t number;  /* all but TEXT; ADDRESS: the offset */
	const char *text; /* TEXT; ADDRESS: the file, or NULL: an offset in the whole window */
};

struct pd_facts {
	uint32_t n;
	const struct pd_fact *v;
};

/* ---- making --------------------------------------------------------------------------------- */

/* A list that grows in an arena or, if that is NULL, fills the given array. */
struct pd_fact_list {
	struct pd_arena *arena;
	struct pd_fact *v;
	uint32_t n;
	uint32_t cap;
	uint32_t dropped; /* facts that did not fit */
};

void pd_fact_add(struct pd_fact_list *l, const struct pd_fact *f);
void pd_fact_put(struct pd_fact_list *l, enum pd_fact_key key, uint64_t number);
void pd_fact_put_nth(struct pd_fact_list *l, enum pd_fact_key key, uint32_t nth, uint64_t number);
/* The text is not copied; NULL is not put. */
void pd_fact_put_text(struct pd_fact_list *l, enum pd_fact_key key, const char *text);
void pd_fact_put_address(struct pd_fact_list *l, enum pd_fact_key key, uint64_t offset,
			 const char *file);

/* Puts a flag if it is true, a number or word if it is not 0. */
static inline void pd_fact_put_if(struct pd_fact_list *l, enum pd_fact_key key, uint64_t number)
{
	if (number)
		pd_fact_put(l, key, number);
}

static inline struct pd_facts pd_facts_of(const struct pd_fact_list *l)
{
	return (struct pd_facts){l->n, l->v};
}

/* ---- asking --------------------------------------------------------------------------------- */

/* NULL: not known. */
const struct pd_fact *pd_fact_get(const struct pd_facts *f, enum pd_fact_key key, uint32_t nth);

/* 0, NULL if it is not known. */
uint64_t pd_fact_number(const struct pd_facts *f, enum pd_fact_key key);
enum pd_word pd_fact_word(const struct pd_facts *f, enum pd_fact_key key);
const char *pd_fact_text(const struct pd_facts *f, enum pd_fact_key key);

/* How many elements a group has. */
uint32_t pd_fact_count(const struct pd_facts *f, enum pd_fact_group group);

/* A total order; 0: they are equal. */
int pd_facts_cmp(const struct pd_facts *a, const struct pd_facts *b);

/* A copy in another arena, texts too. The caller checks a->failed. */
struct pd_facts pd_facts_copy(struct pd_arena *a, const struct pd_facts *f);

/* ---- as bytes ------------------------------------------------------------------------------- */

/* A longer list is not the facts of a finding. */
enum { PD_FACTS_MAX = 4096 };

void pd_facts_encode(struct pd_leb_writer *w, const struct pd_facts *f);

/* Does not trust the bytes; errors set r->bad. */
struct pd_facts pd_facts_decode(struct pd_leb_reader *r, struct pd_arena *a);

#endif
