/*
 * fix_test.c - patches as text: which statement is found around a place, what is put where, and
 * what is refused. A '@' in a source stands before the token that debug information names.
 */
#include "unit/unit.h"
#include "fix/edit.h"
#include "fix/patch.h"
#include <stdio.h>
#include <stdlib.h>

static struct unit_host host = {.left = -1};

#define HELPERS                                                                                    \
	"static void flush(const void *p, size_t n)\n{\n\t_mm_clwb(p);\n}\n"                       \
	"static void fence(void)\n{\n\t_mm_sfence();\n}\n"                                         \
	"static void persist(const void *p, size_t n)\n{\n\tflush(p, n);\n\tfence();\n}\n"

/* ---- files that are not there ---------------------------------------------------------------- */

struct world {
	const char *text;   /* of /s/a.c */
	const char *header; /* of /s/a.h; NULL: there is none */
};

static const char *read_it(void *arg, struct pd_arena *a, const char *path, size_t *n)
{
	const struct world *w = arg;
	const char *text = strcmp(path, "/s/a.c") == 0	 ? w->text
			   : strcmp(path, "/s/a.h") == 0 ? w->header
							 : NULL;

	*n = text ? strlen(text) : 0;
	return text ? pd_arena_strndup(a, text, *n) : NULL;
}

static enum pd_no_remedy find_it(void *arg, struct pd_arena *a, const char *file, const char **path)
{
	(void)arg;
	(void)a;
	*path = file;
	return PD_NO_REMEDY_NONE;
}

/* Takes the '@'s out: where they were. */
static char *take_marks(const char *marked, struct pd_frame *at, uint32_t *n)
{
	char *text = strdup(marked), *to = text;
	uint32_t line = 1, column = 1;

	*n = 0;
	for (const char *p = marked; *p; p++) {
		if (*p == '@') {
			at[(*n)++] = (struct pd_frame){"f", "/s/a.c", line, column};
			continue;
		}
		*to++ = *p;
		column = *p == '\n' ? 1 : column + 1;
		line += *p == '\n';
	}
	*to = '\0';
	return text;
}

struct made {
	enum pd_no_remedy no;
	char *text;
	char *kept; /* with lines that keep their numbers */
	char *diff;
};

static struct made make(const char *marked, const char *header, enum pd_remedy_what what,
			bool columns)
{
	static const struct pd_finding_site nowhere = {.role = PD_ROLE_FLUSH};
	struct pd_frame at[4];
	struct pd_remedies r = {0};
	struct made m = {0};
	struct pd_patch p;
	struct pd_arena a;
	uint32_t n;
	size_t size;
	char *text = take_marks(marked, at, &n);
	struct world w = {text, header};
	FILE *f;

	pd_arena_init(&a, unit_host(&host));
	/* The first is the place, others are its callers */
	at[0].column = columns ? at[0].column : 0;
	r.v[r.n++] = (struct pd_remedy){what, &at[0], n - 1, at + 1, 0, &nowhere};
	/* MOVE: the first is the store that should come later */
	if (what == PD_REMEDY_MOVE) {
		r.before = (struct pd_frame){.file = at[0].file, .line = at[0].line};
		r.v[0] = (struct pd_remedy){what, &at[n > 1], 0, NULL, 0, &nowhere};
	}
	pd_patch_init(&p, &a, (struct pd_fix_files){read_it, find_it, &w});
	m.no = pd_patch_make(&p, &r);
	if (!m.no) {
		m.text = pd_edit_text(&p.file[0]->edits, false, &size);
		m.kept = pd_edit_text(&p.file[0]->edits, true, &size);
		f = open_memstream(&m.diff, &size);
		assert_true(pd_edit_diff(&p.file[0]->edits, "a.c", f));
		fclose(f);
	}
	pd_arena_finish(&a);
	free(text);
	return m;
}

static void drop(struct made *m)
{
	free(m->text);
	free(m->kept);
	free(m->diff);
}

/* The body of a function is what is given; so is what it becomes. */
static void becomes_by(enum pd_remedy_what what, const char *body, const char *expected)
{
	char marked[4096], whole[4096];
	struct made m;

	snprintf(marked, sizeof(marked), HELPERS "void f(struct s *p)\n{\n%s}\n", body);
	snprintf(whole, sizeof(whole), HELPERS "void f(struct s *p)\n{\n%s}\n", expected);
	m = make(marked, NULL, what, true);
	if (m.no)
		print_error("refused (%d): %s", m.no, body);
	assert_int_equal(m.no, PD_NO_REMEDY_NONE);
	assert_string_equal(m.text, whole);
	drop(&m);
}

static void becomes(const char *body, const char *expected)
{
	becomes_by(PD_REMEDY_PERSIST, body, expected);
}

static void refuses(enum pd_remedy_what what, const char *body, enum pd_no_remedy why)
{
	char marked[4096];
	struct made m;

	snprintf(marked, sizeof(marked), HELPERS "int f(struct s *p)\n{\n%s}\n", body);
	m = make(marked, NULL, what, true);
	if (m.no != why)
		print_error("%s%s", body, m.text ? m.text : "");
	assert_int_equal(m.no, why);
	drop(&m);
}

static void patched_has(const char *marked, const char *header, const char *expected)
{
	struct made m = make(marked, header, PD_REMEDY_PERSIST, true);

	if (m.no || !strstr(m.text, expected))
		print_error("%d %s", m.no, m.text ? m.text : "");
	assert_int_equal(m.no, PD_NO_REMEDY_NONE);
	assert_non_null(strstr(m.text, expected));
	drop(&m);
}

/* ---- what is stored -------------------------------------------------------------------------- */

