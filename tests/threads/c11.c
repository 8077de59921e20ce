/* C11 threads. */
#include "check.h"
#include <threads.h>
#include <time.h>

enum { THREADS = 5, ROUNDS = 30 };

static mtx_t plain;
static mtx_t recursive;
static mtx_t timed;
static cnd_t turn;
static tss_t slot;
static once_flag flag = ONCE_FLAG_INIT;
static int runs;
static int whose;
static int total;
static int destroyed;

static void init(void)
{
	thrd_yield();
	runs++;
}

static void destroy(void *v)
{
	mtx_lock(&plain);
	destroyed += (int)(intptr_t)v;
	mtx_unlock(&plain);
}

/* In turns, by number. */
static int work(void *arg)
{
	int id = (int)(intptr_t)arg;
	int i;

	call_once(&flag, init);
	CHECK_EQ(runs, 1);
	CHECK_EQ(tss_set(slot, (void *)(intptr_t)(id + 1)), thrd_success);
	for (i = 0; i < ROUNDS; i++) {
		mtx_lock(&plain);
		while (whose != id)
			CHECK_EQ(cnd_wait(&turn, &plain), thrd_success);
		mtx_lock(&recursive);
		mtx_lock(&recursive);
		total++;
		mtx_unlock(&recursive);
		mtx_unlock(&recursive);
		whose = (whose + 1) % THREADS;
		cnd_broadcast(&turn);
		mtx_unlock(&plain);
		CHECK_EQ((intptr_t)tss_get(slot), id + 1);
	}
	if (id % 2)
		thrd_exit(-id);
	return -id;
}

static int other(void *arg)
{
	struct timespec t = {1, 0};

	(void)arg;
	CHECK_EQ(mtx_trylock(&timed), thrd_busy);
	CHECK_EQ(mtx_timedlock(&timed, &t), thrd_timedout);
	return 5;
}

int main(void)
{
	struct timespec t = {1, 0};
	thrd_t id[THREADS];
	int r;
	int i;

	CHECK_EQ(mtx_init(&plain, mtx_plain), thrd_success);
	CHECK_EQ(mtx_init(&recursive, mtx_plain | mtx_recursive), thrd_success);
	CHECK_EQ(mtx_init(&timed, mtx_timed), thrd_success);
	CHECK_EQ(cnd_init(&turn), thrd_success);
	CHECK_EQ(tss_create(&slot, destroy), thrd_success);
	for (i = 0; i < THREADS; i++)
		CHECK_EQ(thrd_create(&id[i], work, (void *)(intptr_t)i), thrd_success);
	for (i = 0; i < THREADS; i++) {
		CHECK_EQ(thrd_join(id[i], &r), thrd_success);
		CHECK_EQ(r, -i);
	}
	CHECK_EQ(total, THREADS * ROUNDS);
	CHECK_EQ(destroyed, THREADS * (THREADS + 1) / 2);
	mtx_lock(&timed);
	CHECK_EQ(thrd_create(&id[0], other, NULL), thrd_success);
	CHECK_EQ(thrd_join(id[0], &r), thrd_success);
	CHECK_EQ(r, 5);
	CHECK_EQ(cnd_timedwait(&turn, &timed, &t), thrd_timedout);
	mtx_unlock(&timed);
	t = (struct timespec){0, 1000000};
	CHECK_EQ(thrd_sleep(&t, NULL), 0);
	CHECK(thrd_equal(thrd_current(), thrd_current()));
	tss_delete(slot);
	cnd_destroy(&turn);
	mtx_destroy(&plain);
	return check_done("c11");
}
