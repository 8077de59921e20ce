/*
 * walk_test.c - the walk through the tree of recoveries, with a made-up front end.
 *
 * A program is a list of stores, flushes and fences; a recovery reads words, one after the other,
 * and what it reads decides where it goes on and how it ends. "Executing" it is a loop over a model
 * that has crashed. The twin of a walk is to execute every recovery that a crash allows, each list
 * of picks once: the walk has to come to the same ends, with one execution for each that is new.
 */
#include "unit.h"
#include "engine/crash/walk.h"
#include "unit/grows.h"

enum {
	LINES = 3,
	WORDS = 4 * LINES, /* four in each line */
	MEM = 64 * LINES,
	OPS = 12,
	READS = 6,
	PATHS = 4096,
	WORD_MASK = 0xff,
	WORKER = 3,
};

enum op { STORE, COPY, CLWB, SFENCE }; /* COPY: the words of a line, with one store */

struct program {
	uint32_t n;
	struct {
		enum op op;
		uint32_t word;
		uint64_t value;
	} op[OPS];
};

struct path;

/* Where a recovery goes after reads that `seen` is the digest of. */
struct recovery {
	/* The next word; WORDS: the end. *group is the checksum that the read feeds. */
	uint32_t (*next)(const struct recovery *r, uint64_t seen, const struct path *done,
			 uint32_t *group);
	uint32_t (*outcome)(const struct recovery *r, uint64_t seen);
	uint64_t seed;
	/* How the next word is looked at; NULL: all of it is read */
	struct pd_lens (*look)(const struct recovery *r, uint64_t seen);
	bool by_value; /* and the model is asked for its value all the same */
};

/* What one recovery did. */
struct path {
	uint32_t nread;
	struct {
		uint32_t word, group;
		struct pd_lens lens;
		uint8_t value[PD_VIEW_SEEN]; /* or what was seen of it */
		uint32_t nvalue;
		bool lost;	 /* another value is newer ... */
		uint32_t newest; /* ... of this site */
	} read[READS];
	uint32_t outcome;
	uint64_t end; /* the digest of all that it saw */
	uint32_t nchoice;
	uint32_t pick[READS], of[READS];
};

/* ---- executing ------------------------------------------------------------------------------ */

static uint64_t address(uint32_t word)
{
	return 64 * (word / 4) + 8 * (word % 4);
}

struct machine {
	struct unit_host host;
	struct pd_arena arena;
	struct pd_model m;
	uint8_t mem[MEM];
};

static void copy(struct pd_model *m, uint64_t addr, uint64_t value, uint32_t site)
{
	uint64_t v[4] = {value, value + 1, value + 2, value + 3};

	pd_model_store(m, 0, addr / 64 * 64, v, sizeof(v), site, 0);
}

static void play(struct machine *x, const struct program *p, uint32_t upto)
{
	memset(x, 0, sizeof(*x));
	x->host.left = -1;
	pd_arena_init(&x->arena, unit_host(&x->host));
	pd_model_init(&x->m, &x->arena, PD_PARAMS_ADR, x->mem, false);
	for (uint32_t i = 0; i < upto; i++) {
		uint64_t addr = address(p->op[i].word);

		if (p->op[i].op == STORE)
			pd_model_store(&x->m, 0, addr, &p->op[i].value, 8, i + 1, 0);
		else if (p->op[i].op == COPY)
			copy(&x->m, addr, p->op[i].value, i + 1);
		else if (p->op[i].op == CLWB)
			pd_model_flush(&x->m, 0, addr, PD_FLUSH_CLWB);
		else
			pd_model_sfence(&x->m, 0);
	}
}

static void unplay(struct machine *x)
{
	pd_model_finish(&x->m);
	pd_arena_finish(&x->arena);
	assert_int_equal(x->host.live, 0);
}

/* Picks as told, and the newest after that; remembers what it was asked. */
struct picker {
	struct path *path;
	const uint32_t *picks;
	uint32_t n;
};

static uint32_t pick(void *ctx, enum pd_choice_kind kind, uint32_t n)
{
	struct picker *p = ctx;
	uint32_t k = p->path->nchoice++;

	assert_int_equal(kind, PD_CHOICE_VALUE);
	assert_true(k < READS);
	p->path->of[k] = n;
	return p->path->pick[k] = k < p->n ? p->picks[k] : 0;
}

static void note_choice(void *ctx, const struct pd_class *classes, uint32_t n, uint32_t at)
{
	struct path *path = ((struct picker *)ctx)->path;

	(void)n;
	path->read[path->nread].lost = at != 0;
	path->read[path->nread].newest = classes[0].source ? classes[0].source->site : 0;
}

