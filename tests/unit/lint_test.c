/* lint_test.c - the engine by itself: events in, findings out. */
#include "unit/unit.h"
#include "engine/lint/lint.h"

enum { MAX = 64 };

struct fixture {
	struct unit_host h;
	struct pd_arena a;
	struct pd_sink sink;
	struct pd_observer *o;
	uint32_t n; /* findings, by number */
	struct pd_raw_finding raw[MAX];
	uint32_t reports;
	uint32_t losses;
	uint32_t times; /* places of which was told how often they were executed */
	uint64_t alone; /* or how many there are */
	struct pd_fact fact[MAX][16];
	uint32_t events;
};

/* Whether it is settled after each event, which must not change anything. */
static bool settles;

static void finding(void *ctx, const struct pd_raw_finding *f)
{
	struct fixture *x = ctx;

	assert_true(f->number < MAX);
	x->raw[f->number] = *f;
	assert_true(f->facts.n <= PD_LEN(x->fact[0]));
	if (f->facts.n)
		memcpy(x->fact[f->number], f->facts.v, f->facts.n * sizeof(*f->facts.v));
	x->raw[f->number].facts.v = x->fact[f->number];
	x->n = PD_MAX(x->n, f->number + 1);
	x->reports++;
}

static void loss(void *ctx, enum pd_loss kind, uint32_t place, const char *what)
{
	(void)kind;
	(void)place;
	(void)what;
	((struct fixture *)ctx)->losses++;
}

static void stat(void *ctx, const char *name, uint64_t value)
{
	if (!strcmp(name, "flush_places_judged_alone"))
		((struct fixture *)ctx)->alone = value;
}

static void times(void *ctx, uint32_t place, uint64_t n, uint32_t what)
{
	(void)place;
	(void)what;
	assert_true(n > 0);
	((struct fixture *)ctx)->times++;
}

static void begin(struct fixture *x, const char *settings)
{
	memset(x, 0, sizeof(*x));
	x->h.left = -1;
	x->sink = (struct pd_sink){finding, loss, stat, x, NULL};
	pd_arena_init(&x->a, unit_host(&x->h));
	x->o = pd_lint_create(&x->a, &x->sink, settings);
	assert_non_null(x->o);
}

/* The place of an event is its line here. */
#define EV(x, KIND, t, address, bytes)                                                             \
	report_event(x, &(struct pd_event){.kind = PD_EV_##KIND,                                   \
					   .order = PD_ORDER_NONE,                                 \
					   .tid = (t),                                             \
					   .site = __LINE__,                                       \
					   .addr = (address),                                      \
					   .size = (bytes)})

static void report_event(struct fixture *x, const struct pd_event *e)
{
	assert_true(x->o->wants >> e->kind & 1);
	x->o->event(x->o, e);
	if (settles && x->events++ < 1000)
		x->o->settle(x->o);
}

static void end(struct fixture *x)
{
	x->o->end(x->o);
	assert_int_equal(x->losses, 0);
	pd_arena_finish(&x->a);
}

static uint64_t fact(const struct fixture *x, uint32_t i, enum pd_fact_key key)
{
	return pd_fact_number(&x->raw[i].facts, key);
}

/* What finding number i is about. */
static void assert_bytes(const struct fixture *x, uint32_t i, uint64_t addr, uint64_t size)
{
	assert_int_equal(pd_fact_number(&x->raw[i].facts, PD_FACT_ADDRESS), addr);
	assert_int_equal(pd_fact_number(&x->raw[i].facts, PD_FACT_SIZE), size);
}

static const struct pd_raw_finding *only(const struct fixture *x, enum pd_kind kind)
{
	assert_int_equal(x->n, 1);
	assert_int_equal(x->raw[0].kind, kind);
	return &x->raw[0];
}

static void persisted_is_silent(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x, "model=adr");
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, STORE, 0, 0x1000, 8); /* again before the one flush: ordinary */
	EV(&x, STORE, 0, 0x103c, 8); /* across lines */
	EV(&x, CLWB, 0, 0x1000, 64);
	EV(&x, CLWB, 0, 0x1040, 64);
	EV(&x, SFENCE, 0, 0, 0);
	EV(&x, STORE, 0, 0x2000, 200);
	for (uint64_t a = 0x2000; a < 0x20c8; a += 64)
		EV(&x, CLFLUSH, 0, a, 64);
	EV(&x, NTSTORE, 0, 0x3000, 16);
	EV(&x, SFENCE, 0, 0, 0);
	end(&x);
	assert_int_equal(x.n, 0);
}

