/* explore-escape - a string with an escape is stored by other code, which forgets the fence. */
#include "../pm.h"

struct string {
	LINE char text[16];
};

int main(int argc, char **argv)
{
	struct string *s = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*s));
	char in[5] = "", *p, *to = s->text;
	int escaped = 0;

	if (read(0, in, 4) <= 0 || in[0] != '"')
		return 0;
	for (p = in + 1; *p && *p != '"'; p++) {
		if (*p == '\\' && p[1] == 'n') {
			*to++ = '\n'; //@ store
			escaped = 1;
			p++;
		} else {
			*to++ = *p; //@ store
		}
	}
	if (to == s->text)
		return 0;
	pm_flush(s->text, 1); //@ flush
#if FIXED
	(void)escaped;
	pm_fence();
#else
	if (!escaped)
		pm_fence();
#endif
	return 0;
}
