/* lockset_test.c - the lockset engine on events written by hand, on very many ones, and without
 * memory. */
#include "unit/lockset_bench.h"

enum { A = 1, B = 2 }; /* locks */
enum { X = 0x40, Y = 0x80, Z = 0xc0 };

static void ev(struct bench *b, uint32_t tid, enum pd_event_kind kind, uint64_t addr, uint64_t size,
	       uint32_t place, uint8_t order, uint64_t aux, uint64_t value)
{
	struct pd_event e = {.kind = (uint8_t)kind,
			     .order = order,
			     .tid = (uint16_t)tid,
			     .site = place,
			     .addr = addr,
			     .size = size,
			     .aux = aux,
			     .data = &value};

	give(b, &e);
}

static void st(struct bench *b, uint32_t t, uint64_t addr, uint32_t place)
{
	ev(b, t, PD_EV_STORE, addr, 8, place, PD_ORDER_NONE, 0, 1);
}

static void ld(struct bench *b, uint32_t t, uint64_t addr, uint32_t place)
{
	ev(b, t, PD_EV_LOAD, addr, 8, place, PD_ORDER_NONE, 0, 1);
}

static void persist(struct bench *b, uint32_t t, uint64_t addr, uint32_t place)
{
	ev(b, t, PD_EV_CLWB, addr & ~63ULL, 64, place, PD_ORDER_NONE, 0, 0);
	ev(b, t, PD_EV_SFENCE, 0, 0, place, PD_ORDER_NONE, 0, 0);
}

static void lock_as(struct bench *b, uint32_t t, uint64_t l, enum pd_lock_mode mode)
{
	ev(b, t, PD_EV_ACQUIRE, l | PD_ADDR_OUTSIDE, 0, 90, PD_ORDER_NONE, mode, 0);
}

static void lock(struct bench *b, uint32_t t, uint64_t l)
{
	lock_as(b, t, l, PD_LOCK_EXCLUSIVE);
}

static void unlock(struct bench *b, uint32_t t, uint64_t l)
{
	ev(b, t, PD_EV_RELEASE, l | PD_ADDR_OUTSIDE, 0, 91, PD_ORDER_NONE, 0, 0);
}

/* A compare-and-swap or exchange of the word at addr. */
static void cas(struct bench *b, uint32_t t, uint64_t addr, uint32_t place, uint64_t from,
		uint64_t to)
{
	ev(b, t, addr & PD_ADDR_OUTSIDE ? PD_EV_ATOMIC_RMW : PD_EV_RMW, addr, 8, place,
	   PD_ORDER_SEQ_CST, from + 1, to);
}

static void put(struct bench *b, uint32_t t, uint64_t addr, uint32_t place, uint64_t v)
{
	ev(b, t, addr & PD_ADDR_OUTSIDE ? PD_EV_ATOMIC_STORE : PD_EV_STORE, addr, 8, place,
	   PD_ORDER_RELEASE, 0, v);
}

/* Two threads that have both been at X, so that it is shared. */
static void share(struct bench *b)
{
	ev(b, 0, PD_EV_THREAD_CREATE, 0, 0, 0, PD_ORDER_NONE, 1, 0);
	ev(b, 0, PD_EV_THREAD_CREATE, 0, 0, 0, PD_ORDER_NONE, 2, 0);
	ld(b, 1, X, 80);
	ld(b, 2, X, 81);
}

static bool found(const struct bench *b, uint32_t store, uint32_t other, uint32_t load)
{
	for (uint32_t i = 0; i < b->f.races.n; i++) {
		const struct ref_race *x = &b->f.races.v[i];

		if (x->store == store && x->other == other && x->load == load)
			return true;
	}
	return false;
}

/* Every load of a store is told, however many there are. */
static void many_loads(void **state)
{
	struct bench b;

	(void)state;
	assert_true(start(&b, ""));
	share(&b);
	st(&b, 1, X, 10);
	for (uint32_t i = 0; i < 40; i++)
		ld(&b, 2, X, 100 + i);
	persist(&b, 1, X, 20);
	finish(&b);
	for (uint32_t i = 0; i < 40; i++)
		assert_true(found(&b, 10, 20, 100 + i));
}

/* On x86 who plainly loads what a locked instruction has published comes after what was done before
 * that, also if it has loaded the word before; a store that is durable only later is a race all the
 * same. */
static void published_by_exchange(void **state)
{
	(void)state;
	for (int loads = 0; loads < 2; loads++) {
		struct bench b;

		assert_true(start(&b, ""));
		share(&b);
		for (int i = 0; i < 3; i++)
			ld(&b, 2, Y, 30);
		ld(&b, 1, Y, 31);
		put(&b, 2, Z, 32, 1); /* others may know now what it has loaded */
		ld(&b, 2, Y, 30);
		st(&b, 1, X, 10);
		persist(&b, 1, X, 20);
		cas(&b, 1, Y, 21, 1, 2);
		st(&b, 1, X, 11);
		persist(&b, 1, X, 22);
		if (loads)
			ld(&b, 2, Y, 30);
		ld(&b, 2, X, 40);
		finish(&b);
		assert_int_equal(found(&b, 10, 20, 40), !loads);
		assert_true(found(&b, 11, 22, 40));
	}
}

