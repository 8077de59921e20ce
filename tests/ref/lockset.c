/* lockset.c - see lockset.h. Everything is an array over events; nothing is clever. */
#include "ref/lockset.h"
#include <string.h>

enum { OBJECTS = 64, NEVER = REF_EVENTS };

struct clock {
	uint32_t at[REF_THREADS];
};

struct hold {
	bool held;
	bool shared;
	uint32_t since; /* event */
};

struct run {
	const struct pd_event *e;
	uint32_t n;
	bool init;
	bool recycle;
	struct clock clock[REF_EVENTS]; /* of the event's thread, when the event reads or writes */
	struct clock run[REF_EVENTS];	/* the same, with locks as edges */
	struct hold held[REF_EVENTS][REF_THREADS][REF_LOCKS]; /* before the event */
	struct ref_races *out;
	/* Of each byte */
	uint8_t own[REF_BYTES][REF_EVENTS][2]; /* after the load [0], the store [1]; see below */
	uint8_t after[REF_BYTES][REF_EVENTS];  /* the event */
	/* After an event: who had read the byte before its owner came; NEVER: nobody */
	uint32_t looker[REF_BYTES][REF_EVENTS];
	uint32_t life[REF_BYTES][REF_EVENTS]; /* how often it was recycled, this event included */
	uint32_t end[REF_BYTES][REF_EVENTS];
	bool durable[REF_BYTES][REF_EVENTS];
	uint32_t flush[REF_BYTES][REF_EVENTS];
	bool live[REF_EVENTS][REF_BYTES]; /* this store to this byte tells somebody something */
	struct {
		uint8_t own;
		uint32_t owner, last, looker, life;
	} now[REF_BYTES];
};

enum { NEW, READ, OWNED, UPDATED, INHERITED, RECYCLED, SHARED };

static struct run r;

/* ---- events --------------------------------------------------------------------------------- */

static bool loads(const struct pd_event *e)
{
	return e->kind == PD_EV_LOAD || e->kind == PD_EV_RMW || e->kind == PD_EV_RMW_FAILED;
}

static bool stores(const struct pd_event *e)
{
	return e->kind == PD_EV_STORE || e->kind == PD_EV_NTSTORE || e->kind == PD_EV_RMW;
}

static bool has(const struct pd_event *e, uint32_t byte)
{
	return byte >= e->addr && byte < e->addr + e->size;
}

static bool fences(const struct pd_event *e)
{
	return e->kind == PD_EV_SFENCE || e->kind == PD_EV_MFENCE || e->kind == PD_EV_RMW ||
	       e->kind == PD_EV_RMW_FAILED || e->kind == PD_EV_ATOMIC_RMW ||
	       ((e->kind == PD_EV_STORE || e->kind == PD_EV_ATOMIC_STORE) &&
		e->order == PD_ORDER_SEQ_CST);
}

/* Flushes this line, in effect at the next fence. */
static bool flushes(const struct pd_event *e, uint32_t line)
{
	if (e->kind == PD_EV_CLWB || e->kind == PD_EV_CLFLUSHOPT)
		return e->addr / 64 == line;
	return e->kind == PD_EV_NTSTORE && e->addr / 64 <= line &&
	       (e->addr + e->size - 1) / 64 >= line;
}

/* ---- order ---------------------------------------------------------------------------------- */

struct times {
	struct clock c;	  /* happens-before */
	struct clock run; /* the order of the run */
};

struct object {
	uint64_t key;
	struct times at;
};

static struct {
	struct times t[REF_THREADS];
	struct times promised[REF_THREADS];
	struct clock lock[REF_LOCKS][2]; /* given back by writers, readers */
	bool fenced[REF_THREADS];
	struct object o[OBJECTS];
	uint32_t no;
} now;

static void join_clock(struct clock *a, const struct clock *b)
{
	for (int i = 0; i < REF_THREADS; i++)
		if (b->at[i] > a->at[i])
			a->at[i] = b->at[i];
}

static void join(struct times *a, const struct times *b)
{
	join_clock(&a->c, &b->c);
	join_clock(&a->run, &b->run);
}

static void tick(uint32_t t)
{
	now.t[t].c.at[t]++;
	now.t[t].run.at[t]++;
}