static void objects_are_named(void **state)
{
	(void)state;
	becomes("\tp->a @= 1;\n", "\tp->a = 1;\n\tpersist(&p->a, sizeof(p->a));\n");
	becomes("\tp->v[i + 1].x @+= 2;\n",
		"\tp->v[i + 1].x += 2;\n\tpersist(&p->v[i + 1].x, sizeof(p->v[i + 1].x));\n");
	becomes("\t*q @= 1;\n", "\t*q = 1;\n\tpersist(q, sizeof(*q));\n");
	becomes("\t*(q + 1) @= 1;\n", "\t*(q + 1) = 1;\n\tpersist(q + 1, sizeof(*(q + 1)));\n");
	becomes("\tp->n@++;\n", "\tp->n++;\n\tpersist(&p->n, sizeof(p->n));\n");
	becomes("\t@--p->n;\n", "\t--p->n;\n\tpersist(&p->n, sizeof(p->n));\n");
	becomes("\tp->a = p->b @= 1;\n", "\tp->a = p->b = 1;\n\tpersist(&p->b, sizeof(p->b));\n");
	becomes("\t*p = @other;\n", "\t*p = other;\n\tpersist(p, sizeof(*p));\n");
	becomes("\t*p = @(struct s){1, 2};\n",
		"\t*p = (struct s){1, 2};\n\tpersist(p, sizeof(*p));\n");
	becomes("\t*((int *)(p->map + 8)) @= 1;\n",
		"\t*((int *)(p->map + 8)) = 1;\n"
		"\tpersist((int *)(p->map + 8), sizeof(*((int *)(p->map + 8))));\n");
	becomes("\tv[i * n] @= 1;\n", "\tv[i * n] = 1;\n\tpersist(&v[i * n], sizeof(v[i * n]));\n");
	refuses(PD_REMEDY_PERSIST, "\tint *q @= p;\n", PD_NO_REMEDY_INITIALISER);
	becomes("\tp->long_name.of\n\t\t->a_member @=\n\t\t1;\n",
		"\tp->long_name.of\n\t\t->a_member =\n\t\t1;\n"
		"\tpersist(&p->long_name.of ->a_member, sizeof(p->long_name.of ->a_member));\n");
}

static void calls_are_known(void **state)
{
	(void)state;
	becomes("\t@memcpy(p->to, from, n);\n",
		"\tmemcpy(p->to, from, n);\n\tpersist(p->to, n);\n");
	becomes("\t@std::memcpy(p->to, from, n);\n",
		"\tstd::memcpy(p->to, from, n);\n\tpersist(p->to, n);\n");
	becomes("\t@::strcpy(p->s, s);\n",
		"\t::strcpy(p->s, s);\n\tpersist(p->s, strlen(p->s) + 1);\n");
	becomes("\t@strcpy(p->s, s);\n",
		"\tstrcpy(p->s, s);\n\tpersist(p->s, strlen(p->s) + 1);\n");
	becomes("\t@__atomic_store_n(&p->a, 1, 0);\n",
		"\t__atomic_store_n(&p->a, 1, 0);\n\tpersist(&p->a, sizeof(p->a));\n");
	becomes("\tbool ok = @atomic_compare_exchange_strong(q, &e, 1);\n",
		"\tbool ok = atomic_compare_exchange_strong(q, &e, 1);\n\tpersist(q, "
		"sizeof(*q));\n");
	becomes("\t@x.store(1);\n", "\tx.store(1);\n\tpersist(&x, sizeof(x));\n");
	becomes("\tp->x.@fetch_add(1);\n",
		"\tp->x.fetch_add(1);\n\tpersist(&p->x, sizeof(p->x));\n");
	becomes("\tq->@store(1);\n", "\tq->store(1);\n\tpersist(q, sizeof(*q));\n");
	becomes("\t@_mm_stream_si64((long long *)&p->a, 1);\n",
		"\t_mm_stream_si64((long long *)&p->a, 1);\n"
		"\tpersist((long long *)&p->a, sizeof(*(long long *)&p->a));\n");
}

static void macros_are_looked_up(void **state)
{
	(void)state;
	becomes("#define SET(p, v) __atomic_store_n((p), (v), 0)\n\t@SET(&p->a, 1);\n",
		"#define SET(p, v) __atomic_store_n((p), (v), 0)\n\tSET(&p->a, 1);\n"
		"\tpersist(&p->a, sizeof(p->a));\n");
	becomes("#define W(x, v) (x) = (v)\n\t@W(p->a, 1);\n",
		"#define W(x, v) (x) = (v)\n\tW(p->a, 1);\n\tpersist(&p->a, sizeof(p->a));\n");
	becomes("#define AT(p, v) (*(p) = (v))\n\t@AT(q, 1);\n",
		"#define AT(p, v) (*(p) = (v))\n\tAT(q, 1);\n\tpersist(q, sizeof(*q));\n");
	refuses(PD_REMEDY_PERSIST,
		"#define INSERT(h, e) (e)->n = (h)->f; (h)->f = (e)\n\t@INSERT(p, e);\n",
		PD_NO_REMEDY_MACRO);
	refuses(PD_REMEDY_PERSIST,
		"#define PUT(v, p) __atomic_store_n(p, v, 0)\n\t@PUT(1, &p->a);\n",
		PD_NO_REMEDY_MACRO);
	refuses(PD_REMEDY_PERSIST, "#define X p->a @= 1;\n\tX\n", PD_NO_REMEDY_DIRECTIVE);
}

static void bit_fields_have_no_address(void **state)
{
	struct made m =
		make("#include \"a.h\"\n" HELPERS "void f(struct s *p)\n{\n\tp->b.on @= 1;\n}\n",
		     "struct s {\n\tstruct {\n\t\tunsigned on : 1;\n\t} b;\n};\n",
		     PD_REMEDY_PERSIST, true);

	(void)state;
	assert_int_equal(m.no, PD_NO_REMEDY_NONE);
	assert_non_null(strstr(m.text, "persist(&p->b, sizeof(p->b));"));
	drop(&m);
}

/* ---- where it goes --------------------------------------------------------------------------- */

