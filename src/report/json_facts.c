/* json_facts.c - see json_facts.h. */
#include "report/json_facts.h"
#include "report/report.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

json_t *pd_json_text(const char *s)
{
	json_t *j = json_string(s);
	char *clean;

	if (j)
		return j;
	clean = pd_utf8_clean(s);
	j = clean ? json_string(clean) : NULL;
	free(clean);
	return j;
}

/* ---- writing -------------------------------------------------------------------------------- */

static json_t *address(const struct pd_fact *f)
{
	json_t *file = f->text ? pd_json_text(f->text) : json_null();

	return json_pack("{s:o, s:I}", "file", file, "offset", (json_int_t)f->number);
}

static json_t *value(const struct pd_fact *f)
{
	switch (pd_fact_info[f->key].type) {
	case PD_FACT_IS_FLAG:
		return json_boolean(f->number);
	case PD_FACT_IS_WORD:
		return json_string(pd_word_info[f->number].name);
	case PD_FACT_IS_ADDRESS:
		return address(f);
	case PD_FACT_IS_VALUE:
		return json_sprintf("0x%" PRIx64, f->number);
	case PD_FACT_IS_TEXT:
		return pd_json_text(f->text);
	case PD_FACT_IS_NUMBER:
	case PD_FACT_IS_SITE:
	default:
		return json_integer((json_int_t)f->number);
	}
}

/* The object that a fact goes into: the finding's, or an element of its group. NULL: out of
 * memory. */
static json_t *home(json_t *o, const struct pd_fact *f)
{
	enum pd_fact_group group = pd_fact_info[f->key].group;
	json_t *list;

	if (group == PD_FACT_GROUP_NONE)
		return o;
	list = json_object_get(o, pd_fact_group_name[group]);
	if (!list) {
		list = json_array();
		if (json_object_set_new(o, pd_fact_group_name[group], list) != 0)
			return NULL;
	}
	while (json_array_size(list) <= f->nth)
		if (json_array_append_new(list, json_object()) != 0)
			return NULL;
	return json_array_get(list, f->nth);
}

json_t *pd_json_facts(const struct pd_facts *f)
{
	json_t *o = json_object();

	for (uint32_t i = 0; o && i < f->n; i++)
		if (json_object_set_new(home(o, &f->v[i]), pd_fact_info[f->v[i].key].name,
					value(&f->v[i])) != 0) {
			json_decref(o);
			return NULL;
		}
	return o;
}

/* ---- reading -------------------------------------------------------------------------------- */

struct reading {
	struct pd_fact_list list;
	const char *expected;
};

static const char *keep(struct reading *r, json_t *v)
{
	return pd_arena_strndup(r->list.arena, json_string_value(v), json_string_length(v));
}

static bool is_count(json_t *v)
{
	return json_is_integer(v) && json_integer_value(v) >= 0;
}

static bool read_address(struct reading *r, json_t *v, struct pd_fact *f)
{
	json_t *file = json_object_get(v, "file"), *offset = json_object_get(v, "offset");

	r->expected = "an object with file and offset";
	if (!is_count(offset) || !(json_is_null(file) || json_is_string(file)))
		return false;
	f->number = (uint64_t)json_integer_value(offset);
	f->text = json_is_string(file) ? keep(r, file) : NULL;
	return true;
}

static bool read_word(struct reading *r, json_t *v, struct pd_fact *f)
{
	r->expected = "a word that this version knows";
	f->number = json_is_string(v)
			    ? pd_word_find(pd_fact_info[f->key].words, json_string_value(v))
			    : PD_WORD_N;
	return f->number != PD_WORD_N;
}

static bool read_hex(struct reading *r, json_t *v, struct pd_fact *f)
{
	const char *s = json_string_value(v);
	char *end;

	r->expected = "a string such as 0x2a";
	if (!s || strncmp(s, "0x", 2) != 0)
		return false;
	f->number = strtoull(s + 2, &end, 16);
	return end > s + 2 && !*end;
}

static bool read_value(struct reading *r, json_t *v, struct pd_fact *f)
{
	switch (pd_fact_info[f->key].type) {
	case PD_FACT_IS_FLAG:
		r->expected = "true or false";
		f->number = json_is_true(v);
		return json_is_boolean(v);
	case PD_FACT_IS_WORD:
		return read_word(r, v, f);
	case PD_FACT_IS_ADDRESS:
		return read_address(r, v, f);
	case PD_FACT_IS_VALUE:
		return read_hex(r, v, f);
	case PD_FACT_IS_TEXT:
		r->expected = "a string";
		f->text = json_is_string(v) ? keep(r, v) : NULL;
		return json_is_string(v);
	case PD_FACT_IS_NUMBER:
	case PD_FACT_IS_SITE:
	default:
		r->expected = "a whole number, not negative";
		f->number = is_count(v) ? (uint64_t)json_integer_value(v) : 0;
		return is_count(v);
	}
}

static bool read_facts(struct reading *r, json_t *o, enum pd_fact_group group, size_t nth)
{
	const char *name;
	json_t *v;

	r->expected = "an object";
	if (!json_is_object(o))
		return false;
	json_object_foreach(o, name, v)
	{
		struct pd_fact f = {.key = (uint16_t)pd_fact_find(group, name),
				    .nth = (uint16_t)nth};

		if (f.key == PD_FACT_N)
			continue;
		if (!read_value(r, v, &f))
			return false;
		pd_fact_add(&r->list, &f);
	}
	return true;
}

bool pd_json_read_facts(json_t *o, struct pd_arena *a, struct pd_facts *f, const char **expected)
{
	struct reading r = {.list = {.arena = a}};
	bool failed_before = a->failed, ok;

	a->failed = false;
	ok = read_facts(&r, o, PD_FACT_GROUP_NONE, 0);
	for (int g = PD_FACT_GROUP_NONE + 1; ok && g < PD_FACT_GROUP_N; g++) {
		json_t *list = json_object_get(o, pd_fact_group_name[g]);

		r.expected = "a list";
		ok = !list || json_is_array(list);
		for (size_t i = 0; ok && i < json_array_size(list); i++)
			ok = read_facts(&r, json_array_get(list, i), (enum pd_fact_group)g, i);
	}
	*expected = ok ? NULL : r.expected;
	*f = pd_facts_of(&r.list);
	ok = ok && !r.list.dropped && !a->failed;
	a->failed |= failed_before;
	return ok;
}