static struct times *object(uint64_t key)
{
	for (uint32_t i = 0; i < now.no; i++)
		if (now.o[i].key == key)
			return &now.o[i].at;
	now.o[now.no].key = key;
	return &now.o[now.no++].at;
}

static bool acq(uint8_t o)
{
	return o == PD_ORDER_ACQUIRE || o == PD_ORDER_CONSUME || o == PD_ORDER_ACQ_REL ||
	       o == PD_ORDER_SEQ_CST;
}

static bool rel(uint8_t o)
{
	return o == PD_ORDER_RELEASE || o == PD_ORDER_ACQ_REL || o == PD_ORDER_SEQ_CST;
}

static void read_atomic(const struct pd_event *e, uint8_t order)
{
	if (acq(order))
		join(&now.t[e->tid], object(e->addr));
	else
		join(&now.promised[e->tid], object(e->addr));
}

static void write_atomic(const struct pd_event *e, bool keeps, uint8_t order)
{
	struct times *o = object(e->addr);

	if (!keeps)
		memset(o, 0, sizeof(*o));
	if (!rel(order) && !now.fenced[e->tid])
		return;
	join(o, &now.t[e->tid]);
	tick(e->tid);
}

static bool was_atomic(uint32_t i, uint64_t word)
{
	for (uint32_t k = 0; k < i; k++) {
		const struct pd_event *e = &r.e[k];

		if (e->addr / 8 == word &&
		    (e->kind == PD_EV_RMW || (e->kind == PD_EV_STORE && e->order != PD_ORDER_NONE)))
			return true;
	}
	return false;
}

/* What the event learns, before it reads. A read-modify-write reads first and learns then. */
static void before(uint32_t i)
{
	const struct pd_event *e = &r.e[i];

	if ((e->kind == PD_EV_LOAD && e->order != PD_ORDER_NONE) || e->kind == PD_EV_RMW_FAILED ||
	    e->kind == PD_EV_ATOMIC_LOAD)
		read_atomic(e, e->order);
	if (e->kind == PD_EV_LOAD && e->order == PD_ORDER_NONE && was_atomic(i, e->addr / 8))
		read_atomic(e, PD_ORDER_ACQUIRE);
	if (e->kind == PD_EV_WAIT)
		join(&now.t[e->tid], object(e->addr));
	if (e->kind == PD_EV_ACQUIRE) {
		join(&now.t[e->tid], object(0x700 + (e->addr & 0xff)));
		join_clock(&now.t[e->tid].run, &now.lock[e->addr & 0xff][0]);
		if (e->aux != PD_LOCK_SHARED)
			join_clock(&now.t[e->tid].run, &now.lock[e->addr & 0xff][1]);
	}
	if (e->kind == PD_EV_THREAD_JOIN)
		join(&now.t[e->tid], &now.t[e->aux]);
	if (e->kind == PD_EV_CFENCE || e->kind == PD_EV_MFENCE) {
		uint8_t order = e->kind == PD_EV_MFENCE ? PD_ORDER_SEQ_CST : e->order;

		now.fenced[e->tid] |= rel(order);
		if (acq(order))
			join(&now.t[e->tid], &now.promised[e->tid]);
	}
}

static void after(uint32_t i)
{
	const struct pd_event *e = &r.e[i];

	if (e->kind == PD_EV_RMW || e->kind == PD_EV_ATOMIC_RMW) {
		read_atomic(e, e->order);
		write_atomic(e, true, e->order);
	}
	if (e->kind == PD_EV_ATOMIC_STORE)
		write_atomic(e, false, e->order);
	if (e->kind == PD_EV_STORE && e->order != PD_ORDER_NONE)
		write_atomic(e, false, e->order);
	else if (e->kind == PD_EV_STORE && was_atomic(i, e->addr / 8))
		write_atomic(e, false, PD_ORDER_RELAXED);
	for (int l = 0; e->kind == PD_EV_SIGNAL && l < REF_LOCKS; l++)
		if (r.held[i][e->tid][l].held)
			join(object(0x700 + (uint64_t)l), &now.t[e->tid]);
	if (e->kind == PD_EV_SIGNAL || e->kind == PD_EV_THREAD_CREATE) {
		join(e->kind == PD_EV_SIGNAL ? object(e->addr) : &now.t[e->aux], &now.t[e->tid]);
		tick(e->tid);
	}
	if (e->kind == PD_EV_RELEASE) {
		join_clock(&now.lock[e->addr & 0xff][r.held[i][e->tid][e->addr & 0xff].shared],
			   &now.t[e->tid].run);
		now.t[e->tid].run.at[e->tid]++;
	}
}

