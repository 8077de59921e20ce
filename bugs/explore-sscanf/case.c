/* explore-sscanf - a line with two numbers: where they are equal, the store is not flushed. */
#include "../pm.h"

struct pair {
	LINE int64_t low;
	int64_t high;
	LINE int64_t same;
};

int main(int argc, char **argv)
{
	struct pair *p = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*p));
	char line[8] = "";
	int a, b;

	if (read(0, line, 5) <= 0 || sscanf(line, "%d,%d", &a, &b) != 2)
		return 0;
	if (a == b) {
		p->same = a; //@ store
#if FIXED
		pm_persist(&p->same, sizeof(p->same));
#endif
	} else {
		p->low = a < b ? a : b;
		p->high = a < b ? b : a;
		pm_persist(&p->low, 16);
	}
	return 0;
}
