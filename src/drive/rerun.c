/* rerun.c - see rerun.h. */
#include "drive/rerun.h"
#include <string.h>

void pd_rerun_push(struct pd_rerun *w, const char *word)
{
	char **p = pd_vec_push(&w->words, w->arena);

	if (p)
		*p = (char *)word;
}

bool pd_rerun_drops(const char *word, const char *also, bool *value)
{
	const char *const names[] = {"out",	 "json",   "gen-suppressions",
				     "baseline", "resume", also ? also : "out"};
	size_t n;

	if (strncmp(word, "--", 2) != 0)
		return false;
	n = strcspn(word + 2, "=");
	*value = word[2 + n] == '=';
	for (size_t i = 0; i < PD_LEN(names); i++)
		if (strlen(names[i]) == n && memcmp(word + 2, names[i], n) == 0)
			return true;
	return false;
}

char **pd_rerun_command(struct pd_arena *a, const struct pd_result *r, const char *const *options,
			uint32_t n, int *argc)
{
	struct pd_rerun w = {.arena = a};
	bool old = true, value;

	if (!r->arguments.n)
		return NULL;
	pd_rerun_push(&w, r->verb);
	for (uint32_t i = 0; i < r->arguments.n; i++) {
		const char *word = r->arguments.v[i];

		for (uint32_t k = 0; old && strcmp(word, "--") == 0 && k < n; k++)
			pd_rerun_push(&w, options[k]);
		old = old && strcmp(word, "--") != 0;
		if (old && pd_rerun_drops(word, "time-limit", &value))
			i += !value;
		else
			pd_rerun_push(&w, word);
	}
	*argc = (int)w.words.n;
	pd_rerun_push(&w, NULL);
	return w.words.n == (uint32_t)*argc + 1 ? w.words.v : NULL;
}
