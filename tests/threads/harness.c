/*
 * harness.c - the rest of the runtime, as small as the thread tests need it.
 *
 * Linked with the runtime's threads, primitives, scheduler and snapshots into a library that stands
 *in for the real one: it decides the mode and the policy by the environment, digests every event
 *and choice, keeps the virtual clock, and lets the hooks access PM directly.
 *
 *	PD_TEST_MODE    alone (default) or driven
 *	PD_TEST_POLICY  default, random, pct, early (random, and timeouts may fire at any point),
 *	                all (a snapshot for every alternative: each runs to its end)
 *	PD_TEST_SEED    a number
 *	PD_TEST_EVENTS  a file that every event is written to: thread, kind, object, aux; objects
 *are numbered as they appear PD_TEST_DIGEST  a file that the digest is written to when the program
 *ends PD_TEST_NOFSGS  do without wrfsbase
 */
#include "base/hash.h"
#include "check.h"
#include "runtime/base/listen.h"
#include "runtime/base/env.h"
#include "runtime/base/raw.h"
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"
#include "runtime/thread/snapshot.h"
#include "runtime/thread/trap.h"
#include "runtime/sync/sync.h"
#include <dlfcn.h>
#include <time.h>

#define START 1700000000000000000LL

enum { PID = 4000 };

PD_EXPORT int check_failures;

static struct pd_digest digest = {1, 2};
static uint64_t nevents;
static uint64_t counts[PD_EV_N];
static uint64_t pm_accesses;
static int64_t now = START;
static int pid = PID;
static struct pd_chooser policy;
static bool is_child;
static bool logging;
static struct pd_sched_random random_state;
static struct pd_sched_pct pct_state;

/* ---- mode and policy ------------------------------------------------------------------------- */

static uint32_t pick(void *ctx, enum pd_choice_kind kind, uint32_t n)
{
	uint32_t p = policy.pick(policy.ctx, kind, n);

	(void)ctx;
	pd_digest_u64(&digest, (uint64_t)n << 32 | p);
	return p;
}

/* Every alternative but the first in a child of its own, one after the other. */
static uint32_t pick_all(void *ctx, enum pd_choice_kind kind, uint32_t n)
{
	uint32_t k;

	(void)ctx;
	(void)kind;
	for (k = 1; k < n; k++) {
		pid_t child = pd_snapshot_fork();
		int status = 0;

		if (!child) {
			is_child = true;
			return k;
		}
		if (child < 0 || pd_snapshot_wait(child, &status) || status)
			pd_rt_fail(4, "a child failed: %d, status %x", (int)child,
				   (unsigned)status);
	}
	return 0;
}

static const char *env(const char *name, const char *otherwise)
{
	const char *v = getenv(name);

	return v ? v : otherwise;
}

static void write_digest(void)
{
	FILE *f = fopen(getenv("PD_TEST_DIGEST"), "w");

	if (!f)
		abort();
	fprintf(f, "%016lx%016lx %lu events %lu switches\n", digest.a, digest.b, nevents,
		pd_sched.switches);
	fclose(f);
}

static void note_event(struct pd_event *e);
static void failing(int status, const char *text);
static void lost(enum pd_loss kind, uint32_t site, const char *what);

void pd_rt_init(void)
{
	static const struct pd_listener listener = {.stays = true,
						    .wants = UINT64_MAX,
						    .event = note_event,
						    .failing = failing,
						    .lost = lost};
	static struct pd_channel channel = {.started = 1};
	static bool done;
	uint64_t seed = strtoull(env("PD_TEST_SEED", "1"), NULL, 10);
	const char *name = env("PD_TEST_POLICY", "default");

	if (done)
		return;
	done = true;
	pd_rt.channel = &channel;
	pd_listen_add(&listener);
	pd_sync_listen();
	pd_trap_calls.futex = pd_futex;
	pd_rt.driven = !strcmp(env("PD_TEST_MODE", "alone"), "driven");
	pd_door = pd_rt.driven ? PD_DOOR_INSIDE : PD_DOOR_OUTSIDE;
	pd_rt.seed = seed;
	logging = getenv("PD_TEST_EVENTS") != NULL;
	if (!strcmp(name, "random") || !strcmp(name, "early"))
		policy = pd_sched_random(&random_state, seed);
	else if (!strcmp(name, "pct"))
		policy = pd_sched_pct(&pct_state, seed, 3, 500);
	else if (!strcmp(name, "all"))
		policy = (struct pd_chooser){pick_all, NULL};
	else
		policy = pd_sched_default();
	pd_rt.chooser = (struct pd_chooser){pick, NULL};
}

__attribute__((constructor)) static void late(void)
{
	if (pd_thread_driven()) {
		pd_sched.early_timeouts = !strcmp(env("PD_TEST_POLICY", ""), "early");
		if (getenv("PD_TEST_NOFSGS"))
			pd_thread_fsgsbase = 0;
	}
	if (getenv("PD_TEST_DIGEST"))
		atexit(write_digest);
}

/* ---- what session.c and env.c have ----------------------------------------------------------- */

static unsigned number_of(uint64_t addr)
{
	static uint64_t seen[64];
	unsigned i;

	for (i = 0; i < PD_LEN(seen) && seen[i]; i++)
		if (seen[i] == addr)
			return i + 1;
	if (i == PD_LEN(seen))
		abort();
	seen[i] = addr;
	return i + 1;
}

