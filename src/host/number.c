/* number.c - see number.h. */
#include "host/number.h"
#include "base/types.h"
#include <string.h>

bool pd_parse_u64(const char *s, uint64_t min, uint64_t max, uint64_t *v)
{
	bool hex = s[0] == '0' && (s[1] == 'x' || s[1] == 'X');
	uint64_t x = 0;

	s += hex ? 2 : 0;
	if (!*s)
		return false;
	for (; *s; s++) {
		const char *digits = "0123456789abcdef";
		const char *d = strchr(digits, *s | (*s >= 'A' && *s <= 'F' ? 0x20 : 0));
		unsigned base = hex ? 16 : 10;

		if (!d || (unsigned)(d - digits) >= base || __builtin_mul_overflow(x, base, &x) ||
		    __builtin_add_overflow(x, (uint64_t)(d - digits), &x))
			return false;
	}
	if (x < min || x > max)
		return false;
	*v = x;
	return true;
}

bool pd_parse_time(const char *s, uint64_t *ms)
{
	static const struct {
		const char *unit;
		uint64_t ms;
	} units[] = {{"ms", 1}, {"s", 1000}, {"m", 60 * 1000}, {"h", 3600 * 1000}, {"", 1000}};
	size_t n = strspn(s, "0123456789");
	char digits[20];
	uint64_t v;

	if (!n || n >= sizeof(digits))
		return false;
	memcpy(digits, s, n);
	digits[n] = '\0';
	/* Limit: a thousand days, more than anyone needs, and it cannot overflow. */
	for (size_t i = 0; i < PD_LEN(units); i++)
		if (strcmp(s + n, units[i].unit) == 0) {
			if (!pd_parse_u64(digits, 1, 86400000000ULL / units[i].ms, &v))
				return false;
			*ms = v * units[i].ms;
			return true;
		}
	return false;
}
