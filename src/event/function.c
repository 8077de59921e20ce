/* function.c - see function.h. */
#include "event/function.h"
#include "event/name.h"

static bool same(const char *a, const char *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (a[i] != b[i])
			return false;
	return b[n] == '\0';
}

/* The next word; 0: there is none. */
static size_t word(const char **text, const char **start)
{
	const char *p = *text;

	while (*p == ' ')
		p++;
	*start = p;
	while (*p && *p != ' ')
		p++;
	*text = p;
	return (size_t)(p - *start);
}

static bool parse_kind(const char *s, size_t n, struct pd_function *f)
{
	static const struct {
		const char *name;
		uint8_t event;
		uint8_t mode;
	} kinds[] = {
		{"acquire", PD_EV_ACQUIRE, PD_LOCK_EXCLUSIVE},
		{"shared", PD_EV_ACQUIRE, PD_LOCK_SHARED},
		{"release", PD_EV_RELEASE, PD_LOCK_EXCLUSIVE},
		{"signal", PD_EV_SIGNAL, 0},
		{"wait", PD_EV_WAIT, 0},
		{"allocate", PD_EV_ALLOCATED, 0},
		{"free", PD_EV_FREED, 0},
	};

	for (uint32_t i = 0; i < PD_LEN(kinds); i++) {
		if (!same(s, kinds[i].name, n))
			continue;
		f->event = kinds[i].event;
		f->mode = kinds[i].mode;
		return true;
	}
	return false;
}

static bool parse_result(const char *s, size_t n, struct pd_function *f)
{
	static const char *const names[] = {"always", "zero", "nonzero"};

	for (uint8_t i = 0; i < PD_LEN(names); i++) {
		if (!same(s, names[i], n))
			continue;
		f->result = i;
		return true;
	}
	return false;
}

bool pd_function_parse(const char *text, struct pd_function *f)
{
	const char *s;
	size_t n = word(&text, &s);

	memset(f, 0, sizeof(*f));
	if (!n || !parse_kind(s, n, f))
		return false;
	n = word(&text, &s);
	for (; n && *s == '_'; n--)
		s++;
	if (!n || n >= PD_FUNCTION_NAME)
		return false;
	memcpy(f->name, s, n);
	n = word(&text, &s);
	if (n != 1 || *s < '1' || *s > '6')
		return false;
	f->argument = (uint8_t)(*s - '1');
	n = word(&text, &s);
	return n && parse_result(s, n, f) && !word(&text, &s) &&
	       !(f->event == PD_EV_ALLOCATED && f->result == PD_FUNCTION_ALWAYS);
}

/* ---- names of C++ --------------------------------------------------------------------------- */

enum { PLAIN = 256 };

struct plain {
	size_t n;
	char text[PLAIN];
};

static void append(struct plain *to, const char *s, size_t n)
{
	for (size_t i = 0; i < n && to->n + 1 < PLAIN; i++)
		to->text[to->n++] = s[i];
	to->text[to->n] = '\0';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Parses "4lock" of a mangled name; NULL: it is longer than the text. */
static const char *identifier(const char *s, const char **start, size_t *n)
{
	for (*n = 0; is_digit(*s) && *n < PLAIN; s++)
		*n = *n * 10 + (size_t)(*s - '0');
	*start = s;
	for (size_t i = 0; i < *n; i++)
		if (!s[i])
			return NULL;
	return s + *n;
}

/* Skips "I...E", the arguments of a template; NULL: not understood. */
static const char *past_arguments(const char *s)
{
	const char *start;
	size_t n;

	for (uint32_t depth = 0; s && *s;) {
		if (is_digit(*s)) {
			s = identifier(s, &start, &n);
			continue;
		}
		if (*s == 'L') /* a literal: up to its end */
			while (*s && *s != 'E')
				s++;
		else if (*s == 'I' || *s == 'N' || *s == 'J')
			depth++;
		else if (*s == 'E' && !--depth)
			return s + 1;
		if (*s)
			s++;
	}
	return NULL;
}

/* a::B::lock of ZN1a1BIiE4lockEv (without the leading underscore). Empty: not such a name. */
static void demangle(const char *s, struct plain *to)
{
	const char *start;
	size_t n;

	to->n = 0;
	to->text[0] = '\0';
	if (*s++ != 'Z')
		return;
	for (s += *s == 'N'; *s == 'K' || *s == 'V' || *s == 'R' || *s == 'O'; s++)
		;
	while (s && (is_digit(*s) || *s == 'L' || *s == 'I')) {
		if (*s == 'I') {
			s = past_arguments(s);
			continue;
		}
		s = identifier(s + (*s == 'L'), &start, &n);
		if (!s)
			return;
		append(to, "::", to->n ? 2 : 0);
		append(to, start, n);
	}
}

static bool has(const char *s, char c)
{
	while (*s && *s != c)
		s++;
	return *s == c;
}

static bool ends_with(const struct plain *all, const char *name)
{
	size_t n = 0, at;

	while (name[n])
		n++;
	if (!n || n > all->n)
		return false;
	at = all->n - n;
	for (size_t i = 0; i < n; i++)
		if (all->text[at + i] != name[i])
			return false;
	return !at || all->text[at - 1] == ':';
}

/* The given name may be mangled itself, or omit namespaces and classes. */
static bool is_cxx(const char *name, const char *symbol)
{
	struct plain all, wanted;

	if (has(symbol, '('))
		all.n = pd_name_plain(symbol, all.text, sizeof(all.text));
	else
		demangle(symbol, &all);
	if (!all.n)
		return false;
	demangle(name, &wanted);
	return wanted.n ? ends_with(&all, wanted.text) : ends_with(&all, name);
}

bool pd_function_is(const struct pd_function *f, const char *symbol)
{
	const char *name = f->name, *s;

	while (*symbol == '_')
		symbol++;
	for (s = symbol; *name && *name == *s; s++)
		name++;
	/* pthread_mutex_lock@@GLIBC_2.2.5 */
	if (!*name && (!*s || *s == '@'))
		return true;
	return (*symbol == 'Z' || has(symbol, '(')) && is_cxx(f->name, symbol);
}
