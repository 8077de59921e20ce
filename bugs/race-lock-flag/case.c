/*
 * race-lock-flag - the word that is a page's lock also has a flag, which says whose page it is: set by an `or` when the
 * page is given to a client, cleared by an `and` when the client leaves. Readers look at the version twice. None
 * of that is data: recovery begins with no clients.
 */
#include "../pm.h"
#include <pthread.h>
#include <sched.h>

enum { LOCKED = 1, VERSION = 0x3f, USED = 0x40, CLIENT = 0x80, ROUNDS = 4 };

struct page {
	uint8_t version;
	LINE uint64_t value;
};

struct file {
	LINE struct page page;
	LINE uint64_t effect;
};

static struct file *f;
static pthread_barrier_t looked;

static void take(struct page *p)
{
	for (;;) {
		uint8_t v = __atomic_load_n(&p->version, __ATOMIC_ACQUIRE) & (uint8_t)~LOCKED;

		if (__sync_bool_compare_and_swap(&p->version, v, v + 1))
			return;
		sched_yield();
	}
}

static void give(struct page *p)
{
	uint8_t v = __atomic_load_n(&p->version, __ATOMIC_ACQUIRE);

	v = (uint8_t)((((v & VERSION) + 1) % USED) | (v & (USED | CLIENT)));
	__atomic_store_n(&p->version, v, __ATOMIC_RELEASE);
}

static void set(struct page *p, uint64_t by)
{
	take(p);
	p->value += by; //@ store
#if FIXED
	pm_persist(&p->value, sizeof(p->value));
	give(p);
#else
	give(p);
	pm_persist(&p->value, sizeof(p->value)); //@ flush
#endif
}

static uint64_t get(struct page *p)
{
	uint64_t seen;
	uint8_t v;

	do {
		while ((v = __atomic_load_n(&p->version, __ATOMIC_ACQUIRE)) & LOCKED)
			sched_yield();
		seen = *(volatile uint64_t *)&p->value; //@ load
	} while (v != __atomic_load_n(&p->version, __ATOMIC_ACQUIRE));
	return seen;
}

static void *client(void *unused)
{
	__atomic_fetch_or(&f->page.version, CLIENT, __ATOMIC_SEQ_CST);
	set(&f->page, 1);
	pthread_barrier_wait(&looked);
	for (int i = 0; i < ROUNDS; i++) {
		set(&f->page, 1);
		sched_yield();
	}
	__atomic_fetch_and(&f->page.version, (uint8_t)~CLIENT, __ATOMIC_SEQ_CST);
	return unused;
}

static void *other(void *unused)
{
	pthread_barrier_wait(&looked);
	for (int i = 0; i < ROUNDS; i++) {
		set(&f->page, 16);
		sched_yield();
	}
	return unused;
}

static void *reader(void *unused)
{
	pthread_barrier_wait(&looked);
	for (int i = 0; i < ROUNDS; i++) {
		uint64_t seen = get(&f->page);

		if (seen > f->effect) {
			f->effect = seen;
			pm_persist(&f->effect, sizeof(f->effect));
		}
		sched_yield();
	}
	return unused;
}

int main(int argc, char **argv)
{
	void *(*const run[])(void *) = {client, other, reader};
	pthread_t t[3];

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	if (f->effect > f->page.value) {
		fprintf(stderr, "%d was acted on and is gone\n", (int)f->effect);
		return 1;
	}
	f->page.version = USED;
	pm_persist(&f->page.version, sizeof(f->page.version));
	if (f->page.value)
		return 0;
	pthread_barrier_init(&looked, NULL, 3);
	for (int i = 0; i < 3; i++)
		pthread_create(&t[i], NULL, run[i], NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(t[i], NULL);
	return 0;
}
