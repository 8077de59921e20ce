/*
 * reach.c - which code leads to which, for the search: the table of event/reach.h.
 *
 * The graph is made before anything is inserted, while blocks are the program's. Sites come later,
 * one by one; at the end each finds its place in the graph by its instruction. A node ends behind a
 * call, so that the callee returns to what follows it. Calls of the C library do not count: it does
 * not change PM without a site of ours.
 */
#include "base/bug.h"
#include "cc/symbolic/points.h"
#include "cc/symbolic/symbolic.h"
#include <string.h>

typedef PD_VEC(uint32_t) words;

struct place {
	uint32_t node, class, ways;
};

struct pd_reach_graph {
	struct pd_points points;
	struct pd_map block;  /* -> its first node */
	struct pd_map at;     /* instruction -> its place + 1 */
	struct pd_map called; /* function of the module -> its number + 1 */
	PD_VEC(struct place) places;
	words part[PD_REACH_COUNTS];
	uint32_t nodes;	   /* number of nodes so far */
	uint32_t events;   /* the first site of an event */
	uint32_t *numbers; /* class -> 1 + its index in the table */
};

static struct pd_reach_graph *graph(struct pd_ir *m)
{
	return ((struct pd_reaching *)pd_ir_state(m, &pd_mode_symbolic))->graph;
}

static void push(struct pd_ir *m, words *w, uint32_t word)
{
	uint32_t *at = pd_vec_push(w, &m->arena);

	PD_CHECK(at, "out of memory");
	*at = word;
}

static void put(struct pd_ir *m, struct pd_map *map, const void *key, uint64_t value)
{
	uint64_t *at = pd_map_put(map, &m->arena, (uintptr_t)key >> 1);

	PD_CHECK(at, "out of memory");
	*at = value;
}

static uint32_t get(const struct pd_map *map, const void *key)
{
	uint64_t *at = pd_map_get(map, (uintptr_t)key >> 1);

	return at ? (uint32_t)*at : 0;
}

/* ---- nodes ---------------------------------------------------------------------------------- */

/* A call of code that may be in an object like this one. */
static bool is_call(LLVMValueRef i)
{
	LLVMValueRef callee, fn;

	if (!LLVMIsACallInst(i) && !LLVMIsAInvokeInst(i))
		return false;
	callee = LLVMGetCalledValue(i);
	fn = LLVMIsAFunction(callee);
	if (LLVMIsAInlineAsm(callee) || (fn && LLVMGetIntrinsicID(fn)))
		return false;
	return !fn || !pd_points_is_known(fn);
}

static bool ends_piece(LLVMValueRef i)
{
	return LLVMIsACallInst(i) && is_call(i);
}

static void number_blocks(struct pd_ir *m, struct pd_reach_graph *g, LLVMValueRef fn)
{
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b)) {
		put(m, &g->block, b, g->nodes++);
		for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
			g->nodes += ends_piece(i);
	}
}

/* ---- edges ---------------------------------------------------------------------------------- */

static void push_edge(struct pd_ir *m, struct pd_reach_graph *g, LLVMBasicBlockRef to)
{
	push(m, &g->part[PD_REACH_EDGES], get(&g->block, to));
}

/* Target numbers as in control.c: one per block, in order of appearance. */
static uint32_t switch_edges(struct pd_ir *m, struct pd_reach_graph *g, LLVMValueRef end)
{
	words *e = &g->part[PD_REACH_EDGES];
	uint32_t first = e->n;

	for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++) {
		uint32_t to = get(&g->block, LLVMGetSuccessor(end, k)), seen = first;

		while (seen < e->n && e->v[seen] != to)
			seen++;
		if (seen == e->n)
			push(m, e, to);
	}
	return e->n - first;
}

/* The edges that a site at the end of a block can take. */
static uint32_t end_edges(struct pd_ir *m, struct pd_reach_graph *g, LLVMValueRef end)
{
	switch ((int)LLVMGetInstructionOpcode(end)) {
	case LLVMRet:
	case LLVMResume:
		push(m, &g->part[PD_REACH_EDGES], PD_REACH_NONE);
		return 0;
	case LLVMBr:
		if (!LLVMIsConditional(end))
			break;
		push_edge(m, g, LLVMGetSuccessor(end, 1));
		push_edge(m, g, LLVMGetSuccessor(end, 0));
		return 2;
	case LLVMSwitch:
		return switch_edges(m, g, end);
	default:
		break;
	}
	for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
		push_edge(m, g, LLVMGetSuccessor(end, k));
	return 0;
}

