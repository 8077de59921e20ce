/* json_story.c - see json_story.h. */
#include "report/json_story.h"
#include "report/json_facts.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The fields of a step that are numbers, and those that are flags: one list for writing and
 * reading. */
#define NUMBERS(X)                                                                                 \
	X("thread", thread)                                                                        \
	X("other_thread", other_thread)                                                            \
	X("size", size)                                                                            \
	X("of", n)                                                                                 \
	X("execution", exec)                                                                       \
	X("time", time)                                                                            \
	X("before", before)                                                                        \
	X("after", after)                                                                          \
	X("durable", certain)                                                                      \
	X("took_execution", took_exec)                                                             \
	X("took", took)                                                                            \
	X("newest_execution", newest_exec)                                                         \
	X("newest", newest_at)
#define FLAGS(X)                                                                                   \
	X("page", page)                                                                            \
	X("recovery", recovery)                                                                    \
	X("at_exit", at_exit)                                                                      \
	X("after_store", after_store)                                                              \
	X("ends_well", well)                                                                       \
	X("aside", aside)                                                                          \
	X("sees_newest", sees_newest)

enum { STEPS_MAX = 1 << 16 };

/* ---- writing -------------------------------------------------------------------------------- */

struct writer {
	bool failed;
};

static void set(struct writer *w, json_t *o, const char *key, json_t *value)
{
	w->failed |= json_object_set_new(o, key, value) != 0;
}

static void set_hex(struct writer *w, json_t *o, const char *key, uint64_t v)
{
	set(w, o, key, json_sprintf("0x%" PRIx64, v));
}

static json_t *frame(struct writer *w, const struct pd_frame *f)
{
	json_t *o = json_object();

	set(w, o, "file", f->file ? pd_json_text(f->file) : json_null());
	set(w, o, "line", f->line ? json_integer(f->line) : json_null());
	if (f->column)
		set(w, o, "column", json_integer(f->column));
	set(w, o, "function", f->function ? pd_json_text(f->function) : json_null());
	return o;
}

static void set_place(struct writer *w, json_t *o, const char *key, const struct pd_finding_site *s)
{
	json_t *at;

	if (!s->at.file && !s->at.function)
		return;
	at = frame(w, &s->at);
	if (s->nstack)
		set(w, at, "caller", frame(w, &s->stack[0]));
	set(w, o, key, at);
}

static void set_values(struct writer *w, json_t *o, const struct pd_step *s)
{
	bool access = s->what == PD_STEP_EVENT || s->what == PD_STEP_READ;

	if (access || s->what == PD_STEP_CRASH)
		set(w, o, "event", json_string(pd_event_info[s->event].name));
	if (s->what == PD_STEP_LINE || (access && s->size))
		set(w, o, "address",
		    json_pack("{s:o, s:I}", "file",
			      s->address.text ? pd_json_text(s->address.text) : json_null(),
			      "offset", (json_int_t)s->address.number));
	if (access && s->size)
		set_hex(w, o, "value", s->value);
	if (s->what == PD_STEP_READ && s->n && !s->sees_newest) {
		set_hex(w, o, "instead_of", s->newest);
		set_hex(w, o, "seen", s->seen);
	}
	if (s->what == PD_STEP_END) {
		set(w, o, "kind", json_string(pd_kind_info[s->kind].name));
		set(w, o, "facts", pd_json_facts(&s->end));
	}
}

static json_t *step(struct writer *w, const struct pd_step *s)
{
	json_t *o = json_object();

	set(w, o, "step", json_string(pd_step_name[s->what]));
	set_values(w, o, s);
	set_place(w, o, "at", &s->at);
	set_place(w, o, "other", &s->other);
#define NUMBER(name, field)                                                                        \
	if (s->field)                                                                              \
		set(w, o, name, json_integer((json_int_t)s->field));
	NUMBERS(NUMBER)
#undef NUMBER
#define FLAG(name, field)                                                                          \
	if (s->field)                                                                              \
		set(w, o, name, json_true());
	FLAGS(FLAG)
#undef FLAG
	return o;
}

json_t *pd_json_story(const struct pd_steps *s)
{
	struct writer w = {false};
	json_t *a = json_array();

	for (uint32_t i = 0; i < s->n; i++)
		w.failed |= json_array_append_new(a, step(&w, &s->v[i])) != 0;
	if (!w.failed)
		return a;
	json_decref(a);
	return NULL;
}

/* ---- reading -------------------------------------------------------------------------------- */

struct reader {
	struct pd_arena *arena;
	const char *expected;
};

static bool bad(struct reader *r, const char *expected)
{
	r->expected = expected;
	return false;
}

static const char *text(struct reader *r, json_t *v)
{
	return json_is_string(v)
		       ? pd_arena_strndup(r->arena, json_string_value(v), json_string_length(v))
		       : NULL;
}

static bool get_number(struct reader *r, json_t *o, const char *key, uint64_t max, uint64_t *to)
{
	json_t *v = json_object_get(o, key);

	if (!v || json_is_null(v))
		return true;
	if (!json_is_integer(v) || json_integer_value(v) < 0 ||
	    (uint64_t)json_integer_value(v) > max)
		return bad(r, "a list of steps, whose numbers are whole and not negative");
	*to = (uint64_t)json_integer_value(v);
	return true;
}

