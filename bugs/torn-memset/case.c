/*
 * torn-memset - a slot is given back: its words are cleared, one store each in the source, one call of memset
 * in the object. Recovery looks at the first of them.
 */
#include "../pm.h"

enum { WORDS = 40, READ = 4 };

struct slot {
	LINE uint64_t word[WORDS];
};

static void clear(struct slot *s)
{
	for (int i = 0; i < WORDS; i++)
#if FIXED
		pm_set(&s->word[i], 0);
#else
		s->word[i] = 0; //@ store
#endif
}

int main(int argc, char **argv)
{
	struct slot *s = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*s));
	uint64_t all = 0;

	for (int i = 0; i < READ; i++)
		all += pm_get(&s->word[i]); //@ load
	printf("%llu\n", (unsigned long long)all);
	for (int i = 0; i < WORDS; i++)
		pm_set(&s->word[i], 7);
	pm_persist(s, sizeof(*s));
	clear(s);
	pm_persist(s, sizeof(*s));
	return 0;
}
