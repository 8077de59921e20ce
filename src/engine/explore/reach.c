/*
 * reach.c - see reach.h.
 *
 * Besides the nodes of the objects there are two for each name, where calls of it enter and leave,
 * and one for each function, where it returns: so there are as many edges as calls and functions
 * together, not as many as pairs of them. Distances come from one backward search from all targets.
 */
#include "engine/explore/reach.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/vec.h"
#include "finding/text.h"

enum { MISSES = 8, STRAIGHT = 16 };

struct name {
	uint32_t in, out; /* nodes */
	/* An object defines it, or takes the address of a function that it stands for */
	bool defined;
	bool called;
};

struct edge {
	uint32_t from, to;
};

struct bound {
	uint32_t name, part, class;
};

struct class
{
	uint32_t parent, inside;
	bool pm;
};

struct site {
	uint32_t node, class, ways;
	uint32_t first; /* of its ways on, in `onward` */
};

/* A list for each node: of node i, v[first[i]] to v[first[i + 1]]. */
struct lists {
	uint32_t *first, *v;
};

typedef PD_VEC(uint32_t) numbers;

struct pd_reaches {
	struct pd_arena *arena;
	PD_VEC(struct name) names;
	PD_VEC(struct edge) edges;
	PD_VEC(struct bound) bound;
	PD_VEC(struct class) classes;
	PD_VEC(struct site) sites; /* by number */
	numbers onward;		   /* nodes */
	numbers next;		   /* of each node: the one that always follows, or none */
	struct pd_map name_at;	   /* digest -> number + 1 */
	struct pd_map part_at;	   /* name and part -> class + 1 */
	struct lists back, pm;	   /* predecessors of a node; its sites that may change PM */
	uint32_t *distance[2];	   /* to targets; to everything that may be PM */
	uint32_t *queue;
	uint8_t *missed; /* by site */
	bool failed, joined;
};

/* ---- pieces ---------------------------------------------------------------------------------- */

static uint32_t add_number(struct pd_reaches *r, numbers *v, uint32_t value)
{
	uint32_t *at = pd_vec_push(v, r->arena);

	r->failed |= !at;
	if (at)
		*at = value;
	return v->n - 1;
}

static uint32_t add_node(struct pd_reaches *r)
{
	return add_number(r, &r->next, PD_REACH_NONE);
}

static void add_edge(struct pd_reaches *r, uint32_t from, uint32_t to)
{
	struct edge *e = pd_vec_push(&r->edges, r->arena);

	r->failed |= !e;
	if (e)
		*e = (struct edge){from, to};
}

static uint32_t add_class(struct pd_reaches *r, uint32_t inside, bool pm)
{
	struct class *c = pd_vec_push(&r->classes, r->arena);

	r->failed |= !c;
	if (c)
		*c = (struct class){r->classes.n - 1, inside, pm};
	return r->classes.n - 1;
}

static uint32_t add_name(struct pd_reaches *r)
{
	uint32_t in = add_node(r), out = add_node(r);
	struct name *n = pd_vec_push(&r->names, r->arena);

	r->failed |= !n;
	if (n)
		*n = (struct name){.in = in, .out = out};
	return r->names.n - 1;
}

struct pd_reaches *pd_reaches_create(struct pd_arena *a)
{
	struct pd_reaches *r = pd_new(a, struct pd_reaches);

	if (!r)
		return NULL;
	r->arena = a;
	add_name(r); /* 0 is none */
	return r->failed ? NULL : r;
}

uint32_t pd_reaches_sites(const struct pd_reaches *r)
{
	return r->sites.n;
}

/* ---- classes --------------------------------------------------------------------------------- */

static uint32_t class_of(struct pd_reaches *r, uint32_t c)
{
	struct class *v = r->classes.v;

	while (v[c].parent != c) {
		v[c].parent = v[v[c].parent].parent;
		c = v[c].parent;
	}
	return c;
}