static void forgotten_flush(void **state)
{
	struct fixture x;
	const struct pd_raw_finding *f;

	(void)state;
	begin(&x, "");
	EV(&x, STORE, 0, 0x1004, 4);
	EV(&x, STORE, 0, 0x2000, 8);
	EV(&x, CLWB, 0, 0x2000, 64);
	EV(&x, SFENCE, 0, 0, 0);
	end(&x);
	f = only(&x, PD_KIND_LINT_MISSING_FLUSH);
	assert_int_equal(f->site[0].role, PD_ROLE_STORE);
	assert_int_equal(f->site[1].role, PD_ROLE_BEFORE); /* the sfence above */
	assert_int_equal(f->site[1].place, f->site[0].place + 3);
	assert_bytes(&x, 0, 0x1004, 4);
	assert_int_equal(fact(&x, 0, PD_FACT_WHEN), PD_WORD_AT_END);
	assert_int_equal(fact(&x, 0, PD_FACT_FIX), PD_WORD_FIX_FLUSH_BEFORE);
}

static void store_here(struct fixture *x)
{
	EV(x, STORE, 0, 0x1000, 8);
}

/* A fence that does not follow each store at this place does not make one flush before it
 * enough. */
static void fence_of_the_next_call(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x, "");
	store_here(&x);
	EV(&x, CLWB, 0, 0x2000, 64);
	EV(&x, SFENCE, 0, 0, 0);
	store_here(&x);
	end(&x);
	assert_int_equal(x.raw[x.n - 1].kind, PD_KIND_LINT_MISSING_FLUSH);
	assert_int_equal(fact(&x, x.n - 1, PD_FACT_FIX), PD_WORD_FIX_FLUSH_AND_FENCE);
}

static void two_fences_follow(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x, "");
	store_here(&x);
	EV(&x, MFENCE, 0, 0, 0);
	store_here(&x);
	EV(&x, MFENCE, 0, 0, 0);
	end(&x);
	assert_int_equal(x.raw[x.n - 1].kind, PD_KIND_LINT_MISSING_FLUSH);
	assert_int_equal(fact(&x, x.n - 1, PD_FACT_FIX), PD_WORD_FIX_FLUSH_AND_FENCE);
}

static void flush_then_store_is_dirty(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x, "");
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, CLWB, 0, 0x1000, 64);
	EV(&x, STORE, 0, 0x1008, 8); /* the same line, another word */
	EV(&x, SFENCE, 0, 0, 0);
	end(&x);
	only(&x, PD_KIND_LINT_MISSING_FLUSH);
}

static void fences_are_per_thread(void **state)
{
	struct fixture x;
	const struct pd_raw_finding *f;

	(void)state;
	begin(&x, "");
	EV(&x, THREAD_CREATE, 0, 0, 0);
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, CLWB, 0, 0x1000, 64);
	EV(&x, STORE, 1, 0x2000, 8);
	EV(&x, CLWB, 1, 0x2000, 64);
	EV(&x, SFENCE, 1, 0, 0);
	end(&x);
	f = only(&x, PD_KIND_LINT_MISSING_FENCE);
	assert_int_equal(f->site[1].role, PD_ROLE_FLUSH);
	assert_int_equal(f->site[1].place, f->site[0].place + 1);

	/* A thread that helps, flushes and fences by itself: that counts, and is not needless. */
	begin(&x, "");
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, CLWB, 0, 0x1000, 64);
	EV(&x, CLWB, 1, 0x1000, 64);
	EV(&x, SFENCE, 1, 0, 0);
	end(&x);
	assert_int_equal(x.n, 0);

	/* What is stored after the helper's flush, the helper's fence does not cover. */
	begin(&x, "");
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, CLWB, 1, 0x1000, 64);
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, CLWB, 0, 0x1000, 64);
	EV(&x, SFENCE, 1, 0, 0);
	end(&x);
	only(&x, PD_KIND_LINT_MISSING_FENCE);
}