/* More locks than a set has room for: what is not seen of them is a loss. */
static void many_locks(void **state)
{
	for (uint32_t n = 256; n <= 257; n++) {
		struct bench b;

		(void)state;
		assert_true(start(&b, ""));
		share(&b);
		for (uint32_t i = 0; i < n; i++)
			lock(&b, 1, A + 8 * i);
		st(&b, 1, X, 10);
		persist(&b, 1, X, 20);
		finish(&b);
		assert_int_equal(b.f.losses, n > 256);
	}
}

/* HawkSet Fig. 4.2a, 4.3a: the lock is given back before the persist. */
static void persist_outside(void **state)
{
	struct bench b;

	(void)state;
	assert_true(start(&b, ""));
	share(&b);
	lock(&b, 1, A);
	st(&b, 1, X, 10);
	unlock(&b, 1, A);
	persist(&b, 1, X, 20);
	lock(&b, 2, A);
	ld(&b, 2, X, 30);
	unlock(&b, 2, A);
	finish(&b);
	assert_true(found(&b, 10, 20, 30));
}

/* The same of what recovery does not need is no race; next to it, it is one. */
static void transient_data(void **state)
{
	struct bench b;

	(void)state;
	assert_true(start(&b, ""));
	share(&b);
	ld(&b, 1, X + 8, 82);
	ld(&b, 2, X + 8, 83);
	ev(&b, 1, PD_EV_TRANSIENT, X, 8, 5, PD_ORDER_NONE, 0, 0);
	for (uint32_t i = 0; i < 2; i++) {
		lock(&b, 1, A);
		st(&b, 1, X + 8 * i, 10 + i);
		unlock(&b, 1, A);
		persist(&b, 1, X + 8 * i, 20 + i);
		lock(&b, 2, A);
		ld(&b, 2, X + 8 * i, 30 + i);
		unlock(&b, 2, A);
	}
	finish(&b);
	assert_false(found(&b, 10, 20, 30));
	assert_true(found(&b, 11, 21, 31));
}

/* What the program vouches for is durable: only what is stored afterwards can be a race. */
static void clean_data(void **state)
{
	struct bench b;

	(void)state;
	assert_true(start(&b, ""));
	share(&b);
	ld(&b, 1, X + 8, 82);
	ld(&b, 2, X + 8, 83);
	st(&b, 1, X, 10);
	st(&b, 1, X + 8, 11);
	ev(&b, 1, PD_EV_CLEAN, X, 8, 5, PD_ORDER_NONE, 0, 0);
	ld(&b, 2, X, 30);
	ld(&b, 2, X + 8, 31);
	st(&b, 1, X, 12);
	persist(&b, 1, X, 20);
	finish(&b);
	assert_false(found(&b, 10, 20, 30));
	assert_false(found(&b, 10, 0, 30));
	assert_true(found(&b, 11, 20, 31));
	assert_true(found(&b, 12, 20, 30));
}

/*
 * Memory that is given to another thread under a lock begins anew: its owner stores to it under a
 * lock of its own. What was done before is still judged, and so is what the new owner publishes
 * before it is durable.
 */
static void allocated_again(void **state)
{
	(void)state;
	for (int told = 0; told < 2; told++) {
		struct bench b;

		assert_true(start(&b, ""));
		share(&b);
		st(&b, 1, X, 10);
		ld(&b, 2, X, 30);
		lock(&b, 2, B);
		unlock(&b, 2, B); /* others may notice what it has read */
		lock(&b, 1, A);
		if (told)
			ev(&b, 1, PD_EV_FREED, X, 0, 5, PD_ORDER_NONE, 0, 0); /* never allocated */
		unlock(&b, 1, A);
		lock(&b, 2, A);
		if (told)
			ev(&b, 2, PD_EV_ALLOCATED, X, 64, 6, PD_ORDER_NONE, 0, 0);
		lock(&b, 2, B);
		st(&b, 2, X, 11);
		persist(&b, 2, X, 20);
		st(&b, 2, X, 12);
		unlock(&b, 2, B);
		unlock(&b, 2, A);
		lock(&b, 1, A);
		ld(&b, 1, X, 31);
		unlock(&b, 1, A);
		persist(&b, 2, X, 21);
		finish(&b);
		assert_true(found(&b, 10, 0, 30));
		assert_false(found(&b, 11, 20, 31));
		assert_true(found(&b, 12, 21, 31));
		assert_int_equal(found(&b, 10, 0, 80), 0);
		assert_int_equal(found(&b, 11, 20, 80), !told);
	}
}

/* HawkSet Fig. 4.2b, 4.3b: given back and taken again. */
static void taken_again(void **state)
{
	struct bench b;

	(void)state;
	assert_true(start(&b, ""));
	share(&b);
	lock(&b, 1, A);
	st(&b, 1, X, 10);
	unlock(&b, 1, A);
	lock(&b, 1, A);
	persist(&b, 1, X, 20);
	unlock(&b, 1, A);
	lock(&b, 2, A);
	ld(&b, 2, X, 30);
	unlock(&b, 2, A);
	finish(&b);
	assert_true(found(&b, 10, 20, 30));
}

