/* check/passed.c - see check/passed.h. */
#include "runtime/check/passed.h"
#include "protocol/board.h"
#include "runtime/base/listen.h"
#include "runtime/check/check.h"
#include "runtime/thread/thread.h"

enum {
	STORES = 256, /* the last ones; older ones left their buffers long ago */
	LOADS = 256,
};

struct access {
	uint64_t off, n;
	uint64_t time; /* when it entered the buffer, or was made */
	uint64_t left; /* of a store: when it took effect; 0: it still waits */
	uint32_t tid;
	uint32_t site;
};

static struct {
	uint64_t time;
	uint64_t nstore, nload;
	struct access store[STORES];
	struct access load[LOADS]; /* by threads with waiting stores */
} passed PD_TABLE;

static bool overlap(const struct access *a, const struct access *b)
{
	return a->off < b->off + b->n && b->off < a->off + a->n;
}

static bool waits(const struct access *s)
{
	return s->n && !s->left;
}

/* Whether this is the first execution, run again, before its crash. */
static bool is_wanted(void)
{
	return pd_check.journal && pd_check.role == PD_CHECK_FIRST &&
	       !pd_board()->again.journal[0]->crashed;
}

static void enter(uint64_t off, size_t n, uint32_t site)
{
	if (!is_wanted())
		return;
	passed.store[passed.nstore++ % STORES] = (struct access){
		.off = off, .n = n, .time = ++passed.time, .tid = pd_thread_self(), .site = site};
}

static void leave(void)
{
	struct access *oldest = NULL;
	uint32_t tid = pd_thread_self();

	if (!is_wanted())
		return;

	for (uint32_t i = 0; i < STORES; i++) {
		struct access *s = &passed.store[i];

		if (waits(s) && s->tid == tid && (!oldest || s->time < oldest->time))
			oldest = s;
	}
	if (oldest)
		oldest->left = ++passed.time;
}

/* A store of thread `tid` to the loaded bytes that took effect only after the load. */
static const struct access *missed_by(const struct access *load, uint32_t tid)
{
	for (uint32_t i = 0; i < STORES; i++) {
		const struct access *s = &passed.store[i];

		if (s->n && s->tid == tid && overlap(s, load) && (waits(s) || s->left > load->time))
			return s;
	}
	return NULL;
}

static void note(const struct access *store, const struct access *load,
		 const struct access *other_store, const struct access *other_load)
{
	struct pd_again_passed *to = &pd_board()->again.passed;

	*to = (struct pd_again_passed){
		.load = {load->site, other_load->site},
		.store = {store->site, other_store->site},
		.tid = {load->tid, other_load->tid},
		.waited = waits(other_store),
		.known = true,
	};
	for (uint32_t i = 0; i < 2; i++) {
		pd_check_publish(to->load[i], false);
		pd_check_publish(to->store[i], false);
	}
}

/* The load `mine` does not see the store `s`: checks whether a load of s's thread since then missed
 * a store of mine's thread. */
static void look_back(const struct access *s, const struct access *mine)
{
	for (uint32_t i = 0; i < LOADS; i++) {
		const struct access *load = &passed.load[i], *own;

		if (!load->n || load->tid != s->tid || load->time < s->time || overlap(load, s))
			continue;
		own = missed_by(load, mine->tid);
		if (own)
			note(s, load, own, mine);
	}
}

static void load(uint64_t off, size_t n, uint32_t site)
{
	uint32_t tid = pd_thread_self();
	struct access mine = {.off = off, .n = n, .time = ++passed.time, .tid = tid, .site = site};
	bool something = false;

	if (!pd_rt.buffered || !is_wanted())
		return;
	for (uint32_t i = 0; i < STORES; i++) {
		const struct access *s = &passed.store[i];

		if (waits(s) && s->tid != tid && overlap(s, &mine))
			look_back(s, &mine);
		something = something || (waits(s) && s->tid == tid);
	}
	if (something)
		passed.load[passed.nload++ % LOADS] = mine;
}

void pd_passed_begin(void)
{
	static const struct pd_listener buffers = {
		.buffered = enter, .unbuffered = leave, .loaded = load};

	pd_listen_add(&buffers);
}
