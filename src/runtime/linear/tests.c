/* tests.c - see tests.h. */
#include "runtime/linear/tests.h"
#include "base/map.h"
#include "engine/linear/plan.h"
#include "protocol/board.h"
#include "runtime/access/mem.h"
#include "runtime/base/listen.h"
#include "runtime/check/check.h"
#include "runtime/check/eager.h"
#include "runtime/check/walker.h"
#include "runtime/linear/acts.h"
#include "runtime/session/session.h"
#include "runtime/thread/sched.h"
#include "runtime/thread/thread.h"
#include <pthread.h>
#include <string.h>

enum {
	SPINS = 64,  /* fruitless: it waits for a held thread */
	COVERED = 4, /* tests of a site for which coverage is recorded */
	NEAR = 16,   /* distance within which a third operation is looked for */
	PATIENCE =
		20000, /* accesses of an operation, at least, before it is said to wait for a held one */
	LONGER = 16, /* so many times as those of the longest one alone */
	TURN = 1000, /* accesses of one that waits between turns of the others */
};

/* Of threads: held first, held second, and the one that returns */
enum { ROLES = 3, NO_ROLE = ROLES };

static struct {
	const struct pd_tests_front *front;
	struct pd_named name;
	/* The current operation, if there is one thread; with several, the stores and loads of the
	 * first */
	struct pd_acts_at now;
	struct {
		uint64_t off, n;
		uint32_t length; /* of the log before it */
	} at;			 /* the current store */
	/* Where the first operation is held, if the plan says so; `nth` 0: the name counts
	 * instead */
	struct asked {
		uint32_t site, nth;
	} asked;
	struct pd_map tried;	    /* by site: number of tests so far */
	uint64_t accesses, longest; /* all so far; the most of an operation alone */
	uint32_t next;		    /* next point of the plan */
	struct {
		uint32_t n;	    /* threads */
		uint32_t op[ROLES]; /* the operation of each */
		uint32_t tid[ROLES];
		bool began[ROLES], held[ROLES], touched[ROLES], ended[ROLES];
		bool crossed;	    /* the first one goes on, whatever it was held for */
		bool soon;	    /* hold the first one once others may run */
		uint64_t addr, end; /* what the first one made visible */
		uint64_t accesses[ROLES];
		bool over, met;
	} meet;
	struct pd_sched_holding holding;
} tests;

bool pd_tests_wanted(void)
{
	pd_check.tests = pd_check.role == PD_CHECK_FIRST && pd_named_of(pd_rt.seed, &tests.name);
	return pd_check.tests;
}

static struct pd_board_tests *board(void)
{
	return &pd_board()->tests;
}

/* ---- power fails ---------------------------------------------------------------------------- */

/* The line as it was when the log had this length. */
static struct pd_crash_suspect suspect(uint64_t off, uint32_t length)
{
	return (struct pd_crash_suspect){
		.line = off >> pd_mem.model.params.line_shift, .version = length, .by_order = true};
}

/*
 * The two states: the last store durable and as little else as possible; everything durable but
 * that one.
 */
static void want_point(struct pd_check_test *t)
{
	struct pd_crash_suspect *s = pd_board_alloc(NULL, 3 * sizeof(*s));
	uint64_t last = tests.at.off + tests.at.n - 1;

	if (!s)
		return;
	s[0] = suspect(last, pd_mem.model.log->n);
	s[1] = suspect(tests.at.off, tests.at.length);
	s[2] = suspect(last, tests.at.length);
	t->n = 2;
	t->wish[0] = (struct pd_wish){.worst = PD_WORST_FEW, .suspects = {s, 1}};
	t->wish[1] = (struct pd_wish){.worst = PD_WORST_MANY, .suspects = {s + 1, 2}};
}

/*
 * Whether enough tests of this site were run that another one would show nothing new of what is
 * read.
 */
static bool is_known(uint32_t site)
{
	uint64_t *n = pd_map_put(&tests.tried, &pd_session.arena, site + 1ULL);

	return n && (*n)++ >= COVERED;
}

