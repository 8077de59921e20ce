/* walk.c - see walk.h. */
#include "engine/crash/walk.h"

void pd_walk_init(struct pd_walk *w, struct pd_model *m)
{
	memset(w, 0, sizeof(*w));
	w->model = m;
	pd_arena_init(&w->arena, m->arena->host);
}

void pd_walk_finish(struct pd_walk *w)
{
	pd_arena_finish(&w->arena);
}

/*
 * The versions of a line that the path has left; NULL: the path has not read it, or it is settled.
 */
static struct pd_walk_line *find_refined(struct pd_walk *w, uint64_t index)
{
	for (uint32_t i = w->open.n; i-- > 0;)
		if (w->open.v[i].index == index)
			return &w->open.v[i];
	return NULL;
}

/* A read of a line: the versions that the path has left so far, and the classes that it can see. */
struct look {
	uint64_t index;
	struct pd_history *crashed; /* NULL: the line is settled */
	struct pd_vset set;
	bool cut;
	uint32_t all; /* number of classes before the checksum ruled some out */
	pd_classes classes;
};

/* Continues the path with class i. */
static bool refine(struct pd_walk *w, const struct look *look, uint32_t i)
{
	struct pd_walk_line *l = pd_vec_push(&w->open, &w->arena);

	if (l)
		*l = (struct pd_walk_line){look->index, look->crashed, look->classes.v[i].set};
	if (!l || (look->cut && !pd_cut_narrow(&w->cut, &w->arena, look->crashed, &look->set,
					       &look->classes.v[i])))
		w->failed = true;
	return !w->failed;
}

static bool is_attended(struct pd_walk *w)
{
	if (w->attend && !w->attend(w->ctx))
		w->stopped = true;
	return !w->stopped;
}

static bool execute(struct pd_walk *w, struct pd_tree_node *to)
{
	if (!w->execute(w->ctx, w->picks.v, w->picks.n, to))
		w->stopped = true;
	return !w->stopped;
}

/*
 * Waits for or executes a pending node; returns it once something is known of it, or NULL if that
 * will not happen.
 */
static struct pd_tree_node *resolve(struct pd_walk *w, struct pd_tree_node *node, bool mine)
{
	while (pd_tree_pending(node)) {
		if (w->only_known || !is_attended(w))
			return NULL;
		if (mine || pd_tree_claim(node, w->owner)) {
			if (!execute(w, node) || pd_tree_pending(node))
				return NULL;
		} else if (!w->await || !w->await(w->ctx, node)) {
			return NULL;
		}
	}
	return node;
}

/* The node that this content of the block leads to; NULL: the walk ends here. */
static struct pd_tree_node *next(struct pd_walk *w, struct pd_tree_node *node, const uint8_t *block)
{
	uint8_t value[PD_BLOCK];
	uint32_t n = pd_tree_value(block, node->read->mask, pd_tree_lens(node), value);
	struct pd_tree_node *to = pd_tree_find(node, value, n);
	bool mine = false;

	if (!to) {
		if (w->only_known || !is_attended(w))
			return NULL;
		to = pd_tree_add(node, &w->memory, value, n, w->owner, &mine);
	}
	if (!to) {
		w->failed = true;
		return NULL;
	}
	return resolve(w, to, mine);
}

/* The same after a read of a settled block. */
static struct pd_tree_node *next_settled(struct pd_walk *w, struct pd_tree_node *node)
{
	uint8_t bytes[PD_BLOCK];

	return w->content(w->ctx, node->read->block, bytes) ? next(w, node, bytes)
							    : resolve(w, pd_tree_only(node), false);
}

/* ---- who goes along ------------------------------------------------------------------------- */

static void visit(struct pd_walk *w, const struct pd_tree_node *node,
		  const struct pd_history *crashed, const struct pd_vset *set)
{
	if (w->visitor)
		w->visitor->read(w->visitor->ctx, node, crashed, set);
}

static void note_visit(struct pd_walk *w, const struct pd_tree_node *node,
		       const struct pd_history *crashed, const struct pd_vset *left)
{
	if (w->visitor)
		w->visitor->took(w->visitor->ctx, node, crashed, left);
}

static void walk(struct pd_walk *w, struct pd_tree_node *node);