static void order_all(void)
{
	struct hold held[REF_THREADS][REF_LOCKS] = {0};

	memset(&now, 0, sizeof(now));
	for (int t = 0; t < REF_THREADS; t++)
		now.t[t].c.at[t] = now.t[t].run.at[t] = 1;
	for (uint32_t i = 0; i < r.n; i++) {
		const struct pd_event *e = &r.e[i];

		memcpy(r.held[i], held, sizeof(held));
		before(i);
		r.clock[i] = now.t[e->tid].c;
		r.run[i] = now.t[e->tid].run;
		after(i);
		if (e->kind == PD_EV_ACQUIRE)
			held[e->tid][e->addr & 0xff] =
				(struct hold){true, e->aux == PD_LOCK_SHARED, i};
		if (e->kind == PD_EV_RELEASE)
			held[e->tid][e->addr & 0xff].held = false;
	}
}

/* i happens before k, or is in the same thread and not later. */
static bool hb(uint32_t i, uint32_t k)
{
	uint32_t t = r.e[i].tid;

	return t == r.e[k].tid ? i <= k : r.clock[k].at[t] >= r.clock[i].at[t];
}

/* The same in the order of the run. */
static bool run_before(uint32_t i, uint32_t k)
{
	uint32_t t = r.e[i].tid;

	return t == r.e[k].tid ? i <= k : r.run[k].at[t] >= r.run[i].at[t];
}

/* ---- windows -------------------------------------------------------------------------------- */

/* The first flush that this fence completes and that must come after store i; NEVER: none. */
static uint32_t covered_by(uint32_t i, uint32_t fence, uint32_t line)
{
	uint32_t from = 0;

	for (uint32_t k = 0; k < fence; k++)
		if (r.e[k].tid == r.e[fence].tid && fences(&r.e[k]))
			from = k; /* a fence that is a store itself may have a flush, too */
	for (uint32_t k = from; k < fence; k++) {
		bool later = r.e[k].kind == PD_EV_NTSTORE ? k >= i : k > i;

		if (r.e[k].tid == r.e[fence].tid && flushes(&r.e[k], line) && later && hb(i, k))
			return k;
	}
	return NEVER;
}

static void find_end(uint32_t i, uint32_t byte)
{
	r.end[byte][i] = NEVER;
	for (uint32_t j = i + 1; j < r.n; j++) {
		uint32_t k = fences(&r.e[j]) ? covered_by(i, j, byte / 64) : NEVER;

		if (k == NEVER && r.e[j].kind == PD_EV_CLFLUSH && r.e[j].addr / 64 == byte / 64 &&
		    hb(i, j))
			k = j;
		if (k != NEVER || (stores(&r.e[j]) && has(&r.e[j], byte))) {
			r.end[byte][i] = j;
			r.durable[byte][i] = k != NEVER;
			r.flush[byte][i] = k != NEVER ? r.e[k].site : 0;
			return;
		}
	}
}

/* Whether the byte is not durable when event i comes to it. */
static bool undurable(uint32_t i, uint32_t byte)
{
	for (uint32_t s = 0; s < i; s++)
		if (stores(&r.e[s]) && has(&r.e[s], byte) &&
		    (r.end[byte][s] > i || (r.end[byte][s] == i && !r.durable[byte][s])))
			return true;
	return false;
}

/* The last event that was over when the window closed. */
static uint32_t last_before_end(uint32_t i, uint32_t byte)
{
	uint32_t end = r.end[byte][i];

	return end == NEVER ? r.n - 1 : end - r.durable[byte][i];
}

static bool window_counts(uint32_t i, uint32_t byte)
{
	return !r.init || r.after[byte][last_before_end(i, byte)] >= RECYCLED;
}

