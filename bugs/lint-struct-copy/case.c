/* lint-struct-copy - a struct of three lines is assigned, and its first line flushed. */
#include "../pm.h"

struct big {
	LINE uint64_t v[24];
};

int main(int argc, char **argv)
{
	struct big *p = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*p)), copy;

	for (uint64_t i = 0; i < 24; i++)
		copy.v[i] = i + 1;
	*p = copy; //@ store
	pm_persist(p, FIXED ? sizeof(*p) : 8);
	return 0;
}