static uint32_t site_of(const struct pd_class *c)
{
	return c->source ? c->source->site : 0;
}

/* Whether the path misses the watched store if it takes class i. */
static bool misses(const struct pd_walk *w, const struct look *look, uint32_t i)
{
	const struct pd_class *newest = &look->classes.v[0];

	return i && newest->source && newest->source_exec == w->model->log->exec &&
	       newest->source_order >= w->watch.from && newest->source_order < w->watch.to;
}

static void branch_to(struct pd_walk *w, struct pd_tree_node *node, const struct look *look,
		      uint32_t i)
{
	uint32_t *pick = pd_vec_push(&w->picks, &w->arena), open = w->open.n;
	struct pd_walk_taken *taken = pd_vec_push(&w->taken, &w->arena);
	struct pd_cut before = w->cut;
	uint32_t mark = w->visitor ? w->visitor->mark(w->visitor->ctx) : 0;
	struct pd_tree_node *to;
	uint64_t lost;

	if (!pick || !taken || !refine(w, look, i)) {
		w->failed = true;
		return;
	}
	*pick = i;
	*taken = (struct pd_walk_taken){node, look->classes.v, look->classes.n, NULL};
	lost = i ? pd_tree_lost(node, site_of(&look->classes.v[0])) : 0;
	w->signature += lost;
	w->watch.missed += misses(w, look, i);
	note_visit(w, node, look->crashed, &look->classes.v[i].set);
	to = next(w, node, look->classes.v[i].value);
	if (to)
		walk(w, to);
	if (w->visitor)
		w->visitor->back(w->visitor->ctx, mark);
	w->watch.missed -= misses(w, look, i);
	w->signature -= lost;
	w->cut = before;
	w->open.n = open;
	w->taken.n--;
	w->picks.n--;
}

/* The newest class that may lack the watched store; for other lines the newest class. */
static uint32_t without(const struct pd_walk *w, const struct look *look)
{
	if (look->index != w->watch.line || look->crashed->log != w->model->log)
		return 0;
	for (uint32_t i = 0; i < look->classes.n; i++) {
		const struct pd_vset *s = &look->classes.v[i].set;

		for (uint32_t b = 0; b < s->nbox; b++)
			if (s->span[b * s->ndim].lo < w->watch.from)
				return i;
	}
	return 0;
}

/* Takes one class after the other; the newest first, which is pick 0 of an execution. */
static void branch(struct pd_walk *w, struct pd_tree_node *node, const struct look *look)
{
	if (w->several)
		w->several(w->ctx, node, &look->classes);
	if (w->watch.only) {
		branch_to(w, node, look, without(w, look));
		return;
	}
	for (uint32_t i = 0; i < look->classes.n && !w->stopped && !w->failed; i++) {
		enum pd_walk_split split = w->split && !w->only_known && i + 1 < look->classes.n
						   ? w->split(w->ctx)
						   : PD_WALK_HERE;

		if (split != PD_WALK_GIVEN)
			branch_to(w, node, look, i);
		if (split == PD_WALK_TAKEN)
			w->done(w->ctx);
	}
}

/* Sets the versions of the node's line that the path has left. */
static void versions(struct pd_walk *w, const struct pd_tree_node *node, struct look *look)
{
	struct pd_walk_line *before;
	struct pd_line *line;

	*look = (struct look){.index = node->read->block >> w->model->params.line_shift};
	before = find_refined(w, look->index);
	if (before) {
		look->crashed = before->crashed;
		look->set = before->set;
		return;
	}
	line = pd_model_line(w->model, node->read->block);
	if (line && !pd_line_crash_now(line, &w->arena, &look->crashed, &look->set))
		w->failed = true;
}

/* Sets the classes that the read can see; false: memory ran out. */
static bool split(struct pd_walk *w, const struct pd_tree_node *node, struct look *look)
{
	uint32_t in_line = (1u << w->model->params.line_shift) - 1;
	const struct pd_tree_read *read = node->read;

	if (!pd_vset_classes(look->crashed, &look->set,
			     (uint32_t)(read->block & in_line) / PD_BLOCK, read->mask, &read->lens,
			     &w->arena, &look->classes)) {
		w->failed = true;
		return false;
	}
	look->all = look->classes.n;
	if (read->group && read->group != w->cut.group)
		w->cut = (struct pd_cut){.group = read->group};
	look->cut =
		read->group && pd_cut_filter(&w->cut, look->crashed, &look->set, &look->classes);
	return true;
}

