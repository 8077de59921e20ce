/*
 * check/publish.c - source places for the tool: each site that an execution names is described on
 * the board once, with what is known of its stores. See check.h.
 */
#include "protocol/board.h"
#include "runtime/access/mem.h"
#include "runtime/check/check.h"
#include "runtime/place/site.h"
#include "runtime/thread/thread.h"
#include <string.h>

static const char *keep(const char *s)
{
	size_t n = strlen(s) + 1;
	char *p = pd_board_alloc(NULL, n);

	return p ? memcpy(p, s, n) : "";
}

static const struct pd_site *publish(struct pd_board_site **table, const struct pd_site *s)
{
	struct pd_board_site *to;

	if (s && s->id >= PD_BOARD_SITES)
		pd_board_count(pd_board()->capped);
	if (!s || s->id >= PD_BOARD_SITES)
		return NULL;
	if (__atomic_load_n(&table[s->id], __ATOMIC_ACQUIRE))
		return &table[s->id]->at;
	to = pd_board_alloc(NULL, sizeof(*to));
	if (!to)
		return NULL;
	to->at = *s;
	to->at.file = keep(s->file);
	to->at.function = keep(s->function);
	to->at.type = s->type ? keep(s->type) : NULL;
	to->library = pd_site_library(s->id) ? keep(pd_site_library(s->id)) : NULL;
	to->at.inlined_at = publish(table, s->inlined_at);
	__sync_bool_compare_and_swap(&table[s->id], NULL, to); /* or another process was faster */
	return &table[s->id]->at;
}

void pd_check_publish(uint32_t site, bool recovery)
{
	struct pd_board *b = pd_board();

	if (site)
		publish(recovery ? b->recover_site : b->first_site, pd_site_get(site));
}

void pd_check_publish_stores(void)
{
	for (struct pd_line *line = pd_mem.model.lines; line; line = line->next)
		for (uint32_t i = line->cur.log ? line->cur.first : 0; i;) {
			const struct pd_store *s = pd_log_at(line->cur.log, i - 1);

			pd_check_publish(s->site, pd_check.depth > 0);
			i = s->next;
		}
}

void pd_check_mark_stores(void)
{
	const struct pd_log *log = pd_mem.model.log;
	struct pd_board *b = pd_board();

	for (uint32_t i = 0; i < log->n; i++) {
		uint32_t site = pd_log_at(log, i)->site;

		if (!site || site >= PD_BOARD_SITES ||
		    (b->first_site[site] && b->first_site[site]->stores))
			continue;
		pd_check_publish(site, false);
		if (b->first_site[site])
			b->first_site[site]->stores = 1;
	}
}

/* The next open store of a line that has a site, from number i on; 0: none. */
static uint32_t next_open(const struct pd_line *line, uint32_t i)
{
	while (i && (i <= line->cur.must || !pd_log_at(line->cur.log, i - 1)->site ||
		     pd_log_at(line->cur.log, i - 1)->site >= PD_BOARD_SITES))
		i = pd_log_at(line->cur.log, i - 1)->next;
	return i;
}

static struct pd_board_site *published(uint32_t site)
{
	pd_check_publish(site, false);
	return pd_board()->first_site[site];
}

/*
 * Records who flushes what a site stores: the thread that has stored it, or another one. Another
 * thread counts as a helper only if it has not stored to the line itself.
 */
void pd_check_flushed(const struct pd_line *line, uint32_t site)
{
	uint32_t self = pd_thread_self(), i;
	struct pd_board_site *to;
	bool own = false;

	for (i = next_open(line, line->cur.first); i;
	     i = next_open(line, pd_log_at(line->cur.log, i - 1)->next)) {
		const struct pd_store *s = pd_log_at(line->cur.log, i - 1);

		if (s->tid != self)
			continue;
		own = true;
		if ((to = published(s->site)))
			to->flushes_itself = 1;
	}
	for (i = own ? 0 : next_open(line, line->cur.first); i;
	     i = next_open(line, pd_log_at(line->cur.log, i - 1)->next)) {
		to = published(pd_log_at(line->cur.log, i - 1)->site);
		if (!to || to->helper)
			continue;
		pd_check_publish(site, false);
		to->helper = site;
		to->helper_tid = self;
	}
}

static void answer_open(struct pd_again *a, uint32_t place)
{
	for (uint32_t k = 0; k < a->nlost; k++)
		if (a->lost[k] == place)
			a->open[k] = 1;
}

void pd_check_count_left_open(void)
{
	struct pd_board *b = pd_board();

	memset(b->again.open, 0, sizeof(b->again.open));
	b->again.ended = 1;

	for (struct pd_line *line = pd_mem.model.lines; line; line = line->next)
		for (uint32_t i = line->cur.log ? line->cur.first : 0; i;) {
			const struct pd_store *s = pd_log_at(line->cur.log, i - 1);

			if (i > line->cur.must)
				answer_open(&b->again, i);
			if (i > line->cur.must && s->site && s->site < PD_BOARD_SITES) {
				pd_check_publish(s->site, false);
				if (b->first_site[s->site])
					b->first_site[s->site]->left_open++;
			}
			i = s->next;
		}
}