/* Fails after the current store, or (0) when the operation has returned. */
static void fail_at(uint32_t op, uint32_t store, uint32_t site)
{
	struct pd_named name = {.kind = PD_NAMED_AT, .op = op, .store = store};
	struct pd_check_test t = {.name = pd_named_seed(&name), .number = 1};

	if (!t.name) {
		pd_board_count(board()->unnamed);
		return;
	}
	if (store) {
		board()->held = site + 1;
		want_point(&t);
	} else {
		t.n = 1;
		t.wish[0] = (struct pd_wish){.worst = PD_WORST_FEW};
		pd_board_count(board()->returned);
	}
	t.wish[0].quick = t.wish[1].quick = is_known(site);
	pd_check_test(&t, store ? PD_EV_STORE : PD_EV_MARK, site);
}

/* ---- one after the other -------------------------------------------------------------------- */

/*
 * Whether it is the store, or load, that the test is for. An operation may do more in a thread of
 * its own than it did alone (the first one there registers the thread, say): so the plan's place
 * counts, and the number in the name is what it turns out to be.
 */
static bool is_asked(uint32_t number, uint32_t site)
{
	if (tests.asked.nth)
		return site == tests.asked.site && !--tests.asked.nth;
	return board()->by_site && tests.name.store ? site + 1 == board()->by_site
						    : number == tests.name.store;
}

static bool is_point(uint32_t op, uint32_t store, uint32_t site)
{
	const struct pd_plan *p = board()->plan;

	if (tests.name.kind == PD_NAMED_AT)
		return tests.name.op == op && is_asked(store, site);
	if (tests.name.kind != PD_NAMED_TESTS || tests.next == p->points.n ||
	    p->points.v[tests.next].op != op || p->points.v[tests.next].store != store)
		return false;
	tests.next++;
	return true;
}

/* An operation has returned: power fails, if that can matter. */
static void returned(uint32_t i)
{
	const struct pd_plan *p = board()->plan;

	if (tests.name.kind == PD_NAMED_TESTS && p->wanted && !p->wanted[i])
		return;
	if (tests.name.kind == PD_NAMED_TESTS ? pd_eager_several() : is_point(i, 0, 0))
		fail_at(i, 0, 0);
}

static void do_alone(uint32_t i)
{
	uint64_t before = tests.accesses;

	tests.now.op = i;
	tests.now.store = tests.now.load = 0;
	tests.front->operate(i);
	tests.now.op = PD_NO_OP;
	tests.longest = PD_MAX(tests.longest, tests.accesses - before);
	if (!tests.meet.n)
		returned(i);
}

/* ---- several -------------------------------------------------------------------------------- */

static uint32_t role_of(uint32_t tid)
{
	uint32_t r = 0;

	while (r < tests.meet.n && !(tests.meet.began[r] && tests.meet.tid[r] == tid))
		r++;
	return r < tests.meet.n ? r : NO_ROLE;
}

/* The role whose turn it is: the first that is neither held nor at its end. */
static uint32_t turn(void)
{
	uint32_t r = 0;

	while (r < tests.meet.n && (tests.meet.held[r] || tests.meet.ended[r]))
		r++;
	return r;
}

/* Runs the thread whose turn it is; main and others only if it cannot run; a held one never. */
static uint32_t choose(void *ctx, uint32_t pick, uint32_t n, uint32_t (*number)(uint32_t))
{
	uint32_t r = turn();

	(void)ctx;
	if (pd_sched.idle > SPINS)
		tests.meet.over = true;
	if (tests.meet.over)
		return pick;
	for (uint32_t i = 0; i < n; i++)
		if (role_of(number(i)) == r)
			return i;
	for (uint32_t i = 0; i < n; i++)
		if (role_of(number(i)) == NO_ROLE)
			return i;
	tests.meet.over = true; /* it waits for a held thread */
	return pick;
}