static bool is_bad(const struct pd_tree_node *leaf)
{
	return leaf->outcome > PD_OUTCOME_GOOD && leaf->outcome < PD_OUTCOME_DIVERGED;
}

static bool covers(const struct pd_tree_read *r, uint64_t addr, uint64_t end)
{
	uint64_t from = PD_MAX(addr, r->block), to = PD_MIN(end, r->block + PD_BLOCK), n;

	if (from >= to)
		return false;
	n = to - from;
	return r->mask & (n == PD_BLOCK ? UINT64_MAX : ((1ULL << n) - 1) << (from - r->block));
}

static void watch_read(struct pd_walk_watch *w, const struct pd_tree_read *r)
{
	w->touched += covers(r, w->addr, w->end);
	w->sought += covers(r, w->effect, w->effect_end);
}

static void watch_end(struct pd_walk_watch *w, struct pd_tree_node *leaf)
{
	bool good = leaf->outcome == PD_OUTCOME_GOOD;

	w->good += good && (w->missed || (w->only && w->touched));
	w->read += w->touched != 0;
	w->unneeded += good && !w->touched && w->sought;
	if (w->missed && is_bad(leaf) && !w->bad)
		w->bad = leaf;
}

static void leaf(struct pd_walk *w, struct pd_tree_node *node)
{
	w->leaves++;
	watch_end(&w->watch, node);
	if (w->watch.again && is_attended(w)) {
		w->watch.again = false;
		execute(w, NULL);
	}
	if (w->only_known)
		w->stopped = w->leaves == w->only_known;
	else if (is_bad(node) && pd_tree_blame_is_new(node, &w->memory, w->signature, w->when))
		w->bad(w->ctx, node);
}

/* Iterates where there is no choice: paths are long, with few choices on them. */
static void walk(struct pd_walk *w, struct pd_tree_node *node)
{
	uint32_t open = w->open.n, touched = w->watch.touched, sought = w->watch.sought;
	struct look look;
	uint8_t *mark;

	while (node && !w->stopped && !w->failed) {
		if (!node->read) {
			leaf(w, node);
			break;
		}
		mark = w->arena.cur;
		if (w->watch.to)
			watch_read(&w->watch, node->read);
		versions(w, node, &look);
		if (w->failed)
			break;
		if (w->read)
			w->read(w->ctx, node);
		visit(w, node, look.crashed, &look.set);
		if (!look.crashed) {
			note_visit(w, node, NULL, NULL);
			node = next_settled(w, node);
			continue;
		}
		if (!split(w, node, &look))
			break;
		if (look.classes.n > 1) {
			branch(w, node, &look);
			break;
		}
		if (look.all > 1 && !refine(w, &look, 0))
			break;
		note_visit(w, node, look.crashed, &look.classes.v[0].set);
		node = next(w, node, look.classes.v[0].value);
		/* Only the classes are new, and those who go along may keep them */
		if (look.all == 1 && !look.cut && !w->visitor)
			pd_arena_back(&w->arena, mark);
	}
	w->open.n = open;
	w->watch.touched = touched;
	w->watch.sought = sought;
}

void pd_walk_crash(struct pd_walk *w, struct pd_tree_node *root)
{
	pd_arena_reset(&w->arena);
	memset(&w->picks, 0, sizeof(w->picks));
	memset(&w->taken, 0, sizeof(w->taken));
	memset(&w->open, 0, sizeof(w->open));
	w->cut = (struct pd_cut){0};
	w->stopped = false;
	w->signature = 0;
	w->watch.missed = w->watch.touched = w->watch.sought = 0;
	w->watch.good = w->watch.read = w->watch.unneeded = 0;
	w->watch.bad = NULL;
	if (w->fixed) {
		if (is_attended(w))
			w->execute(w->ctx, w->fixed->picks, w->fixed->npick, NULL);
		return;
	}
	/* The root may still be pending: no recovery has started from this state of the files
	 * yet. */
	if (resolve(w, root, false))
		walk(w, root);
}
