/* words.c - see words.h. */
#include "host/words.h"
#include <stdio.h>
#include <string.h>

struct splitting {
	const char *s;
	char *to;	   /* end of the current word */
	const char *wrong; /* the error; NULL: none */
	char at;	   /* the current character */
};

static bool fail(struct splitting *x, const char *wrong)
{
	x->wrong = wrong;
	x->at = *x->s;
	return false;
}

static bool take_single(struct splitting *x)
{
	const char *end = strchr(x->s + 1, '\'');
	size_t n;

	if (!end)
		return fail(x, "a quote (%c) that is not closed");
	n = (size_t)(end - x->s) - 1;
	memcpy(x->to, x->s + 1, n);
	x->to += n;
	x->s = end + 1;
	return true;
}

static bool take_backslash(struct splitting *x)
{
	if (!x->s[1])
		return fail(x, "a backslash (%c) at the end");
	if (x->s[1] != '\n')
		*x->to++ = x->s[1];
	x->s += 2;
	return true;
}

static bool take_double(struct splitting *x)
{
	const char *start = x->s++;

	while (*x->s && *x->s != '"') {
		if (*x->s == '$' || *x->s == '`')
			return fail(x, "'%c', which a shell would expand; there is no shell: "
				       "escape it with a backslash");
		if (*x->s != '\\' || !x->s[1] || !strchr("$`\"\\\n", x->s[1]))
			*x->to++ = *x->s++;
		else
			take_backslash(x);
	}
	if (!*x->s) {
		x->s = start;
		return fail(x, "a quote (%c) that is not closed");
	}
	x->s++;
	return true;
}

/* Takes one word, up to the next blank. */
static bool take_word(struct splitting *x)
{
	bool ok = true;

	if (*x->s == '~' || *x->s == '#')
		return fail(x, "'%c', which a shell would act on; there is no shell: quote it");
	while (ok && *x->s && !strchr(" \t\n", *x->s)) {
		if (*x->s == '\'')
			ok = take_single(x);
		else if (*x->s == '"')
			ok = take_double(x);
		else if (*x->s == '\\')
			ok = take_backslash(x);
		else if (strchr("$`;|&<>()*?[", *x->s))
			ok = fail(x,
				  "'%c', which a shell would act on; there is no shell: quote it");
		else
			*x->to++ = *x->s++;
	}
	*x->to++ = '\0';
	return ok;
}

static bool wrong(const struct splitting *x, const char *s, const char *what, struct pd_error *e)
{
	char why[200];

	snprintf(why, sizeof(why), x->wrong, x->at);
	return pd_error_set(e, PD_EXIT_USAGE, "%s '%.200s': it has %s", what, s, why);
}

char **pd_words_split(struct pd_arena *a, const char *s, const char *what, struct pd_error *e)
{
	char *text = pd_arena_strndup(a, s, strlen(s) + 1);
	char **argv = pd_new_array(a, char *, strlen(s) / 2 + 2);
	struct splitting x = {.s = s, .to = text};
	size_t n = 0;

	if (!text || !argv) {
		pd_error_set(e, PD_EXIT_INTERNAL, "memory ran out");
		return NULL;
	}
	for (x.s += strspn(x.s, " \t\n"); *x.s; x.s += strspn(x.s, " \t\n")) {
		argv[n++] = x.to;
		if (!take_word(&x)) {
			wrong(&x, s, what, e);
			return NULL;
		}
	}
	argv[n] = NULL;
	if (n && *argv[0])
		return argv;
	pd_error_set(e, PD_EXIT_USAGE, "%s takes a command line, not '%.200s'", what, s);
	return NULL;
}