/* One read of the word; returns the digest with it. */
static uint64_t read_word(struct machine *x, const struct recovery *r, uint64_t seen,
			  struct path *path, const struct pd_chooser *chooser)
{
	uint32_t i = path->nread, word = path->read[i].word;
	uint8_t value[8];
	struct pd_digest d = PD_DIGEST_INIT;

	if (r->look)
		path->read[i].lens = r->look(r, seen);
	if (!r->by_value)
		x->m.lens = path->read[i].lens;
	pd_model_load(&x->m, 0, address(word), value, 8, chooser);
	x->m.lens.view = NULL;
	path->read[i].nvalue = pd_tree_value(value, 0xff, r->look ? &path->read[i].lens : NULL,
					     path->read[i].value);
	pd_digest_u64(&d, seen ^ (uint64_t)word << 32);
	pd_digest_bytes(&d, path->read[i].value, path->read[i].nvalue);
	return d.a;
}

static void recover(const struct recovery *r, const struct program *p, uint32_t upto,
		    const uint32_t *picks, uint32_t n, struct path *path)
{
	struct picker picker = {path, picks, n};
	struct pd_chooser chooser = {pick, &picker};
	uint64_t seen = r->seed;
	struct machine x;

	memset(path, 0, sizeof(*path));
	play(&x, p, upto);
	pd_model_crash(&x.m);
	x.m.chose = note_choice;
	x.m.ctx = &picker;
	for (; path->nread < READS; path->nread++) {
		uint32_t group = 0, word = r->next(r, seen, path, &group);

		if (word == WORDS)
			break;
		path->read[path->nread].word = word;
		path->read[path->nread].group = group;
		x.m.cutting = group != 0;
		if (group && group != x.m.cut.group)
			x.m.cut = (struct pd_cut){.group = group};
		seen = read_word(&x, r, seen, path, &chooser);
	}
	path->end = seen;
	path->outcome = r->outcome(r, seen);
	unplay(&x);
}

/* ---- the front end -------------------------------------------------------------------------- */

struct bad {
	const struct pd_tree_node *leaf;
	uint64_t signature, when;
};

struct front {
	const struct program *program;
	const struct recovery *recovery;
	uint32_t upto;
	struct machine here;
	struct pd_walk walk;
	struct pd_tree_node *root;
	long memory;	 /* pieces left; -1: no end */
	uint32_t capped; /* so often there was none */
	uint32_t executed, attended, awaited, splits, several, reads;
	uint32_t ended; /* executions that nothing was to be found out by */
	bool refuse;	/* to attend */
	bool forsaken;	/* who was at a node will not come to an end */
	const struct pd_tree_node *stack[READS + 1];
	uint32_t depth; /* of the path, as the visitor knows it */
	struct bad bad[PATHS];
	uint32_t nbad;
};

static void *take(void *ctx, size_t n)
{
	struct front *f = ctx;

	if (f->memory == 0) {
		f->capped++;
		return NULL;
	}
	if (f->memory > 0)
		f->memory--;
	return calloc(1, n);
}

/* The path as an execution enters it; false: memory ran out. *through: it has come to `to`. */
static bool enter(struct front *f, const struct path *path, const struct pd_tree_node *to,
		  bool *through)
{
	struct pd_tree_memory mem = {take, f, NULL, NULL};
	struct pd_tree_node *node = f->root;
	bool diverged;

	*through = node == to;
	for (uint32_t i = 0; i < path->nread; i++) {
		uint64_t addr = address(path->read[i].word);
		struct pd_tree_read read = {.block = addr & ~63ULL,
					    .mask = (uint64_t)WORD_MASK << (addr & 63),
					    .group = path->read[i].group,
					    .lens = path->read[i].lens};

		node = pd_tree_step(node, &mem, &read, path->read[i].value, f->walk.owner,
				    &diverged);
		assert_false(diverged);
		if (!node)
			return false;
		*through = *through || node == to;
	}
	if (pd_tree_pending(node))
		pd_tree_end(node, path->outcome, 0);
	assert_int_equal(node->outcome, path->outcome);
	return true;
}

static bool execute(void *ctx, const uint32_t *picks, uint32_t n, struct pd_tree_node *to)
{
	struct front *f = ctx;
	struct path path;
	bool through;

	f->executed += to != NULL;
	f->ended += to == NULL;
	recover(f->recovery, f->program, f->upto, picks, n, &path);
	for (uint32_t i = 0; i < n; i++)
		assert_int_equal(path.pick[i], picks[i]);
	if (!enter(f, &path, to, &through))
		return false;
	assert_true(through || !to);
	return true;
}

static bool attend(void *ctx)
{
	struct front *f = ctx;

	f->attended++;
	return !f->refuse;
}