static void what_fences(void **state)
{
	static const struct pd_event fences[] = {
		{.kind = PD_EV_SFENCE},
		{.kind = PD_EV_MFENCE},
		{.kind = PD_EV_RMW, .addr = 0x5000},
		{.kind = PD_EV_RMW_FAILED},
		{.kind = PD_EV_ATOMIC_RMW, .addr = PD_ADDR_OUTSIDE},
		{.kind = PD_EV_STORE, .addr = 0x5000, .order = PD_ORDER_SEQ_CST},
		{.kind = PD_EV_ATOMIC_STORE, .addr = PD_ADDR_OUTSIDE, .order = PD_ORDER_SEQ_CST},
		{.kind = PD_EV_MSYNC, .addr = 0x9000, .size = 4096},
	};
	struct fixture x;

	(void)state;
	for (uint32_t i = 0; i < PD_LEN(fences); i++) {
		begin(&x, "");
		EV(&x, STORE, 0, 0x1000, 8);
		EV(&x, CLWB, 0, 0x1000, 64);
		report_event(&x, &fences[i]); /* of size 0: stores nothing */
		end(&x);
		assert_int_equal(x.n, 0);
	}
	/* A store that is atomic but not seq_cst is a plain one to the machine. */
	begin(&x, "");
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, CLWB, 0, 0x1000, 64);
	report_event(&x, &(struct pd_event){.kind = PD_EV_STORE, .order = PD_ORDER_RELEASE});
	end(&x);
	only(&x, PD_KIND_LINT_MISSING_FENCE);
}

static void flush_at(struct fixture *x, uint32_t places)
{
	begin(x, "");
	x->sink.times = times;
	for (uint32_t i = 1; i < places; i++) {
		EV(x, STORE, 0, 0x1000, 8);
		report_event(x, &(struct pd_event){.kind = PD_EV_CLFLUSH,
						   .order = PD_ORDER_NONE,
						   .site = 1000 + i,
						   .addr = 0x1000,
						   .size = 64});
	}
	EV(x, CLFLUSH, 0, 0x1000, 64); /* needless: else nobody asks */
	end(x);
	only(x, PD_KIND_LINT_EXTRA_FLUSH);
}

static void too_many_places_are_counted(void **state)
{
	static struct fixture x;

	(void)state;
	flush_at(&x, 1 << 14);
	assert_int_equal(x.times, 1 << 14);
	assert_int_equal(x.alone, 0);
	flush_at(&x, (1 << 14) + 1);
	assert_int_equal(x.times, 0);
	assert_int_equal(x.alone, (1 << 14) + 1);
}

static void needless_flushes(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x, "");
	EV(&x, CLWB, 0, 0x7000, 64); /* never */
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, CLWB, 0, 0x1000, 64);
	EV(&x, CLWB, 0, 0x1000, 64); /* pending */
	EV(&x, SFENCE, 0, 0, 0);
	for (int i = 0; i < 3; i++)
		EV(&x, CLWB, 0, 0x1000, 64); /* clean */
	EV(&x, SFENCE, 0, 0, 0);
	EV(&x, CLWB, 0, 0x1000 | PD_ADDR_OUTSIDE, 64);
	EV(&x, SFENCE, 0, 0, 0);
	end(&x);
	assert_int_equal(x.n, 4);
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(x.raw[i].kind, PD_KIND_LINT_EXTRA_FLUSH);
	assert_int_equal(fact(&x, 0, PD_FACT_NEVER), 1);
	assert_int_equal(fact(&x, 1, PD_FACT_PENDING), 1);
	assert_int_equal(fact(&x, 2, PD_FACT_CLEAN), 3);
	assert_int_equal(fact(&x, 2, PD_FACT_NEVER), 0);
	assert_int_equal(x.raw[2].count, 3);
	assert_int_equal(x.raw[2].of, 3);
	assert_int_equal(x.raw[2].weight, 3 * PD_LINT_NS_FLUSH);
	assert_int_equal(x.raw[3].kind, PD_KIND_LINT_FLUSH_VOLATILE);
	/* Told when first seen, and the one that was seen again once more. */
	assert_int_equal(x.reports, 5);
}