static bool get_hex(struct reader *r, json_t *o, const char *key, uint64_t *to)
{
	const char *s = json_string_value(json_object_get(o, key));
	char *end;

	if (!json_object_get(o, key))
		return true;
	if (!s || strncmp(s, "0x", 2) != 0)
		return bad(r, "a list of steps, whose values are such as 0x2a");
	*to = strtoull(s + 2, &end, 16);
	return (end > s + 2 && !*end) || bad(r, "a list of steps, whose values are such as 0x2a");
}

static bool get_frame(struct reader *r, json_t *o, struct pd_frame *f)
{
	uint64_t line = 0, column = 0;

	if (!json_is_object(o))
		return bad(r, "a list of steps, whose places are objects");
	if (!get_number(r, o, "line", UINT32_MAX, &line) ||
	    !get_number(r, o, "column", UINT32_MAX, &column))
		return false;
	*f = (struct pd_frame){text(r, json_object_get(o, "function")),
			       text(r, json_object_get(o, "file")), (uint32_t)line,
			       (uint32_t)column};
	return true;
}

static bool get_place(struct reader *r, json_t *o, const char *key, struct pd_finding_site *s)
{
	json_t *at = json_object_get(o, key), *caller = json_object_get(at, "caller");
	struct pd_frame *frame;

	if (!at)
		return true;
	if (!get_frame(r, at, &s->at))
		return false;
	if (!caller)
		return true;
	frame = pd_new(r->arena, struct pd_frame);
	if (!frame || !get_frame(r, caller, frame))
		return false;
	s->stack = frame;
	s->nstack = 1;
	return true;
}

static bool get_event(struct reader *r, json_t *o, enum pd_event_kind *to)
{
	const char *name = json_string_value(json_object_get(o, "event"));

	if (!name)
		return true;
	for (uint32_t i = 0; i < PD_EV_N; i++)
		if (strcmp(name, pd_event_info[i].name) == 0) {
			*to = (enum pd_event_kind)i;
			return true;
		}
	return bad(r, "a list of steps, whose events this version knows");
}

static bool get_end(struct reader *r, json_t *o, struct pd_step *s)
{
	const char *kind = json_string_value(json_object_get(o, "kind"));

	if (s->what != PD_STEP_END)
		return true;
	s->kind = kind ? pd_kind_find(kind) : PD_KIND_N;
	if (s->kind == PD_KIND_N)
		return bad(r, "a list of steps, whose kinds this version knows");
	return pd_json_read_facts(json_object_get(o, "facts"), r->arena, &s->end, &r->expected);
}

static bool get_numbers(struct reader *r, json_t *o, struct pd_step *s)
{
	uint64_t v;

#define NUMBER(name, field)                                                                        \
	v = 0;                                                                                     \
	if (!get_number(r, o, name, sizeof(s->field) == 4 ? UINT32_MAX : INT64_MAX, &v))           \
		return false;                                                                      \
	s->field = (__typeof__(s->field))v;
	NUMBERS(NUMBER)
#undef NUMBER
#define FLAG(name, field) s->field = json_is_true(json_object_get(o, name));
	FLAGS(FLAG)
#undef FLAG
	return true;
}

static bool read_step(struct reader *r, json_t *o, struct pd_step *s)
{
	const char *name = json_string_value(json_object_get(o, "step"));
	json_t *address = json_object_get(o, "address");
	uint32_t what = 0;

	while (name && what < PD_STEP_N && strcmp(name, pd_step_name[what]) != 0)
		what++;
	if (!name || what == PD_STEP_N)
		return bad(r, "a list of steps that this version knows");
	s->what = (enum pd_step_what)what;
	s->address.text = text(r, json_object_get(address, "file"));
	return get_number(r, address, "offset", INT64_MAX, &s->address.number) &&
	       get_hex(r, o, "value", &s->value) && get_hex(r, o, "instead_of", &s->newest) &&
	       get_hex(r, o, "seen", &s->seen) && get_event(r, o, &s->event) &&
	       get_place(r, o, "at", &s->at) && get_place(r, o, "other", &s->other) &&
	       get_numbers(r, o, s) && get_end(r, o, s);
}

bool pd_json_read_story(json_t *list, struct pd_arena *a, struct pd_steps *s, const char **expected)
{
	struct reader r = {.arena = a};
	size_t n = json_array_size(list);
	struct pd_step *v;
	bool failed_before = a->failed, ok = json_is_array(list) && n <= STEPS_MAX;

	*expected = ok ? NULL : "a list of steps";
	if (!ok)
		return false;
	a->failed = false;
	v = pd_new_array(a, struct pd_step, n + 1);
	for (size_t i = 0; v && ok && i < n; i++)
		ok = read_step(&r, json_array_get(list, i), &v[i]);
	*expected = r.expected;
	ok = ok && v && !a->failed;
	a->failed |= failed_before;
	*s = (struct pd_steps){ok ? (uint32_t)n : 0, v};
	return ok;
}