static bool content(void *ctx, uint64_t block, uint8_t *bytes)
{
	memcpy(bytes, ((struct front *)ctx)->here.mem + block, 64);
	return true;
}

static void several(void *ctx, const struct pd_tree_node *node, const pd_classes *classes)
{
	(void)node;
	assert_true(classes->n > 1);
	((struct front *)ctx)->several++;
}

static void read_at(void *ctx, struct pd_tree_node *node)
{
	assert_true(node->read != NULL);
	((struct front *)ctx)->reads++;
}

static void bad(void *ctx, const struct pd_tree_node *leaf)
{
	struct front *f = ctx;

	assert_true(f->nbad < PATHS);
	assert_int_equal(f->walk.picks.n, f->walk.taken.n);
	f->bad[f->nbad++] = (struct bad){leaf, f->walk.signature, f->walk.when};
}

static void visit_took(void *ctx, const struct pd_tree_node *node, const struct pd_history *crashed,
		       const struct pd_vset *left)
{
	struct front *f = ctx;

	assert_int_equal(!crashed, !left);
	assert_true(f->depth < READS);
	f->stack[f->depth++] = node;
}

static void visit_read(void *ctx, const struct pd_tree_node *node, const struct pd_history *crashed,
		       const struct pd_vset *set)
{
	(void)ctx, (void)node, (void)crashed, (void)set;
}

static uint32_t visit_mark(void *ctx)
{
	return ((struct front *)ctx)->depth;
}

static void visit_back(void *ctx, uint32_t mark)
{
	struct front *f = ctx;

	assert_true(mark <= f->depth);
	f->depth = mark;
}

static void begin(struct front *f, const struct program *p, const struct recovery *r)
{
	memset(f, 0, sizeof(*f));
	f->program = p;
	f->recovery = r;
	f->root = calloc(1, sizeof(*f->root));
	f->memory = -1;
}

/* Power fails after so many operations. */
static void crash_at(struct front *f, uint32_t upto)
{
	struct pd_walk_visitor visitor = {f, visit_read, visit_took, visit_mark, visit_back};
	struct pd_walk_watch watch = f->walk.watch;
	struct pd_walk w = f->walk;

	f->upto = upto;
	play(&f->here, f->program, upto);
	pd_walk_init(&f->walk, &f->here.m);
	f->walk.execute = execute;
	f->walk.attend = attend;
	f->walk.content = w.content ? w.content : content;
	f->walk.await = w.await;
	f->walk.split = w.split;
	f->walk.done = w.done;
	f->walk.only_known = w.only_known;
	f->walk.fixed = w.fixed;
	f->walk.several = several;
	f->walk.read = read_at;
	f->walk.bad = bad;
	f->walk.ctx = f;
	f->walk.visitor = &visitor;
	f->walk.memory = (struct pd_tree_memory){take, f, NULL, NULL};
	f->walk.owner = WORKER;
	f->walk.when = upto;
	f->walk.watch = watch;
	f->depth = f->several = f->reads = 0;
	pd_walk_crash(&f->walk, f->root);
	f->walk.visitor = NULL;
}

static void crashed(struct front *f)
{
	pd_walk_finish(&f->walk);
	unplay(&f->here);
}

/* ---- the twin ------------------------------------------------------------------------------- */

/* The next list of picks; false: that was the last. */
static bool next_picks(const struct path *path, uint32_t *picks, uint32_t *n)
{
	for (uint32_t i = path->nchoice; i-- > 0;) {
		memcpy(picks, path->pick, i * sizeof(*picks));
		if (path->pick[i] + 1 < path->of[i]) {
			picks[i] = path->pick[i] + 1;
			*n = i + 1;
			return true;
		}
	}
	return false;
}

static uint32_t all_paths(const struct front *f, uint32_t upto, struct path *paths)
{
	uint32_t picks[READS], n = 0, count = 0;

	do {
		assert_true(count < PATHS);
		recover(f->recovery, f->program, upto, picks, n, &paths[count]);
	} while (next_picks(&paths[count++], picks, &n));
	return count;
}

/* Where the path ends in the tree, NULL: not in it; and what it has lost on its way. */
static const struct pd_tree_node *end_of(const struct front *f, const struct path *path,
					 uint64_t *signature)
{
	const struct pd_tree_node *node = f->root;

	*signature = 0;
	for (uint32_t i = 0; node && i < path->nread; i++) {
		if (path->read[i].lost)
			*signature += pd_tree_lost(node, path->read[i].newest);
		node = pd_tree_find(node, path->read[i].value, path->read[i].nvalue);
	}
	return node && node->outcome ? node : NULL;
}