static void hold(uint32_t role)
{
	tests.meet.held[role] = true;
	pd_rt_drain_now();
	while (!tests.meet.over && !(role == 0 && tests.meet.crossed)) {
		if (pd_sched.nlive - pd_sched.nblocked == 1)
			tests.meet.over = true; /* all others wait */
		else
			pd_sched_give_way();
	}
	tests.meet.held[role] = false;
}

/* Holds the first one; if that is inside of something that nobody may see half done (a lock in PM
 * is being taken), when it is over. */
static void hold_first(void)
{
	tests.meet.soon = pd_sched.hold > 0;
	if (!tests.meet.soon)
		hold(0);
}

static void hold_if_due(uint32_t role)
{
	if (role == 0 && tests.meet.soon && !tests.meet.over)
		hold_first();
}

/* The second operation has done what the first one has to find, and is held or at its end. */
static void cross(void)
{
	if (tests.name.kind == PD_NAMED_CROSSED && tests.meet.held[0]) {
		tests.meet.crossed = true;
		tests.meet.held[0] = false;
	}
}

/* The second operation stores where none does by itself: records a test for it. */
static void note_crossing(uint32_t site)
{
	struct pd_board_tests *b = board();
	uint32_t i;

	if (!b->crossed || tests.name.kind != PD_NAMED_PAIR || !tests.meet.held[0] ||
	    site >= PD_BOARD_SITES || pd_board_has_site(b->alone, site))
		return;
	i = __atomic_fetch_add(&b->ncrossed, 1, __ATOMIC_RELAXED);
	if (i < PD_BOARD_CROSSED)
		b->crossed[i] = (struct pd_board_crossed){tests.name, site};
}

static bool overlaps(uint64_t off, size_t n)
{
	return off < tests.meet.end && tests.meet.addr < off + n;
}

static void note_meeting(uint64_t off, size_t n)
{
	uint32_t r = tests.meet.over ? NO_ROLE : role_of(pd_thread_self());

	if (r != NO_ROLE && r > 0 && tests.meet.held[0] && overlaps(off, n))
		tests.meet.touched[r] = true;
}

/* Whether the first operation stops after a load, not a store. */
static bool is_overtaken(void)
{
	return tests.name.kind == PD_NAMED_STALE || tests.name.kind == PD_NAMED_OVERTAKEN;
}

/* From here on others may act on it. */
static void visible(uint32_t number, uint64_t off, uint64_t n, uint32_t site)
{
	board()->held = site + 1;
	tests.name.store = number;
	tests.meet.addr = off;
	tests.meet.end = off + n;
}

static void note_store(const struct pd_event *e)
{
	uint32_t r = tests.meet.n ? role_of(pd_thread_self()) : NO_ROLE;

	if (!tests.meet.n) {
		tests.now.store++;
		if (tests.now.op != PD_NO_OP && is_point(tests.now.op, tests.now.store, e->site))
			fail_at(tests.now.op, tests.now.store, e->site);
		return;
	}
	note_meeting(e->addr, e->size);
	if (r == 1 && !tests.meet.over)
		note_crossing(e->site);
	if (r != 0 || tests.meet.over || is_overtaken() || tests.meet.end ||
	    !is_asked(++tests.now.store, e->site))
		return;
	visible(tests.now.store, e->addr, e->size, e->site);
	if (tests.name.kind != PD_NAMED_LATE)
		hold_first();
}

static void note_load(uint64_t off, size_t n, uint32_t site)
{
	(void)site;
	if (tests.meet.n)
		note_meeting(off, n);
}

static bool is_store(const struct pd_event *e)
{
	return e->kind == PD_EV_STORE || e->kind == PD_EV_NTSTORE || e->kind == PD_EV_RMW;
}

/*
 * A loop of plain loads that waits for a held thread yields to nobody. An operation that takes far
 * longer than any did alone is taken for one: the held ones go on, and get their turns.
 */
static void lose_patience(uint32_t role)
{
	uint64_t n = role == NO_ROLE ? 0 : ++tests.meet.accesses[role];

	if (n <= PATIENCE + LONGER * tests.longest)
		return;
	tests.meet.over = true;
	if (n % TURN == 0)
		pd_sched_give_way();
}