static void persist_inside(void **state)
{
	struct bench b;

	(void)state;
	assert_true(start(&b, ""));
	ev(&b, 0, PD_EV_THREAD_CREATE, 0, 0, 0, PD_ORDER_NONE, 1, 0);
	ev(&b, 0, PD_EV_THREAD_CREATE, 0, 0, 0, PD_ORDER_NONE, 2, 0);
	for (uint32_t t = 1; t <= 2; t++) {
		lock(&b, t, A);
		ld(&b, t, X, 30);
		st(&b, t, X, 10);
		persist(&b, t, X, 20);
		unlock(&b, t, A);
	}
	finish(&b);
	assert_int_equal(b.f.races.n, 0);
}

static void readers_and_writers(void **state)
{
	static const struct {
		enum pd_lock_mode store, load;
		bool race;
	} cases[] = {{PD_LOCK_EXCLUSIVE, PD_LOCK_SHARED, false},
		     {PD_LOCK_SHARED, PD_LOCK_EXCLUSIVE, false},
		     {PD_LOCK_SHARED, PD_LOCK_SHARED, true}};

	(void)state;
	for (size_t i = 0; i < PD_LEN(cases); i++) {
		struct bench b;

		assert_true(start(&b, ""));
		ev(&b, 0, PD_EV_THREAD_CREATE, 0, 0, 0, PD_ORDER_NONE, 1, 0);
		ev(&b, 0, PD_EV_THREAD_CREATE, 0, 0, 0, PD_ORDER_NONE, 2, 0);
		lock_as(&b, 2, A, cases[i].load);
		ld(&b, 2, X, 30);
		unlock(&b, 2, A);
		lock_as(&b, 1, A, cases[i].store);
		st(&b, 1, X, 10);
		persist(&b, 1, X, 20);
		unlock(&b, 1, A);
		finish(&b);
		assert_int_equal(b.f.races.n, cases[i].race);
	}
}

/* HawkSet Fig. 4.4, and past it: a store before create is a race if it is not durable by then. */
static void created_after(void **state)
{
	(void)state;
	for (int durable = 0; durable < 2; durable++) {
		struct bench b;

		assert_true(start(&b, ""));
		st(&b, 0, X, 10);
		if (durable)
			persist(&b, 0, X, 20);
		ev(&b, 0, PD_EV_THREAD_CREATE, 0, 0, 0, PD_ORDER_NONE, 1, 0);
		ld(&b, 1, X, 30);
		ev(&b, 1, PD_EV_THREAD_END, 0, 0, 0, PD_ORDER_NONE, 0, 0);
		ev(&b, 0, PD_EV_THREAD_JOIN, 0, 0, 0, PD_ORDER_NONE, 1, 0);
		persist(&b, 0, X, 21);
		st(&b, 0, X, 11);
		finish(&b);
		assert_int_equal(found(&b, 10, 21, 30), !durable);
		assert_false(found(&b, 11, 0, 30));
	}
}

static void initialisation(void **state)
{
	(void)state;
	for (int init = 0; init < 2; init++) {
		struct bench b;

		assert_true(start(&b, init ? "" : "init=0"));
		ev(&b, 0, PD_EV_THREAD_CREATE, 0, 0, 0, PD_ORDER_NONE, 1, 0);
		ev(&b, 0, PD_EV_THREAD_CREATE, 0, 0, 0, PD_ORDER_NONE, 2, 0);
		st(&b, 1, X, 10); /* durable before it is published: removed */
		persist(&b, 1, X, 20);
		st(&b, 1, Y, 11); /* not durable when it is published: stays */
		lock(&b, 1, A);
		unlock(&b, 1, A);
		lock(&b, 2, A);
		unlock(&b, 2, A);
		ld(&b, 2, X, 30);
		ld(&b, 2, Y, 31);
		persist(&b, 1, Y, 21);
		finish(&b);
		assert_int_equal(found(&b, 10, 20, 30), !init);
		assert_true(found(&b, 11, 21, 31));
	}
}

static void helping(void **state)
{
	(void)state;
	for (int helps = 0; helps < 2; helps++) {
		struct bench b;

		assert_true(start(&b, ""));
		share(&b);
		ld(&b, 1, Y, 82);
		ld(&b, 2, Y, 83);
		ev(&b, 1, PD_EV_RMW, X, 8, 10, PD_ORDER_SEQ_CST, 0, 5);
		ev(&b, 2, PD_EV_LOAD, X, 8, 30, PD_ORDER_ACQUIRE, 0, 5);
		if (helps)
			persist(&b, 2, X, 21);
		st(&b, 2, Y, 11);
		persist(&b, 2, Y, 22);
		persist(&b, 1, X, 20);
		finish(&b);
		assert_int_equal(found(&b, 10, 20, 30) || found(&b, 10, 21, 30), !helps);
		assert_true(b.f.helped > 0);
	}
}

/* As many loads as it takes until the store is there: only then there is something to help with. */
static void waiting(void **state)
{
	(void)state;
	for (int helps = 0; helps < 2; helps++) {
		struct bench b;

		assert_true(start(&b, ""));
		share(&b);
		for (int i = 0; i < 1000; i++) {
			ld(&b, 2, X, 30);
			ld(&b, 2, Y, 31);
		}
		st(&b, 1, X, 10);
		ld(&b, 2, X, 30);
		if (helps)
			persist(&b, 2, X, 21);
		st(&b, 2, Y, 11);
		persist(&b, 2, Y, 22);
		persist(&b, 1, X, 20);
		finish(&b);
		assert_int_equal(found(&b, 10, 20, 30), !helps);
	}
}

