/* coverage.c - see coverage.h. */
#include "report/coverage.h"
#include <stdlib.h>
#include <string.h>

/* NULL comes before all names. */
static int compare_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) : (a != NULL) - (b != NULL);
}

static int compare_number(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int compare_place(const struct pd_covered *x, const struct pd_covered *y)
{
	int d = compare_text(x->at.file, y->at.file);

	d = d ? d : compare_number(x->at.line, y->at.line);
	d = d ? d : compare_number(x->at.column, y->at.column);
	d = d ? d : compare_text(x->at.function, y->at.function);
	return d ? d : compare_number(x->recovery, y->recovery);
}

static int compare(const void *a, const void *b)
{
	const struct pd_covered *x = a, *y = b;
	int d = compare_place(x, y);

	return d ? d : compare_text(x->pm, y->pm);
}

static void add(struct pd_covered *to, const struct pd_covered *from)
{
	to->at_stake |= from->at_stake;
	to->read |= from->read;
	to->read_at_stake |= from->read_at_stake;
}

void pd_coverage_finish(struct pd_coverage *c)
{
	uint32_t n = 0;

	if (c->items.n)
		qsort(c->items.v, c->items.n, sizeof(*c->items.v), compare);
	for (uint32_t i = 0; i < c->items.n; i++) {
		if (n && compare(&c->items.v[n - 1], &c->items.v[i]) == 0)
			add(&c->items.v[n - 1], &c->items.v[i]);
		else
			c->items.v[n++] = c->items.v[i];
	}
	c->items.n = n;
}

struct pd_coverage_count pd_coverage_of(const struct pd_coverage *c, const char *pm)
{
	struct pd_coverage_count n = {0};

	for (uint32_t i = 0, end; i < c->items.n; i = end) {
		struct pd_covered all = {0};
		bool any = false;

		for (end = i;
		     end < c->items.n && compare_place(&c->items.v[i], &c->items.v[end]) == 0;
		     end++)
			if (!pm || strcmp(c->items.v[end].pm, pm) == 0) {
				add(&all, &c->items.v[end]);
				any = true;
			}
		n.stores += any;
		n.at_stake += all.at_stake;
		n.read += all.at_stake && all.read;
		n.read_at_stake += all.at_stake && all.read_at_stake;
	}
	return n;
}

const char *pd_coverage_next_file(const struct pd_coverage *c, const char *after)
{
	const char *next = NULL;

	for (uint32_t i = 0; i < c->items.n; i++) {
		const char *pm = c->items.v[i].pm;

		if ((!after || strcmp(pm, after) > 0) && (!next || strcmp(pm, next) < 0))
			next = pm;
	}
	return next;
}
