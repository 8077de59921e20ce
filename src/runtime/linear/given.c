/* given.c - see given.h. */
#include "runtime/linear/given.h"
#include "protocol/board.h"
#include "runtime/check/check.h"
#include "runtime/linear/driven.h"
#include <string.h>

const char *pd_given_work(size_t *n)
{
	const struct pd_board_tests *b = pd_driven_crashes() ? &pd_board()->tests : NULL;

	*n = b && b->work ? b->nwork : 0;
	return b ? b->work : NULL;
}

static const char *share_name(const char *name)
{
	size_t n = strlen(name) + 1;
	char *copy = pd_board_alloc(NULL, n);

	return copy ? memcpy(copy, name, n) : NULL;
}

static struct pd_linear_entry *share_table(const struct pd_linear_entry *table)
{
	uint32_t n = pd_table_length(table);
	struct pd_linear_entry *to = pd_board_alloc(NULL, (n + 1) * sizeof(*to));

	for (uint32_t i = 0; to && i < n; i++) {
		to[i] = table[i];
		to[i].call = NULL;
		to[i].name = share_name(table[i].name);
		if (!to[i].name)
			return NULL;
	}
	return to;
}

static const struct pd_work *share_keys(const struct pd_workload *keys)
{
	struct pd_work *to = pd_board_alloc(NULL, (keys->ops.n + 1) * sizeof(*to));

	for (uint32_t i = 0; to && i < keys->ops.n; i++) {
		to[i] = keys->ops.v[i];
		for (uint32_t k = 0; k < PD_LINEAR_ARGS; k++) {
			struct pd_linear_value *v = &to[i].arg[k];
			void *copy = v->size ? pd_board_alloc(NULL, v->size) : NULL;

			if (v->size && !copy)
				return NULL;
			v->data = copy ? memcpy(copy, v->data, v->size) : NULL;
		}
	}
	return to;
}

bool pd_given_keys(struct pd_stress *s, uint64_t command)
{
	const struct pd_board_tests *b = &pd_board()->tests;
	const struct pd_board_driver *d = b->driver;

	if (pd_check.role != PD_CHECK_RECOVERY || b->work || !d || d->command != command)
		return false;
	s->keys.ops.v = (struct pd_work *)d->keys; /* nobody adds to the list */
	s->keys.ops.n = d->nkeys;
	return true;
}

void pd_given_publish(const struct pd_stress *s, uint64_t command)
{
	struct pd_board_tests *b = &pd_board()->tests;
	struct pd_board_driver *d;

	if (pd_check.role != PD_CHECK_FIRST || b->driver || b->work)
		return;
	d = pd_board_alloc(NULL, sizeof(*d));
	if (!d)
		return;
	d->table = share_table(s->driver->table);
	d->text = pd_workload_write(&s->work, s->driver->table, pd_board_alloc, NULL, &d->n);
	d->threads = s->nthreads;
	d->condition = s->driver->condition;
	d->together = s->together;
	d->command = command;
	d->keys = share_keys(&s->keys);
	d->nkeys = s->keys.ops.n;
	if (d->table && d->text && d->keys)
		b->driver = d;
}