/* What others store to, since there are threads, is flushed for a reason. */
static void flushes_for_others(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x, "");
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, CLFLUSH, 0, 0x1000, 64);
	EV(&x, THREAD_CREATE, 0, 0, 0);
	EV(&x, STORE, 1, 0x2000, 8);
	EV(&x, CLFLUSH, 1, 0x2000, 64);
	for (int i = 0; i < 2; i++)
		EV(&x, CLFLUSH, 2, i ? 0x1000 : 0x2000, 64); /* here also: main's, from before */
	EV(&x, STORE, 1, 0x4000, 8);
	EV(&x, CLFLUSH, 1, 0x4000, 64);
	EV(&x, CLFLUSH, 1, 0x4000, 64); /* its own, twice */
	EV(&x, STORE, 2, 0x2008, 8);
	EV(&x, CLFLUSH, 2, 0x2000, 64);
	EV(&x, CLFLUSH, 1, 0x2000, 64); /* both store to it now */
	EV(&x, CLFLUSH, 0, 0x3000, 64); /* never stored to, so far */
	EV(&x, STORE, 1, 0x3000, 8);
	EV(&x, CLFLUSH, 1, 0x3000, 64);
	end(&x);
	assert_int_equal(x.n, 3);
	assert_int_equal(fact(&x, 2, PD_FACT_FOR_OTHERS), 1);
	assert_int_equal(x.raw[0].count, 1);
	assert_int_equal(fact(&x, 0, PD_FACT_FOR_OTHERS), 1);
	assert_int_equal(x.raw[1].count, 1);
	assert_int_equal(fact(&x, 1, PD_FACT_FOR_OTHERS), 0);
}

/* A flush that is needed most of the time: the judge makes a note of it (callers_test.c). */
static void needless_at_times(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x, "");
	for (int i = 0; i < 9; i++) {
		if (i % 3)
			EV(&x, STORE, 0, 0x1000, 8);
		EV(&x, CLWB, 0, 0x1000, 64);
		EV(&x, SFENCE, 0, 0, 0);
	}
	end(&x);
	only(&x, PD_KIND_LINT_EXTRA_FLUSH);
	assert_int_equal(x.raw[0].count, 3);
	assert_int_equal(x.raw[0].of, 9);
}

/* What code stores that was not instrumented is seen late: its flushes only look needless. */
static void foreign_flushes_are_not_needless(void **state)
{
	static const uint8_t kinds[] = {PD_EV_CLFLUSH, PD_EV_CLFLUSH, PD_EV_SFENCE, PD_EV_SFENCE};
	static const uint64_t addr[] = {0x1000, 0x2000 | PD_ADDR_OUTSIDE, 0, 0};
	struct fixture x;

	(void)state;
	begin(&x, "");
	for (uint32_t i = 0; i < PD_LEN(kinds); i++)
		report_event(&x, &(struct pd_event){.kind = kinds[i],
						    .order = PD_ORDER_NONE,
						    .site = 1,
						    .addr = addr[i],
						    .size = 64,
						    .aux = PD_EV_FOREIGN});
	end(&x);
	assert_int_equal(x.n, 0);
}

static void needless_fences(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x, "");
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, CLWB, 0, 0x1000, 64);
	EV(&x, SFENCE, 0, 0, 0);
	EV(&x, SFENCE, 0, 0, 0); /* needless */
	EV(&x, MFENCE, 0, 0, 0); /* needless: alone */
	EV(&x, RMW_FAILED, 0, 0x1000, 8);
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, CLWB, 0, 0x1000, 64);
	EV(&x, RMW_FAILED, 0, 0x1000, 8);
	EV(&x, SFENCE, 0, 0, 0); /* who would rely on the locked instruction? */
	EV(&x, THREAD_CREATE, 0, 0, 0);
	EV(&x, MFENCE, 0, 0, 0); /* may be between threads */
	end(&x);
	assert_int_equal(x.n, 2);
	assert_int_equal(x.raw[0].kind, PD_KIND_LINT_EXTRA_FENCE);
	assert_int_equal(x.raw[1].kind, PD_KIND_LINT_EXTRA_FENCE);
}

