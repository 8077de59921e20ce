/* screen.c - text for a person; see screen.h. */
#include "report/screen.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

enum { WIDTH_MIN = 40 }; /* below that, the terminal wraps lines */

uint32_t pd_screen_width(FILE *f)
{
	struct winsize size;

	if (ioctl(fileno(f), TIOCGWINSZ, &size) != 0 || size.ws_col < WIDTH_MIN)
		return 0;
	return size.ws_col;
}

/* The number of bytes of the control character at s; 0: it is none. */
static size_t control(const char *s, size_t n)
{
	unsigned char c = (unsigned char)s[0];

	if (c < ' ' || c == 0x7f)
		return 1;
	return c == 0xc2 && n > 1 && (unsigned char)s[1] >= 0x80 && (unsigned char)s[1] < 0xa0 ? 2
											       : 0;
}

/* Continuation bytes of UTF-8 occupy no column. */
static uint32_t columns(const char *s, size_t n)
{
	uint32_t k = 0;

	for (size_t i = 0; i < n; i++)
		k += ((unsigned char)s[i] & 0xc0) != 0x80;
	return k;
}

static void write_blanks(struct pd_screen *s)
{
	for (; s->blanks; s->blanks--, s->column++)
		fputc(' ', s->f);
}

void pd_screen_verbatim(struct pd_screen *s, const char *text, size_t n)
{
	write_blanks(s);
	for (size_t i = 0, k; i < n; i += k ? k : 1) {
		k = control(text + i, n - i);
		fputc(k ? '?' : text[i], s->f);
	}
	s->column += columns(text, n);
}

void pd_screen_newline(struct pd_screen *s)
{
	fputc('\n', s->f);
	s->column = s->blanks = 0;
}

static void break_line(struct pd_screen *s)
{
	pd_screen_newline(s);
	for (; s->column < s->indent; s->column++)
		fputc(' ', s->f);
}

void pd_screen_put(struct pd_screen *s, const char *text)
{
	while (*text) {
		size_t blanks = strspn(text, " "), word = strcspn(text + blanks, " ");
		uint32_t need = columns(text + blanks, word);

		s->blanks += (uint32_t)blanks;
		text += blanks;
		if (s->width && s->blanks && word && s->column > s->indent &&
		    s->column + s->blanks + need > s->width)
			break_line(s);
		if (word)
			pd_screen_verbatim(s, text, word);
		text += word;
	}
}

void pd_screen_print(struct pd_screen *s, const char *fmt, ...)
{
	char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	if (vasprintf(&text, fmt, ap) >= 0)
		pd_screen_put(s, text);
	va_end(ap);
	free(text);
}

void pd_screen_color(struct pd_screen *s, const char *code)
{
	if (s->color)
		fprintf(s->f, "\033[%sm", code);
}

/* ---- paths ---------------------------------------------------------------------------------- */

/* The length of the common prefix, up to and including a '/'; `here` counts as if it ended in
 * one. */
static size_t common_part(const char *here, const char *path)
{
	size_t last = 0;

	for (size_t i = 0; path[i]; i++) {
		if (here[i] != path[i] && !(here[i] == '\0' && path[i] == '/'))
			break;
		if (path[i] == '/')
			last = i + 1;
		if (here[i] == '\0')
			break;
	}
	return last;
}

const char *pd_screen_path(const char *here, const char *path, char *buf, size_t n)
{
	size_t common, up = 0, length = here ? strlen(here) : 0;

	if (!here || here[0] != '/' || path[0] != '/')
		return path;
	common = common_part(here, path);
	if (common <= 1) /* only the root */
		return path;
	for (size_t i = common; i < length; i++)
		up += i == common || here[i] == '/';
	if (3 * up >= common || 3 * up + strlen(path + common) >= n)
		return path;
	for (size_t i = 0; i < up; i++)
		memcpy(buf + 3 * i, "../", 3);
	strcpy(buf + 3 * up, path + common);
	return buf;
}