static void braces_are_added(void **state)
{
	(void)state;
	becomes("\tif (x)\n\t\tp->a @= 1;\n\tg();\n",
		"\tif (x) {\n\t\tp->a = 1;\n\t\tpersist(&p->a, sizeof(p->a));\n\t}\n\tg();\n");
	becomes("\tif (x) p->a @= 1; /* why */\n",
		"\tif (x) {\n\t\tp->a = 1; /* why */\n\t\tpersist(&p->a, sizeof(p->a));\n\t}\n");
	becomes("\tif (x)\n\t\tp->a @= 1;\n\telse\n\t\tg();\n",
		"\tif (x) {\n\t\tp->a = 1;\n\t\tpersist(&p->a, sizeof(p->a));\n\t} "
		"else\n\t\tg();\n");
	becomes("\tif (x)\n\t\tg();\n\telse\n\t\tp->a @= 1;\n",
		"\tif (x)\n\t\tg();\n\telse {\n\t\tp->a = 1;\n\t\tpersist(&p->a, "
		"sizeof(p->a));\n\t}\n");
	becomes("\tfor (int i = 0; i < 3; i++)\n\t\tp->v[i] @= 1;\n",
		"\tfor (int i = 0; i < 3; i++) {\n\t\tp->v[i] = 1;\n"
		"\t\tpersist(&p->v[i], sizeof(p->v[i]));\n\t}\n");
	becomes("\tEACH(e, list)\n\t\te->a @= 1;\n",
		"\tEACH(e, list) {\n\t\te->a = 1;\n\t\tpersist(&e->a, sizeof(e->a));\n\t}\n");
	becomes("\tif (x)\n\t\t*q @= 1;\n",
		"\tif (x) {\n\t\t*q = 1;\n\t\tpersist(q, sizeof(*q));\n\t}\n");
}

/* The type is the function's. */
static void what_is_returned_is_kept(void **state)
{
	struct made m;

	(void)state;
	patched_has(HELPERS "static bool f(struct s *p)\n{\n\treturn "
			    "@__sync_bool_compare_and_swap(&p->a, 0, 1);\n}\n",
		    NULL,
		    "\tbool result = __sync_bool_compare_and_swap(&p->a, 0, 1);\n"
		    "\tpersist(&p->a, sizeof(p->a));\n\treturn result;\n}\n");
	patched_has(HELPERS "struct s *\nf(struct s *p)\n{\n\tif (x)\n\t\treturn p->a @= 1;\n}\n",
		    NULL,
		    "\tif (x) {\n\t\tstruct s *result = p->a = 1;\n"
		    "\t\tpersist(&p->a, sizeof(p->a));\n\t\treturn result;\n\t}\n}\n");
	m = make(HELPERS
		 "template <class T> auto f(T *p) -> decltype(p->a)\n{\n\treturn p->a @= 1;\n}\n",
		 NULL, PD_REMEDY_PERSIST, true);
	assert_int_equal(m.no, PD_NO_REMEDY_RETURN);
	drop(&m);
}

/* Where memory runs out there is no patch. */
static void memory_runs_out(void **state)
{
	bool whole = false;

	(void)state;
	for (long left = 0; left < 200 && !whole; left++) {
		struct world w = {HELPERS "void f(struct s *p)\n{\n\tif (x) p->a = 1;\n}\n", NULL};
		struct pd_frame at = {"f", "/s/a.c", 16, 14};
		struct pd_remedies r = {.n = 1, .v = {{.what = PD_REMEDY_PERSIST, .at = &at}}};
		struct unit_host scarce = {.left = left};
		struct pd_patch p;
		struct pd_arena a;

		pd_arena_init(&a, unit_host(&scarce));
		pd_patch_init(&p, &a, (struct pd_fix_files){read_it, find_it, &w});
		whole = pd_patch_make(&p, &r) == PD_NO_REMEDY_NONE && !p.nomem;
		assert_true(whole || p.nomem);
		pd_arena_finish(&a);
	}
	assert_true(whole);
}

/* A compare-and-swap has stored only if it says so. */
static void swaps_in_conditions(void **state)
{
#define CAS "__sync_bool_compare_and_swap(&p->a, 0, 1)"
	(void)state;
	becomes("\tif (@" CAS ") {\n\t\tg();\n\t}\n",
		"\tif (" CAS ") {\n\t\tpersist(&p->a, sizeof(p->a));\n\t\tg();\n\t}\n");
	becomes("\twhile (!@" CAS ") {\n\t\tg();\n\t}\n\th();\n",
		"\twhile (!" CAS ") {\n\t\tg();\n\t}\n\tpersist(&p->a, sizeof(p->a));\n\th();\n");
	becomes("\tdo {\n\t\tg();\n\t} while (!@" CAS ");\n\th();\n",
		"\tdo {\n\t\tg();\n\t} while (!" CAS
		");\n\tpersist(&p->a, sizeof(p->a));\n\th();\n");
	becomes("\tif (!@" CAS ") {\n\t\treturn;\n\t}\n\th();\n",
		"\tif (!" CAS ") {\n\t\treturn;\n\t}\n\tpersist(&p->a, sizeof(p->a));\n\th();\n");
	refuses(PD_REMEDY_PERSIST, "\tif (x && @" CAS ") {\n\t}\n", PD_NO_REMEDY_CONDITION);
	becomes("\tif (@" CAS ")\n\t\treturn g();\n\th();\n",
		"\tif (" CAS
		") {\n\t\tpersist(&p->a, sizeof(p->a));\n\t\treturn g();\n\t}\n\th();\n");
	becomes("\tif (@" CAS ") g();\n\telse\n\t\th();\n",
		"\tif (" CAS
		") {\n\t\tpersist(&p->a, sizeof(p->a));\n\t\tg();\n\t} else\n\t\th();\n");
	becomes("\twhile (@" CAS ") {\n\t\tg();\n\t}\n",
		"\twhile (" CAS ") {\n\t\tpersist(&p->a, sizeof(p->a));\n\t\tg();\n\t}\n");
	refuses(PD_REMEDY_PERSIST, "\tdo {\n\t} while (@" CAS ");\n", PD_NO_REMEDY_CONDITION);
	refuses(PD_REMEDY_PERSIST, "\tif (!@" CAS ") {\n\t} else {\n\t}\n", PD_NO_REMEDY_CONDITION);
	refuses(PD_REMEDY_PERSIST, "\tif (@__sync_fetch_and_add(&p->a, 1)) {\n\t}\n",
		PD_NO_REMEDY_CONDITION);
	refuses(PD_REMEDY_PERSIST, "\tif (x)\n\t\twhile (!@" CAS ")\n\t\t\t;\n",
		PD_NO_REMEDY_CONDITION);
}

