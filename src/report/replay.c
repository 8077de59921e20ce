/* replay.c - the command lines that replay and fix a finding, quoted for a shell. */
#include "finding/remedy.h"
#include "report/report.h"
#include <stdlib.h>
#include <string.h>

static bool is_plain(const char *s)
{
	return *s && !s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				  "-_./,:+@%=")];
}

static void put_quoted(FILE *f, const char *s)
{
	if (is_plain(s)) {
		fputs(s, f);
		return;
	}
	fputc('\'', f);
	for (; *s; s++)
		if (*s == '\'')
			fputs("'\\''", f);
		else
			fputc(*s, f);
	fputc('\'', f);
}

static char *command(const struct pd_result *r, const struct pd_finding *f, const char *verb)
{
	char *text = NULL;
	size_t n;
	FILE *m = open_memstream(&text, &n);

	if (!m)
		return NULL;
	fprintf(m, "perdure %s --out ", verb);
	put_quoted(m, r->out);
	fprintf(m, " %010llx", (unsigned long long)f->id);
	if (fclose(m) == 0)
		return text;
	free(text);
	return NULL;
}

char *pd_report_replay(const struct pd_result *r, const struct pd_finding *f)
{
	if (f->replay)
		return strdup(f->replay);
	return f->witness.given && r->out ? command(r, f, "replay") : NULL;
}

char *pd_report_patch(const struct pd_result *r, const struct pd_finding *f)
{
	struct pd_remedies remedies = pd_remedies_of(f);

	if (f->patch)
		return strdup(f->patch);
	return r->out && !f->library && !remedies.no && !remedies.unsure ? command(r, f, "fix")
									 : NULL;
}
