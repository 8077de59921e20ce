/* Programs that go wrong for good: stuck NAME. The script knows what each is to be told. */
#include "check.h"
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <setjmp.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t b = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static volatile int flag;

static void *ab(void *arg)
{
	pthread_mutex_lock(&a);
	sched_yield();
	pthread_mutex_lock(&b);
	return arg;
}

static void *ba(void *arg)
{
	pthread_mutex_lock(&b);
	sched_yield();
	pthread_mutex_lock(&a);
	return arg;
}

static void abba(void)
{
	pthread_t t[2];

	pthread_create(&t[0], NULL, ab, NULL);
	pthread_create(&t[1], NULL, ba, NULL);
	pthread_join(t[0], NULL);
}

static void self(void)
{
	pthread_mutex_lock(&a);
	pthread_mutex_lock(&a);
}

static void lost_signal(void)
{
	pthread_mutex_lock(&a);
	pthread_cond_signal(&c);
	pthread_cond_wait(&c, &a);
}

static void *exits_with_it(void *arg)
{
	pthread_mutex_lock(&a);
	return arg;
}

static void orphan(void)
{
	pthread_t t;

	pthread_create(&t, NULL, exits_with_it, NULL);
	pthread_join(t, NULL);
	pthread_mutex_lock(&a);
}

/* A lock in PM that was held when the power failed: the next execution has other threads. */
static void held_in_pm(int type)
{
	pthread_mutex_t *m = harness_pm(4096);
	pthread_mutexattr_t at;

	pthread_mutexattr_init(&at);
	pthread_mutexattr_settype(&at, type);
	pthread_mutex_init(m, &at);
	pthread_mutex_lock(m);
	harness_tid_base(20000);
	pthread_mutex_lock(m);
}

static void *yields(void *arg)
{
	while (!flag)
		sched_yield();
	return arg;
}

static void livelock(void)
{
	pthread_t t;

	pthread_create(&t, NULL, yields, NULL);
	while (!flag)
		harness_spin();
}

static void tries(void)
{
	pthread_t t;

	pthread_mutex_lock(&a);
	pthread_create(&t, NULL, yields, NULL);
	while (pthread_mutex_trylock(&a))
		;
}

/* Many loads and no store: a wait if they are always the same, else work. */
static void reads(int places)
{
	static int table[8192];

	for (int i = 0; i < 70000000; i++)
		harness_loaded(&table[i % places]);
}

static void main_left(void)
{
	pthread_t t;

	pthread_mutex_lock(&a);
	pthread_create(&t, NULL, ab, NULL);
	pthread_exit(NULL);
}

static jmp_buf back;

static void *jumps(void *arg)
{
	longjmp(back, 1);
	return arg;
}

/* Out of a thread, into main's frame. */
static void jump(void)
{
	pthread_t t;

	if (setjmp(back))
		return;
	pthread_create(&t, NULL, jumps, NULL);
	pthread_join(t, NULL);
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "abba"))
		abba();
	else if (!strcmp(what, "self"))
		self();
	else if (!strcmp(what, "lost-signal"))
		lost_signal();
	else if (!strcmp(what, "orphan"))
		orphan();
	else if (!strcmp(what, "pm-normal"))
		held_in_pm(PTHREAD_MUTEX_NORMAL);
	else if (!strcmp(what, "pm-recursive"))
		held_in_pm(PTHREAD_MUTEX_RECURSIVE);
	else if (!strcmp(what, "livelock"))
		livelock();
	else if (!strcmp(what, "tries"))
		tries();
	else if (!strcmp(what, "reads-few"))
		reads(100);
	else if (!strcmp(what, "reads-many"))
		reads(8192);
	else if (!strcmp(what, "main-left"))
		main_left();
	else if (!strcmp(what, "jump"))
		jump();
	puts("not stuck");
	return 0;
}
