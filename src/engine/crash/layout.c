/*
 * layout.c - stores that belong together and lie on two cache lines. See failure.h.
 *
 * Stores to one line persist in the order in which they are made, and with one flush. Code may rely
 * on that, as sorted pages and slots with a key and a pointer do: it is right as long as each of
 * its records lies in one line. With one more field in front of them, or an allocator that aligns
 * to less, some records straddle two lines. Depending on which, recovery fails for want of an order
 * or of a flush; but it is one mistake, and it lies in none of the stores.
 *
 * A failure is of this kind if each store that it needs to lose is to a struct that would fit into
 * a line but straddles two, and if recovery has seen something newer in the struct's other line,
 * stored to a struct of the same type: this one or its neighbour. Were each of them in one line,
 * recovery could not have seen the one without the other. By a counter or a flag elsewhere recovery
 * trusts those in other lines, too: then the order is wrong, wherever the struct lies.
 *
 * Precision lost: the struct is what the compiler names at the store. Stores through a pointer to a
 * member, or in pieces of a copy, are not attributed to layout.
 */
#include "engine/crash/failure.h"
#include "finding/text.h"

enum { LINE = 64 };

/* The struct that contains the target of a lost store; false: not known. */
static bool object_of(const struct pd_explored *x, const struct pd_failure *f,
		      const struct pd_blamed *l, struct pd_stretch *to)
{
	const struct pd_again_event *e = pd_story_store(f->story, &l->lost);
	const struct pd_board_site *s = pd_explored_site(x, l->lost.exec, l->lost.site);

	if (!e || !s || !s->at.type || s->at.offset > e->addr)
		return false;
	to->from = e->addr - s->at.offset;
	to->to = to->from + s->at.type_size;
	return s->at.offset + e->size <= s->at.type_size;
}

static bool straddles(const struct pd_stretch *r)
{
	return r->to - r->from <= LINE && r->from / LINE != (r->to - 1) / LINE;
}

static bool same_type(const struct pd_explored *x, const struct pd_crash_source *lost,
		      const struct pd_crash_choice *c)
{
	const struct pd_board_site *a = pd_explored_site(x, lost->exec, lost->site),
				   *b = pd_explored_site(x, c->seen_exec, c->seen);

	return a && b && pd_text_cmp(a->at.type, b->at.type) == 0;
}

/* Recovery has seen a later store to this line, to a struct of this kind. */
static bool sees_later(const struct pd_explored *x, const struct pd_crash_run *run,
		       const struct pd_crash_source *lost, uint64_t line)
{
	for (const struct pd_crash_choice *c = run->last; c; c = c->before)
		if (c->seen && c->seen_exec == lost->exec && c->seen_order > lost->order &&
		    c->addr / LINE == line && same_type(x, lost, c))
			return true;
	return false;
}

/* The other line of a struct that straddles two. */
static uint64_t other_line(const struct pd_stretch *r, uint64_t addr)
{
	uint64_t first = r->from / LINE;

	return addr / LINE == first ? first + 1 : first;
}

bool pd_failure_find_layout(const struct pd_explored *x, struct pd_failure *f)
{
	struct pd_stretch r = {0};

	f->straddling = NULL;
	if (x->page)
		return false;
	for (uint32_t i = 0; i < f->n; i++) {
		const struct pd_crash_source *lost = &f->blame[i].lost;

		if (!object_of(x, f, &f->blame[i], &r) || !straddles(&r) ||
		    !sees_later(x, f->run, lost,
				other_line(&r, pd_story_store(f->story, lost)->addr)))
			return false;
		if (i == 0)
			f->object = r;
	}
	if (f->n)
		f->straddling =
			pd_explored_site(x, f->blame[0].lost.exec, f->blame[0].lost.site)->at.type;
	return f->n != 0;
}