static bool is_bad_end(uint32_t outcome)
{
	return outcome != PD_OUTCOME_GOOD;
}

/* The bad ends that a walk has to tell of: those that are new, in whatever order. */
static void check_bad(const struct front *f, const struct path *paths, uint32_t n, uint32_t upto,
		      uint32_t before)
{
	uint32_t expected = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint64_t signature;
		const struct pd_tree_node *leaf = end_of(f, &paths[i], &signature);
		bool known = false, raw = false;

		if (!is_bad_end(paths[i].outcome))
			continue;
		for (uint32_t k = 0; k < f->nbad; k++) {
			const struct bad *b = &f->bad[k];

			if (b->leaf == leaf && b->signature == signature && b->when <= upto)
				*(k < before ? &known : &raw) = true;
		}
		expected += !known;
		assert_true(known != raw);
	}
	assert_int_equal(f->nbad - before, expected);
}

/* ---- every program, every recovery ---------------------------------------------------------- */

static uint64_t drawn;

static uint32_t below(uint32_t n)
{
	drawn += 0x9e3779b97f4a7c15ULL;
	return (uint32_t)((pd_mix(drawn) >> 32) * n >> 32);
}

static void draw_program(struct program *p)
{
	p->n = 1 + below(OPS);
	for (uint32_t i = 0; i < p->n; i++) {
		uint32_t op = below(6);

		/* The last line is never stored to: it is settled. */
		p->op[i].op = op < 3 ? STORE : op < 4 ? COPY : op < 5 ? CLWB : SFENCE;
		p->op[i].word = below(WORDS - 4);
		p->op[i].value = 1 + below(3);
	}
}

/*
 * Any words, each once: what was read before decides nothing and is no read. A third of the
 * recoveries have a checksum over some of them.
 */
static uint32_t drawn_next(const struct recovery *r, uint64_t seen, const struct path *done,
			   uint32_t *group)
{
	uint32_t left[WORDS], n = 0, used = 0;

	for (uint32_t i = 0; i < done->nread; i++)
		used |= 1u << done->read[i].word;
	for (uint32_t i = 0; i < WORDS; i++)
		if (!(used >> i & 1))
			left[n++] = i;
	if (pd_mix(seen + 2) % 8 == 0)
		return WORDS;
	if (r->seed % 3 == 0 && done->nread >= 1)
		*group = done->nread < 4 ? 1 : 2;
	return left[pd_mix(seen + 1) % n];
}

static uint32_t drawn_outcome(const struct recovery *r, uint64_t seen)
{
	(void)r;
	return pd_mix(seen + 3) % 3 ? PD_OUTCOME_GOOD : PD_OUTCOME_SIGNAL;
}

static uint32_t unknown_ends(const struct front *f, const struct path *paths, uint32_t n)
{
	uint64_t signature;
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++)
		count += !end_of(f, &paths[i], &signature);
	return count;
}

/* One walk against its twin; returns how many recoveries the crash allows. */
static uint32_t compare(struct front *f, uint32_t upto)
{
	static struct path paths[PATHS];
	uint32_t n = all_paths(f, upto, paths), unknown, before = f->nbad;
	uint32_t executed = f->executed;

	unknown = unknown_ends(f, paths, n);
	crash_at(f, upto);
	assert_false(f->walk.failed || f->walk.stopped);
	assert_int_equal(f->walk.leaves, n);
	assert_int_equal(f->executed - executed, unknown);
	assert_int_equal(unknown_ends(f, paths, n), 0);
	check_bad(f, paths, n, upto, before);
	assert_int_equal(f->walk.picks.n + f->walk.taken.n + f->walk.open.n, 0);
	assert_int_equal(f->walk.signature, 0);
	crashed(f);
	return n;
}

static void test_the_same_ends_as_the_twin(void **state)
{
	uint32_t compared = 0, open = 0;

	(void)state;
	for (uint32_t seed = 1; seed <= 1500; seed++) {
		struct recovery r = {.next = drawn_next, .outcome = drawn_outcome, .seed = seed};
		struct program p;
		struct front f;

		drawn = (uint64_t)seed << 32;
		draw_program(&p);
		begin(&f, &p, &r);
		/* Crash points in any order: what one has found out the others know. */
		for (uint32_t i = 0; i <= p.n; i++) {
			uint32_t n = compare(&f, seed & 1 ? i : p.n - i);

			compared++;
			open += n > 1;
		}
	}
	/* Else the comparison would say little. */
	assert_true(compared > 5000);
	assert_true(open > 2000);
}

/* ---- reads that are looked at --------------------------------------------------------------- */