/* A store of a for's header is followed by a comma. */
static void headers_of_loops(void **state)
{
	(void)state;
	becomes("\tfor (; x; p->n@++)\n\t\tg();\n",
		"\tfor (; x; p->n++, persist(&p->n, sizeof(p->n)))\n\t\tg();\n");
	becomes("\tfor (p->n @= 0; f(1, 2); i++) {\n\t}\n",
		"\tfor (p->n = 0, persist(&p->n, sizeof(p->n)); f(1, 2); i++) {\n\t}\n");
	becomes("\tfor (;; i++, @memcpy(p, q, n))\n\t\t;\n",
		"\tfor (;; i++, memcpy(p, q, n), persist(p, n))\n\t\t;\n");
	becomes_by(PD_REMEDY_FENCE, "\tfor (; x; @flush(p, 8))\n\t\tg();\n",
		   "\tfor (; x; flush(p, 8), fence())\n\t\tg();\n");
	becomes_by(PD_REMEDY_ATOMIC, "\tfor (; x; p->n@++)\n\t\tg();\n",
		   "\tfor (; x; __atomic_store_n(&p->n, p->n + 1, __ATOMIC_RELEASE))\n\t\tg();\n");
	refuses(PD_REMEDY_PERSIST, "\tfor (; p->a @= x;)\n\t\tg();\n", PD_NO_REMEDY_HEADER);
	refuses(PD_REMEDY_PERSIST, "\tfor (struct s *q = p->a @= x; q;)\n\t\tg();\n",
		PD_NO_REMEDY_HEADER);
	refuses(PD_REMEDY_PERSIST, "\tfor (auto e : p->a @= x)\n\t\tg();\n", PD_NO_REMEDY_HEADER);
	refuses(PD_REMEDY_REMOVE, "\tfor (; x; @flush(p, 8))\n\t\tg();\n", PD_NO_REMEDY_NOT_ALONE);
}

/* A macro may be more than an expression. */
static void headers_take_no_macros(void **state)
{
	struct made m = make("#define persist(p, n) do { _mm_clwb(p); _mm_sfence(); } while (0)\n"
			     "void f(struct s *p)\n{\n\tfor (; x; p->n@++)\n\t\tg();\n}\n",
			     NULL, PD_REMEDY_PERSIST, true);

	(void)state;
	assert_int_equal(m.no, PD_NO_REMEDY_HEADER);
	drop(&m);
}

static void lambdas_are_blocks(void **state)
{
	(void)state;
	becomes("\trun([&] {\n\t\tp->a @= 1;\n\t});\n",
		"\trun([&] {\n\t\tp->a = 1;\n\t\tpersist(&p->a, sizeof(p->a));\n\t});\n");
	becomes("\trun([=](int i) mutable {\n\t\tp->a @= i;\n\t});\n",
		"\trun([=](int i) mutable {\n\t\tp->a = i;\n\t\tpersist(&p->a, "
		"sizeof(p->a));\n\t});\n");
	becomes("\tdo\n\t\tp->a @= 1;\n\twhile (x);\n",
		"\tdo {\n\t\tp->a = 1;\n\t\tpersist(&p->a, sizeof(p->a));\n\t}\n\twhile (x);\n");
	becomes("\tif (x)\n\t\tg();\n\telse if (y)\n\t\tp->a @= 1;\n",
		"\tif (x)\n\t\tg();\n\telse if (y) {\n\t\tp->a = 1;\n"
		"\t\tpersist(&p->a, sizeof(p->a));\n\t}\n");
}

static void lines_are_shared(void **state)
{
	(void)state;
	becomes("\tp->a @= 1; p->b = 2;\n",
		"\tp->a = 1; persist(&p->a, sizeof(p->a)); p->b = 2;\n");
	becomes("\tp->a = 1; p->b @= 2; // both\n",
		"\tp->a = 1; p->b = 2; // both\n\t\tpersist(&p->b, sizeof(p->b));\n");
	becomes("\t{ p->a @= 1; }\n", "\t{ p->a = 1; persist(&p->a, sizeof(p->a)); }\n");
	becomes("\tp->a @= 1; /* a comment\n\tof two lines */\n",
		"\tp->a = 1; persist(&p->a, sizeof(p->a)); /* a comment\n\tof two lines */\n");
	becomes("\tswitch (x) {\n\tcase 1:\n\t\tp->a @= 1;\n\t}\n",
		"\tswitch (x) {\n\tcase 1:\n\t\tp->a = 1;\n\t\tpersist(&p->a, "
		"sizeof(p->a));\n\t}\n");
}

static void some_places_are_refused(void **state)
{
	(void)state;
	refuses(PD_REMEDY_PERSIST, "\tif ((p->a @= 1))\n\t\tg();\n", PD_NO_REMEDY_CONDITION);
	refuses(PD_REMEDY_PERSIST, "\twhile (@__sync_fetch_and_add(&p->a, 1)) {\n\t}\n",
		PD_NO_REMEDY_CONDITION);
	refuses(PD_REMEDY_PERSIST, "\tnext()->a @= 1;\n", PD_NO_REMEDY_EFFECTS);
	refuses(PD_REMEDY_PERSIST, "\tp->a @=\n#if X\n\t\t1;\n#else\n\t\t2;\n#endif\n",
		PD_NO_REMEDY_DIRECTIVES);
	refuses(PD_REMEDY_PERSIST, "\t@g(p);\n", PD_NO_REMEDY_NOT_FOUND);
	refuses(PD_REMEDY_REMOVE, "\tg(); @flush(p, 8);\n", PD_NO_REMEDY_NOT_ALONE);
	refuses(PD_REMEDY_ATOMIC, "\tp->a = p->b @= 1;\n", PD_NO_REMEDY_STATEMENT);
	refuses(PD_REMEDY_LOG, "\tp->a @= 1;\n", PD_NO_REMEDY_KIND);
}

/* ---- other changes --------------------------------------------------------------------------- */

