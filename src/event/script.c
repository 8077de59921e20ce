/* script.c - see script.h. */
#include "event/script.h"

struct parser {
	struct pd_script *s;
	const char *at, *end;
	const char *why;
};

static bool fail(struct parser *p, const char *why)
{
	if (!p->why)
		p->why = why;
	return false;
}

static int peek(const struct parser *p)
{
	return p->at < p->end ? (unsigned char)*p->at : '\n';
}

static void skip_blanks(struct parser *p)
{
	while (peek(p) == ' ' || peek(p) == '\t' || peek(p) == '\r')
		p->at++;
}

static bool is_word(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '-';
}

/* Reads a word, as far as there is room for it. */
static size_t take_word(struct parser *p, char *to, size_t room)
{
	size_t n = 0;

	for (; is_word(peek(p)); p->at++)
		if (n + 1 < room)
			to[n++] = (char)peek(p);
	to[n] = '\0';
	return n;
}

static bool is_same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

static bool take_number(struct parser *p, uint32_t most, uint32_t *v)
{
	if (peek(p) < '0' || peek(p) > '9')
		return false;
	for (*v = 0; peek(p) >= '0' && peek(p) <= '9'; p->at++) {
		*v = 10 * *v + (uint32_t)(peek(p) - '0');
		if (*v > most)
			return false;
	}
	return true;
}

/* ---- bytes ---------------------------------------------------------------------------------- */

static bool add_byte(struct parser *p, uint8_t value, bool symbolic)
{
	struct pd_script *s = p->s;

	if (s->nbytes == PD_SCRIPT_BYTES)
		return fail(p, "there are more than 16384 bytes");
	s->byte[s->nbytes] = value;
	s->symbolic[s->nbytes++] = symbolic ? (uint16_t)++s->nsymbolic : 0;
	return true;
}

static int hex(int c)
{
	return c >= '0' && c <= '9'   ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* Behind a backslash. */
static int take_escape(struct parser *p)
{
	int c = peek(p), high, low;

	p->at += c != '\n';
	switch (c) {
	case 'r':
		return '\r';
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case '0':
		return 0;
	case '"':
	case '\\':
		return c;
	case 'x':
		high = hex(peek(p));
		p->at += high >= 0;
		low = hex(peek(p));
		p->at += low >= 0;
		return high < 0 || low < 0 ? -1 : high << 4 | low;
	default:
		return -1;
	}
}

static bool take_text(struct parser *p, bool symbolic)
{
	for (p->at++; peek(p) != '"';) {
		int c = peek(p);

		if (c == '\n')
			return fail(p, "a text does not end");
		p->at++;
		if (c == '\\')
			c = take_escape(p);
		if (c < 0)
			return fail(p, "in a text, \\ stands before r, n, t, 0, \", \\ or xHH");
		if (!add_byte(p, (uint8_t)c, symbolic))
			return false;
	}
	p->at++;
	return true;
}

/* <N> or <"text"> */
static bool take_symbolic(struct parser *p)
{
	uint32_t n = 0;

	p->at++;
	if (peek(p) == '"') {
		if (!take_text(p, true))
			return false;
	} else if (!take_number(p, PD_SCRIPT_BYTES, &n) || !n) {
		return fail(p, "symbolic bytes are <NUMBER> or <\"text\">");
	}
	for (; n; n--)
		if (!add_byte(p, 0, true))
			return false;
	if (peek(p) != '>')
		return fail(p, "symbolic bytes are <NUMBER> or <\"text\">");
	p->at++;
	return true;
}

/* ---- lines ---------------------------------------------------------------------------------- */

static bool find_connection(struct parser *p, const char *name, uint16_t *number)
{
	struct pd_script *s = p->s;
	uint32_t i = 0;

	while (i < s->nconnections && !is_same(s->name[i], name))
		i++;
	if (i == PD_SCRIPT_CONNECTIONS)
		return fail(p, "there are more than 32 connections");
	if (i == s->nconnections) {
		for (uint32_t k = 0; k < PD_SCRIPT_NAME; k++)
			s->name[i][k] = name[k];
		s->nconnections++;
	}
	*number = (uint16_t)i;
	for (uint32_t k = 0; k < s->nsteps; k++)
		if (s->step[k].connection == i && s->step[k].closes)
			return fail(p, "this connection was closed before");
	return true;
}

static bool take_close(struct parser *p)
{
	char word[PD_SCRIPT_NAME];

	return take_word(p, word, sizeof(word)) && is_same(word, "close");
}

static bool take_items(struct parser *p, struct pd_script_step *step)
{
	static const char wrong[] = "a packet is made of \"text\", <NUMBER> and <\"text\">, or is "
				    "'close'";

	for (skip_blanks(p); peek(p) != '\n' && peek(p) != '#'; skip_blanks(p)) {
		int c = peek(p);

		if (step->closes)
			return fail(p, wrong);
		if (c != '"' && c != '<')
			step->closes = take_close(p) && !step->n;
		if (c == '"' ? !take_text(p, false) : c == '<' ? !take_symbolic(p) : !step->closes)
			return fail(p, wrong);
		step->n = p->s->nbytes - step->first;
	}
	return step->n || step->closes || fail(p, "a packet has no bytes");
}

static bool take_line(struct parser *p)
{
	struct pd_script *s = p->s;
	struct pd_script_step *step = &s->step[s->nsteps];
	char name[PD_SCRIPT_NAME] = "";

	skip_blanks(p);
	if (peek(p) == '\n' || peek(p) == '#')
		return true;
	if (!take_word(p, name, sizeof(name)))
		return fail(p, "a line begins with the name of a connection, 'port' or #");
	skip_blanks(p);
	if (is_same(name, "port") && peek(p) != ':')
		return (take_number(p, 65535, &s->port) && s->port) ||
		       fail(p, "a port is a number from 1 to 65535");
	if (peek(p) != ':')
		return fail(p, "behind the name of a connection there is a ':'");
	p->at++;
	if (s->nsteps == PD_SCRIPT_STEPS)
		return fail(p, "there are more than 512 packets");
	*step = (struct pd_script_step){.first = s->nbytes};
	if (!find_connection(p, name, &step->connection) || !take_items(p, step))
		return false;
	s->nsteps++;
	return true;
}

bool pd_script_parse(struct pd_script *s, const char *text, size_t n, uint32_t *line,
		     const char **why)
{
	struct parser p = {s, text, text + n, NULL};

	s->port = s->nconnections = s->nsteps = s->nbytes = s->nsymbolic = 0;
	for (*line = 1; p.at < p.end; ++*line) {
		if (!take_line(&p)) {
			*why = p.why;
			return false;
		}
		skip_blanks(&p);
		if (peek(&p) != '\n' && peek(&p) != '#') {
			*why = "something follows that does not belong there";
			return false;
		}
		while (p.at < p.end && *p.at != '\n')
			p.at++;
		p.at++;
	}
	*why = "it has no packets";
	return s->nsteps;
}

int32_t pd_script_at(const struct pd_script *s, uint32_t connection, uint32_t at)
{
	for (uint32_t i = 0; i < s->nsteps; i++) {
		const struct pd_script_step *k = &s->step[i];

		if (k->connection != connection)
			continue;
		if (at < k->n)
			return (int32_t)(k->first + at);
		at -= k->n;
	}
	return -1;
}