static const struct {
	uint8_t parts;
	struct pd_view_step step[4];
} drawn_views[] = {
	{0, {{.op = PD_VIEW_EQ, .bits = 64, .with = 1}}},
	{0, {{.op = PD_VIEW_ULT, .bits = 64, .with = 2}}},
	{0,
	 {{.op = PD_VIEW_EQ, .bits = 64, .with = 1},
	  {.op = PD_VIEW_LSHR, .bits = 64, .c = 1},
	  {.op = PD_VIEW_EQ, .bits = 64}}},
	{1, {{.op = PD_VIEW_AND, .bits = 64, .c = 1}, {.op = PD_VIEW_BITS, .bits = 64}}},
	{1, {{.op = PD_VIEW_CAST, .bits = 64}, {.op = PD_VIEW_BITS, .bits = 64}}}, /* all of it */
};

static const struct pd_view *view_of(uint32_t i)
{
	static struct pd_view *made[PD_LEN(drawn_views)];
	uint32_t n = 0;

	while (n < 4 && drawn_views[i].step[n].bits)
		n++;
	if (!made[i]) {
		made[i] = calloc(1, sizeof(*made[i]) + n * sizeof(made[i]->step[0]));
		made[i]->steps = (uint16_t)n;
		made[i]->size = 8;
		made[i]->parts = drawn_views[i].parts;
		memcpy(made[i]->step, drawn_views[i].step, n * sizeof(made[i]->step[0]));
	}
	return made[i];
}

static struct pd_lens drawn_look(const struct recovery *r, uint64_t seen)
{
	uint64_t drawn_now = pd_mix(seen + 4);

	(void)r;
	return (struct pd_lens){view_of((uint32_t)(drawn_now % PD_LEN(drawn_views))),
				{drawn_now >> 8 & 3, drawn_now >> 16 & 3}};
}

/* Any words, again and again. */
static uint32_t looked_next(const struct recovery *r, uint64_t seen, const struct path *done,
			    uint32_t *group)
{
	(void)r, (void)done, (void)group;
	return pd_mix(seen + 2) % 8 ? (uint32_t)(pd_mix(seen + 1) % WORDS) : WORDS;
}

static bool is_end_of(uint64_t end, const struct path *paths, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (paths[i].end == end)
			return true;
	return false;
}

/* What is seen is the same, whether reads are split by how they are looked at or by value. */
static void compare_ends(const struct front *f, uint32_t upto, uint32_t *fewer)
{
	static struct path by_view[PATHS], by_value[PATHS];
	struct recovery other = *f->recovery;
	struct front g = {.program = f->program, .recovery = &other};
	uint32_t n = all_paths(f, upto, by_view), all;

	other.by_value = true;
	all = all_paths(&g, upto, by_value);
	assert_true(n <= all);
	*fewer += n < all;
	for (uint32_t i = 0; i < all; i++)
		assert_true(is_end_of(by_value[i].end, by_view, n));
	for (uint32_t i = 0; i < n; i++)
		assert_true(is_end_of(by_view[i].end, by_value, all));
}

static void test_looks_show_the_same_as_values(void **state)
{
	uint32_t fewer = 0;

	(void)state;
	for (uint32_t seed = 1; seed <= 600; seed++) {
		struct recovery r = {.next = looked_next,
				     .outcome = drawn_outcome,
				     .seed = seed,
				     .look = drawn_look};
		struct program p;
		struct front f;

		drawn = (uint64_t)seed << 33;
		draw_program(&p);
		begin(&f, &p, &r);
		for (uint32_t i = 0; i <= p.n; i++) {
			uint32_t upto = seed & 1 ? i : p.n - i;

			compare(&f, upto);
			compare_ends(&f, upto, &fewer);
		}
	}
	assert_true(fewer > 500);
}

/* ---- one at a time -------------------------------------------------------------------------- */

/* Reads words 0, 4, 8: three lines. The seed is the checksum that they feed. */
static uint32_t three_next(const struct recovery *r, uint64_t seen, const struct path *done,
			   uint32_t *group)
{
	(void)seen;
	*group = (uint32_t)r->seed;
	return done->nread < 3 ? 4 * done->nread : WORDS;
}

static uint32_t always_good(const struct recovery *r, uint64_t seen)
{
	(void)r, (void)seen;
	return PD_OUTCOME_GOOD;
}

static uint32_t always_bad(const struct recovery *r, uint64_t seen)
{
	(void)r, (void)seen;
	return PD_OUTCOME_EXIT;
}

static const struct program three = {3, {{STORE, 0, 1}, {STORE, 4, 2}, {STORE, 8, 3}}};
static const struct recovery good = {.next = three_next, .outcome = always_good};
static const struct recovery failing = {.next = three_next, .outcome = always_bad};