static void fences_and_atomics(void **state)
{
	(void)state;
	becomes_by(PD_REMEDY_FENCE, "\t@flush(p, 8);\n\tg();\n",
		   "\tflush(p, 8);\n\tfence();\n\tg();\n");
	becomes_by(PD_REMEDY_FENCE, "\tfor (;;)\n\t\t@flush(p, 8);\n",
		   "\tfor (;;)\n\t\tflush(p, 8);\n\tfence();\n");
	becomes_by(PD_REMEDY_FENCE_FLUSH,
		   "\tp->a @= 1;\n\tflush(q, 8);\n\tflush(&p->a, 8);\n\tg();\n",
		   "\tp->a = 1;\n\tflush(q, 8);\n\tflush(&p->a, 8);\n\tfence();\n\tg();\n");
	becomes_by(PD_REMEDY_FENCE_FLUSH, "\tp->a @= 1;\n\tg();\n",
		   "\tp->a = 1;\n\tpersist(&p->a, sizeof(p->a));\n\tg();\n");
	becomes_by(PD_REMEDY_FULL_FENCE, "\tp->a @= 1;\n",
		   "\tp->a = 1;\n\t__atomic_thread_fence(__ATOMIC_SEQ_CST);\n");
	refuses(PD_REMEDY_ATOMIC, "\tp->a @= b, c();\n", PD_NO_REMEDY_STATEMENT);
}

static void atomics(void **state)
{
	(void)state;
	becomes_by(PD_REMEDY_ATOMIC, "\tif (x)\n\t\tp->a @= b ? c : d;\n",
		   "\tif (x)\n\t\t__atomic_store_n(&p->a, b ? c : d, __ATOMIC_RELEASE);\n");
	becomes_by(PD_REMEDY_ATOMIC, "\tp->a@++;\n",
		   "\t__atomic_store_n(&p->a, p->a + 1, __ATOMIC_RELEASE);\n");
	becomes_by(PD_REMEDY_ATOMIC, "\tp->a @<<= 1 + 1; // x\n",
		   "\t__atomic_store_n(&p->a, p->a << (1 + 1), __ATOMIC_RELEASE); // x\n");
	becomes_by(PD_REMEDY_REMOVE, "\tg();\n\t@flush(p, 8); /* why */\n\tg();\n",
		   "\tg();\n\tg();\n");
	becomes_by(PD_REMEDY_PERSIST_READ, "\tuint64_t x = @__atomic_load_n(&p->a, 0);\n",
		   "\tuint64_t x = __atomic_load_n(&p->a, 0);\n\tpersist(&p->a, sizeof(p->a));\n");
	becomes_by(PD_REMEDY_PERSIST_READ, "\tx = p->@next;\n",
		   "\tx = p->next;\n\tpersist(&p->next, sizeof(p->next));\n");
}

/* What a condition reads is made durable where the condition leads to. */
static void reads_in_conditions(void **state)
{
	(void)state;
	becomes_by(PD_REMEDY_PERSIST_READ, "\tif (p->@a < 2) {\n\t\tg();\n\t}\n",
		   "\tif (p->a < 2) {\n\t\tpersist(&p->a, sizeof(p->a));\n\t\tg();\n\t}\n");
	becomes_by(PD_REMEDY_PERSIST_READ, "\tif (x && !(p->@a & 1))\n\t\tg();\n",
		   "\tif (x && !(p->a & 1)) {\n\t\tpersist(&p->a, sizeof(p->a));\n\t\tg();\n\t}\n");
	becomes_by(PD_REMEDY_PERSIST_READ, "\twhile (!@__atomic_load_n(&p->a, 0))\n\t\t;\n\tg();\n",
		   "\twhile (!__atomic_load_n(&p->a, 0))\n\t\t;\n\tpersist(&p->a, "
		   "sizeof(p->a));\n\tg();\n");
	becomes_by(PD_REMEDY_PERSIST_READ,
		   "\tdo {\n\t\tg();\n\t} while (!@__sync_bool_compare_and_swap(&p->a, 0, 1));\n",
		   "\tdo {\n\t\tpersist(&p->a, sizeof(p->a));\n\t\tg();\n\t} while "
		   "(!__sync_bool_compare_and_swap(&p->a, 0, 1));\n");
	refuses(PD_REMEDY_PERSIST_READ, "\tswitch (p->@a) {\n\tcase 1:\n\t\tg();\n\t}\n",
		PD_NO_REMEDY_CONDITION);
	/* p is another one behind it; a member of that name is none */
	refuses(PD_REMEDY_PERSIST_READ, "\tp = p->@next;\n", PD_NO_REMEDY_EFFECTS);
	becomes_by(PD_REMEDY_PERSIST_READ, "\tuint64_t a = p->@a;\n",
		   "\tuint64_t a = p->a;\n\tpersist(&p->a, sizeof(p->a));\n");
}

static void heads_go_with_what_they_do(void **state)
{
	(void)state;
	becomes_by(PD_REMEDY_REMOVE, "\tg();\n\tif (x)\n\t\t@flush(p, 8);\n\tg();\n",
		   "\tg();\n\tg();\n");
	becomes_by(PD_REMEDY_REMOVE, "\tif (p->a > 1) {\n\t\t@flush(p, 8);\n\t}\n", "");
	becomes_by(PD_REMEDY_REMOVE,
		   "\tfor (size_t i = 0; i < n; i += 64)\n\t\t@flush(&p->v[i], 8);\n\tg();\n",
		   "\tg();\n");
	/* What the head does would be missing */
	becomes_by(PD_REMEDY_REMOVE, "\tif (g()) {\n\t\t@flush(p, 8);\n\t}\n",
		   "\tif (g()) {\n\t}\n");
	refuses(PD_REMEDY_REMOVE, "\tif (g())\n\t\t@flush(p, 8);\n", PD_NO_REMEDY_NOT_ALONE);
	refuses(PD_REMEDY_REMOVE, "\tif (n++)\n\t\t@flush(p, 8);\n", PD_NO_REMEDY_NOT_ALONE);
	refuses(PD_REMEDY_REMOVE, "\tfor (; i < n; i++)\n\t\t@flush(p, 8);\n",
		PD_NO_REMEDY_NOT_ALONE);
	refuses(PD_REMEDY_REMOVE, "\tfor (int i = 0; i < n; p->n++)\n\t\t@flush(p, 8);\n",
		PD_NO_REMEDY_NOT_ALONE);
	refuses(PD_REMEDY_REMOVE, "\twhile (x)\n\t\t@flush(p, 8);\n", PD_NO_REMEDY_NOT_ALONE);
	refuses(PD_REMEDY_REMOVE, "\tif (x)\n\t\t@flush(p, 8);\n\telse\n\t\tg();\n",
		PD_NO_REMEDY_NOT_ALONE);
	refuses(PD_REMEDY_REMOVE, "\tif (x)\n\t\tg();\n\telse if (y)\n\t\t@flush(p, 8);\n",
		PD_NO_REMEDY_NOT_ALONE);
	refuses(PD_REMEDY_REMOVE, "\twhile (g())\n\t\tif (x)\n\t\t\t@flush(p, 8);\n",
		PD_NO_REMEDY_NOT_ALONE);
}