static bool is_known(struct bench *b, uint64_t addr, uint64_t size, uint32_t place)
{
	return pd_known_load(b->o->known, pd_known_thread(b->o->known, 1), addr, size, place);
}

/* What front ends need not tell: the same bytes, place, locks and epoch, of what is shared. */
static void known_loads(void **state)
{
	struct bench b;

	(void)state;
	assert_true(start(&b, ""));
	share(&b);
	for (int i = 0; i < 2; i++) {
		lock(&b, 1, A);
		ev(&b, 1, PD_EV_LOAD, X, 4, 30, PD_ORDER_NONE, 0, 0);
		assert_int_equal(is_known(&b, X, 4, 30), i); /* nobody can have noticed it before */
		unlock(&b, 1, A);
		assert_false(is_known(&b, X, 4, 30));
	}
	lock(&b, 1, A);
	assert_true(is_known(&b, X + 1, 2, 30));
	assert_false(is_known(&b, X + 1, 4, 30));
	assert_false(is_known(&b, X + 4, 4, 30));
	assert_false(is_known(&b, X, 4, 31));
	assert_false(is_known(&b, Y, 4, 30));
	assert_false(pd_known_load(b.o->known, pd_known_thread(b.o->known, 2), X, 4, 30));
	lock(&b, 1, B);
	assert_false(is_known(&b, X, 4, 30));
	unlock(&b, 1, B);
	assert_true(is_known(&b, X, 4, 30));
	ev(&b, 1, PD_EV_SIGNAL, 0x500 | PD_ADDR_OUTSIDE, 0, 0, PD_ORDER_NONE, 0, 0);
	assert_false(is_known(&b, X, 4, 30));
	unlock(&b, 1, A);
	finish(&b);
}

static void load_locked(struct bench *b, uint32_t t, uint64_t addr, uint32_t place)
{
	lock(b, t, A);
	ev(b, t, PD_EV_LOAD, addr, 8, place, PD_ORDER_NONE, 0, 0);
	unlock(b, t, A);
}

/* More places, threads and locks than have room beside a line of PM: known all the same, and
 * nothing else is. */
static void known_by_many(void **state)
{
	enum { THREADS = 40, PLACES = 6, GENERATIONS = 3000 };
	struct bench b;

	(void)state;
	assert_true(start(&b, ""));
	share(&b);
	for (uint32_t t = 3; t < THREADS; t++)
		ev(&b, 0, PD_EV_THREAD_CREATE, 0, 0, 0, PD_ORDER_NONE, t, 0);
	for (uint32_t p = 0; p < PLACES; p++)
		for (uint32_t t = 1; t < THREADS; t++)
			load_locked(&b, t, X, 30 + p);
	for (uint32_t t = 1; t < THREADS; t++) {
		const struct pd_known_thread *k = pd_known_thread(b.o->known, t);

		lock(&b, t, A);
		for (uint32_t p = 0; p < PLACES; p++) {
			assert_true(pd_known_load(b.o->known, k, X, 8, 30 + p));
			assert_false(pd_known_load(b.o->known, k, X + 8, 8, 30 + p));
		}
		assert_false(pd_known_load(b.o->known, k, X, 8, 30 + PLACES));
		unlock(&b, t, A);
		lock(&b, t, B);
		assert_false(pd_known_load(b.o->known, k, X, 8, 30));
		unlock(&b, t, B);
	}
	/* Each epoch takes a bit; those of long ago have come round. */
	for (uint32_t i = 0; i < GENERATIONS * 64; i++) {
		ev(&b, 1, PD_EV_SIGNAL, 0x500 | PD_ADDR_OUTSIDE, 0, 0, PD_ORDER_NONE, 0, 0);
		assert_false(is_known(&b, X, 8, 30));
		if (i % 16 == 0)
			load_locked(&b, 1, X, 30);
	}
	finish(&b);
}

static void edge(struct bench *b, uint32_t from, uint32_t to, uint64_t object)
{
	ev(b, from, PD_EV_SIGNAL, object | PD_ADDR_OUTSIDE, 0, 0, PD_ORDER_NONE, 0, 0);
	ev(b, to, PD_EV_WAIT, object | PD_ADDR_OUTSIDE, 0, 0, PD_ORDER_NONE, 0, 0);
}

/* A load and a store come again as they were, but not ordered any more: with few sets of locks and
 * many. */
static void later_again(void **state)
{
	(void)state;
	for (uint32_t n = 1; n < 40; n += 19) {
		struct bench b;

		assert_true(start(&b, ""));
		share(&b);
		for (uint32_t i = 0; i < n; i++) {
			lock(&b, 2, 100 + i);
			ld(&b, 2, X, 30);
			unlock(&b, 2, 100 + i);
		}
		edge(&b, 2, 1, 0x500);
		st(&b, 1, X, 10);
		persist(&b, 1, X, 20);
		edge(&b, 1, 2, 0x501);
		lock(&b, 2, 99 + n);
		ld(&b, 2, X, 30);
		unlock(&b, 2, 99 + n);
		assert_false(found(&b, 10, 20, 30));
		st(&b, 1, X, 10);
		persist(&b, 1, X, 20);
		finish(&b);
		assert_true(found(&b, 10, 20, 30));
	}
}