static void join_classes(struct pd_reaches *r, uint32_t a, uint32_t b)
{
	struct class *v = r->classes.v;

	while (a != PD_REACH_NONE && b != PD_REACH_NONE) {
		uint32_t in;

		a = class_of(r, a);
		b = class_of(r, b);
		if (a == b)
			return;
		in = v[b].inside;
		v[b].parent = a;
		v[a].pm |= v[b].pm;
		b = v[a].inside;
		if (b == PD_REACH_NONE)
			v[a].inside = in;
		a = in;
	}
}

/* Memory that a pointer in PM leads to may be PM. */
static void spread(struct pd_reaches *r)
{
	for (uint32_t i = 0; i < r->classes.n; i++) {
		uint32_t c = class_of(r, i);

		while (r->classes.v[c].pm && r->classes.v[c].inside != PD_REACH_NONE) {
			c = class_of(r, r->classes.v[c].inside);
			if (r->classes.v[c].pm)
				break;
			r->classes.v[c].pm = true;
		}
	}
}

/* ---- what an object says --------------------------------------------------------------------- */

struct object {
	const uint32_t *part[PD_REACH_COUNTS];
	uint32_t n[PD_REACH_COUNTS];
	const char *names;
	uint32_t node, class, end; /* the first of its nodes, its classes, ends of its functions */
};

static void open_object(struct object *o, const struct pd_reach *t)
{
	static const uint32_t size[] = PD_REACH_WORDS;
	const uint32_t *at = t->words + PD_REACH_COUNTS;

	o->names = t->names;
	for (int k = 0; k < PD_REACH_COUNTS; k++) {
		o->n[k] = t->words[k];
		o->part[k] = at;
		at += (size_t)o->n[k] * size[k];
	}
}

/* Its number. */
static uint32_t name_of(struct pd_reaches *r, const struct object *o, uint32_t offset)
{
	const char *s = o->names + offset;
	struct pd_digest d = PD_DIGEST_INIT;
	uint64_t *at;

	if (!offset)
		return 0;
	pd_digest_bytes(&d, s, pd_text_len(s));
	at = pd_map_put(&r->name_at, r->arena, d.a >> 1);
	r->failed |= !at;
	if (!at || *at)
		return at ? (uint32_t)*at - 1 : 0;
	*at = add_name(r) + 1;
	/* The caller of main is not visible */
	if (!r->failed && pd_text_len(s) == 4 && memcmp(s, "main", 4) == 0)
		r->names.v[*at - 1].called = true;
	return (uint32_t)*at - 1;
}

static void add_nodes(struct pd_reaches *r, struct object *o)
{
	o->node = r->next.n;
	for (uint32_t i = 0; i + 1 < o->n[PD_REACH_NODES]; i++)
		add_node(r);
	o->end = r->next.n;
	for (uint32_t i = 0; i < o->n[PD_REACH_FUNCTIONS]; i++)
		add_node(r);
}

static void add_edges(struct pd_reaches *r, const struct object *o)
{
	const uint32_t *first = o->part[PD_REACH_NODES], *to = o->part[PD_REACH_EDGES];
	const uint32_t *function = o->part[PD_REACH_FUNCTIONS];
	uint32_t f = 0;

	for (uint32_t i = 0; i + 1 < o->n[PD_REACH_NODES]; i++) {
		while (f + 1 < o->n[PD_REACH_FUNCTIONS] && function[3 * (f + 1) + 2] <= i)
			f++;
		for (uint32_t e = first[i]; e < first[i + 1]; e++)
			add_edge(r, o->node + i,
				 to[e] == PD_REACH_NONE ? o->end + f : o->node + to[e]);
		if (first[i + 1] - first[i] == 1 && to[first[i]] != PD_REACH_NONE && !r->failed)
			r->next.v[o->node + i] = o->node + to[first[i]];
	}
}

static void add_function_name(struct pd_reaches *r, const struct object *o, uint32_t f,
			      uint32_t offset)
{
	uint32_t name = name_of(r, o, offset);
	struct name *n = &r->names.v[name];

	if (!name)
		return;
	n->defined = true;
	add_edge(r, n->in, o->node + o->part[PD_REACH_FUNCTIONS][3 * f + 2]);
	add_edge(r, o->end + f, n->out);
}