static void overwritten_before_the_fence(void **state)
{
	struct fixture x;
	const struct pd_raw_finding *f;

	(void)state;
	begin(&x, "");
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, CLWB, 0, 0x1000, 64);
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, SFENCE, 0, 0, 0);
	EV(&x, CLWB, 0, 0x1000, 64);
	EV(&x, SFENCE, 0, 0, 0);
	end(&x);
	f = only(&x, PD_KIND_LINT_OVERWRITTEN);
	assert_int_equal(f->site[0].place, f->site[1].place + 1);

	/* Flushed again before the fence: all is well. */
	begin(&x, "");
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, CLWB, 0, 0x1000, 64);
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, CLWB, 0, 0x1000, 64);
	EV(&x, SFENCE, 0, 0, 0);
	end(&x);
	assert_int_equal(x.n, 0);

	/* A locked instruction was hardly meant as that fence; the next one may be. */
	begin(&x, "");
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, CLWB, 0, 0x1000, 64);
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, RMW_FAILED, 0, 0x2000, 8);
	EV(&x, CLWB, 0, 0x1000, 64);
	EV(&x, SFENCE, 0, 0, 0);
	end(&x);
	assert_int_equal(x.n, 0);
	begin(&x, "");
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, CLWB, 0, 0x1000, 64);
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, RMW_FAILED, 0, 0x2000, 8);
	EV(&x, STORE, 0, 0x3000, 8);
	EV(&x, CLWB, 0, 0x3000, 64);
	EV(&x, SFENCE, 0, 0, 0);
	EV(&x, CLWB, 0, 0x1000, 64);
	EV(&x, SFENCE, 0, 0, 0);
	end(&x);
	only(&x, PD_KIND_LINT_OVERWRITTEN);

	/* It completes the flush as any fence. */
	begin(&x, "");
	EV(&x, STORE, 0, 0x1000, 16);
	EV(&x, CLWB, 0, 0x1000, 64);
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, RMW_FAILED, 0, 0x2000, 8);
	end(&x);
	assert_int_equal(only(&x, PD_KIND_LINT_MISSING_FLUSH)->count, 1);

	/* Zeros past the cache, then what is meant, flushed with the rest. */
	begin(&x, "");
	EV(&x, NTSTORE, 0, 0x1000, 64);
	EV(&x, STORE, 0, 0x1010, 8);
	EV(&x, SFENCE, 0, 0, 0);
	EV(&x, CLWB, 0, 0x1000, 64);
	EV(&x, SFENCE, 0, 0, 0);
	end(&x);
	assert_int_equal(x.n, 0);

	/* A lock that shares the line is given back between flush and fence. */
	begin(&x, "");
	EV(&x, RMW, 0, 0x1008, 8);
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, CLWB, 0, 0x1000, 64);
	EV(&x, STORE, 0, 0x1008, 8);
	EV(&x, SFENCE, 0, 0, 0);
	EV(&x, CLWB, 0, 0x1000, 64);
	EV(&x, SFENCE, 0, 0, 0);
	end(&x);
	assert_int_equal(x.n, 0);
}

static void judged_at_unmap_and_at_points(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x, "");
	EV(&x, POOL_MAP, 0, 0x1000, 0x1000);
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, POOL_UNMAP, 0, 0x1000, 0x1000);
	assert_int_equal(x.n, 1); /* at once */
	end(&x);
	assert_int_equal(x.n, 1); /* and not again */
	assert_int_equal(x.raw[0].count, 1);

	/* A second mapping of the same bytes keeps them reachable. */
	begin(&x, "");
	EV(&x, POOL_MAP, 0, 0x1000, 0x1000);
	EV(&x, POOL_MAP, 0, 0x1000, 0x1000);
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, POOL_UNMAP, 0, 0x1000, 0x1000);
	assert_int_equal(x.n, 0);
	EV(&x, CLWB, 0, 0x1000, 64);
	EV(&x, SFENCE, 0, 0, 0);
	end(&x);
	assert_int_equal(x.n, 0);

	begin(&x, "");
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, DURABLE, 0, 0x2000, 8); /* another one */
	assert_int_equal(x.n, 0);
	EV(&x, DURABLE, 0, 0x1000, 8);
	assert_int_equal(x.n, 1);
	EV(&x, CLWB, 0, 0x1000, 64); /* not needless, though it was told */
	EV(&x, SFENCE, 0, 0, 0);
	EV(&x, DURABLE, 0, 0x1000, 8);
	EV(&x, DURABLE, 0, 0, 0);
	end(&x);
	only(&x, PD_KIND_LINT_MISSING_FLUSH);
	assert_int_equal(x.raw[0].count, 1);
}

static void need_not_care(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x, "");
	EV(&x, TRANSIENT, 0, 0x1008, 8);
	EV(&x, STORE, 0, 0x1008, 8);
	EV(&x, STORE, 0, 0x2000, 8);
	EV(&x, CLEAN, 0, 0x2000, 8);
	end(&x);
	assert_int_equal(x.n, 0);
}