static uint32_t callee_of(struct pd_ir *m, struct pd_reach_graph *g, LLVMValueRef i)
{
	LLVMValueRef callee = LLVMGetCalledValue(i);
	uint32_t number = get(&g->called, callee);
	const char *name;
	size_t n;

	(void)m;
	if (number)
		return number - 1;
	if (!LLVMIsAFunction(callee) && !LLVMIsAGlobalAlias(callee))
		return PD_REACH_BY_NAME |
		       pd_points_pointer_name(&g->points, LLVMGetNumArgOperands(i));
	name = LLVMGetValueName2(callee, &n);
	return PD_REACH_BY_NAME | pd_points_name(&g->points, name, n);
}

static void push_call(struct pd_ir *m, struct pd_reach_graph *g, LLVMValueRef i, uint32_t node,
		      uint32_t behind)
{
	push(m, &g->part[PD_REACH_CALLS], node);
	push(m, &g->part[PD_REACH_CALLS], behind);
	push(m, &g->part[PD_REACH_CALLS], callee_of(m, g, i));
}

static void push_place(struct pd_ir *m, struct pd_reach_graph *g, LLVMValueRef i, uint32_t node,
		       uint32_t ways)
{
	struct place *p = pd_vec_push(&g->places, &m->arena);

	PD_CHECK(p, "out of memory");
	*p = (struct place){node, pd_points_changed(&g->points, i), ways};
	put(m, &g->at, i, g->places.n);
}

static void begin_node(struct pd_ir *m, struct pd_reach_graph *g)
{
	push(m, &g->part[PD_REACH_NODES], g->part[PD_REACH_EDGES].n);
}

static void take_block(struct pd_ir *m, struct pd_reach_graph *g, LLVMBasicBlockRef b)
{
	LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
	uint32_t node = get(&g->block, b);

	begin_node(m, g);
	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i && i != end;
	     i = LLVMGetNextInstruction(i)) {
		if (!LLVMIsAPHINode(i))
			push_place(m, g, i, node, 0);
		if (!ends_piece(i))
			continue;
		push_call(m, g, i, node, node + 1);
		push(m, &g->part[PD_REACH_EDGES], ++node);
		begin_node(m, g);
	}
	push_place(m, g, end, node, end_edges(m, g, end));
	if (LLVMIsAInvokeInst(end) && is_call(end))
		push_call(m, g, end, node, get(&g->block, LLVMGetNormalDest(end)));
}

static void take_function(struct pd_ir *m, struct pd_reach_graph *g, LLVMValueRef fn)
{
	LLVMLinkage l = LLVMGetLinkage(fn);
	bool local = l == LLVMInternalLinkage || l == LLVMPrivateLinkage ||
		     l == LLVMAvailableExternallyLinkage;
	words *w = &g->part[PD_REACH_FUNCTIONS];
	size_t n;
	const char *name = LLVMGetValueName2(fn, &n);

	push(m, w, local ? 0 : pd_points_name(&g->points, name, n));
	push(m, w,
	     pd_points_is_pointer(fn) ? pd_points_pointer_name(&g->points, LLVMCountParams(fn))
				      : 0);
	push(m, w, get(&g->block, LLVMGetEntryBasicBlock(fn)));
	for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(fn); b; b = LLVMGetNextBasicBlock(b))
		take_block(m, g, b);
}

static bool is_code(struct pd_ir *m, LLVMValueRef fn)
{
	return !LLVMIsDeclaration(fn) &&
	       !LLVMGetEnumAttributeAtIndex(fn, PD_IR_SELF, m->attr.naked);
}

void pd_reach_find(struct pd_ir *m)
{
	struct pd_reaching *r = pd_ir_state(m, &pd_mode_symbolic);
	struct pd_reach_graph *g = pd_new(&m->arena, struct pd_reach_graph);
	uint64_t functions = 0;

	PD_CHECK(g, "out of memory");
	r->graph = g;
	pd_points_find(&g->points, m);
	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn))
		if (is_code(m, fn)) {
			put(m, &g->called, fn, ++functions);
			number_blocks(m, g, fn);
		}
	for (LLVMValueRef fn = LLVMGetFirstFunction(m->mod); fn; fn = LLVMGetNextFunction(fn))
		if (is_code(m, fn))
			take_function(m, g, fn);
	begin_node(m, g);
}

