/* function.c - see function.h. */
#include "event/function.h"

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
		{"acquire", PD_EV_ACQUIRE, PD_LOCK_EXCLUSIVE}, {"shared", PD_EV_ACQUIRE, PD_LOCK_SHARED},
		{"release", PD_EV_RELEASE, PD_LOCK_EXCLUSIVE}, {"signal", PD_EV_SIGNAL, 0},
		{"wait", PD_EV_WAIT, 0},
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
	return n && parse_result(s, n, f) && !word(&text, &s);
}

bool pd_function_is(const struct pd_function *f, const char *symbol)
{
	const char *name = f->name;

	while (*symbol == '_')
		symbol++;
	while (*name && *name == *symbol) {
		name++;
		symbol++;
	}
	/* pthread_mutex_lock@@GLIBC_2.2.5 */
	return !*name && (!*symbol || *symbol == '@');
}