static void many_threads(void **state)
{
	struct bench b;

	(void)state;
	assert_true(start(&b, ""));
	for (uint32_t t = 1; t < 300; t++)
		ev(&b, 0, PD_EV_THREAD_CREATE, 0, 0, 0, PD_ORDER_NONE, t, 0);
	for (uint32_t t = 1; t < 298; t++)
		ld(&b, t, Y, 30);
	ld(&b, 299, X, 31);
	st(&b, 298, X, 10);
	persist(&b, 298, X, 20);
	finish(&b);
	assert_int_equal(b.f.races.n, 1);
	assert_true(found(&b, 10, 20, 31));
}

/* ---- locks made of atomics ------------------------------------------------------------------ */

static void spin(struct bench *b, uint32_t t, uint64_t l, bool inside)
{
	cas(b, t, l, 40, 0, 1);
	ld(b, t, X, 30);
	st(b, t, X, 10);
	if (inside)
		persist(b, t, X, 20);
	put(b, t, l, 41, 0);
	if (!inside)
		persist(b, t, X, 20);
}

static void spin_locks(void **state)
{
	(void)state;
	for (int pm = 0; pm < 2; pm++)
		for (int inside = 0; inside < 2; inside++) {
			uint64_t l = pm ? Z : 0x1000 | PD_ADDR_OUTSIDE;
			struct bench b;

			assert_true(start(&b, ""));
			ev(&b, 0, PD_EV_THREAD_CREATE, 0, 0, 0, PD_ORDER_NONE, 1, 0);
			ev(&b, 0, PD_EV_THREAD_CREATE, 0, 0, 0, PD_ORDER_NONE, 2, 0);
			for (int i = 0; i < 4; i++)
				spin(&b, 1 + (uint32_t)i % 2, l, inside);
			finish(&b);
			assert_int_equal(found(&b, 10, 20, 30), !inside);
			assert_int_equal(b.f.races.n, !inside);
		}
}

/* One bit of a version is the lock, and the version is another one afterwards. */
static void version_locks(void **state)
{
	(void)state;
	for (int inside = 0; inside < 2; inside++) {
		struct bench b;

		assert_true(start(&b, ""));
		ev(&b, 0, PD_EV_THREAD_CREATE, 0, 0, 0, PD_ORDER_NONE, 1, 0);
		ev(&b, 0, PD_EV_THREAD_CREATE, 0, 0, 0, PD_ORDER_NONE, 2, 0);
		for (uint64_t i = 0; i < 6; i++) {
			uint32_t t = 1 + (uint32_t)i % 2;

			cas(&b, t, Z, 40, 4 * i, 4 * i + 2);
			ld(&b, t, X, 30);
			st(&b, t, X, 10);
			if (inside)
				persist(&b, t, X, 20);
			put(&b, t, Z, 41, 4 * i + 4);
			if (!inside)
				persist(&b, t, X, 20);
		}
		finish(&b);
		assert_int_equal(found(&b, 10, 20, 30), !inside);
		assert_int_equal(b.f.races.n, !inside);
	}
}

static void add_to(struct bench *b, uint32_t t, uint64_t addr, uint32_t place, uint64_t result)
{
	ev(b, t, PD_EV_RMW, addr, 8, place, PD_ORDER_SEQ_CST, 0, result);
}

/* Flags in the word of a version lock: one set before it is taken for the first time, by an
 * exchange or not, one while it is taken, once it is known. What is stored between the flag and the
 * lock is not under the lock. */
static void flags_of_locks(void **state)
{
	enum { FLAG = 0x80, OTHER = 0x40 };
	uint64_t v = FLAG | OTHER;

	(void)state;
	for (int inside = 0; inside < 2; inside++)
		for (int way = 0; way < 2; way++) {
			struct bench b;

			assert_true(start(&b, ""));
			ev(&b, 0, PD_EV_THREAD_CREATE, 0, 0, 0, PD_ORDER_NONE, 1, 0);
			ev(&b, 0, PD_EV_THREAD_CREATE, 0, 0, 0, PD_ORDER_NONE, 2, 0);
			ld(&b, 2, Y, 30);
			cas(&b, 1, Z, 42, 0, OTHER);
			if (way)
				cas(&b, 1, Z, 43, OTHER, v);
			else
				add_to(&b, 1, Z, 43, v);
			st(&b, 1, Y, 11);
			persist(&b, 1, Y, 21);
			for (uint64_t i = 0; i < 6; i++) {
				uint32_t t = 1 + (uint32_t)i % 2;

				cas(&b, t, Z, 40, v + 2 * i, v + 2 * i + 1);
				ld(&b, t, X, 30);
				st(&b, t, X, 10);
				if (i) {
					add_to(&b, 3 - t, Z, 44, (v ^ OTHER) + 2 * i + 1);
					add_to(&b, 3 - t, Z, 45, v + 2 * i + 1);
				}
				if (inside)
					persist(&b, t, X, 20);
				if (i == 1)
					ld(&b, t, Y, 31);
				put(&b, t, Z, 41, v + 2 * i + 2);
				if (!inside)
					persist(&b, t, X, 20);
			}
			finish(&b);
			assert_int_equal(found(&b, 10, 20, 30), !inside);
			assert_true(found(&b, 11, 21, 30));
			assert_true(found(&b, 11, 21, 31));
			assert_int_equal(b.f.races.n, 2 + !inside);
		}
}

