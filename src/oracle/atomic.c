/*
 * atomic.c - an oracle: a structure changes only inside of a transaction, and only where it is
 * logged.
 *
 * Agamotto §4.2.2 "Atomic Operation". The structure is a part of a PM file, given as
 *	--oracle atomic=FILE:OFFSET:LENGTH[,FILE:OFFSET:LENGTH...]
 * where FILE is the file's name without directories, and the numbers are decimal or 0x... Changes
 * before the first transaction are those that set the structure up: they are allowed, but must be
 * durable when the first transaction begins. When a transaction ends, what it has changed must be
 * durable, too.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#include "perdure_oracle.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTS = 64, THREADS = 65536, RANGES = 4096 };

struct part {
	char file[256];
	uint64_t from, to;
	uint64_t base; /* address of the file's first byte */
	int known;
};

struct thread {
	unsigned depth;
	uint32_t begin;
	unsigned n;
	struct {
		uint64_t from, to;
	} *logged;
};

struct oracle {
	const struct pdo_host *host;
	unsigned nparts;
	int begun; /* there was a transaction */
	struct part part[PARTS];
	struct thread thread[THREADS];
};

static int parse(struct oracle *o, const char *s)
{
	while (*s && o->nparts < PARTS) {
		struct part *p = &o->part[o->nparts];
		size_t n = strcspn(s, ":");
		char *end;

		if (!n || n >= sizeof(p->file) || s[n] != ':')
			return 0;
		memcpy(p->file, s, n);
		p->from = strtoull(s + n + 1, &end, 0);
		if (*end != ':')
			return 0;
		p->to = p->from + strtoull(end + 1, &end, 0);
		if (p->to <= p->from || (*end && *end != ','))
			return 0;
		o->nparts++;
		s = *end ? end + 1 : end;
	}
	return o->nparts && !*s;
}

static void *create(const struct pdo_host *host, const char *arguments)
{
	struct oracle *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->host = host;
	if (parse(o, arguments))
		return o;
	fputs("atomic takes FILE:OFFSET:LENGTH, more of them after ','\n", stderr);
	free(o);
	return NULL;
}

/* A file is mapped: which parts are in it? */
static void learn(struct oracle *o, uint64_t addr)
{
	uint64_t offset;
	const char *name = o->host->where(o->host->self, addr, &offset);
	const char *slash = name ? strrchr(name, '/') : NULL;

	name = slash ? slash + 1 : name;
	for (unsigned i = 0; name && i < o->nparts; i++)
		if (strcmp(o->part[i].file, name) == 0) {
			o->part[i].base = addr - offset;
			o->part[i].known = 1;
		}
}

static void say(struct oracle *o, const char *what, const char *fix, uint32_t role, uint32_t place,
		uint32_t begin)
{
	struct pdo_site sites[] = {{role, place}, {PDO_AT_TX, begin}};
	struct pdo_report r = {PDO_CORRECTNESS, what, fix, begin ? 2 : 1, sites};

	o->host->report(o->host->self, &r);
}

static void add(struct thread *t, const struct pdo_event *e)
{
	if (!t->logged)
		t->logged = calloc(RANGES, sizeof(*t->logged));
	if (!t->logged || t->n == RANGES)
		return;
	t->logged[t->n].from = e->addr;
	t->logged[t->n++].to = e->addr + e->size;
}

static int is_logged(const struct thread *t, uint64_t from, uint64_t to)
{
	for (unsigned i = t->n; i-- > 0 && from < to;)
		if (t->logged[i].from <= from && from < t->logged[i].to) {
			from = t->logged[i].to;
			i = t->n; /* and what follows, by any of them */
		}
	return from >= to;
}

static void store(struct oracle *o, struct thread *t, const struct pdo_event *e)
{
	for (unsigned i = 0; i < o->nparts; i++) {
		const struct part *p = &o->part[i];
		uint64_t from = p->base + p->from, to = p->base + p->to;

		if (!p->known || e->addr >= to || e->addr + e->size <= from)
			continue;
		if (!t->depth && o->begun)
			say(o, "the structure is changed outside of a transaction",
			    "open a transaction, and log it", PDO_AT_STORE, e->place, 0);
		else if (t->depth && !is_logged(t, e->addr > from ? e->addr : from,
						e->addr + e->size < to ? e->addr + e->size : to))
			say(o, "the structure is changed in a transaction that has not logged it",
			    "log the range before", PDO_AT_STORE, e->place, t->begin);
	}
}

/* At the ends of transactions, and when the first one begins. */
static void check_durable(struct oracle *o, uint32_t begin)
{
	for (unsigned i = 0; i < o->nparts; i++) {
		const struct part *p = &o->part[i];
		struct pdo_state s = {0};

		if (p->known)
			s = o->host->state(o->host->self, p->base + p->from, p->to - p->from);
		if (s.dirty || s.pending)
			say(o, "the structure is not durable when the transaction ends or begins",
			    "flush and fence before", PDO_AT_STORE, s.writer, begin);
	}
}

static void event(void *oracle, const struct pdo_event *e)
{
	struct oracle *o = oracle;
	struct thread *t = &o->thread[e->thread % THREADS];

	switch (e->kind) {
	case PDO_MAP:
		learn(o, e->addr);
		break;
	case PDO_TX_BEGIN:
		if (!o->begun)
			check_durable(o, 0);
		o->begun = 1;
		if (t->depth++ == 0)
			t->begin = e->place;
		break;
	case PDO_TX_ADD:
		if (t->depth)
			add(t, e);
		break;
	case PDO_TX_END:
		if (!t->depth || --t->depth)
			break;
		t->n = 0;
		check_durable(o, t->begin);
		break;
	case PDO_STORE:
	case PDO_NTSTORE:
	case PDO_RMW:
		store(o, t, e);
		break;
	}
}

static void destroy(void *oracle)
{
	struct oracle *o = oracle;

	for (unsigned i = 0; i < THREADS; i++)
		free(o->thread[i].logged);
	free(o);
}

const struct pdo_oracle perdure_oracle = {
	.version = PDO_VERSION,
	.name = "atomic",
	.create = create,
	.event = event,
	.destroy = destroy,
};
