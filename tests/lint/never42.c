/* never42.c - an oracle for tests: nobody stores 42, where in which file, by whom, and what was there. */
#include "perdure_oracle.h"
#include <stdio.h>
#include <string.h>

static const struct pdo_host *host;
static unsigned events;

static void *create(const struct pdo_host *h, const char *arguments)
{
	host = h;
	return strcmp(arguments, "refuse") == 0 ? NULL : &events;
}

static void event(void *self, const struct pdo_event *e)
{
	struct pdo_site site = {PDO_AT_STORE, e->place};
	struct pdo_frame f = {0};
	struct pdo_state s;
	struct pdo_report r = {PDO_NOTE, NULL, NULL, 1, &site};
	char text[300];
	uint64_t v = 0, offset = 0;
	const char *file;

	(void)self;
	events++;
	if (e->kind != PDO_STORE || e->size != 8 || !e->data)
		return;
	memcpy(&v, e->data, 8);
	if (v != 42)
		return;
	file = host->where(host->self, e->addr, &offset);
	host->frame(host->self, e->place, 0, &f);
	s = host->state(host->self, e->addr, 8);
	snprintf(text, sizeof(text), "42 at %lu of %s by %s, %lu dirty before", (unsigned long)offset,
		 file && strrchr(file, '/') ? strrchr(file, '/') + 1 : "?", f.function ? f.function : "?",
		 (unsigned long)s.dirty);
	r.severity = s.dirty ? PDO_PERFORMANCE : PDO_CORRECTNESS;
	r.message = text;
	host->report(host->self, &r);
}

static void end(void *self)
{
	struct pdo_report r = {PDO_NOTE, events ? "there were events" : "there were none", NULL, 0, NULL};

	(void)self;
	host->report(host->self, &r);
}

const struct pdo_oracle perdure_oracle = {
	.version = VERSION,
	.name = "never-42",
	.create = create,
	.event = event,
	.end = end,
};