static void two_threads(struct bench *b)
{
	assert_true(start(b, ""));
	ev(b, 0, PD_EV_THREAD_CREATE, 0, 0, 0, PD_ORDER_NONE, 1, 0);
	ev(b, 0, PD_EV_THREAD_CREATE, 0, 0, 0, PD_ORDER_NONE, 2, 0);
}

/* Z is the next number, Z + 8 the one that is served. Somebody may look at that without having
 * drawn one: it is data then, and not durable. */
static void ticket_locks(void **state)
{
	(void)state;
	for (int inside = 0; inside < 2; inside++)
		for (int read = 0; read < 2; read++) {
			struct bench b;

			two_threads(&b);
			for (uint64_t i = 0; i < 6; i++) {
				uint32_t t = 1 + (uint32_t)i % 2;

				add_to(&b, t, Z, 40, i + 1);
				ev(&b, t, PD_EV_LOAD, Z + 8, 8, 42, PD_ORDER_ACQUIRE, 0, i);
				ld(&b, t, X, 30);
				st(&b, t, X, 10);
				if (inside)
					persist(&b, t, X, 20);
				put(&b, t, Z + 8, 41, i + 1);
				if (!inside)
					persist(&b, t, X, 20);
				if (read && t == 1)
					ld(&b, 2, Z + 8, 50);
			}
			finish(&b);
			assert_int_equal(found(&b, 10, 20, 30), !inside);
			assert_int_equal(found(&b, 41, 0, 50), read);
			if (!read)
				assert_int_equal(b.f.races.n, !inside);
		}
}

/* Ordinary binaries show plain loads and stores: then the two numbers lie side by side. Both
 * threads draw before either stores, so that drawing orders nothing here. */
static void plain_tickets(void **state)
{
	(void)state;
	for (int inside = 0; inside < 2; inside++)
		for (uint64_t served = Z + 8; served <= Z + 16; served += 8) {
			struct bench b;

			two_threads(&b);
			for (uint64_t i = 0; i < 8; i++) {
				uint32_t t = 1 + (uint32_t)i % 2;

				for (uint64_t k = i; k < i + 2 && t == 1; k++)
					add_to(&b, 1 + (uint32_t)k % 2, Z, 40, k + 1);
				ev(&b, t, PD_EV_LOAD, served, 8, 42, PD_ORDER_NONE, 0, i);
				if (t == 2)
					ld(&b, t, X, 30);
				else
					st(&b, t, X, 10);
				if (t == 1 && inside)
					persist(&b, t, X, 20);
				ev(&b, t, PD_EV_STORE, served, 8, 41, PD_ORDER_NONE, 0, i + 1);
				if (t == 1 && !inside)
					persist(&b, t, X, 20);
			}
			finish(&b);
			assert_int_equal(found(&b, 10, 20, 30), !inside || served > Z + 8);
		}
}

/* Two places that take a word from 0 alone, and count themselves in by 2. */
enum { ALONE = 1, COUNTED = 2 };

static void count_readers(struct bench *b, bool inside, bool looks)
{
	uint64_t there = 0;

	two_threads(b);
	for (int i = 0; i < 4; i++) {
		cas(b, 1, Z, 40, there, there + ALONE);
		there += ALONE;
		add_to(b, 2, Z, 43, there + COUNTED); /* in vain */
		if (looks)
			ld(b, 2, X, 30);
		add_to(b, 2, Z, 44, there);
		st(b, 1, X, 10);
		if (inside)
			persist(b, 1, X, 20);
		there -= ALONE;
		add_to(b, 1, Z, 41, there);
		if (!inside)
			persist(b, 1, X, 20);
		add_to(b, 2, Z, 43, there + COUNTED);
		add_to(b, 1, Z, 43, there + 2 * COUNTED);
		ld(b, 2, X, 31);
		add_to(b, 2, Z, 44, there + COUNTED);
		add_to(b, 1, Z, 44, there);
	}
	finish(b);
}

static void counts_of_readers(void **state)
{
	struct bench b;

	(void)state;
	count_readers(&b, true, false);
	assert_int_equal(b.f.races.n, 0);
	count_readers(&b, false, false);
	assert_int_equal(b.f.races.n, 1);
	assert_true(found(&b, 10, 20, 31));
	/* Who does not look whether somebody has it alone has no lock */
	count_readers(&b, true, true);
	assert_true(found(&b, 10, 20, 30));
}

/* Readers that come in by compare-and-swap; one of them stores. */
static void counted_by_exchange(void **state)
{
	struct bench b;

	(void)state;
	two_threads(&b);
	for (int i = 0; i < 3; i++) {
		cas(&b, 1, Z, 40, 0, 2);
		cas(&b, 2, Z, 40, 2, 4);
		st(&b, 1, X, 10);
		persist(&b, 1, X, 20);
		ld(&b, 2, X, 30);
		cas(&b, 2, Z, 41, 4, 2);
		cas(&b, 1, Z, 41, 2, 0);
	}
	finish(&b);
	assert_true(found(&b, 10, 20, 30));
}

static uint8_t look_order = PD_ORDER_RELAXED;

static void look(struct bench *b, uint32_t t, uint32_t place, uint64_t v)
{
	ev(b, t, PD_EV_LOAD, Z, 8, place, look_order, 0, v);
}

static void acts(struct bench *b, uint32_t t)
{
	ev(b, t, PD_EV_SIGNAL, 0x2000 + t, 0, 0, PD_ORDER_NONE, 0, 0);
	st(b, t, Y, 60);
}