static void transient_data(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x, "transient=1");
	EV(&x, POOL_OPEN, 0, 0x1000, 0x1000); /* 4 KB from before */
	EV(&x, POOL_MAP, 0, 0x1000, 0x2000);
	EV(&x, STORE, 0, 0x1000, 8); /* never read before: transient */
	EV(&x, LOAD, 0, 0x1000, 8);
	EV(&x, LOAD, 0, 0x1040, 8);
	EV(&x, STORE, 0, 0x1040, 8); /* read and then written: its old value matters */
	EV(&x, STORE, 0, 0x2000, 8); /* new bytes: nothing can be known */
	end(&x);
	assert_int_equal(x.n, 3);
	assert_int_equal(x.raw[0].kind, PD_KIND_LINT_TRANSIENT);
	assert_int_equal(x.raw[1].kind, PD_KIND_LINT_MISSING_FLUSH);
	assert_int_equal(x.raw[2].kind, PD_KIND_LINT_MISSING_FLUSH);
}

static void transactions(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x, "model=eadr");     /* so that nothing has to be flushed */
	EV(&x, STORE, 0, 0x3000, 8); /* outside of a transaction: nobody's business */
	EV(&x, TX_IGNORE, 0, 0x8000, 0x1000);
	EV(&x, TX_BEGIN, 0, 0, 0);
	EV(&x, TX_ADD, 0, 0x1000, 16);
	EV(&x, STORE, 0, 0x1000, 16);
	EV(&x, STORE, 0, 0x8010, 8);
	EV(&x, TX_BEGIN, 0, 0, 0);
	EV(&x, STORE, 0, 0x100c, 8); /* half of it is not logged */
	EV(&x, TX_END, 0, 0, 0);
	EV(&x, STORE, 1, 0x5000, 8);   /* another thread, not in a transaction */
	EV(&x, TX_ADD, 0, 0x1008, 16); /* half of it is logged already */
	EV(&x, STORE, 0, 0x1010, 8);
	EV(&x, TX_REMOVE, 0, 0x1000, 8);
	EV(&x, STORE, 0, 0x1000, 8); /* not any more */
	EV(&x, TX_END, 0, 0, 0);
	EV(&x, STORE, 0, 0x4000, 8);
	EV(&x, TX_BEGIN, 0, 0, 0);
	EV(&x, TX_ADD, 0, 0x1000, 16); /* another transaction */
	end(&x);
	assert_int_equal(x.n, 4);
	assert_int_equal(x.raw[0].kind, PD_KIND_LINT_UNLOGGED);
	assert_bytes(&x, 0, 0x1010, 4);
	assert_int_equal(x.raw[1].kind, PD_KIND_LINT_REDUNDANT_LOG);
	assert_bytes(&x, 1, 0x1008, 8);
	assert_int_equal(x.raw[2].kind, PD_KIND_LINT_UNLOGGED);
	assert_int_equal(x.raw[3].kind, PD_KIND_LINT_OPEN_TX);
}

static void persist(struct fixture *x, uint64_t addr)
{
	EV(x, CLWB, 0, addr & ~63ULL, 64);
	EV(x, SFENCE, 0, 0, 0);
}

/* A copy, then the word that says which copy counts: unlogged where one of the steps is missing. */
static void flipped(struct fixture *x, bool log, uint64_t size, bool copy_first, bool persisted)
{
	begin(x, "");
	EV(x, TX_BEGIN, 0, 0, 0);
	EV(x, STORE, 0, 0x1000, 32);
	if (copy_first)
		persist(x, 0x1000);
	if (log)
		EV(x, TX_ADD, 0, 0x2000, 8);
	EV(x, STORE, 0, 0x3000, size);
	if (persisted)
		persist(x, 0x3000);
	EV(x, TX_END, 0, 0, 0);
	persist(x, 0x1000);
	persist(x, 0x3000);
	end(x);
}

static uint32_t unlogged(const struct fixture *x)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < x->n; i++)
		n += x->raw[i].kind == PD_KIND_LINT_UNLOGGED && x->raw[i].count;
	return n;
}

