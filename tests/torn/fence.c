/*
 * fence.c - a record whose fields are flushed, and not fenced before the flag that says that they are there. Recovery
 * fails without the size. For torn.t: fence FILE.
 */
#define FIXED 1
#include "../../bugs/pm.h"

struct record {
	LINE uint64_t size;
	LINE char name[24];
	LINE char title[24];
	LINE uint64_t ready;
};

static void fill(struct record *r, const char *name)
{
	r->size = 4;
	memcpy(r->name, name, 20); /* waits for the same fence as the size */
	pm_flush(&r->size, sizeof(r->size));
	pm_flush(r->name, sizeof(r->name));
}

static void entitle(struct record *r, const char *title)
{
	memcpy(r->title, title, 20); /* in place */
	pm_persist(r->title, sizeof(r->title));
}

int main(int argc, char **argv)
{
	struct record *r = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*r));

	if (pm_get(&r->ready)) {
		printf("%c\n", r->name[9]);
		if (!r->size)
			abort();
	} else {
		fill(r, "a-name-of-some-length");
		pm_set(&r->ready, 1);
		pm_persist(&r->ready, sizeof(r->ready));
	}
	printf("%c\n", r->title[9]);
	entitle(r, "a-title-of-some-length");
	return 0;
}
