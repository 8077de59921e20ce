/* words_test.c - a command line as one argument: words as a shell would split them. */
#include "unit/unit.h"
#include "host/host.h"
#include "host/words.h"
#include <stdio.h>
#include <string.h>

/* The words, each in brackets; or the error. */
static const char *split(struct pd_arena *a, const char *s)
{
	static char text[400];
	static struct pd_error e;
	char **argv = pd_words_split(a, s, "--recover", &e);
	size_t n = 0;

	if (!argv)
		return e.text;
	text[0] = '\0';
	for (; *argv; argv++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "[%s]", *argv);
	return text;
}

static void words(void **state)
{
	static const struct {
		const char *line;
		const char *want;
	} cases[] = {
		{"prog", "[prog]"},
		{"  prog  a\tb\nc ", "[prog][a][b][c]"},
		{"prog \"two words\"", "[prog][two words]"},
		{"prog 'two  words' x", "[prog][two  words][x]"},
		{"prog two\\ words", "[prog][two words]"},
		{"pr'o'\"g\" a''b", "[prog][ab]"},
		{"prog '' \"\"", "[prog][][]"},
		{"prog '\\' \"\\\\\" \\\\", "[prog][\\][\\][\\]"},
		{"prog \"a\\b\\$c\\`d\\\"e\"", "[prog][a\\b$c`d\"e]"},
		{"prog 'a\nb' \"a\\\nb\" a\\\nb", "[prog][a\nb][ab][ab]"},
		{"prog \"\\\\\n\"", "[prog][\\\n]"},
		{"prog '$x *?[ ;|&<>()`' a#b a~b", "[prog][$x *?[ ;|&<>()`][a#b][a~b]"},
		{"prog \"a|b*\"", "[prog][a|b*]"},
	};
	struct pd_arena a;

	(void)state;
	pd_arena_init(&a, pd_host_memory());
	for (size_t i = 0; i < PD_LEN(cases); i++)
		assert_string_equal(split(&a, cases[i].line), cases[i].want);
	pd_arena_finish(&a);
}

static void wrong(void **state)
{
	static const struct {
		const char *line;
		const char *want;
	} cases[] = {
		{"", "--recover takes a command line"},
		{"  ", "--recover takes a command line"},
		{"'' a", "--recover takes a command line"},
		{"a 'b", "a quote (') that is not closed"},
		{"a \"b", "a quote (\") that is not closed"},
		{"a \\", "a backslash"},
		{"a | b", "'|', which a shell would act on"},
		{"a >b", "'>', which a shell"},
		{"a $b", "'$', which a shell"},
		{"a \"$b\"", "'$', which a shell would expand"},
		{"a *.pm", "'*', which a shell"},
		{"a ~/b", "'~', which a shell"},
		{"a && b", "'&', which a shell"},
		{"a #b", "'#', which a shell"},
	};
	struct pd_arena a;

	(void)state;
	pd_arena_init(&a, pd_host_memory());
	for (size_t i = 0; i < PD_LEN(cases); i++)
		if (!strstr(split(&a, cases[i].line), cases[i].want))
			fail_msg("'%s' gives: %s", cases[i].line, split(&a, cases[i].line));
	pd_arena_finish(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words),
		cmocka_unit_test(wrong),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
