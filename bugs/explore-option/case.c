/* explore-option - an option of the command line sets a mode that is not flushed. */
#include "../pm.h"

struct settings {
	LINE uint64_t mode;
	LINE uint64_t size;
};

int main(int argc, char **argv)
{
	struct settings *s = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*s));
	const char *a = argc > 2 ? argv[2] : "";

	if (a[0] != '-')
		return 0;
	if (a[1] == 's') {
		s->size = (uint64_t)atoi(a + 2);
		pm_persist(&s->size, sizeof(s->size));
	} else if (a[1] == 'm' && a[2] == '=') {
		s->mode = (uint8_t)a[3]; //@ store
#if FIXED
		pm_persist(&s->mode, sizeof(s->mode));
#endif
	}
	return 0;
}