static void log_event(const struct pd_event *e)
{
	static FILE *f;

	if (!f)
		f = fopen(getenv("PD_TEST_EVENTS"), "w");
	if (!f)
		abort();
	fprintf(f, "%u %s", e->tid, pd_event_info[e->kind].name);
	if (e->addr & PD_ADDR_OUTSIDE)
		fprintf(f, " #%u", number_of(e->addr));
	else if (strchr(pd_event_info[e->kind].fields, 'a'))
		fprintf(f, " pm+%lu", e->addr);
	if (strchr(pd_event_info[e->kind].fields, 'b'))
		fprintf(f, " %lu", e->aux);
	fprintf(f, "\n");
	fflush(f);
}

static void note_event(struct pd_event *e)
{
	nevents++;
	counts[e->kind]++;
	pd_digest_u64(&digest, (uint64_t)e->kind << 32 | e->tid);
	pd_digest_u64(&digest, e->aux);
	if (pd_unlikely(logging))
		log_event(e);
}

static void failing(int status, const char *text)
{
	(void)status;
	fflush(stdout);
	fprintf(stderr, "perdure: %s\n", text);
}

static void lost(enum pd_loss kind, uint32_t site, const char *what)
{
	(void)site;
	fprintf(stderr, "loss %d: %s\n", (int)kind, what);
}

int64_t pd_env_now(void)
{
	return now;
}

int64_t pd_env_advance(int64_t ns)
{
	return now += ns;
}

int pd_env_pid(void)
{
	return pid;
}

void pd_env_forked(uint32_t serial)
{
	pid += (int)serial * 100;
}

PD_EXPORT pid_t getpid(void)
{
	return pd_thread_driven() ? pid : (pid_t)pd_raw(SYS_getpid, 0, 0, 0, 0, 0, 0);
}

PD_EXPORT int clock_gettime(clockid_t clock, struct timespec *t)
{
	int64_t ns = clock == CLOCK_REALTIME ? now : now - START + 1000000000;

	if (!pd_thread_driven())
		return (int)pd_raw(SYS_clock_gettime, clock, (long)t, 0, 0, 0, 0);
	*t = (struct timespec){ns / 1000000000, ns % 1000000000};
	now += 1000;
	return 0;
}

/* ---- hooks: PM is memory --------------------------------------------------------------------- */

/* As the real hooks do, each access asks whether somebody else runs first. */
static void access_pm(const void *p)
{
	if (!PD_IS_PM((uintptr_t)p))
		abort();
	pm_accesses++;
	pd_sched_point();
}

uint32_t __pd_aload4(void *p, const struct pd_site *site, int order)
{
	(void)site;
	(void)order;
	access_pm(p);
	return *(uint32_t *)p;
}

void __pd_store4(void *p, uint32_t v, const struct pd_site *site)
{
	(void)site;
	access_pm(p);
	*(uint32_t *)p = v;
}

uint32_t __pd_rmw4(void *p, uint32_t v, const struct pd_site *site, int op, int order)
{
	uint32_t old;

	(void)site;
	(void)order;
	if (op != PD_RMW_XCHG)
		abort();
	access_pm(p);
	old = *(uint32_t *)p;
	*(uint32_t *)p = v;
	return old;
}

uint32_t __pd_cas4(void *p, uint32_t old, uint32_t v, const struct pd_site *site, int ok, int fail)
{
	uint32_t was;

	(void)site;
	(void)ok;
	(void)fail;
	access_pm(p);
	was = *(uint32_t *)p;
	if (was == old)
		*(uint32_t *)p = v;
	return was;
}

void __pd_loadb(void *p, void *to, uint64_t n, const struct pd_site *site)
{
	(void)site;
	access_pm(p);
	memcpy(to, p, n);
}

void __pd_storeb(void *p, void *from, uint64_t n, const struct pd_site *site, int flags)
{
	(void)site;
	(void)flags;
	access_pm(p);
	memcpy(p, from, n);
}

/* ---- for the programs ------------------------------------------------------------------------ */

PD_EXPORT uint64_t harness_digest(void)
{
	return digest.a ^ digest.b;
}

PD_EXPORT int harness_driven(void)
{
	return pd_rt.driven;
}

PD_EXPORT uint64_t harness_events(void)
{
	return nevents;
}

PD_EXPORT uint64_t harness_switches(void)
{
	return pd_sched.switches;
}

PD_EXPORT void *harness_pm(size_t n)
{
	long r = pd_raw_mmap(PD_PM_BASE, n, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	return pd_raw_failed(r) ? NULL : (void *)r;
}

PD_EXPORT uint64_t harness_pm_accesses(void)
{
	return pm_accesses;
}

PD_EXPORT void harness_tid_base(unsigned base)
{
	pd_thread_tid_base(base);
}

PD_EXPORT void harness_spin(void)
{
	if (pd_rt.driven)
		pd_sched_spin();
}

PD_EXPORT void harness_loaded(const int *p)
{
	if (pd_rt.driven)
		pd_sched_loaded(p, p, sizeof(*p));
}

PD_EXPORT void harness_event_counts(unsigned kind, uint64_t *count)
{
	*count = counts[kind];
}

PD_EXPORT int harness_snapshot(void)
{
	return pd_snapshot_fork();
}

PD_EXPORT int harness_snapshot_wait(int child, int *status)
{
	return pd_snapshot_wait(child, status);
}

PD_EXPORT int harness_is_child(void)
{
	return is_child;
}