static void steps_are_over(void **state)
{
	(void)state;
	becomes("\tp->v[n++] @= 1;\n",
		"\tp->v[n++] = 1;\n\tpersist(&p->v[n - 1], sizeof(p->v[n - 1]));\n");
	becomes("\tp->v[--n].x @= 1;\n",
		"\tp->v[--n].x = 1;\n\tpersist(&p->v[n].x, sizeof(p->v[n].x));\n");
	becomes("\t*q-- @= *from;\n", "\t*q-- = *from;\n\tpersist(q + 1, sizeof(*(q + 1)));\n");
	/* Which one is meant is not clear, or it is no variable */
	refuses(PD_REMEDY_PERSIST, "\tp->v[n++] @= n;\n", PD_NO_REMEDY_EFFECTS);
	refuses(PD_REMEDY_PERSIST, "\tp->v[p->n++] @= 1;\n", PD_NO_REMEDY_EFFECTS);
	refuses(PD_REMEDY_PERSIST, "\tp->v[n++][m++] @= 1;\n", PD_NO_REMEDY_EFFECTS);
	refuses(PD_REMEDY_ATOMIC, "\tp->v[n++] @= 1;\n", PD_NO_REMEDY_STATEMENT);
}

static void stores_change_places(void **state)
{
	(void)state;
	becomes_by(PD_REMEDY_MOVE, "\t@p->valid = 1;\n\tg = 2;\n\tp->a @= x; // why\n\th();\n",
		   "\tg = 2;\n\tp->a = x; // why\n\tpersist(&p->a, sizeof(p->a));\n"
		   "\tp->valid = 1;\n\th();\n");
	becomes_by(PD_REMEDY_MOVE,
		   "\t@__atomic_store_n(&p->valid, 1, 0);\n\tpersist(p, 8);\n"
		   "\t@memcpy(p->s, s, n);\n",
		   "\tpersist(p, 8);\n\tmemcpy(p->s, s, n);\n\tpersist(p->s, n);\n"
		   "\t__atomic_store_n(&p->valid, 1, 0);\n");
}

static void or_stay_where_they_are(void **state)
{
	static const char *const bodies[] = {
		/* One uses what the other stores */
		"\t@p->n += 1;\n\tp->v[p->n] @= x;\n",
		"\t@p->last = p->a;\n\tp->a @= x;\n",
		"\t@p->last = x;\n\tx = 2;\n\tp->a @= 1;\n",
		"\t@p->last = v[i];\n\tv[i]++;\n\tp->a @= 1;\n",
		/* What is called may look at it, what leaves may not come back */
		"\t@p->valid = 1;\n\tg(p);\n\tp->a @= x;\n",
		"\t@p->valid = 1;\n\tp->a @= g(p);\n",
		"\t@p->valid = g(p);\n\tp->a @= 1;\n",
		"\t@p->valid = 1;\n\tif (x)\n\t\treturn 0;\n\tp->a @= 1;\n",
		"\t@p->valid = 1;\n#if X\n\tp->a @= 1;\n#endif\n",
		/* Not both are done, or not in this order */
		"\t@p->valid = 1;\n\tif (x) {\n\t\tp->a @= 1;\n\t}\n",
		"\tif (x)\n\t\t@p->valid = 1;\n\tp->a @= 1;\n",
		"\tfor (;;) {\n\t\t@p->valid = 1;\n\t}\n\tp->a @= 1;\n",
		/* Other things are on its line */
		"\tx = 1; @p->valid = 1;\n\tp->a @= 1;\n",
	};

	(void)state;
	for (size_t i = 0; i < PD_LEN(bodies); i++)
		refuses(PD_REMEDY_MOVE, bodies[i], PD_NO_REMEDY_TOGETHER);
}

static void the_programs_own_logging(void **state)
{
	static const char body[] = "#include <libpmemobj.h>\nvoid f(void)\n{\n%s\t%s @= 1;\n}\n";
	static const struct {
		const char *before, *object, *expected;
	} c[] = {
		{"\tTX_ADD_FIELD(r, head);\n", "D_RW(r)->n",
		 "\tTX_ADD_FIELD(r, n);\n\tD_RW(r)->n = 1;\n"},
		{"", "D_RW(r)->n",
		 "\tpmemobj_tx_add_range_direct(&D_RW(r)->n, sizeof(D_RW(r)->n));\n"},
		{"\tTX_ADD_FIELD(r, head);\n", "D_RW(r)->v[2]",
		 "\tpmemobj_tx_add_range_direct(&D_RW(r)->v[2], "},
		{"\tTX_ADD_FIELD(r, head);\n", "p->n", "\tpmemobj_tx_add_range_direct(&p->n, "},
	};
	char text[500];

	(void)state;
	for (size_t i = 0; i < PD_LEN(c); i++) {
		struct made m;

		snprintf(text, sizeof(text), body, c[i].before, c[i].object);
		m = make(text, NULL, PD_REMEDY_LOG, true);
		assert_int_equal(m.no, PD_NO_REMEDY_NONE);
		assert_non_null(strstr(m.text, c[i].expected));
		drop(&m);
	}
}

/* ---- what makes durable ---------------------------------------------------------------------- */

