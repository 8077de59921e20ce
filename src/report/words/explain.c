/* explain.c - the meaning of each kind of finding, from explain.def. See words.h. */
#include "report/screen.h"
#include "report/words/words.h"
#include <string.h>

const struct pd_explanation pd_explanations[PD_KIND_N] = {
#define PD_EXPLAIN(ID, means, example, matters, fix)                                               \
	[PD_KIND_##ID] = {means, example, matters, fix},
#include "report/words/explain.def"
};

static void put_part(struct pd_screen *s, const char *title, const char *text)
{
	pd_screen_color(s, PD_BOLD);
	pd_screen_print(s, "  %-8s", title);
	pd_screen_color(s, "0");
	s->indent = 10;
	pd_screen_put(s, text);
	pd_screen_newline(s);
	s->indent = 0;
}

static void put_example(struct pd_screen *s, const char *lines)
{
	const char *title = "example";

	while (*lines) {
		size_t n = strcspn(lines, "\n");

		pd_screen_print(s, "  %-8s", title);
		pd_screen_verbatim(s, lines, n);
		pd_screen_newline(s);
		title = "";
		lines += n + 1;
	}
}

void pd_words_explain(struct pd_screen *s, enum pd_kind kind)
{
	const struct pd_explanation *x = &pd_explanations[kind];

	pd_screen_color(s, PD_BOLD);
	pd_screen_put(s, pd_kind_info[kind].name);
	pd_screen_color(s, "0");
	s->indent = 2;
	pd_screen_print(s, " (%s): %s", pd_severity_name(pd_kind_info[kind].severity),
			pd_kind_info[kind].doc);
	pd_screen_newline(s);
	put_part(s, "means", x->means);
	put_example(s, x->example);
	put_part(s, "matters", x->matters);
	put_part(s, "fix", x->fix);
}
