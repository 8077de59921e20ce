/* explore-hex - four hexadecimal digits name a page; one page is special, and is not flushed. */
#include "../pm.h"
#include <ctype.h>

struct pages {
	LINE uint64_t last;
	LINE uint64_t special;
};

static int digit(char c)
{
	if (isdigit((unsigned char)c))
		return c - '0';
	return isxdigit((unsigned char)c) ? tolower((unsigned char)c) - 'a' + 10 : -1;
}

int main(int argc, char **argv)
{
	struct pages *p = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*p));
	char in[4];
	int page = 0, i;

	if (read(0, in, 4) != 4)
		return 0;
	for (i = 0; i < 4; i++) {
		if (digit(in[i]) < 0)
			return 0;
		page = page * 16 + digit(in[i]);
	}
	p->last = (uint64_t)page;
	pm_persist(&p->last, sizeof(p->last));
	if (page == 0xbeef) {
		p->special++; //@ store
#if FIXED
		pm_persist(&p->special, sizeof(p->special));
#endif
	}
	return 0;
}
