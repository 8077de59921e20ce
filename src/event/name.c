/* name.c - see name.h. One pass over a name from left to right, which leaves out what does not
 * count. */
#include "event/name.h"

struct plain {
	const char *s; /* what is left to be read */
	char *buf;
	size_t n;
	size_t max;
};

static void put(struct plain *p, const char *s, size_t n)
{
	for (size_t i = 0; i < n && p->n + 1 < p->max; i++)
		p->buf[p->n++] = s[i];
}

static bool begins(const char *s, const char *with)
{
	while (*with && *s == *with) {
		s++;
		with++;
	}
	return !*with;
}

static size_t length(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

static bool is_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

/* Skips a bracketed group; to the end if it is not closed. */
static const char *past_group(const char *s)
{
	uint32_t depth = 0;

	for (; *s; s++) {
		if (*s == '(' || *s == '[' || *s == '{' || *s == '<') {
			depth++;
		} else if (s[0] == '-' && s[1] == '>') {
			s++;
		} else if (*s == ')' || *s == ']' || *s == '}' || *s == '>') {
			if (!--depth)
				return s + 1;
		}
	}
	return s;
}

/* Skips the words that may follow parameters. */
static const char *past_qualifiers(const char *s)
{
	static const char *const words[] = {" const", " volatile", " noexcept", " &&",
					    " &",     "&&",	   "&"};
	const char *before;

	do {
		before = s;
		for (uint32_t i = 0; i < PD_LEN(words); i++)
			if (begins(s, words[i]) && !is_word(s[length(words[i])]))
				s += length(words[i]);
		if (begins(s, " [clone ") || begins(s, "[abi:"))
			s = past_group(s + (*s == ' '));
	} while (s != before);
	return s;
}

/* Whether the output ends where a part of the name begins. */
static bool at_part(const struct plain *p)
{
	return !p->n || p->buf[p->n - 1] == ':';
}

/* operator<<, operator(), operator new, operator bool: up to the parameters. */
static bool take_operator(struct plain *p)
{
	const char *s = p->s + 8;

	if (!at_part(p) || !begins(p->s, "operator") || is_word(*s))
		return false;
	if (begins(s, "()") || begins(s, "[]"))
		s += 2;
	else if (*s == ' ') /* of a type, or new and delete */
		while (*s && *s != '(' && *s != '<')
			s++;
	else
		while (*s && *s != '(' && *s != ' ' && !is_word(*s) &&
		       (*s != '<' || s[-1] == 'r' || s[-1] == '<'))
			s++;
	put(p, p->s, (size_t)(s - p->s));
	p->s = begins(s, " <") ? past_group(s + 1) : s;
	return true;
}

/* A lambda has one function, which need not be named. */
static bool take_lambda(struct plain *p)
{
	const char *s = p->s, *end;

	if (!at_part(p))
		return false;
	if (begins(s, "{lambda") || begins(s, "<lambda"))
		end = past_group(s);
	else if (begins(s, "'lambda")) /* as LLVM prints it: 'lambda'(int), 'lambda0'(int) */
		for (end = s + 1; *end && *end++ != '\'';)
			;
	else if (s[0] == '$' && s[1] == '_')
		for (end = s + 2; *end >= '0' && *end <= '9'; end++)
			;
	else
		return false;
	put(p, "{lambda}", 8);
	if (*end == '(')
		end = past_group(end);
	if (begins(end, "::operator()"))
		end += 12;
	p->s = end;
	return true;
}

/* Parameters end the name, unless it continues with something local to the function, or they belong
 * to a type. */
static void pass_parameters(struct plain *p)
{
	p->s = past_qualifiers(past_group(p->s));
	if (*p->s && !begins(p->s, "::"))
		p->n = 0;
}

static bool take_group(struct plain *p)
{
	if (begins(p->s, "(anonymous namespace)") && at_part(p)) {
		put(p, p->s, 21);
		p->s += 21;
	} else if (*p->s == '(') {
		pass_parameters(p);
	} else if (*p->s == '[' || (*p->s == '<' && !at_part(p))) {
		p->s = past_group(p->s);
	} else {
		return false;
	}
	return true;
}

/* What was read so far is the return type, unless a qualifier or a clone follows. */
static bool take_space(struct plain *p)
{
	const char *s = past_qualifiers(p->s);

	if (*p->s != ' ')
		return false;
	if (s != p->s && (!*s || begins(s, "::"))) {
		p->s = s;
		return true;
	}
	p->n = 0;
	p->s++;
	return true;
}

/* put.isra.0 is put; but libx.so.1 is a name. */
static size_t without_clones(const char *s, size_t n)
{
	static const char *const clones[] = {".isra.",	   ".constprop.", ".part.", ".cold",
					     ".lto_priv.", ".localalias", ".llvm.", ".clone."};

	for (size_t i = 1; i < n; i++)
		for (uint32_t k = 0; s[i] == '.' && k < PD_LEN(clones); k++)
			if (begins(s + i, clones[k]))
				return i;
	return n;
}

size_t pd_name_plain(const char *name, char *buf, size_t n)
{
	struct plain p = {.s = name, .buf = buf, .max = n};

	if (!n)
		return 0;
	while (*p.s)
		if (!take_operator(&p) && !take_lambda(&p) && !take_group(&p) && !take_space(&p))
			put(&p, p.s++, 1);
	buf[p.n] = '\0';
	p.n = without_clones(buf, p.n);
	buf[p.n] = '\0';
	return p.n;
}