/* A writer with a version lock, persisting inside, and a reader that looks before and after. */
static void writes_version(struct bench *b, uint64_t from, bool inside)
{
	cas(b, 1, Z, 40, from, from + 1);
	st(b, 1, X, 10);
	if (inside)
		persist(b, 1, X, 20);
	put(b, 1, Z, 41, from + 2);
	if (!inside)
		persist(b, 1, X, 20);
}

enum looking {
	LOOK_TWICE,
	LOOK_BEFORE,   /* and never again */
	LOOK_AFTER,    /* only */
	LOOK_TOO_LATE, /* what was read is acted on before */
	LOOK_CHANGED,  /* another version: read again */
	LOOK_WAITING,  /* at one place, until the version is another one */
	LOOK_SWAPPED,  /* the second look takes the lock */
	LOOKING,
};

static void reads_version(struct bench *b, uint64_t v, enum looking how)
{
	if (how != LOOK_AFTER)
		look(b, 2, 50, v);
	ld(b, 2, X, 30);
	if (how == LOOK_TOO_LATE)
		acts(b, 2);
	if (how == LOOK_SWAPPED)
		cas(b, 2, Z, 52, v, v + 1);
	else if (how != LOOK_BEFORE)
		look(b, 2, how == LOOK_WAITING ? 50 : 51,
		     how == LOOK_CHANGED || how == LOOK_WAITING ? v + 2 : v);
	acts(b, 2);
	if (how == LOOK_SWAPPED)
		put(b, 2, Z, 41, v + 2);
}

static void looks(void **state)
{
	(void)state;
	for (enum looking how = 0; how < LOOKING; how++)
		for (int inside = 0; inside < 2; inside++)
			for (int first = 0; first < 2; first++) {
				bool fine = how == LOOK_TWICE || how == LOOK_CHANGED ||
					    how == LOOK_SWAPPED;
				struct bench b;

				if (how == LOOK_SWAPPED && first)
					continue; /* the first to have it is before the others */
				assert_true(start(&b, ""));
				share(&b);
				if (first)
					reads_version(&b, 0, how);
				writes_version(&b, 4, inside);
				if (!first)
					reads_version(&b, 6, how);
				finish(&b);
				assert_int_equal(found(&b, 10, 20, 30), !(fine && inside));
			}
}

/* Plain looks, which are all that an ordinary binary shows, once the word is known to be changed by
 * locked instructions. */
static void plain_looks(void **state)
{
	(void)state;
	look_order = PD_ORDER_NONE;
	for (enum looking how = 0; how < LOOKING; how++)
		for (int inside = 0; inside < 2; inside++) {
			bool fine = how == LOOK_TWICE || how == LOOK_CHANGED || how == LOOK_SWAPPED;
			struct bench b;

			assert_true(start(&b, ""));
			share(&b);
			writes_version(&b, 4, inside);
			reads_version(&b, 6, how);
			finish(&b);
			assert_int_equal(found(&b, 10, 20, 30), !(fine && inside));
		}
	look_order = PD_ORDER_RELAXED;
}

/* By compare-and-swap, which orders nothing. */
static void count(struct bench *b, uint32_t t, uint64_t from)
{
	ev(b, t, PD_EV_ATOMIC_RMW, 0x1000 | PD_ADDR_OUTSIDE, 8, 40, PD_ORDER_RELAXED, from + 1,
	   from + 1);
}

/* Each thread counts twice before the other one comes: the same place is no lock's. */
static void counted_twice(void **state)
{
	struct bench b;

	(void)state;
	assert_true(start(&b, ""));
	share(&b);
	for (uint64_t i = 0; i < 6; i++) {
		uint32_t t = 1 + (uint32_t)i % 2;

		count(&b, t, 2 * i);
		ld(&b, t, X, 30);
		ev(&b, t, PD_EV_SIGNAL, 0x2000 + t, 0, 0, PD_ORDER_NONE, 0, 0);
		st(&b, t, X, 10);
		persist(&b, t, X, 20);
		count(&b, t, 2 * i + 1);
	}
	finish(&b);
	assert_true(found(&b, 10, 20, 30));
}

/* And one in PM is data. */
static void counted_twice_in_pm(void **state)
{
	struct bench b;

	(void)state;
	assert_true(start(&b, ""));
	share(&b);
	ld(&b, 2, Z, 33);
	for (uint64_t i = 0; i < 4; i++)
		ev(&b, 1, PD_EV_RMW, Z, 8, 40, PD_ORDER_RELAXED, i + 1, i + 1);
	ld(&b, 2, Z, 33);
	ev(&b, 2, PD_EV_SIGNAL, 0x2000, 0, 0, PD_ORDER_NONE, 0, 0);
	persist(&b, 1, Z, 21);
	finish(&b);
	assert_true(found(&b, 40, 21, 33));
}

/* A list to which threads append by compare-and-swap: not locks, and the stores must not be
 * overlooked. */