static void add_functions(struct pd_reaches *r, const struct object *o)
{
	const uint32_t *f = o->part[PD_REACH_FUNCTIONS];

	for (uint32_t i = 0; i < o->n[PD_REACH_FUNCTIONS] && !r->failed; i++) {
		add_function_name(r, o, i, f[3 * i]);
		add_function_name(r, o, i, f[3 * i + 1]);
		/* A caller of a pointer knows what it passes */
		if (f[3 * i + 1])
			r->names.v[name_of(r, o, f[3 * i])].called = true;
	}
}

static void add_call(struct pd_reaches *r, const struct object *o, const uint32_t *call)
{
	const uint32_t *f = o->part[PD_REACH_FUNCTIONS] + 3 * (size_t)call[2];
	uint32_t node = o->node + call[0], behind = o->node + call[1];
	const struct name *n;

	r->next.v[node] = PD_REACH_NONE;
	if (call[2] & PD_REACH_BY_NAME) {
		n = &r->names.v[name_of(r, o, call[2] & ~PD_REACH_BY_NAME)];
		add_edge(r, node, n->in);
		add_edge(r, n->out, behind);
		return;
	}
	add_edge(r, node, o->node + f[2]);
	add_edge(r, o->end + call[2], behind);
	r->names.v[name_of(r, o, f[0])].called = true;
}

static void add_classes(struct pd_reaches *r, struct object *o)
{
	const uint32_t *c = o->part[PD_REACH_CLASSES];

	o->class = r->classes.n;
	for (uint32_t i = 0; i < o->n[PD_REACH_CLASSES]; i++)
		add_class(r, c[2 * i] == PD_REACH_NONE ? PD_REACH_NONE : o->class + c[2 * i],
			  c[2 * i + 1]);
}

static void add_bind(struct pd_reaches *r, const struct object *o, const uint32_t *bind)
{
	uint32_t name = name_of(r, o, bind[0]), class = o->class + bind[2];
	uint64_t *at = pd_map_put(&r->part_at, r->arena, (uint64_t)name << 32 | bind[1]);
	struct bound *b;

	r->failed |= !at;
	if (r->failed)
		return;
	r->names.v[name].defined |= bind[3] != 0;
	r->names.v[name].called |= !bind[3];
	if (*at) {
		join_classes(r, (uint32_t)*at - 1, class);
		return;
	}
	*at = class + 1;
	b = pd_vec_push(&r->bound, r->arena);
	r->failed |= !b;
	if (b)
		*b = (struct bound){name, bind[1], class};
}

static void add_sites(struct pd_reaches *r, const struct object *o, uint32_t first, uint32_t n)
{
	const uint32_t *edge = o->part[PD_REACH_EDGES], *node = o->part[PD_REACH_NODES];

	for (uint32_t i = 0; i < n && i < o->n[PD_REACH_SITES] && !r->failed; i++) {
		const uint32_t *from = o->part[PD_REACH_SITES] + 3 * (size_t)i;
		struct site *s = &r->sites.v[first + i];

		if (from[0] == PD_REACH_NONE)
			continue;
		*s = (struct site){o->node + from[0],
				   from[1] == PD_REACH_NONE ? from[1] : o->class + from[1], from[2],
				   r->onward.n};
		for (uint32_t k = 0; k < s->ways; k++)
			add_number(r, &r->onward, o->node + edge[node[from[0]] + k]);
	}
}

static void make_sites(struct pd_reaches *r, uint32_t n)
{
	while (r->sites.n < n && !r->failed) {
		struct site *s = pd_vec_push(&r->sites, r->arena);

		r->failed |= !s;
		if (s)
			*s = (struct site){.node = PD_REACH_NONE, .class = PD_REACH_NONE};
	}
}

