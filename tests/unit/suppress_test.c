/* suppress_test.c - suppression files: what they take, what is wrong with them, lack of memory. */
#include "unit/tight.h"
#include "finding/suppress.h"

static const struct pd_frame stack[] = {{"insert_all", "app.c", 5, 0}, {"main", "app.c", 9, 0}};

static const struct pd_finding_site sites[] = {
	{.role = PD_ROLE_STORE,
	 .at = {"list_insert", "/home/u/src/list.c", 42, 3},
	 .stack = stack,
	 .nstack = 2},
	{.role = PD_ROLE_LOAD, .at = {"list_read", "src/read.c", 7, 1}},
};

static const struct pd_finding sample = {
	.id = 0xabcdef0123,
	.kind = PD_KIND_LINT_MISSING_FLUSH,
	.field = "node.next",
	.sites = sites,
	.nsites = 2,
};

struct fixture {
	struct unit_host h;
	struct pd_arena a;
	struct pd_suppressions s;
};

static void set_up(struct fixture *x)
{
	x->h = (struct unit_host){.left = -1};
	pd_arena_init(&x->a, unit_host(&x->h));
	pd_suppress_init(&x->s, &x->a);
}

static bool takes(const char *text)
{
	struct pd_text_error err;
	struct fixture x;
	bool taken;

	set_up(&x);
	assert_true(pd_suppress_parse(&x.s, "f", text, strlen(text), &err));
	taken = pd_suppress_match(&x.s, &sample) != NULL;
	pd_arena_finish(&x.a);
	return taken;
}

#define K "[n]\nkind = lint/missing-flush\n"

static void takes_what_matches(void **state)
{
	(void)state;
	assert_true(takes(K));
	assert_true(takes("[n]\nkind=*"));
	assert_true(takes("[n]\r\n  kind\t=  lint/missing-*  \r\n# c\r\n"));
	assert_true(takes(K "function = list_*"));
	assert_true(takes(K "file = list.c"));
	assert_true(takes(K "file = list.c:42"));
	assert_true(takes(K "file = src/list.c:42"));
	assert_true(takes(K "file = /home/u/src/list.c"));
	assert_true(takes(K "file = *.c"));
	assert_true(takes(K "field = node.*"));
	assert_true(takes(K "role = load\nfunction = list_read\nfile = read.c:7"));
	assert_true(takes(K "caller = main"));
	assert_true(takes(K "caller = insert_?ll"));
	assert_true(takes(K "id = abcdef0123"));
	assert_true(takes("[a]\nkind = torn/*\n[b]\nkind = lint/*"));
}

static void leaves_what_does_not_match(void **state)
{
	(void)state;
	assert_false(takes(""));
	assert_false(takes("# nothing\n\n"));
	assert_false(takes("[n]\nkind = torn/*"));
	assert_false(takes(K "function = list"));
	assert_false(takes(K "file = ist.c"));
	assert_false(takes(K "file = list.c:43"));
	assert_false(takes(K "file = list.c:4"));
	assert_false(takes(K "field = next"));
	assert_false(takes(K "library = *"));
	/* Function, file and role must be of one and the same site. */
	assert_false(takes(K "function = list_insert\nfile = read.c"));
	assert_false(takes(K "role = load\nfunction = list_insert"));
	assert_false(takes(K "role = load\ncaller = main"));
	assert_false(takes(K "id = abcdef0124"));
}

static void uses_are_counted_and_unused_listed(void **state)
{
	static const char text[] = "[first]\nkind = lint/*\n\n[second]\nkind = lint/*\n"
				   "[third]\nkind = torn/*\n";
	const struct pd_suppression *e;
	struct pd_text_error err;
	struct fixture x;
	uint32_t at = 0;

	(void)state;
	set_up(&x);
	assert_true(pd_suppress_parse(&x.s, "my.supp", text, sizeof(text) - 1, &err));
	pd_suppress_match(&x.s, &sample);
	e = pd_suppress_match(&x.s, &sample);
	assert_string_equal(e->name, "first");
	assert_int_equal(e->uses, 2);
	e = pd_suppress_unused(&x.s, &at);
	assert_string_equal(e->name, "second");
	assert_string_equal(e->source, "my.supp");
	assert_int_equal(e->line, 4);
	assert_string_equal(pd_suppress_unused(&x.s, &at)->name, "third");
	assert_null(pd_suppress_unused(&x.s, &at));
	pd_arena_finish(&x.a);
}

static void set_is_filtered(void **state)
{
	static const char text[] = "[n]\nkind = lint/missing-flush\nfield = b\n";
	struct pd_text_error err;
	struct pd_findings fs;
	struct fixture x;

	(void)state;
	set_up(&x);
	pd_findings_init(&fs, &x.a);
	for (int i = 0; i < 3; i++) {
		struct pd_finding f = sample;
		const char field[] = {(char)('a' + i), '\0'};

		f.field = field;
		f.id = 0;
		pd_findings_add(&fs, &f);
	}
	assert_true(pd_suppress_parse(&x.s, "f", text, sizeof(text) - 1, &err));
	pd_findings_suppress(&fs, &x.s);
	assert_int_equal(fs.items.n, 2);
	assert_int_equal(fs.suppressed, 1);
	assert_string_equal(fs.items.v[0]->field, "a");
	assert_string_equal(fs.items.v[1]->field, "c");
	pd_arena_finish(&x.a);
}