static void no_spin_locks(void **state)
{
	struct bench b;

	(void)state;
	assert_true(start(&b, ""));
	share(&b);
	for (uint64_t i = 0; i < 20; i++)
		ld(&b, 1 + i % 2, 0x1000 + i * 64, 82);
	for (uint64_t i = 0; i < 20; i++)
		ld(&b, 2 - i % 2, 0x1000 + i * 64, 83);
	for (uint64_t i = 0; i < 20; i++) {
		cas(&b, 1 + i % 2, 0x1000 + i * 64, 10, 0, i + 1);
		persist(&b, 1 + i % 2, 0x1000 + i * 64, 20);
	}
	cas(&b, 1, Z, 12, 0, 1); /* once only: nobody ever knows what it was */
	persist(&b, 1, Z, 22);
	ld(&b, 2, Z, 32);
	finish(&b);
	assert_true(found(&b, 10, 20, 82) || found(&b, 10, 20, 83));
	assert_false(found(&b, 12, 22, 32)); /* it was durable before Z was known to two */
}

/* A counter that goes up and down again is no lock, even if nobody else comes in between. */
static void counters(void **state)
{
	struct bench b;

	(void)state;
	assert_true(start(&b, ""));
	share(&b);
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t t = 1 + i % 2;

		ev(&b, t, PD_EV_ATOMIC_RMW, 0x1000 | PD_ADDR_OUTSIDE, 8, 40, PD_ORDER_RELAXED, 0,
		   1);
		ld(&b, t, X, 30);
		/* It can be seen to have read */
		ev(&b, t, PD_EV_SIGNAL, 0x2000 + t, 0, 0, PD_ORDER_NONE, 0, 0);
		st(&b, t, X, 10);
		persist(&b, t, X, 20);
		ev(&b, t, PD_EV_ATOMIC_RMW, 0x1000 | PD_ADDR_OUTSIDE, 8, 41, PD_ORDER_RELAXED, 0,
		   0);
	}
	finish(&b);
	assert_true(found(&b, 10, 20, 30));
}

/* ---- memory --------------------------------------------------------------------------------- */

static uint64_t run_many(uint32_t n)
{
	struct bench b;

	assert_true(start(&b, ""));
	for (uint32_t t = 1; t <= 8; t++)
		ev(&b, 0, PD_EV_THREAD_CREATE, 0, 0, 0, PD_ORDER_NONE, t, 0);
	for (uint32_t i = 0; i < n; i++) {
		uint32_t t = 1 + i % 8;
		uint64_t at = (i * 2654435761U % 512) * 64;

		lock(&b, t, 64 + at / 64);
		ld(&b, t, at, 30);
		st(&b, t, at, 10);
		persist(&b, t, at, 20);
		unlock(&b, t, 64 + at / 64);
		ev(&b, t, PD_EV_ATOMIC_RMW, 0x1000 | PD_ADDR_OUTSIDE, 8, 40, PD_ORDER_SEQ_CST, 0,
		   i);
		ld(&b, t, at + 8, 31);
	}
	finish(&b);
	assert_int_equal(b.f.races.n, 0);
	return b.f.bytes;
}

static void memory_is_flat(void **state)
{
	uint64_t some = run_many(50000), many = run_many(400000);

	(void)state;
	assert_in_range(many, 1, some + some / 10);
}

static void no_memory(void **state)
{
	(void)state;
	for (long left = 0; left < 12; left++) {
		struct bench b;

		memset(&b, 0, sizeof(b));
		b.h.left = left;
		pd_arena_init(&b.arena, unit_host(&b.h));
		b.sink = (struct pd_sink){on_finding, on_loss, on_stat, &b, NULL};
		b.o = pd_lockset_create(&b.arena, &b.sink, "");
		for (uint32_t i = 0; b.o && i < 200000 && !b.f.losses; i++) {
			lock(&b, i % 3, i % 1000);
			st(&b, i % 3, i * 64, 10);
			unlock(&b, i % 3, i % 1000);
		}
		assert_true(!b.o || b.f.losses == 1 || left > 8);
		if (b.o)
			b.o->end(b.o);
		pd_arena_finish(&b.arena);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(many_loads),
		cmocka_unit_test(published_by_exchange),
		cmocka_unit_test(many_locks),
		cmocka_unit_test(persist_outside),
		cmocka_unit_test(transient_data),
		cmocka_unit_test(clean_data),
		cmocka_unit_test(allocated_again),
		cmocka_unit_test(taken_again),
		cmocka_unit_test(persist_inside),
		cmocka_unit_test(readers_and_writers),
		cmocka_unit_test(created_after),
		cmocka_unit_test(initialisation),
		cmocka_unit_test(helping),
		cmocka_unit_test(waiting),
		cmocka_unit_test(known_loads),
		cmocka_unit_test(known_by_many),
		cmocka_unit_test(later_again),
		cmocka_unit_test(many_threads),
		cmocka_unit_test(spin_locks),
		cmocka_unit_test(version_locks),
		cmocka_unit_test(flags_of_locks),
		cmocka_unit_test(ticket_locks),
		cmocka_unit_test(plain_tickets),
		cmocka_unit_test(counts_of_readers),
		cmocka_unit_test(counted_by_exchange),
		cmocka_unit_test(looks),
		cmocka_unit_test(plain_looks),
		cmocka_unit_test(counted_twice),
		cmocka_unit_test(counted_twice_in_pm),
		cmocka_unit_test(no_spin_locks),
		cmocka_unit_test(counters),
		cmocka_unit_test(memory_is_flat),
		cmocka_unit_test(no_memory),
	};

	return cmocka_run_group_tests_name("lockset", tests, NULL, NULL);
}