void pd_reaches_add(struct pd_reaches *r, const struct pd_reach *object, uint32_t first, uint32_t n)
{
	struct object o;

	make_sites(r, first + n);
	if (!object || r->failed)
		return;
	open_object(&o, object);
	add_nodes(r, &o);
	add_edges(r, &o);
	add_functions(r, &o);
	for (uint32_t i = 0; i < o.n[PD_REACH_CALLS] && !r->failed; i++)
		add_call(r, &o, o.part[PD_REACH_CALLS] + 3 * (size_t)i);
	add_classes(r, &o);
	for (uint32_t i = 0; i < o.n[PD_REACH_BINDS] && !r->failed; i++)
		add_bind(r, &o, o.part[PD_REACH_BINDS] + 4 * (size_t)i);
	add_sites(r, &o, first, n);
}

/* ---- joining --------------------------------------------------------------------------------- */

/*
 * A function that no object has may return PM, and may put pointers to PM where its arguments lead.
 * One that no object calls may be called from elsewhere, with pointers to PM.
 */
static void mark_unknown(struct pd_reaches *r)
{
	for (uint32_t i = 0; i < r->bound.n && !r->failed; i++) {
		const struct bound *b = &r->bound.v[i];
		const struct name *n = &r->names.v[b->name];
		uint32_t c = class_of(r, b->class), in;

		if (b->part == PD_REACH_VARIABLE || (n->defined && n->called))
			continue;
		if (n->defined || b->part == PD_REACH_RESULT) {
			r->classes.v[c].pm |= n->defined == (b->part != PD_REACH_RESULT);
			continue;
		}
		in = add_class(r, PD_REACH_NONE, true);
		if (r->failed)
			return;
		if (r->classes.v[c].inside == PD_REACH_NONE)
			r->classes.v[c].inside = in;
		else
			join_classes(r, r->classes.v[c].inside, in);
	}
}

static bool make_lists(struct pd_reaches *r, struct lists *l, uint32_t entries)
{
	l->first = pd_new_array(r->arena, uint32_t, r->next.n + 2);
	l->v = pd_new_array(r->arena, uint32_t, entries + 1);
	return l->first && l->v;
}

/*
 * Turns counts into offsets, shifted by two: counts are at first[i + 2]; then the next position is
 * at first[i + 1].
 */
static void sum_up(struct pd_reaches *r, struct lists *l)
{
	for (uint32_t i = 2; i < r->next.n + 2; i++)
		l->first[i] += l->first[i - 1];
}

static bool list_back(struct pd_reaches *r)
{
	if (!make_lists(r, &r->back, r->edges.n))
		return false;
	for (uint32_t i = 0; i < r->edges.n; i++)
		r->back.first[r->edges.v[i].to + 2]++;
	sum_up(r, &r->back);
	for (uint32_t i = 0; i < r->edges.n; i++)
		r->back.v[r->back.first[r->edges.v[i].to + 1]++] = r->edges.v[i].from;
	return true;
}

static bool list_pm(struct pd_reaches *r)
{
	if (!make_lists(r, &r->pm, r->sites.n))
		return false;
	for (uint32_t i = 0; i < r->sites.n; i++)
		if (pd_reaches_pm(r, i))
			r->pm.first[r->sites.v[i].node + 2]++;
	sum_up(r, &r->pm);
	for (uint32_t i = 0; i < r->sites.n; i++)
		if (pd_reaches_pm(r, i))
			r->pm.v[r->pm.first[r->sites.v[i].node + 1]++] = i;
	return true;
}

/* From here on classes do not change: each site gets its representative. */
static void settle_sites(struct pd_reaches *r)
{
	for (uint32_t i = 0; i < r->sites.n; i++)
		if (r->sites.v[i].class != PD_REACH_NONE)
			r->sites.v[i].class = class_of(r, r->sites.v[i].class);
}

