/* origin.c - see origin.h. */
#include "engine/crash/origin.h"
#include "base/vec.h"

/* A node on the way down, and the number of paths found below it. */
struct level {
	const struct pd_tree_node *node;
	const struct pd_tree_node *next;
	uint32_t values;
	uint64_t leaves;
};

struct search {
	struct pd_arena *arena;
	PD_VEC(struct level) way;
	double *part; /* by site: sum over all paths of the values beyond the first */
	uint32_t nsite;
};

static bool go_down(struct search *s, const struct pd_tree_node *node)
{
	struct level *l = pd_vec_push(&s->way, s->arena);

	if (!l)
		return false;
	*l = (struct level){.node = node, .next = node->first};
	for (const struct pd_tree_node *n = node->first; n; n = n->next)
		l->values++;
	if (!l->values)
		l->leaves = 1;
	return true;
}

static void go_up(struct search *s)
{
	struct level *l = &s->way.v[--s->way.n];

	if (l->values > 1 && l->node->read && l->node->read->site < s->nsite)
		s->part[l->node->read->site] += (double)l->leaves * (l->values - 1);
	if (s->way.n)
		s->way.v[s->way.n - 1].leaves += l->leaves;
}

/* Searches the tree below a root. False: memory ran out. */
static bool search(struct search *s, const struct pd_tree_node *root)
{
	if (!go_down(s, root))
		return false;
	while (s->way.n) {
		struct level *l = &s->way.v[s->way.n - 1];
		const struct pd_tree_node *next = l->next;

		if (!next) {
			go_up(s);
			continue;
		}
		l->next = next->next;
		if (!go_down(s, next))
			return false;
	}
	return true;
}

uint32_t pd_origin_find(const struct pd_roots *r, uint32_t nsite, struct pd_arena *a)
{
	struct search s = {.arena = a, .part = pd_new_array(a, double, nsite + 1), .nsite = nsite};
	uint32_t n = PD_MIN(r->n, (uint32_t)PD_ROOTS), most = 0;

	for (uint32_t i = 0; s.part && i < n; i++)
		if (r->v[i].ready && !search(&s, &r->v[i].node))
			return 0;
	for (uint32_t i = 1; s.part && i < nsite; i++)
		if (s.part[i] > s.part[most])
			most = i;
	return most;
}