/* The only thread for which a window counts that closed while its byte had an owner; NEVER:
 * none. */
static uint32_t counts_for(uint32_t i, uint32_t byte)
{
	return r.init ? r.looker[byte][last_before_end(i, byte)] : NEVER;
}

static bool counts_against(uint32_t w, uint32_t k, uint32_t byte)
{
	return window_counts(w, byte) || counts_for(w, byte) == r.e[k].tid;
}

static bool load_counts(uint32_t k, uint32_t byte)
{
	uint8_t own = r.own[byte][k][0];

	return !r.init || (own != OWNED && own != INHERITED && own != RECYCLED);
}

/* ---- helping -------------------------------------------------------------------------------- */

static bool effect_elsewhere(uint32_t j, uint32_t line)
{
	const struct pd_event *e = &r.e[j];

	if (e->kind == PD_EV_RELEASE || e->kind == PD_EV_SIGNAL || e->kind == PD_EV_THREAD_CREATE ||
	    e->kind == PD_EV_THREAD_END || e->kind == PD_EV_ATOMIC_STORE ||
	    e->kind == PD_EV_ATOMIC_RMW)
		return true;
	if (!stores(e))
		return false;
	for (uint32_t b = (uint32_t)e->addr; b < e->addr + e->size; b++)
		if (b / 64 != line && (!r.init || r.live[j][b]))
			return true;
	return false;
}

enum { WAITS, HELPED, COMMITTED };

/* What has become of load i before event `until`. */
static int load_is(uint32_t i, uint32_t byte, uint32_t until)
{
	uint32_t line = byte / 64;
	bool flushed = false;

	for (uint32_t j = i + 1; j < until; j++) {
		const struct pd_event *e = &r.e[j];

		if (e->tid != r.e[i].tid)
			continue;
		if ((flushed && fences(e)) || (e->kind == PD_EV_CLFLUSH && e->addr / 64 == line))
			return HELPED;
		if (effect_elsewhere(j, line))
			return COMMITTED;
		flushed |= flushes(e, line);
	}
	return WAITS;
}

/* ---- owners --------------------------------------------------------------------------------- */

static bool same_locks(uint32_t i, uint32_t k)
{
	for (int l = 0; l < REF_LOCKS; l++) {
		const struct hold *a = &r.held[i][r.e[i].tid][l], *b = &r.held[k][r.e[k].tid][l];

		if (a->held != b->held || (a->held && a->shared != b->shared))
			return false;
	}
	return true;
}

/* Whether the same load was committed before: then this one adds nothing that one could help
 * with. */
static bool is_again(uint32_t k, uint32_t byte)
{
	for (uint32_t j = 0; j < k; j++)
		if (loads(&r.e[j]) && has(&r.e[j], byte) && load_counts(j, byte) &&
		    r.e[j].tid == r.e[k].tid && r.e[j].site == r.e[k].site &&
		    r.clock[j].at[r.e[j].tid] == r.clock[k].at[r.e[k].tid] &&
		    r.life[byte][j] == r.life[byte][k] && same_locks(j, k) &&
		    load_is(j, byte, k) == COMMITTED)
			return true;
	return false;
}

/* A load of this life of the byte stands against event i as the first store of a new owner. */
static bool load_stands(uint32_t k, uint32_t i, uint32_t byte)
{
	if (!loads(&r.e[k]) || !has(&r.e[k], byte) || !load_counts(k, byte))
		return false;
	switch (is_again(k, byte) ? COMMITTED : load_is(k, byte, i)) {
	case HELPED:
		return false;
	case WAITS:
		return true;
	}
	if (r.e[k].tid == r.e[i].tid)
		return r.run[k].at[r.e[k].tid] == r.run[i].at[r.e[k].tid];
	return !run_before(k, i);
}

static bool window_stands(uint32_t w, uint32_t i, uint32_t byte)
{
	if (!stores(&r.e[w]) || !has(&r.e[w], byte) ||
	    !(window_counts(w, byte) ||
	      (counts_for(w, byte) != NEVER && counts_for(w, byte) != r.e[w].tid)))
		return false;
	return !run_before(w, i) || !run_before(r.end[byte][w], i);
}