static void test_nothing_is_executed_twice(void **state)
{
	struct front f;

	(void)state;
	begin(&f, &three, &good);
	crash_at(&f, 0);
	assert_int_equal(f.executed, 1);
	assert_int_equal(f.attended, 1);
	assert_int_equal(f.reads, 3);
	assert_int_equal(f.several, 0);
	crashed(&f);
	crash_at(&f, 3);
	/* All but the one in which everything is lost, which is known. */
	assert_int_equal(f.executed, 8);
	assert_int_equal(f.walk.leaves, 8);
	assert_int_equal(f.several, 7);
	crashed(&f);
	for (uint32_t upto = 1; upto <= 3; upto++) {
		crash_at(&f, upto);
		assert_int_equal(f.walk.leaves, 1u << upto);
		crashed(&f);
	}
	assert_int_equal(f.executed, 8);
	assert_int_equal(f.nbad, 0);
}

static void test_somebody_else_goes_on(void **state)
{
	struct front f;

	(void)state;
	begin(&f, &three, &good);
	f.refuse = true;
	crash_at(&f, 2);
	assert_int_equal(f.attended, 1);
	assert_int_equal(f.executed, 0);
	assert_true(f.walk.stopped);
	assert_int_equal(f.walk.leaves, 0);
	crashed(&f);
}

/* What is known at this crash: nothing is executed, and no more ends than asked for are counted. */
static void test_only_what_is_known(void **state)
{
	struct front f;

	(void)state;
	begin(&f, &three, &failing);
	f.walk.only_known = 100;
	crash_at(&f, 2);
	assert_int_equal(f.executed + f.attended + f.walk.leaves, 0);
	crashed(&f);
	f.walk.only_known = 0;
	crash_at(&f, 2);
	assert_int_equal(f.executed, 4);
	crashed(&f);
	f.walk.only_known = 100;
	crash_at(&f, 3);
	assert_int_equal(f.walk.leaves, 4);
	assert_false(f.walk.stopped);
	assert_int_equal(f.nbad, 4);
	crashed(&f);
	f.walk.only_known = 3;
	crash_at(&f, 3);
	assert_int_equal(f.walk.leaves, 3);
	assert_true(f.walk.stopped);
	crashed(&f);
	assert_int_equal(f.executed, 4);
}

/* Another walker is at the first node; it comes to an end, or never will. */
static bool await_other(void *ctx, struct pd_tree_node *node)
{
	struct front *f = ctx;
	uint32_t none[1] = {0};
	struct path path;
	bool through;

	f->awaited++;
	assert_true(pd_tree_pending(node));
	if (f->forsaken)
		return false;
	recover(f->recovery, f->program, f->upto, none, 0, &path);
	assert_true(enter(f, &path, node, &through));
	return true;
}

static void test_somebody_else_is_at_it(void **state)
{
	struct front f;

	(void)state;
	begin(&f, &three, &good);
	f.walk.await = await_other;
	f.root->owner = WORKER + 1;
	crash_at(&f, 1);
	assert_int_equal(f.awaited, 1);
	assert_int_equal(f.walk.leaves, 2);
	assert_int_equal(f.executed, 1);
	assert_false(f.walk.stopped);
	crashed(&f);
}

static void test_nobody_will_know(void **state)
{
	struct front f;

	(void)state;
	begin(&f, &three, &good);
	f.walk.await = await_other;
	f.root->owner = WORKER + 1;
	f.forsaken = true;
	crash_at(&f, 1);
	assert_int_equal(f.awaited, 1);
	assert_int_equal(f.executed + f.walk.leaves, 0);
	assert_int_equal(f.root->owner, WORKER + 1);
	assert_false(f.walk.stopped || f.walk.failed);
	crashed(&f);
}

/* Nobody is at it: it is claimed, and so nobody else executes it. */
static void test_what_is_executed_is_claimed(void **state)
{
	struct front f;

	(void)state;
	begin(&f, &three, &good);
	crash_at(&f, 0);
	assert_int_equal(f.root->owner, WORKER);
	crashed(&f);
}

static enum pd_walk_split give_first(void *ctx)
{
	return ((struct front *)ctx)->splits++ ? PD_WALK_HERE : PD_WALK_GIVEN;
}

/* Another process takes the first branch: this one comes to the rest. */
static void test_a_branch_is_given_away(void **state)
{
	struct front f;

	(void)state;
	begin(&f, &three, &good);
	f.walk.split = give_first;
	crash_at(&f, 2);
	/* Of two reads with two values each: asked about all but the last value of each. */
	assert_int_equal(f.splits, 2);
	assert_int_equal(f.walk.leaves, 2);
	crashed(&f);
}

static jmp_buf out_of_walk;

