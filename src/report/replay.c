/* replay.c - the command line that replays a finding, quoted for a shell. */
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

char *pd_report_replay(const struct pd_result *r, const struct pd_finding *f)
{
	char *text = NULL;
	size_t n;
	FILE *m;

	if (f->replay)
		return strdup(f->replay);
	if (!f->witness.given || !r->out)
		return NULL;
	m = open_memstream(&text, &n);
	if (!m)
		return NULL;
	fputs("perdure replay --out ", m);
	put_quoted(m, r->out);
	fprintf(m, " %010llx", (unsigned long long)f->id);
	if (fclose(m) == 0)
		return text;
	free(text);
	return NULL;
}