static bool recycles(uint32_t i, uint32_t byte)
{
	const struct pd_event *e = &r.e[i];
	uint32_t owner = r.now[byte].owner, last = r.now[byte].last;
	uint8_t own = r.now[byte].own;

	if (!r.recycle ||
	    !(e->kind == PD_EV_NTSTORE || (e->kind == PD_EV_STORE && e->order == PD_ORDER_NONE)))
		return false;
	for (int l = 0; l < REF_LOCKS; l++)
		if (r.held[i][e->tid][l].held)
			return false;
	if (own == NEW || undurable(i, byte))
		return false;
	if (own != SHARED &&
	    (owner == e->tid || !run_before(last, i) || (own != RECYCLED && hb(last, i))))
		return false;
	for (uint32_t k = 0; k < i; k++)
		if (r.life[byte][k] == r.now[byte].life &&
		    (own == SHARED ? load_stands(k, i, byte) || window_stands(k, i, byte)
				   : loads(&r.e[k]) && has(&r.e[k], byte) && load_counts(k, byte) &&
					     !is_again(k, byte) && load_is(k, byte, i) == WAITS))
			return false;
	return true;
}

static uint8_t next_own(uint32_t i, uint32_t byte, int store)
{
	uint8_t own = r.now[byte].own;
	uint32_t owner = r.now[byte].owner;

	if (own == NEW)
		return store ? OWNED : READ;
	if (own == SHARED)
		return SHARED;
	if (owner == r.e[i].tid)
		return own == READ && store ? UPDATED : own;
	if (own == RECYCLED || !store || !hb(r.now[byte].last, i) || undurable(i, byte))
		return SHARED;
	if (own != OWNED && own != INHERITED)
		r.now[byte].looker = owner;
	return own == OWNED ? OWNED : INHERITED;
}

static void own_byte(uint32_t i, uint32_t byte)
{
	for (int store = 0; store < 2; store++) {
		if (!has(&r.e[i], byte) || !(store ? stores(&r.e[i]) : loads(&r.e[i])))
			continue;
		if (store && recycles(i, byte)) {
			r.now[byte].own = RECYCLED;
			r.now[byte].life++;
		} else {
			r.now[byte].own = next_own(i, byte, store);
		}
		r.now[byte].owner = r.e[i].tid;
		r.now[byte].last = i;
		r.own[byte][i][store] = r.now[byte].own;
		if (store)
			r.live[i][byte] = r.now[byte].own == SHARED || r.now[byte].own == UPDATED ||
					  r.now[byte].own == INHERITED;
	}
	r.after[byte][i] = r.now[byte].own;
	r.looker[byte][i] = r.now[byte].own == INHERITED ? r.now[byte].looker : NEVER;
	r.life[byte][i] = r.now[byte].life;
}

/* ---- pairs ---------------------------------------------------------------------------------- */

static void add(bool write, uint32_t store, uint32_t other, uint32_t load)
{
	struct ref_race x = {write, store, other, load};

	if (r.out->n < REF_RACES && !ref_races_have(r.out, &x))
		r.out->v[r.out->n++] = x;
}

/* A lock that w's thread held from w to `to`, and that k's thread holds at k, not both as
 * readers. */
static bool excluded(uint32_t w, uint32_t to, uint32_t k)
{
	for (int l = 0; l < REF_LOCKS; l++) {
		const struct hold *a = &r.held[w][r.e[w].tid][l];
		const struct hold *b = &r.held[k][r.e[k].tid][l];
		bool still = to == w || (to != NEVER && r.held[to][r.e[w].tid][l].held &&
					 r.held[to][r.e[w].tid][l].since == a->since);

		if (a->held && still && b->held && !(a->shared && b->shared))
			return true;
	}
	return false;
}

/* Stored to recycled memory: the order of the run counts. */
static bool fresh(uint32_t w, uint32_t byte)
{
	return r.own[byte][w][1] == RECYCLED;
}

static bool before_of(bool run, uint32_t i, uint32_t k)
{
	return run ? run_before(i, k) : hb(i, k);
}

static bool holds_any(uint32_t k)
{
	for (int l = 0; l < REF_LOCKS; l++)
		if (r.held[k][r.e[k].tid][l].held)
			return true;
	return false;
}

