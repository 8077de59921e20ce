/* control.c - see control.h. */
#include "event/control.h"
#include "event/abi.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || is_digit(c) || c == '_' || c == '-';
}

/* Parses n bytes as a number; false: they are none, or it does not fit. */
static bool parse_number(const char *s, size_t n, uint64_t *v)
{
	*v = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t digit = (uint64_t)(s[i] - '0');

		if (!is_digit(s[i]) || *v > (UINT64_MAX - digit) / 10)
			return false;
		*v = *v * 10 + digit;
	}
	return n != 0;
}

static size_t length_to(const char *s, char end)
{
	size_t n = 0;

	while (s[n] && s[n] != end)
		n++;
	return n;
}

/* Each word is KEY=VALUE. */
static bool are_settings(const char *s)
{
	while (*s) {
		size_t n = 0;

		while (is_name(s[n]))
			n++;
		if (!n || s[n] != '=')
			return false;
		s += length_to(s, ' ');
		while (*s == ' ')
			s++;
	}
	return true;
}

enum pd_control_fault pd_control_parse(const char *text, struct pd_control *c)
{
	size_t n = length_to(text, ' ');
	uint64_t version;

	if (!parse_number(text, n, &version))
		return PD_CONTROL_BAD;
	if (version != PD_ABI)
		return PD_CONTROL_VERSION;
	c->mode = text + n + (text[n] == ' ');
	c->nmode = length_to(c->mode, ' ');
	c->settings = c->mode + c->nmode + (c->mode[c->nmode] == ' ');
	return c->nmode && are_settings(c->settings) ? PD_CONTROL_FINE : PD_CONTROL_BAD;
}

/* Whether n bytes are this text. */
static bool is_text(const char *s, size_t n, const char *text)
{
	size_t i = 0;

	while (i < n && text[i] && s[i] == text[i])
		i++;
	return i == n && !text[i];
}

bool pd_control_is_mode(const struct pd_control *c, const char *mode)
{
	return is_text(c->mode, c->nmode, mode);
}

const char *pd_setting(const char *settings, const char *key, size_t *n)
{
	for (const char *p = settings; *p;) {
		size_t nkey = length_to(p, '='), all = length_to(p, ' ');

		if (nkey < all && is_text(p, nkey, key)) {
			*n = all - nkey - 1;
			return p + nkey + 1;
		}
		p += all;
		while (*p == ' ')
			p++;
	}
	return NULL;
}

uint64_t pd_setting_number(const char *settings, const char *key, uint64_t otherwise)
{
	return pd_setting_field(settings, key, 0, otherwise);
}

bool pd_setting_is(const char *settings, const char *key, const char *value)
{
	size_t n;
	const char *v = pd_setting(settings, key, &n);

	return v && is_text(v, n, value);
}

uint64_t pd_setting_field(const char *settings, const char *key, uint32_t i, uint64_t otherwise)
{
	size_t n = 0, at = 0, end;
	const char *s = pd_setting(settings, key, &n);
	uint64_t v;

	for (; s && i; i--) {
		while (at < n && s[at] != ':')
			at++;
		at += at < n;
	}
	for (end = at; s && end < n && s[end] != ':';)
		end++;
	return s && parse_number(s + at, end - at, &v) ? v : otherwise;
}
