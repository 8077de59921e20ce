/* explore-number - one range of numbers takes the way without a flush. */
#include "../pm.h"

struct counters {
	LINE uint64_t small;
	LINE uint64_t large;
};

int main(int argc, char **argv)
{
	struct counters *c = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*c));
	char text[8] = "", *end;
	long n;

	if (read(0, text, 5) <= 0)
		return 0;
	n = strtol(text, &end, 10);
	if (end == text || *end)
		return 0;
	if (n < 1000) {
		c->small++;
		pm_persist(&c->small, sizeof(c->small));
	} else if (n >= 4090 && n < 4100) {
		c->large = 1; //@ store
#if FIXED
		pm_persist(&c->large, sizeof(c->large));
#endif
	}
	return 0;
}
