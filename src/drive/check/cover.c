/* check/cover.c - coverage: turns the table that tested processes have filled
 * (engine/crash/cover.h) into a result, and judges whether anything was tested at all. */
#include "drive/check/check.h"
#include "drive/place.h"
#include "engine/crash/cover.h"
#include "report/words/limits.h"
#include "report/words/words.h"
#include <string.h>

bool pd_check_cover_prepare(struct pd_check_run *c, struct pd_error *e)
{
	c->board->cover = pd_board_alloc(NULL, sizeof(*c->board->cover));
	return c->board->cover || pd_error_set(e, PD_EXIT_INTERNAL, "out of shared memory");
}

/* In the user's own code: a store in an inline function of the system counts for the caller. */
static struct pd_frame frame_of(struct pd_arena *a, const struct pd_board_site *s)
{
	struct pd_frame f = {0};

	for (const struct pd_site *at = s ? &s->at : NULL; at; at = at->inlined_at) {
		f = pd_site_frame(a, at);
		if (!pd_frame_is_system(&f))
			break;
	}
	return f;
}

void pd_check_coverage(struct pd_check_run *c, struct pd_result *r)
{
	const struct pd_board *b = c->board;
	const struct pd_cover *t = b->cover;
	struct pd_cover_place p;
	uint32_t flags;

	r->coverage.known = true;
	for (uint32_t i = 0; i < t->ntaken; i++) {
		struct pd_covered to = {0};

		if (!pd_cover_get(pd_cover_word(t, i), &p, &flags))
			continue;
		to.at = frame_of(&c->arena, pd_board_site(b, p.recovery, p.site));
		to.pm = t->file[p.file];
		to.recovery = p.recovery;
		to.at_stake = flags & PD_COVER_AT_STAKE;
		to.read = flags & PD_COVER_READ;
		to.read_at_stake = flags & PD_COVER_READ_AT_STAKE;
		pd_result_covered(r, &to);
	}
	if (t->full)
		pd_limit_coverage(r);
}

/* ---- nothing was tested --------------------------------------------------------------------- */

/* What recovery did instead of reading. */
static enum pd_untested why_unread(const struct pd_check_run *c)
{
	bool all_known = !c->known.killed && !c->gave_up;

	if (pd_check_recovery_did(c, PD_EV_POOL_UNLINK))
		return PD_UNTESTED_DELETES;
	if (all_known && !pd_check_recovery_did(c, PD_EV_POOL_OPEN))
		return PD_UNTESTED_NOT_OPENED;
	if (all_known && !pd_check_recovery_did(c, PD_EV_LOAD) &&
	    !pd_check_recovery_did(c, PD_EV_RMW) && !pd_check_recovery_did(c, PD_EV_RMW_FAILED))
		return PD_UNTESTED_NOT_READ;
	return PD_UNTESTED_OTHER_DATA;
}

void pd_check_was_tested(const struct pd_check_run *c, struct pd_result *r)
{
	enum pd_tested tested = c->cut ? PD_TESTED : pd_cover_tested(c->board->cover);

	if (pd_check_announced_any(c, r) && tested != PD_TESTED)
		pd_limit_untested(r,
				  tested == PD_TESTED_NO_STORE	 ? PD_UNTESTED_NO_STORE
				  : tested == PD_TESTED_NO_STAKE ? PD_UNTESTED_NO_NAME
								 : why_unread(c),
				  c->recover ? c->recover[0] : NULL);
}

/* ---- what no recovery has tried ------------------------------------------------------------- */

static void add_stored(struct pd_check_run *c, struct pd_exercise *to, uint32_t site, bool recovery,
		       enum pd_stored_how how)
{
	const struct pd_frame at = frame_of(&c->arena, pd_board_site(c->board, recovery, site));
	struct pd_stored_in *s = at.function ? pd_vec_push(&to->items, &c->arena) : NULL;

	to->tried |= how == PD_STORED_TRIED;
	to->anew |= how == PD_STORED_ANEW;
	if (s)
		*s = (struct pd_stored_in){at.function, how};
}

static void add_all(struct pd_check_run *c, struct pd_exercise *to)
{
	const struct pd_cover *t = c->board->cover;
	struct pd_cover_place p;
	uint32_t flags;

	for (uint32_t i = 0; i < t->ntaken; i++)
		if (pd_cover_get(pd_cover_word(t, i), &p, &flags) && !p.recovery)
			add_stored(c, to, p.site, false, PD_STORED_FIRST);
	for (uint32_t site = 0; site < PD_COVER_SITES; site++) {
		if (pd_cover_did(t, site, PD_COVER_TRIED))
			add_stored(c, to, site, true, PD_STORED_TRIED);
		if (pd_cover_did(t, site, PD_COVER_ANEW))
			add_stored(c, to, site, true, PD_STORED_ANEW);
		if (pd_cover_did(t, site, PD_COVER_CHANGED))
			add_stored(c, to, site, false, PD_STORED_CHANGED);
	}
}

/* If stores are not seen, or recovery was cut short, nothing is known about what it would do. A
 * driver of linear writes, removes and writes again. */
void pd_check_not_exercised(struct pd_check_run *c, struct pd_result *r)
{
	struct pd_exercise all = {.one_crash = c->crashes == 1};

	if (strcmp(c->verb, "check") != 0 || c->cut || pd_check_blind(c) ||
	    pd_cover_tested(c->board->cover) != PD_TESTED)
		return;
	add_all(c, &all);
	r->not_exercised = pd_words_not_exercised(&c->arena, &all);
}