/*
 * The access is over, and the program continues with its value. Threads are held here, and power
 * fails here, since all that listen know of the access by now: this listener is the last one.
 */
static void note_event(struct pd_event *e)
{
	bool mine = !tests.meet.n || (!tests.meet.over && role_of(pd_thread_self()) == 0);

	if (tests.meet.n && mine)
		hold_if_due(0);
	tests.now.load += e->kind == PD_EV_LOAD && mine;
	if (is_store(e))
		note_store(e);
	if (!tests.meet.n) {
		pd_acts_note(e, &tests.now);
	} else if (mine && e->kind == PD_EV_LOAD && is_overtaken() && !tests.meet.end &&
		   is_asked(tests.now.load, e->site)) {
		visible(tests.now.load, e->addr, e->size, e->site);
		hold_first();
	}
	tests.accesses++;
	if (tests.meet.n)
		lose_patience(role_of(pd_thread_self()));
}

/* Whether the flush of this line is for what the first operation made visible. */
static bool is_for_point(uint64_t off, bool fence)
{
	uint32_t shift = pd_mem.model.params.line_shift;

	return !fence && tests.meet.end && off >> shift >= tests.meet.addr >> shift &&
	       off >> shift <= (tests.meet.end - 1) >> shift;
}

/*
 * The first operation stops here if it should be late: it may have released a lock by now. Of
 * three, the second one stops once it has acted on what the first one did.
 */
static void before_persisting(uint64_t off, bool fence)
{
	uint32_t r = tests.meet.n && !tests.meet.over ? role_of(pd_thread_self()) : NO_ROLE;

	hold_if_due(r);
	if (r == 0 && tests.name.kind == PD_NAMED_LATE && is_for_point(off, fence))
		hold(0);
	if (r != 1 || !tests.meet.touched[1])
		return;
	cross();
	if (tests.name.kind == PD_NAMED_THREE || tests.meet.crossed)
		hold(1);
}

static void note_length(uint64_t off, const void *data, size_t n, uint32_t site)
{
	(void)data;
	(void)site;
	tests.at.off = off;
	tests.at.n = n;
	tests.at.length = pd_mem.model.log->n;
}

static void fail_together(uint32_t number)
{
	struct pd_check_test t = {.name = pd_named_seed(&tests.name), .number = number, .n = 1};

	t.wish[0] = (struct pd_wish){.worst = PD_WORST_FEW};
	pd_check_test(&t, PD_EV_MARK, 0);
}

/* The last operation has returned: checks that the first one is where it should be. */
static void met(void)
{
	uint32_t last = tests.meet.n - 1;

	tests.meet.met = !tests.meet.over && tests.meet.held[0] &&
			 (last == 1 || is_overtaken() || tests.meet.held[1]);
	pd_board_count(*(tests.meet.met ? &board()->pairs : &board()->apart));
	if (tests.meet.met && !is_overtaken())
		fail_together(1);
}

/* The same if the first one went on: it is the one that returns. */
static void met_crossed(void)
{
	tests.meet.met = !tests.meet.over && tests.meet.crossed;
	pd_board_count(*(tests.meet.met ? &board()->pairs : &board()->apart));
	if (tests.meet.met)
		fail_together(1);
}

static void *operate(void *number)
{
	uint32_t r = (uint32_t)(uintptr_t)number;

	tests.meet.tid[r] = pd_thread_self();
	tests.meet.began[r] = true;
	tests.front->operate(tests.meet.op[r]);
	tests.meet.ended[r] = true;
	if (tests.name.kind == PD_NAMED_CROSSED && r == 1) {
		cross();
	} else if (tests.name.kind == PD_NAMED_CROSSED) {
		met_crossed();
		tests.meet.over = true;
	} else if (r + 1 == tests.meet.n) {
		met();
		tests.meet.over = true;
	}
	return NULL;
}

