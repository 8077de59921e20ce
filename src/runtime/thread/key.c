/*
 * thread/key.c - thread-specific data, and its destructors at a thread's end.
 *
 * glibc keeps the values. We only record the destructors, because at the end of a thread they must
 * run while it still is a coroutine: they are code of the program, which may lock. glibc, which
 * comes after us, finds every value NULL. The order is glibc's: by key, ascending, repeated while a
 * destructor leaves a value behind, four rounds at most.
 */
#include "runtime/base/rt.h"
#include "runtime/thread/thread.h"
#include "runtime/thread/real.h"

static void (*destructor[PTHREAD_KEYS_MAX])(void *) PD_TABLE;
static pthread_key_t end_of_keys; /* keys from here on have no destructor */

static int note(int r, pthread_key_t key, void (*fn)(void *))
{
	if (!r && pd_thread_driven() && key < PTHREAD_KEYS_MAX) {
		destructor[key] = fn;
		if (fn)
			end_of_keys = PD_MAX(end_of_keys, key + 1);
	}
	return r;
}

PD_EXPORT int pthread_key_create(pthread_key_t *key, void (*fn)(void *))
{
	int r;

	pd_thread_driven();
	r = pd_real.pthread_key_create(key, fn);
	return note(r, *key, fn);
}

PD_EXPORT int pthread_key_delete(pthread_key_t key)
{
	if (pd_thread_driven() && key < PTHREAD_KEYS_MAX)
		destructor[key] = NULL;
	return pd_real.pthread_key_delete(key);
}

PD_EXPORT int tss_create(tss_t *key, tss_dtor_t fn)
{
	int r;

	pd_thread_driven();
	r = pd_real.tss_create(key, fn);
	note(r == thrd_success ? 0 : r, *key, fn);
	return r;
}

PD_EXPORT void tss_delete(tss_t key)
{
	if (pd_thread_driven() && key < PTHREAD_KEYS_MAX)
		destructor[key] = NULL;
	pd_real.tss_delete(key);
}

static bool run_round(bool call)
{
	bool any = false;
	pthread_key_t key;

	for (key = 0; key < end_of_keys; key++) {
		void *value = destructor[key] ? pthread_getspecific(key) : NULL;

		if (!value)
			continue;
		any = true;
		pthread_setspecific(key, NULL);
		if (call)
			destructor[key](value);
	}
	return any;
}

void pd_thread_run_keys(void)
{
	int round = 0;

	while (round++ < PTHREAD_DESTRUCTOR_ITERATIONS)
		if (!run_round(true))
			return;
	run_round(false);
}
