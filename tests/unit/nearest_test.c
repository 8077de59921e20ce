/* nearest_test.c - what somebody meant who mistyped a name. */
#include "unit/unit.h"
#include "host/nearest.h"
#include <string.h>

static const char *meant(const char *word)
{
	static const char *const names[] = {"check", "lint",   "lockset", "linear",
					    "trace", "report", "replay",  "fix"};
	struct pd_nearest n = {.word = word};

	for (size_t i = 0; i < PD_LEN(names); i++)
		pd_nearest_offer(&n, names[i]);
	return n.name ? n.name : "";
}

static void words(void **state)
{
	static const struct {
		const char *word, *want;
	} cases[] = {
		{"chek", "check"},     {"chekc", "check"}, {"cehck", "check"}, {"checks", "check"},
		{"locset", "lockset"}, {"lnit", "lint"},   {"fux", "fix"},     {"reprot", "report"},
		{"repaly", "replay"},  {"trace", "trace"}, {"", ""},	       {"x", ""},
		{"run", ""},	       {"./notes", ""},	   {"analyze", ""},    {"test", ""},
		{"lineer", "linear"},  {"verify", ""},
	};

	(void)state;
	for (size_t i = 0; i < PD_LEN(cases); i++)
		if (strcmp(meant(cases[i].word), cases[i].want) != 0)
			fail_msg("'%s': '%s', not '%s'", cases[i].word, meant(cases[i].word),
				 cases[i].want);
}

/* The first of those that are equally near; nothing of words that are too long for the table. */
static void ties(void **state)
{
	char word[200];
	struct pd_nearest n = {.word = "abcdef"};

	(void)state;
	pd_nearest_offer(&n, "abcdeX");
	pd_nearest_offer(&n, "Xbcdef");
	assert_string_equal(n.name, "abcdeX");
	pd_nearest_offer(&n, "abcdef");
	assert_string_equal(pd_nearest_words(&n, "--"), "; did you mean '--abcdef'?");
	memset(word, 'a', sizeof(word));
	word[sizeof(word) - 1] = '\0';
	n = (struct pd_nearest){.word = word};
	pd_nearest_offer(&n, word);
	assert_string_equal(pd_nearest_words(&n, ""), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(words), cmocka_unit_test(ties)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