/* A lock that was held all the time from w to its end. */
static bool holds_throughout(uint32_t w, uint32_t end)
{
	for (int l = 0; end != NEVER && l < REF_LOCKS; l++) {
		const struct hold *a = &r.held[w][r.e[w].tid][l];
		const struct hold *b = &r.held[end][r.e[w].tid][l];

		if (a->held && b->held && a->since == b->since)
			return true;
	}
	return false;
}

/*
 * No lock in common, and the two have to come close in this run: overwritten before it was durable,
 * and one of them under a lock; or both under locks, the store until it is durable.
 */
static bool must_be_close(uint32_t w, uint32_t k, uint32_t byte)
{
	uint32_t end = r.end[byte][w];

	if (!r.recycle || excluded(w, w, k))
		return false;
	if (end != NEVER && !r.durable[byte][w])
		return holds_any(w) || holds_any(k);
	return holds_throughout(w, end) && holds_any(k);
}

static void judge_load(uint32_t w, uint32_t k, uint32_t byte)
{
	uint32_t end = r.end[byte][w];
	bool run = fresh(w, byte);

	if (r.e[w].tid == r.e[k].tid || before_of(run, k, w))
		return;
	if (end != NEVER && r.e[end].tid == r.e[k].tid &&
	    (end < k || (end == k && r.durable[byte][w])))
		return;
	if (end != NEVER && r.e[end].tid != r.e[k].tid && before_of(run, end, k))
		return;
	if (must_be_close(w, k, byte) &&
	    (run_before(k, w) || (end != NEVER && end != k && run_before(end, k))))
		return;
	if (!excluded(w, end, k))
		add(false, r.e[w].site, r.flush[byte][w], r.e[k].site);
}

static bool is_plain(const struct pd_event *e)
{
	return e->kind == PD_EV_NTSTORE || (e->kind == PD_EV_STORE && e->order == PD_ORDER_NONE);
}

static void judge_stores(uint32_t a, uint32_t b, uint32_t byte)
{
	uint32_t x = r.e[a].site, y = r.e[b].site;

	if (r.e[a].tid == r.e[b].tid ||
	    before_of(r.recycle &&
			      (fresh(a, byte) || fresh(b, byte) || holds_any(a) || holds_any(b)),
		      a, b) ||
	    r.e[a].kind == PD_EV_RMW || r.e[b].kind == PD_EV_RMW ||
	    (!is_plain(&r.e[a]) && !is_plain(&r.e[b])))
		return;
	if (!excluded(a, a, b))
		add(true, x < y ? x : y, x < y ? y : x, 0);
}

static void judge_byte(uint32_t byte)
{
	for (uint32_t w = 0; w < r.n; w++) {
		if (!stores(&r.e[w]) || !has(&r.e[w], byte))
			continue;
		for (uint32_t k = 0; k < r.n; k++) {
			if (r.life[byte][w] != r.life[byte][k])
				continue;
			if (loads(&r.e[k]) && has(&r.e[k], byte) && load_counts(k, byte) &&
			    counts_against(w, k, byte) &&
			    (load_is(k, byte, r.n) != HELPED || is_again(k, byte)))
				judge_load(w, k, byte);
			if (k > w && stores(&r.e[k]) && has(&r.e[k], byte) &&
			    counts_against(w, k, byte) && counts_against(k, w, byte))
				judge_stores(w, k, byte);
		}
	}
}

void ref_lockset(const struct pd_event *e, uint32_t n, enum ref_rules rules, struct ref_races *out)
{
	memset(&r, 0, sizeof(r));
	memset(out, 0, sizeof(*out));
	r.e = e;
	r.n = n;
	r.init = rules >= REF_INIT;
	r.recycle = rules == REF_RECYCLE;
	r.out = out;
	order_all();
	for (uint32_t b = 0; b < REF_BYTES; b++)
		for (uint32_t i = 0; i < n; i++)
			if (stores(&e[i]) && has(&e[i], b))
				find_end(i, b);
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t b = 0; b < REF_BYTES; b++)
			own_byte(i, b);
	for (uint32_t b = 0; b < REF_BYTES; b++)
		judge_byte(b);
}
