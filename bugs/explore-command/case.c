/* explore-command - one command of a text protocol forgets to flush. */
#include "../pm.h"

struct table {
	LINE uint64_t value;
	LINE uint64_t deleted;
};

static void serve(struct table *t, const char *line)
{
	if (strcmp(line, "set") == 0) {
		t->value = 1;
		pm_persist(&t->value, sizeof(t->value));
	} else if (strcmp(line, "del") == 0) {
		t->deleted = 1; //@ store
#if FIXED
		pm_persist(&t->deleted, sizeof(t->deleted));
#endif
	} else if (strcmp(line, "get") == 0) {
		printf("%d\n", (int)t->value);
	} else {
		puts("what?");
	}
}

int main(int argc, char **argv)
{
	struct table *t = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*t));
	char line[8];
	size_t n;

	if (!fgets(line, sizeof(line), stdin))
		return 0;
	n = strlen(line);
	if (n && line[n - 1] == '\n')
		line[n - 1] = '\0';
	serve(t, line);
	return 0;
}