static enum pd_walk_split take_second(void *ctx)
{
	return ((struct front *)ctx)->splits++ ? PD_WALK_TAKEN : PD_WALK_HERE;
}

static void leave_walk(void *ctx)
{
	(void)ctx;
	longjmp(out_of_walk, 1);
}

/* This is the other process: it takes its branch, and nothing else. */
static void test_a_branch_is_taken(void **state)
{
	static struct front f;
	uint32_t left = 0;

	(void)state;
	begin(&f, &three, &good);
	f.walk.split = take_second;
	f.walk.done = leave_walk;
	if (!setjmp(out_of_walk)) {
		crash_at(&f, 2);
		left = 1;
	}
	assert_int_equal(left, 0);
	assert_int_equal(f.splits, 2);
	assert_int_equal(f.walk.leaves, 1);
	/* The branch of the second read in which the first one saw the newest. */
	assert_int_equal(f.walk.picks.n, 1);
	crashed(&f);
}

static bool no_content(void *ctx, uint64_t block, uint8_t *bytes)
{
	(void)ctx, (void)block;
	memset(bytes, 0xee, 64);
	return false;
}

/* A file that only recoveries know: what they read there is the same each time. */
static void test_a_file_that_recovery_made(void **state)
{
	struct front f;

	(void)state;
	begin(&f, &three, &good);
	f.walk.content = no_content;
	crash_at(&f, 0);
	assert_int_equal(f.walk.leaves, 1);
	assert_int_equal(f.executed, 1);
	crashed(&f);
	crash_at(&f, 0);
	assert_int_equal(f.walk.leaves, 1);
	assert_int_equal(f.executed, 1);
	crashed(&f);
}

/* Under one checksum lines are as they were at one moment: never the second store without the
 * first. */
static void test_one_checksum(void **state)
{
	static const struct recovery summed = {
		.next = three_next, .outcome = always_good, .seed = 1};
	struct front f;

	(void)state;
	begin(&f, &three, &summed);
	crash_at(&f, 3);
	assert_int_equal(f.walk.leaves, 4);
	assert_int_equal(f.executed, 4);
	crashed(&f);
}

/* ---- a store that is watched ---------------------------------------------------------------- */

static void test_recoveries_that_miss_a_store(void **state)
{
	struct front f;

	(void)state;
	begin(&f, &three, &good);
	f.walk.watch = (struct pd_walk_watch){.line = 1, .from = 2, .to = 3};
	crash_at(&f, 3);
	assert_int_equal(f.walk.watch.good, 4);
	assert_null(f.walk.watch.bad);
	assert_int_equal(f.walk.watch.missed, 0);
	crashed(&f);
	begin(&f, &three, &failing);
	f.walk.watch = (struct pd_walk_watch){.line = 1, .from = 2, .to = 3};
	crash_at(&f, 3);
	assert_int_equal(f.walk.watch.good, 0);
	assert_non_null(f.walk.watch.bad);
	assert_int_equal(f.walk.watch.bad->outcome, PD_OUTCOME_EXIT);
	crashed(&f);
}

/* One path: that store is lost, and nothing else. */
static void test_nothing_but_a_store_is_lost(void **state)
{
	uint64_t lost[] = {1, 0, 3};
	const struct pd_tree_node *node;
	struct front f;

	(void)state;
	begin(&f, &three, &good);
	f.walk.watch = (struct pd_walk_watch){.line = 1, .from = 2, .to = 3, .only = true};
	crash_at(&f, 3);
	assert_int_equal(f.walk.leaves, 1);
	assert_int_equal(f.walk.watch.good, 1);
	/* The first execution of all, and the one that loses it. */
	assert_int_equal(f.executed, 2);
	node = f.root;
	for (int i = 0; i < 3; i++) {
		node = pd_tree_find(node, (const uint8_t *)&lost[i], 8);
		assert_non_null(node);
	}
	assert_int_equal(node->outcome, PD_OUTCOME_GOOD);
	crashed(&f);
}

/* Which bytes recoveries read: those of the store, and those of what was durable without it. */
static void test_what_recoveries_read(void **state)
{
	struct pd_walk_watch watch = {.line = 1,
				      .from = 2,
				      .to = 3,
				      .addr = 64,
				      .end = 72,
				      .effect = 128,
				      .effect_end = 192};
	struct front f;

	(void)state;
	begin(&f, &three, &good);
	f.walk.watch = watch;
	crash_at(&f, 3);
	assert_int_equal(f.walk.watch.read, 8);
	assert_int_equal(f.walk.watch.unneeded, 0);
	assert_int_equal(f.walk.watch.touched, 0); /* each path counts its own */
	crashed(&f);
	begin(&f, &three, &good);
	watch.addr = 72; /* its neighbour, which nobody reads */
	watch.end = 80;
	f.walk.watch = watch;
	crash_at(&f, 3);
	assert_int_equal(f.walk.watch.read, 0);
	assert_int_equal(f.walk.watch.unneeded, 8);
	crashed(&f);
	begin(&f, &three, &failing);
	f.walk.watch = watch;
	crash_at(&f, 3);
	assert_int_equal(f.walk.watch.unneeded, 0); /* of those that end well */
	crashed(&f);
	begin(&f, &three, &good);
	watch.effect = 256;
	watch.effect_end = 320;
	f.walk.watch = watch;
	crash_at(&f, 3);
	assert_int_equal(f.walk.watch.unneeded, 0);
	crashed(&f);
}