static void the_programs_own_is_used(void **state)
{
	static const char body[] = "void f(struct s *p)\n{\n\tp->a @= 1;\n}\n";
	char text[2000];

	(void)state;
	snprintf(text, sizeof(text), "#include <libpmem.h>\n%s", body);
	patched_has(text, NULL, "\tpmem_persist(&p->a, sizeof(p->a));\n");
	snprintf(text, sizeof(text), "#include \"a.h\"\n%s", body);
	patched_has(text, "void nvm_persist(const void *addr, size_t len);\n",
		    "\tnvm_persist(&p->a, sizeof(p->a));\n");
	patched_has(text, "void clflush(char *data, int len);\nvoid mfence(void);\n",
		    "\tclflush((char *)&p->a, sizeof(p->a));\n\tmfence();\n");
	patched_has(text, "#define PERSIST(p, n) pmem_persist(p, n)\n",
		    "\tPERSIST(&p->a, sizeof(p->a));\n");
	/* A fence that comes first is none */
	patched_has(text,
		    "static void persist(void *p, size_t n) { _mm_sfence(); _mm_clwb(p); }\n"
		    "static void fence(void) { _mm_sfence(); }\n",
		    "\tpersist(&p->a, sizeof(p->a));\n\tfence();\n");
	/* One that stands below cannot be called */
	snprintf(text, sizeof(text), "#include <libpmem.h>\n%s%s", body, HELPERS);
	patched_has(text, NULL, "\tpmem_persist(&p->a, sizeof(p->a));\n");
	/* Through a pointer, as elsewhere */
	patched_has("void g(struct c *c)\n{\n\tc->persist_fn(c->x, 8);\n}\n"
		    "void f(struct c *c, struct s *p)\n{\n\tp->a @= 1;\n}\n",
		    NULL, "\tc->persist_fn(&p->a, sizeof(p->a));\n");
	patched_has("static pmem2_persist_fn Persist;\nvoid f(struct s *p)\n{\n\tp->a @= 1;\n}\n",
		    NULL, "\tPersist(&p->a, sizeof(p->a));\n");
	/* With its pool */
	patched_has("#include <libpmemobj.h>\nvoid f(PMEMobjpool *pop, struct s *p)\n{\n\tp->a @= "
		    "1;\n}\n",
		    NULL, "\tpmemobj_persist(pop, &p->a, sizeof(p->a));\n");
}

static void or_one_is_brought_along(void **state)
{
	struct made m = make(
		"#include <stdio.h>\n\n/* About f. */\nvoid f(struct s *p)\n{\n    p->a @= 1;\n}\n",
		NULL, PD_REMEDY_PERSIST, true);

	(void)state;
	assert_int_equal(m.no, PD_NO_REMEDY_NONE);
	assert_string_equal(
		m.text,
		"#include <stdio.h>\n#include <emmintrin.h>\n\n"
		"/* Makes n bytes from p on durable: flushes their cache lines, and fences. */\n"
		"static void persist_range(const volatile void *p, unsigned long n)\n{\n"
		"    unsigned long line = (unsigned long)p & ~63ul;\n\n"
		"    for (; line < (unsigned long)p + n; line += 64)\n"
		"        _mm_clflush((const void *)line);\n    _mm_sfence();\n}\n\n"
		"/* About f. */\nvoid f(struct s *p)\n{\n    p->a = 1;\n"
		"    persist_range(&p->a, sizeof(p->a));\n}\n");
	drop(&m);
}

static void setters_are_looked_through(void **state)
{
	(void)state;
	patched_has(HELPERS "static void set(uint64_t *w, uint64_t v)\n{\n\t*w @= v;\n}\n"
			    "void f(struct s *p)\n{\n\t@set(&p->a, 1);\n}\n",
		    NULL, "\tset(&p->a, 1);\n\tpersist(&p->a, sizeof(p->a));\n");
	patched_has(
		HELPERS
		"static void put(void *to, void *from, size_t n)\n{\n\t@memcpy(to, from, n);\n}\n"
		"void f(struct s *p)\n{\n\t@put(p->t, x, 12);\n}\n",
		NULL, "\tput(p->t, x, 12);\n\tpersist(p->t, 12);\n");
	/* One that names what it stores to does not */
	patched_has(HELPERS "static void set(struct s *p)\n{\n\tp->a @= 1;\n}\n"
			    "void f(struct s *p)\n{\n\t@set(p);\n}\n",
		    NULL, "\tp->a = 1;\n\tpersist(&p->a, sizeof(p->a));\n}\n");
}

/* ---- texts of all sorts ---------------------------------------------------------------------- */

static void texts_of_all_sorts(void **state)
{
	struct made m;

	(void)state;
	m = make("#include <libpmem.h>\r\nvoid f(struct s *p)\r\n{\r\n\tp->a @= 1; // x\r\n}\r\n",
		 NULL, PD_REMEDY_PERSIST, true);
	assert_int_equal(m.no, PD_NO_REMEDY_NONE);
	assert_string_equal(
		m.text, "#include <libpmem.h>\r\nvoid f(struct s *p)\r\n{\r\n\tp->a = 1; // x\r\n"
			"\tpmem_persist(&p->a, sizeof(p->a));\r\n}\r\n");
	assert_non_null(strstr(m.kept, "sizeof(p->a));\r\n#line 5\r\n}"));
	drop(&m);
	/* No newline at the end; a string with a brace; letters that are not ASCII */
	m = make("#include <libpmem.h>\nvoid f(struct s *p) { g(\"}{\", '{'); p->größe @= 1; }",
		 NULL, PD_REMEDY_PERSIST, true);
	assert_int_equal(m.no, PD_NO_REMEDY_NONE);
	assert_non_null(
		strstr(m.text, "p->größe = 1; pmem_persist(&p->größe, sizeof(p->größe)); }"));
	assert_non_null(strstr(m.diff, "\\ No newline at end of file\n+void"));
	drop(&m);
	/* Without columns the line has to be clear */
	m = make("#include <libpmem.h>\nvoid f(struct s *p)\n{\n\t@p->a = 1;\n}\n", NULL,
		 PD_REMEDY_PERSIST, false);
	assert_int_equal(m.no, PD_NO_REMEDY_NONE);
	drop(&m);
	m = make("#include <libpmem.h>\nvoid f(struct s *p)\n{\n\t@p->a = 1; p->b = 1;\n}\n", NULL,
		 PD_REMEDY_PERSIST, false);
	assert_int_equal(m.no, PD_NO_REMEDY_STATEMENT);
	drop(&m);
	m = make("// Generated by a tool. DO NOT EDIT\nvoid f(struct s *p)\n{\n\tp->a @= 1;\n}\n",
		 NULL, PD_REMEDY_PERSIST, true);
	assert_int_equal(m.no, PD_NO_REMEDY_GENERATED);
	drop(&m);
	for (const char *p = "({[\"'/*#R\"(\\\n"; *p; p++) { /* what does not end */
		char text[64];

		snprintf(text, sizeof(text), "void f()\n{\n\t*p @= 1;\n%s", p);
		m = make(text, NULL, PD_REMEDY_PERSIST, true);
		drop(&m);
	}
}