static void commits_by_a_flip(void **state)
{
	struct fixture x;

	(void)state;
	flipped(&x, false, 8, true, true);
	assert_int_equal(unlogged(&x), 0);
	flipped(&x, true, 8, true, true);
	assert_int_equal(unlogged(&x), 2);
	flipped(&x, false, 16, true, true); /* which is no word */
	assert_int_equal(unlogged(&x), 2);
	flipped(&x, false, 8, false, true);
	assert_int_equal(unlogged(&x), 2);
	flipped(&x, false, 8, true, false);
	assert_int_equal(unlogged(&x), 2);
}

static uint32_t counted(const struct fixture *x, enum pd_kind kind)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < x->n; i++)
		n += x->raw[i].kind == kind && x->raw[i].count;
	return n;
}

/* A return in between: all that its thread does from then on is part of it. */
static void never_ends(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x, "");
	EV(&x, TX_BEGIN, 0, 0, 0);
	EV(&x, TX_ADD, 0, 0x1000, 8);
	EV(&x, STORE, 0, 0x1000, 8); /* the commit would have flushed it */
	EV(&x, STORE, 0, 0x3000, 8); /* unlogged, and never flushed either */
	EV(&x, STORE, 1, 0x5000, 8); /* another thread's */
	end(&x);
	assert_int_equal(counted(&x, PD_KIND_LINT_OPEN_TX), 1);
	assert_int_equal(counted(&x, PD_KIND_LINT_MISSING_FLUSH), 1);
	assert_int_equal(unlogged(&x), 0);

	begin(&x, ""); /* the one before it has ended */
	EV(&x, TX_BEGIN, 0, 0, 0);
	EV(&x, TX_ADD, 0, 0x1000, 8);
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, STORE, 0, 0x3000, 8);
	EV(&x, TX_END, 0, 0, 0);
	EV(&x, TX_BEGIN, 0, 0, 0);
	EV(&x, TX_ADD, 0, 0x6000, 8);
	end(&x);
	assert_int_equal(counted(&x, PD_KIND_LINT_OPEN_TX), 1);
	assert_int_equal(unlogged(&x), 1);
	assert_int_equal(counted(&x, PD_KIND_LINT_MISSING_FLUSH),
			 2); /* one of it names the transaction */
}

static void other_models(void **state)
{
	struct fixture x;

	(void)state;
	begin(&x, "model=eadr");
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, SFENCE, 0, 0, 0); /* for the store buffer: not needless */
	EV(&x, NTSTORE, 0, 0x2000, 8);
	end(&x);
	only(&x, PD_KIND_LINT_MISSING_FENCE);

	begin(&x, "model=page");
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, NTSTORE, 0, 0x3000, 8);
	EV(&x, CLWB, 0, 0x1000, 64);
	EV(&x, SFENCE, 0, 0, 0);
	EV(&x, MSYNC, 0, 0x3000, 0x1000);
	end(&x);
	assert_int_equal(x.n, 2);
	assert_int_equal(x.raw[0].kind, PD_KIND_LINT_EXTRA_FLUSH);
	assert_int_equal(x.raw[1].kind, PD_KIND_LINT_MISSING_FLUSH);
	assert_true(fact(&x, 1, PD_FACT_PAGE));
	assert_int_equal(fact(&x, 1, PD_FACT_FIX), PD_WORD_FIX_SYNC);
}

static void asked_for_states(void **state)
{
	struct pd_lint_state s;
	struct fixture x;
	struct pd_lint *l;

	(void)state;
	begin(&x, "");
	l = (struct pd_lint *)x.o;
	EV(&x, STORE, 0, 0x1000, 8);
	EV(&x, STORE, 0, 0x1100, 8);
	EV(&x, CLWB, 0, 0x1100, 64);
	s = pd_lint_state(l, 0x1000, 0x1000);
	assert_int_equal(s.dirty, 8);
	assert_int_equal(s.pending, 8);
	assert_int_equal(s.writer + 2, s.flusher);
	s = pd_lint_state(l, 0x1010, 8);
	assert_int_equal(s.dirty + s.pending + s.writer, 0);
	pd_arena_finish(&x.a);
}