struct bad {
	const char *text;
	uint32_t line, column;
	const char *expected; /* the beginning */
	const char *got;
};

static void errors_say_where_and_what(void **state)
{
	static const struct bad bad[] = {
		{"kind = lint/*", 1, 1, "an entry's '[NAME]'", "kind"},
		{"\n[n\nkind = *", 2, 1, "']' at the end", "[n"},
		{"[", 1, 1, "']' at the end", "["},
		{"[ ]", 1, 1, "a name between", "[ ]"},
		{K "[n]\nkind = *", 3, 2, "a name that no other", "n"},
		{"[n]\nfunction = f\n[m]\nkind = *", 1, 1, "a line 'kind = PATTERN'", "n"},
		{"[n]\n", 1, 1, "a line 'kind = PATTERN'", "n"},
		{K "hello", 3, 1, "'[NAME]', 'KEY = PATTERN'", "hello"},
		{K "  colour = red", 3, 3, "kind, id, field", "colour"},
		{K "kind = *", 3, 1, "this key only once", "kind"},
		{K "function =", 3, 1, "a pattern after '='", "function ="},
		{"[n]\nkind = lint/mising-flush", 2, 8, "a kind, or a pattern",
		 "lint/mising-flush"},
		{K "role = stroe", 3, 8, "a role such as", "stroe"},
		{K "id = 12", 3, 6, "an id of ten hex digits", "12"},
		{K "file = a.c:0", 3, 8, "FILE or FILE:LINE", "a.c:0"},
		{K "file = a.c:", 3, 8, "FILE or FILE:LINE", "a.c:"},
		{K "file = a.c:99999999999", 3, 8, "FILE or FILE:LINE", "a.c:99999999999"},
		{K "file = :7", 3, 8, "FILE or FILE:LINE", ":7"},
	};
	struct fixture x;

	(void)state;
	set_up(&x);
	for (size_t i = 0; i < PD_LEN(bad); i++) {
		struct pd_text_error err = {0};

		assert_false(pd_suppress_parse(&x.s, "f", bad[i].text, strlen(bad[i].text), &err));
		assert_false(err.nomem);
		assert_memory_equal(err.expected, bad[i].expected, strlen(bad[i].expected));
		assert_int_equal(err.line, bad[i].line);
		assert_int_equal(err.column, bad[i].column);
		assert_int_equal(err.ngot, strlen(bad[i].got));
		assert_memory_equal(err.got, bad[i].got, err.ngot);
		assert_int_equal(x.s.items.n, 0);
	}
	pd_arena_finish(&x.a);
}

static void binary_files_are_refused(void **state)
{
	static const char text[] = "[n]\nkind = \0\n";
	struct pd_text_error err;
	struct fixture x;

	(void)state;
	set_up(&x);
	assert_false(pd_suppress_parse(&x.s, "f", text, sizeof(text) - 1, &err));
	assert_string_equal(err.expected, "text, not a binary file");
	assert_int_equal(err.line, 2);
	pd_arena_finish(&x.a);
}

static void later_file_with_an_error_leaves_the_first(void **state)
{
	struct pd_text_error err;
	struct fixture x;

	(void)state;
	set_up(&x);
	assert_true(pd_suppress_parse(&x.s, "f", K, strlen(K), &err));
	assert_false(pd_suppress_parse(&x.s, "g", "[m]\nkind=*\n[o]", 14, &err));
	assert_int_equal(x.s.items.n, 1);
	assert_non_null(pd_suppress_match(&x.s, &sample));
	pd_arena_finish(&x.a);
}

static void lack_of_memory(void **state)
{
	static const char text[] = "[one]\nkind = lint/*\nfunction = f\nfile = a.c:3\n"
				   "[two]\nkind = *\nid = abcdef0123\n";
	bool done = false;

	(void)state;
	for (size_t room = 0; room < 8000 && !done; room += 16) {
		struct pd_text_error err = {0};
		struct pd_suppressions s;
		struct unit_host h;
		struct pd_arena a;

		tight_init(&a, &h, room);
		pd_suppress_init(&s, &a);
		done = pd_suppress_parse(&s, "f", text, sizeof(text) - 1, &err);
		assert_true(done || err.nomem);
		assert_int_equal(s.items.n, done ? 2 : 0);
		assert_int_equal(pd_suppress_match(&s, &sample) != NULL, done);
		tight_finish(&a, &h);
	}
	assert_true(done);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_what_matches),
		cmocka_unit_test(leaves_what_does_not_match),
		cmocka_unit_test(uses_are_counted_and_unused_listed),
		cmocka_unit_test(set_is_filtered),
		cmocka_unit_test(errors_say_where_and_what),
		cmocka_unit_test(binary_files_are_refused),
		cmocka_unit_test(later_file_with_an_error_leaves_the_first),
		cmocka_unit_test(lack_of_memory),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