/* Whatever a text is, and wherever the place: a patch or a reason, and what is kept of it is
 * whole. */
static void broken_texts_are_survived(void **state)
{
	static const char sound[] =
		"#include \"a.h\"\n" HELPERS "#define SET(p, v) (*(p) = (v))\n#if A\nvoid f(struct "
		"s *p)\n#else\nint f(struct s *p)\n"
		"#endif\n{\n\tif (x)\n\t\tp->a[i] = g(1, \"s\");\n\telse\n\t\tSET(&p->b, '}');\n"
		"\tfor (int i = 0; i < 3; i++) p->n++;\n\t*p = (struct s){1, {2}};\n}\n";
	static const char marks[] = "(){}[];,=*&\"'#\\/\n@@@@ax";
	uint32_t seed = 1, made = 0;

	(void)state;
	for (int round = 0; round < 4000; round++) {
		char text[sizeof(sound) + 8];
		struct made m;
		size_t n = sizeof(sound) - 1;
		int what;

		memcpy(text, sound, sizeof(sound));
		for (int i = 0; i < 3; i++) {
			seed = seed * 1664525 + 1013904223;
			text[(seed >> 8) % n] = marks[(seed >> 3) % (sizeof(marks) - 1)];
		}
		for (char *p = strchr(text, '@'); p && (p = strchr(p + 1, '@'));)
			*p = ' '; /* one place */
		what = (int)((seed >> 16) % PD_REMEDY_N);
		if (!strchr(text, '@'))
			text[(seed >> 8) % n] = '@';
		m = make(text, "struct s {\n\tint b : 3;\n", (enum pd_remedy_what)what,
			 seed & 1 << 20);
		made += !m.no;
		drop(&m);
	}
	assert_true(made > 20); /* some of them are still sound */
}

/* The branches of an #if may each open the same block. */
static void conditionals_are_followed(void **state)
{
	(void)state;
	becomes("#if A\n\tif (x) {\n#else\n\tif (y) {\n#endif\n\t\tp->a @= 1;\n\t}\n",
		"#if A\n\tif (x) {\n#else\n\tif (y) {\n#endif\n\t\tp->a = 1;\n"
		"\t\tpersist(&p->a, sizeof(p->a));\n\t}\n");
	becomes("\tp->b = 1;\n#if A\n\tp->a @= 1;\n#endif\n",
		"\tp->b = 1;\n#if A\n\tp->a = 1;\n\tpersist(&p->a, sizeof(p->a));\n#endif\n");
}

/* Every line that was there keeps its number in the text that is tried. */
static void lines_keep_their_numbers(void **state)
{
	static const char *const bodies[] = {
		"\tif (x) p->a @= 1;\n\tg();\n\treturn;\n", "\tp->a @= 1; g();\n\treturn;\n",
		"\tif (x)\n\t\tp->a @= 1;\n\telse\n\t\tg();\n\treturn;\n"};
	(void)state;
	for (size_t i = 0; i < PD_LEN(bodies); i++) {
		char marked[2000];
		uint32_t number = 0, wanted = 1;
		struct made m;

		snprintf(marked, sizeof(marked),
			 "#include <stdio.h>\nint g;\nvoid f(struct s *p)\n{\n%s}\n", bodies[i]);
		m = make(marked, NULL, PD_REMEDY_PERSIST, true);
		assert_int_equal(m.no, PD_NO_REMEDY_NONE);
		for (char *line = strtok(m.kept, "\n"); line; line = strtok(NULL, "\n")) {
			/* strtok leaves out empty lines: there are none before the first
			 * directive */
			number++;
			sscanf(line, "#line %u", &number);
			number -= strncmp(line, "#line", 5) == 0;
			if (strcmp(line, "\treturn;") == 0)
				wanted = 0;
			if (!wanted)
				break;
		}
		for (const char *p = marked; p < strstr(marked, "\treturn;"); p++)
			wanted += *p == '\n';
		assert_int_equal(number, wanted + 1);
		drop(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(objects_are_named),
		cmocka_unit_test(calls_are_known),
		cmocka_unit_test(macros_are_looked_up),
		cmocka_unit_test(bit_fields_have_no_address),
		cmocka_unit_test(braces_are_added),
		cmocka_unit_test(what_is_returned_is_kept),
		cmocka_unit_test(memory_runs_out),
		cmocka_unit_test(swaps_in_conditions),
		cmocka_unit_test(headers_of_loops),
		cmocka_unit_test(headers_take_no_macros),
		cmocka_unit_test(lambdas_are_blocks),
		cmocka_unit_test(lines_are_shared),
		cmocka_unit_test(some_places_are_refused),
		cmocka_unit_test(fences_and_atomics),
		cmocka_unit_test(atomics),
		cmocka_unit_test(the_programs_own_logging),
		cmocka_unit_test(reads_in_conditions),
		cmocka_unit_test(heads_go_with_what_they_do),
		cmocka_unit_test(steps_are_over),
		cmocka_unit_test(stores_change_places),
		cmocka_unit_test(or_stay_where_they_are),
		cmocka_unit_test(the_programs_own_is_used),
		cmocka_unit_test(or_one_is_brought_along),
		cmocka_unit_test(setters_are_looked_through),
		cmocka_unit_test(texts_of_all_sorts),
		cmocka_unit_test(broken_texts_are_survived),
		cmocka_unit_test(conditionals_are_followed),
		cmocka_unit_test(lines_keep_their_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