/* Pages at rest are not visited when the run ends, and are when they are stored to again. */
static void settled_pages_open(void **state)
{
	struct fixture x;
	struct pd_lint_lines *s;

	(void)state;
	begin(&x, "");
	s = &((struct pd_lint *)x.o)->lines;
	for (uint64_t i = 0; i < 10; i++) {
		EV(&x, STORE, 0, i * 4096, 8);
		EV(&x, CLWB, 0, i * 4096, 64);
	}
	x.o->settle(x.o);
	assert_int_equal(s->open.n, 10); /* the fence is missing */
	EV(&x, SFENCE, 0, 0, 0);
	EV(&x, STORE, 0, 9 * 4096 + 128, 8);
	x.o->settle(x.o);
	assert_int_equal(s->open.n, 1);
	EV(&x, STORE, 0, 5 * 4096 + 64, 8);
	assert_int_equal(s->open.n, 2);
	assert_int_equal(s->all.n, 10);
	end(&x);
	assert_int_equal(x.n, 2);
}

/* Ranges against a bitmap. */
static void ranges_are_sets_of_bytes(void **state)
{
	uint32_t owner[256] = {0}, ignored, seed = 1;
	struct pd_ranges r = {0};
	struct unit_host h = {.left = -1};
	struct pd_arena a;

	(void)state;
	pd_arena_init(&a, unit_host(&h));
	for (uint32_t i = 1; i < 5000; i++) {
		uint64_t from, to, there = 0, missing;

		seed = seed * 1103515245 + 12345;
		from = seed >> 16 & 0xff;
		to = PD_MIN(from + (seed >> 24 & 31), 256);
		missing = from;
		while (missing < to && owner[missing])
			missing++;
		assert_int_equal(pd_ranges_missing(&r, from, to), missing);
		if (i % 3) {
			for (uint64_t k = from; k < to; k++) {
				there += owner[k] != 0;
				owner[k] = owner[k] ? owner[k] : i;
			}
			assert_int_equal(pd_ranges_add(&r, &a, from, to, i, &ignored), there);
		} else {
			memset(owner + from, 0, (to - from) * sizeof(*owner));
			pd_ranges_remove(&r, &a, from, to);
		}
		for (uint32_t k = 0; k + 1 < r.v.n; k++)
			assert_true(r.v.v[k].from < r.v.v[k].to &&
				    r.v.v[k].to <= r.v.v[k + 1].from);
		for (uint32_t k = 0; k < r.v.n; k++)
			for (uint64_t b = r.v.v[k].from; b < r.v.v[k].to; b++)
				assert_int_equal(owner[b], r.v.v[k].place);
	}
	pd_arena_finish(&a);
}

/* Without memory it goes on, and says so. */
static void memory_runs_out(void **state)
{
	(void)state;
	for (long left = 1; left < 6; left++) {
		struct fixture x;

		memset(&x, 0, sizeof(x));
		x.sink = (struct pd_sink){finding, loss, stat, &x, NULL};
		x.h.left = left;
		pd_arena_init(&x.a, unit_host(&x.h));
		x.o = pd_lint_create(&x.a, &x.sink, "");
		for (uint64_t i = 0; x.o && i < 100000; i++) {
			EV(&x, STORE, 0, i * 4096, 8);
			EV(&x, CLWB, 0, i * 4096, 64);
		}
		if (x.o)
			x.o->end(x.o);
		assert_true(!x.o || x.losses);
		pd_arena_finish(&x.a);
	}
}

static int settle_always(void **state)
{
	(void)state;
	settles = true;
	return 0;
}

static int settle_never(void **state)
{
	(void)state;
	settles = false;
	return 0;
}

#define BOTH(f)                                                                                    \
	cmocka_unit_test_setup(f, settle_never),                                                   \
	{                                                                                          \
		#f ", settled", f, settle_always, NULL, NULL                                       \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		BOTH(persisted_is_silent),
		BOTH(forgotten_flush),
		BOTH(fence_of_the_next_call),
		BOTH(two_fences_follow),
		BOTH(flush_then_store_is_dirty),
		BOTH(fences_are_per_thread),
		BOTH(what_fences),
		BOTH(too_many_places_are_counted),
		BOTH(needless_flushes),
		BOTH(needless_at_times),
		BOTH(flushes_for_others),
		BOTH(foreign_flushes_are_not_needless),
		BOTH(needless_fences),
		BOTH(overwritten_before_the_fence),
		BOTH(judged_at_unmap_and_at_points),
		BOTH(need_not_care),
		BOTH(transient_data),
		BOTH(transactions),
		BOTH(commits_by_a_flip),
		BOTH(never_ends),
		BOTH(other_models),
		BOTH(asked_for_states),
		cmocka_unit_test(ranges_are_sets_of_bytes),
		cmocka_unit_test(settled_pages_open),
		BOTH(memory_runs_out),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