static void run_several(void)
{
	pthread_t t[ROLES];

	tests.now.store = tests.now.load = 0;
	tests.holding = (struct pd_sched_holding){.base = pd_sched_default(), .choose = choose};
	pd_sched_use(pd_sched_holding(&tests.holding));
	for (uint32_t r = 0; r < tests.meet.n; r++)
		if (pthread_create(&t[r], NULL, operate, (void *)(uintptr_t)r) != 0)
			pd_rt_fail(4, "cannot make a thread for a test");
	for (uint32_t r = 0; r < tests.meet.n; r++)
		pthread_join(t[r], NULL);
	if (!tests.meet.met)
		return;
	tests.front->look(); /* at the result of the first one continuing with what it knew */
	fail_together(2);
}

/* From `from` on: executes what comes before the operations that have to meet, then these. */
static void bring_together(uint32_t from)
{
	const struct pd_named *t = &tests.name;
	uint32_t n = pd_named_roles(t);
	uint32_t op[ROLES] = {t->op, t->second, t->third}, last = PD_MAX(op[0], op[1]);

	if (n == 3)
		last = PD_MAX(last, op[2]);
	tests.meet.n = n;
	memcpy(tests.meet.op, op, sizeof(op));
	tests.meet.over = true;
	for (uint32_t i = from; i < last; i++)
		if (i != op[0] && i != op[1] && (n == 2 || i != op[2]))
			do_alone(i);
	tests.meet.over = false;
	run_several();
}

static void test_together(struct pd_named name, struct asked asked, uint32_t from)
{
	bool none;

	if (!pd_named_seed(&name)) {
		pd_board_count(board()->unnamed);
		return;
	}
	if (!pd_walker_branch(&none)) {
		if (none)
			pd_board_count(board()->unmade);
		return;
	}
	tests.name = name;
	tests.asked = asked;
	bring_together(from);
	pd_walker_end();
}

static struct pd_named name_of_pair(const struct pd_plan *p, const struct pd_pair *pair)
{
	const struct pd_lp *at = &p->points.v[pair->point];

	return (struct pd_named){
		.kind = PD_NAMED_PAIR, .op = at->op, .store = at->store, .second = pair->op};
}

/* Where the first operation is held: after its store, or, if it reads, after its load. */
static struct asked store_of(const struct pd_plan *p, const struct pd_pair *pair)
{
	const struct pd_lp *at = &p->points.v[pair->point];

	return (struct asked){at->site, at->nth};
}

static struct asked load_of(const struct pd_pair *pair)
{
	return (struct asked){pair->site, pair->nth};
}

static struct asked asked_of_three(const struct pd_plan *p, const struct pd_three *t)
{
	const struct pd_pair *pair = &p->pairs.v[t->pair];

	return t->overtakes ? load_of(pair) : store_of(p, pair);
}

/* The reader stops, and the storing operation overtakes it. */
static struct pd_named reversed(struct pd_named name, uint32_t load)
{
	return (struct pd_named){
		.kind = PD_NAMED_STALE, .op = name.second, .store = load, .second = name.op};
}

static struct pd_named name_of_three(const struct pd_plan *p, const struct pd_three *t)
{
	const struct pd_pair *pair = &p->pairs.v[t->pair];
	struct pd_named name = name_of_pair(p, pair);

	if (t->overtakes)
		name = reversed(name, pair->load);
	name.kind = t->overtakes ? PD_NAMED_OVERTAKEN : PD_NAMED_THREE;
	name.third = t->op;
	return name;
}

/* Tests the pairs whose first operation in the workload is i. */
static void test_pairs(const struct pd_plan *p, uint32_t i)
{
	for (uint32_t k = 0; k < p->pairs.n; k++) {
		const struct pd_pair *pair = &p->pairs.v[k];
		struct pd_named name = name_of_pair(p, pair);

		if (PD_MIN(name.op, name.second) != i)
			continue;
		test_together(name, store_of(p, pair), i);
		name.kind = PD_NAMED_LATE;
		test_together(name, store_of(p, pair), i);
		if (pair->load)
			test_together(reversed(name, pair->load), load_of(pair), i);
	}
	for (uint32_t k = 0; k < p->threes.n; k++) {
		struct pd_named name = name_of_three(p, &p->threes.v[k]);

		if (PD_MIN(PD_MIN(name.op, name.second), name.third) == i)
			test_together(name, asked_of_three(p, &p->threes.v[k]), i);
	}
}