/* ---- the table ------------------------------------------------------------------------------- */

void pd_reach_events(struct pd_ir *m)
{
	graph(m)->events = m->sites.n;
}

/* The table contains only classes that are asked for, and what is inside them. */
static uint32_t class_number(struct pd_ir *m, struct pd_reach_graph *g, uint32_t class)
{
	words *w = &g->part[PD_REACH_CLASSES];
	uint32_t number, last = PD_REACH_NONE, first = PD_REACH_NONE;

	while (class != PD_REACH_NONE) {
		class = pd_points_class(&g->points, class);
		number = g->numbers[class];
		if (!number) {
			push(m, w, PD_REACH_NONE);
			push(m, w, g->points.classes.v[class].pm);
			g->numbers[class] = w->n / 2;
		}
		if (first == PD_REACH_NONE)
			first = g->numbers[class] - 1;
		if (last != PD_REACH_NONE)
			w->v[2 * last] = g->numbers[class] - 1;
		if (number)
			break;
		last = g->numbers[class] - 1;
		class = g->points.classes.v[class].inside;
	}
	return first;
}

static void take_sites(struct pd_ir *m, struct pd_reach_graph *g)
{
	words *w = &g->part[PD_REACH_SITES];

	for (uint32_t i = 0; i < m->sites.n; i++) {
		uint32_t at = m->sites.v[i].inst ? get(&g->at, m->sites.v[i].inst) : 0;
		struct place p =
			at ? g->places.v[at - 1] : (struct place){PD_REACH_NONE, PD_REACH_NONE, 0};
		bool event = i >= g->events;

		push(m, w, p.node);
		push(m, w, event ? class_number(m, g, p.class) : PD_REACH_NONE);
		push(m, w, event ? 0 : p.ways);
	}
}

static void take_binds(struct pd_ir *m, struct pd_reach_graph *g)
{
	words *w = &g->part[PD_REACH_BINDS];

	for (uint32_t i = 0; i < g->points.binds.n; i++) {
		const struct pd_bind *b = &g->points.binds.v[i];

		push(m, w, b->name);
		push(m, w, b->part);
		push(m, w, class_number(m, g, b->class));
		push(m, w, b->defined);
	}
}

static LLVMValueRef constant(struct pd_ir *m, LLVMValueRef init)
{
	LLVMValueRef g = LLVMAddGlobal(m->mod, LLVMTypeOf(init), "__pd_reach");

	LLVMSetInitializer(g, init);
	LLVMSetLinkage(g, LLVMPrivateLinkage);
	LLVMSetGlobalConstant(g, 1);
	return g;
}

/* As bytes: the only fast way to make a large constant. */
static LLVMValueRef words_constant(struct pd_ir *m, const words *w)
{
	LLVMValueRef g = constant(
		m, LLVMConstStringInContext2(m->ctx, (const char *)w->v, (size_t)w->n * 4, 1));

	LLVMSetAlignment(g, 4);
	return g;
}

void pd_reach_write(struct pd_ir *m)
{
	static const uint32_t size[] = PD_REACH_WORDS;
	struct pd_reach_graph *g = graph(m);
	words all = {0};

	g->numbers = pd_new_array(&m->arena, uint32_t, g->points.classes.n);
	PD_CHECK(g->numbers, "out of memory");
	take_sites(m, g);
	take_binds(m, g);
	for (int k = 0; k < PD_REACH_COUNTS; k++)
		push(m, &all, g->part[k].n / size[k]);
	for (int k = 0; k < PD_REACH_COUNTS; k++)
		for (uint32_t i = 0; i < g->part[k].n; i++)
			push(m, &all, g->part[k].v[i]);
	LLVMValueRef f[] = {words_constant(m, &all),
			    constant(m, LLVMConstStringInContext2(m->ctx, g->points.names.v,
								  g->points.names.n, 1))};

	m->reach = constant(m, LLVMConstStructInContext(m->ctx, f, PD_LEN(f), 0));
}