bool pd_reaches_join(struct pd_reaches *r)
{
	mark_unknown(r);
	if (r->failed)
		return false;
	spread(r);
	settle_sites(r);
	r->joined = true;
	r->distance[0] = pd_new_array(r->arena, uint32_t, r->next.n);
	r->distance[1] = pd_new_array(r->arena, uint32_t, r->next.n);
	r->queue = pd_new_array(r->arena, uint32_t, r->next.n);
	r->missed = pd_new_array(r->arena, uint8_t, r->sites.n + 1);
	r->joined = r->distance[0] && r->distance[1] && r->queue && r->missed && list_back(r) &&
		    list_pm(r);
	return r->joined;
}

/* ---- answers --------------------------------------------------------------------------------- */

bool pd_reaches_pm(const struct pd_reaches *r, uint32_t site)
{
	return r->joined && site < r->sites.n && r->sites.v[site].class != PD_REACH_NONE &&
	       r->classes.v[r->sites.v[site].class].pm;
}

uint32_t pd_reaches_ways(const struct pd_reaches *r, uint32_t site)
{
	return r->joined && site < r->sites.n ? r->sites.v[site].ways : 0;
}

static bool is_target(const struct pd_reaches *r, uint32_t site, const uint8_t *reached, uint32_t n)
{
	return site < n && !reached[site] && r->missed[site] < MISSES;
}

static void enqueue(struct pd_reaches *r, uint32_t *distance, uint32_t *end, uint32_t node,
		    uint32_t far)
{
	if (distance[node] != PD_REACH_NONE)
		return;
	distance[node] = far;
	r->queue[(*end)++] = node;
}

static void update(struct pd_reaches *r, uint32_t *distance, const uint8_t *reached, uint32_t n,
		   bool all)
{
	uint32_t end = 0;

	for (uint32_t i = 0; i < r->next.n; i++)
		distance[i] = PD_REACH_NONE;
	for (uint32_t node = 0; node < r->next.n; node++)
		for (uint32_t i = r->pm.first[node]; i < r->pm.first[node + 1]; i++) {
			uint32_t site = r->pm.v[i];

			if (is_target(r, site, reached, n) || (all && site < n && reached[site]))
				enqueue(r, distance, &end, node, 0);
		}
	for (uint32_t at = 0; at < end; at++) {
		uint32_t node = r->queue[at];

		for (uint32_t i = r->back.first[node]; i < r->back.first[node + 1]; i++)
			enqueue(r, distance, &end, r->back.v[i], distance[node] + 1);
	}
}

void pd_reaches_update(struct pd_reaches *r, const uint8_t *reached, uint32_t n)
{
	if (!r->joined)
		return;
	update(r, r->distance[0], reached, n, false);
	update(r, r->distance[1], reached, n, true);
}

/* The node that a way leads to. */
static uint32_t way_on(const struct pd_reaches *r, uint32_t site, uint32_t way)
{
	const struct site *s;

	if (!r->joined || site >= r->sites.n)
		return PD_REACH_NONE;
	s = &r->sites.v[site];
	return way < s->ways ? r->onward.v[s->first + way] : s->node;
}

uint32_t pd_reaches_distance(const struct pd_reaches *r, uint32_t site, uint32_t way, bool all)
{
	uint32_t node = way_on(r, site, way);

	return node == PD_REACH_NONE ? node : r->distance[all][node];
}

bool pd_reaches_passed(struct pd_reaches *r, uint32_t site, uint32_t way, const uint8_t *reached,
		       uint32_t n)
{
	uint32_t node = way_on(r, site, way);
	bool fewer = false;

	/* Only after a branch is all that follows known to have been executed */
	if (node == PD_REACH_NONE || way >= r->sites.v[site].ways)
		return false;
	for (uint32_t k = 0; node != PD_REACH_NONE && k < STRAIGHT; k++) {
		for (uint32_t i = r->pm.first[node]; i < r->pm.first[node + 1]; i++)
			if (is_target(r, r->pm.v[i], reached, n))
				fewer |= ++r->missed[r->pm.v[i]] == MISSES;
		node = r->next.v[node];
	}
	return fewer;
}
