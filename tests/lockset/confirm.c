/*
 * confirm.c - races of which different things come: confirm FILE CASE
 *
 *	before   the load always comes before the store, and locks do not say so
 *	idle     the reader does nothing durable
 *	once     of twenty stores the reader acts on one
 *	wide     recovery puts up with the store's loss; but it reads so much that not every combination can be tried
 *	wide2    the same, and beside it a race that recovery does not put up with
 *	reset    what is stored is set anew at every start, and never durable
 *	anyway   recovery fails whether the store is there or not
 *	input    how much is stored is read from standard input, before there are threads and after
 */
#define FIXED 1
#include "../../bugs/pm.h"
#include <pthread.h>
#include <sched.h>
#include <string.h>

enum { WIDE = 40 };

struct file {
	LINE uint64_t cause;
	LINE uint64_t effect;
	LINE uint64_t other;
	LINE uint64_t other_effect;
	struct {
		LINE uint64_t value;
	} wide[WIDE];
};

static struct file *f;
static const char *name;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int loaded;

static int is(const char *what)
{
	return strcmp(name, what) == 0;
}

static void act(uint64_t *effect, uint64_t on)
{
	if (!on)
		return;
	pm_set(effect, on);
	pm_persist(effect, sizeof(*effect));
}

static void set_wide(uint64_t to)
{
	for (int i = 0; i < WIDE; i++)
		pm_set(&f->wide[i].value, to);
}

static void say_loaded(void)
{
	pthread_mutex_lock(&lock);
	loaded = 1;
	pthread_mutex_unlock(&lock);
}

static int is_loaded(void)
{
	int r;

	pthread_mutex_lock(&lock);
	r = loaded;
	pthread_mutex_unlock(&lock);
	return r;
}

static void *writer(void *unused)
{
	int n = is("once") ? 20 : 1;

	while (is("before") && !is_loaded())
		sched_yield();
	if (is("wide") || is("wide2"))
		set_wide(1);
	if (is("input"))
		n = getchar() - '0';
	for (int i = 1; i <= n; i++) {
		pm_set(&f->cause, (uint64_t)i);
		if (is("reset"))
			continue;
		pm_persist(&f->cause, sizeof(f->cause));
	}
	if (is("wide2")) {
		pm_set(&f->other, 1);
		pm_persist(&f->other, sizeof(f->other));
	}
	return unused;
}

static void *reader(void *unused)
{
	uint64_t seen;

	for (int i = 0; i < 60; i++) {
		seen = pm_get(&f->cause);
		if (is("wide") || is("wide2") || is("input") || is("before") || is("reset") || is("anyway") || (is("once") && seen == 7))
			act(&f->effect, seen);
		if (is("wide2"))
			act(&f->other_effect, pm_get(&f->other));
	}
	say_loaded();
	return unused;
}

static int recover(void)
{
	uint64_t sum = 0;

	for (int i = 0; i < WIDE; i++)
		sum += f->wide[i].value << i % 8;
	if ((is("once") || is("input")) && f->effect > f->cause)
		return 1;
	if (is("anyway") && f->effect + f->cause)
		return 1;
	if (is("wide2") && f->other_effect > f->other)
		return 1;
	return sum == UINT64_MAX || f->effect + f->cause == UINT64_MAX;
}

int main(int argc, char **argv)
{
	pthread_t a, b;
	int c = 0;

	name = argc > 2 ? argv[2] : "";
	f = (struct file *)pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	if (is("input"))
		c = getchar();
	if (is("reset"))
		pm_set(&f->cause, 0);
	if (recover() || (is("input") && c != 'x'))
		return 1;
	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
