/*
 * redundant_log.c - an oracle: no byte is logged twice in one transaction.
 *
 * Agamotto §4.2.2 "Redundant Undo Log". lint has the rule built in; this is the same in some sixty
 * lines, to start from. Transactions belong to threads; one inside another is the same transaction.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "perdure_oracle.h"
#include <stdio.h>
#include <stdlib.h>

enum { THREADS = 65536 };

struct range {
	uint64_t from, to;
	uint32_t place;
	struct range *next;
};

struct thread {
	unsigned depth;
	uint32_t begin;
	struct range *logged;
};

struct oracle {
	const struct pdo_host *host;
	struct thread thread[THREADS];
};

static void *create(const struct pdo_host *host, const char *arguments)
{
	struct oracle *o = *arguments ? NULL : calloc(1, sizeof(*o));

	if (*arguments)
		fputs("redundant-log takes no arguments\n", stderr);
	if (o)
		o->host = host;
	return o;
}

static void forget(struct thread *t)
{
	while (t->logged) {
		struct range *r = t->logged;

		t->logged = r->next;
		free(r);
	}
}

static void add(struct oracle *o, struct thread *t, const struct pdo_event *e)
{
	struct range *fresh = calloc(1, sizeof(*fresh));

	for (struct range *r = t->logged; r; r = r->next) {
		struct pdo_site sites[] = {
			{PDO_AT_LOG, e->place}, {PDO_AT_LOG, r->place}, {PDO_AT_TX, t->begin}};
		struct pdo_report report = {
			.severity = PDO_PERFORMANCE,
			.message = "a range is logged of which a part is in the log already",
			.fix = "log the range only once",
			.nsites = 3,
			.sites = sites};

		if (r->from < e->addr + e->size && e->addr < r->to) {
			o->host->report(o->host->self, &report);
			break;
		}
	}
	if (!fresh)
		return;
	*fresh = (struct range){e->addr, e->addr + e->size, e->place, t->logged};
	t->logged = fresh;
}

static void event(void *oracle, const struct pdo_event *e)
{
	struct oracle *o = oracle;
	struct thread *t = &o->thread[e->thread % THREADS];

	if (e->kind == PDO_TX_BEGIN && t->depth++ == 0)
		t->begin = e->place;
	else if (e->kind == PDO_TX_ADD && t->depth)
		add(o, t, e);
	else if (e->kind == PDO_TX_END && t->depth && --t->depth == 0)
		forget(t);
}

static void destroy(void *oracle)
{
	struct oracle *o = oracle;

	for (unsigned i = 0; i < THREADS; i++)
		forget(&o->thread[i]);
	free(o);
}

const struct pdo_oracle perdure_oracle = {
	.version = PDO_VERSION,
	.name = "redundant-log",
	.create = create,
	.event = event,
	.destroy = destroy,
};