/* Its end is executed once more although it is known. */
static void test_an_end_is_executed_again(void **state)
{
	struct front f;

	(void)state;
	begin(&f, &three, &good);
	crash_at(&f, 3);
	crashed(&f);
	f.walk.watch = (struct pd_walk_watch){.line = 1, .from = 2, .to = 3, .again = true};
	crash_at(&f, 3);
	assert_int_equal(f.ended, 1);
	assert_false(f.walk.watch.again);
	assert_int_equal(f.executed, 8);
	assert_int_equal(f.walk.leaves, 8);
	crashed(&f);
}

/* A witness: its choices are made, whatever is known, and no others. */
static void test_choices_that_are_fixed(void **state)
{
	static const uint32_t picks[] = {1, 0};
	struct pd_fixed fixed = {.point = 1, .npick = 2, .picks = picks};
	struct front f;

	(void)state;
	begin(&f, &three, &failing);
	for (uint32_t times = 1; times <= 2; times++) {
		f.walk.fixed = &fixed;
		crash_at(&f, 3);
		assert_int_equal(f.ended, times);
		assert_int_equal(f.executed, 0);
		assert_int_equal(f.walk.leaves + f.nbad, 0);
		crashed(&f);
	}
	assert_int_equal(f.attended, 2);
	f.refuse = true;
	f.walk.fixed = &fixed;
	crash_at(&f, 3);
	assert_int_equal(f.ended, 2);
	crashed(&f);
}

/* ---- without memory ------------------------------------------------------------------------- */

/* The tree's: what was found by then is told, and no more; what is missing can be seen. */
static void test_the_tree_is_full(void **state)
{
	bool whole = false;
	struct front f;

	(void)state;
	for (long pieces = 0; !whole; pieces++) {
		assert_true(pieces < 1000);
		begin(&f, &three, &failing);
		f.memory = pieces;
		crash_at(&f, 3);
		whole = f.nbad == 8;
		assert_true(f.nbad <= 8);
		assert_int_equal(f.capped > 0, !whole);
		assert_true(f.executed <= 8);
		crashed(&f);
	}
}

/* Its own: the crash point is not done, and says so. */
static void test_the_walk_has_no_memory(void **state)
{
	struct front f;

	(void)state;
	begin(&f, &three, &good);
	play(&f.here, f.program, 3);
	pd_walk_init(&f.walk, &f.here.m);
	f.upto = 3;
	f.walk.execute = execute;
	f.walk.content = content;
	f.walk.ctx = &f;
	f.walk.memory = (struct pd_tree_memory){take, &f, NULL, NULL};
	f.walk.owner = WORKER;
	f.here.host.left = 0;
	pd_walk_crash(&f.walk, f.root);
	assert_true(f.walk.failed);
	assert_int_equal(f.walk.leaves, 0);
	crashed(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_is_executed_twice),
		cmocka_unit_test(test_somebody_else_goes_on),
		cmocka_unit_test(test_only_what_is_known),
		cmocka_unit_test(test_somebody_else_is_at_it),
		cmocka_unit_test(test_nobody_will_know),
		cmocka_unit_test(test_what_is_executed_is_claimed),
		cmocka_unit_test(test_a_branch_is_given_away),
		cmocka_unit_test(test_a_branch_is_taken),
		cmocka_unit_test(test_a_file_that_recovery_made),
		cmocka_unit_test(test_one_checksum),
		cmocka_unit_test(test_recoveries_that_miss_a_store),
		cmocka_unit_test(test_nothing_but_a_store_is_lost),
		cmocka_unit_test(test_what_recoveries_read),
		cmocka_unit_test(test_an_end_is_executed_again),
		cmocka_unit_test(test_choices_that_are_fixed),
		cmocka_unit_test(test_the_tree_is_full),
		cmocka_unit_test(test_the_walk_has_no_memory),
		cmocka_unit_test(test_the_same_ends_as_the_twin),
		cmocka_unit_test(test_looks_show_the_same_as_values),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