/* The first operation goes on; or one of each entry that comes next in the workload acts on it. */
static void test_crossing(struct pd_named name, uint32_t i)
{
	static const struct asked by_number = {0, 0};
	const struct pd_workload *w = &tests.front->stress->work;
	uint32_t from = PD_MAX(name.op, name.second) + 1;

	name.kind = PD_NAMED_CROSSED;
	test_together(name, by_number, i);
	name.kind = PD_NAMED_THREE;
	for (uint32_t k = from; k < from + NEAR && k < w->ops.n; k++) {
		uint32_t j = from;

		while (w->ops.v[j].entry != w->ops.v[k].entry)
			j++;
		name.third = k;
		if (j == k)
			test_together(name, by_number, i);
	}
}

static void test_crossings(uint32_t i)
{
	const struct pd_board_tests *b = board();

	for (uint32_t k = 0; k < b->ncrossed; k++)
		if (PD_MIN(b->crossed[k].name.op, b->crossed[k].name.second) == i)
			test_crossing(b->crossed[k].name, i);
}

/* ---- all of them ---------------------------------------------------------------------------- */

static void begin(void)
{
	static const struct pd_listener listener = {.wants = PD_EV_BIT(LOAD) | PD_EV_BIT(STORE) |
							     PD_EV_BIT(NTSTORE) | PD_EV_BIT(RMW) |
							     PD_EV_BIT(RMW_FAILED),
						    .event = note_event,
						    .storing = note_length,
						    .loaded = note_load,
						    .persisting = before_persisting};

	tests.now.op = PD_NO_OP;
	pd_acts_begin(tests.front->stress, tests.name.kind == PD_NAMED_PLAN);
	pd_listen_add(&listener);
}

/* Looks at everything, and then makes all durable: what is wrong needs no crash. */
static void look(void)
{
	struct pd_check_test t = {.name = pd_named_seed(&tests.name), .number = 1, .n = 1};

	tests.front->look();
	t.wish[0] = (struct pd_wish){.worst = PD_WORST_MANY};
	pd_check_test(&t, PD_EV_EXIT, 0);
}

static const char *run_all(void)
{
	uint32_t n = tests.front->stress->work.ops.n;

	for (uint32_t i = 0; i < n; i++) {
		if (tests.name.kind == PD_NAMED_TESTS)
			test_pairs(board()->plan, i);
		if (tests.name.kind == PD_NAMED_CROSSES)
			test_crossings(i);
		do_alone(i);
	}
	if (tests.name.kind == PD_NAMED_PLAN || tests.name.kind == PD_NAMED_TESTS)
		pd_acts_finish();
	if (tests.name.kind == PD_NAMED_TESTS)
		board()->unreached += board()->plan->points.n - tests.next;
	if (tests.name.kind == PD_NAMED_LOOK)
		look();
	return NULL;
}

void pd_tests_closed(void)
{
	struct pd_check_test t = {.name = pd_named_seed(&tests.name), .number = 1, .n = 1};

	if (tests.name.kind != PD_NAMED_CLOSE)
		return;
	t.wish[0] = (struct pd_wish){.worst = PD_WORST_MANY};
	pd_check_test(&t, PD_EV_EXIT, 0);
}

const char *pd_tests_run(const struct pd_tests_front *front)
{
	uint32_t n = front->stress->work.ops.n;
	const struct pd_named *t = &tests.name;

	tests.front = front;
	begin();
	if (pd_named_roles(t) < 2)
		return run_all();
	if (t->op >= n || t->second >= n || t->third >= n)
		return "the workload is shorter than the test says";
	bring_together(0);
	return NULL;
}
