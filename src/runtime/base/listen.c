/* listen.c - see listen.h. */
#include "runtime/base/listen.h"
#include "base/bug.h"
#include "engine/observer.h"
#include "runtime/base/quiet.h"
#include <string.h>

struct pd_listen pd_listen;

static uint32_t index_of(const struct pd_listener *l)
{
	uint32_t i = 0;

	while (i < pd_listen.n && pd_listen.listener[i] != l)
		i++;
	return i;
}

/* Finds the kinds whose only listener is the observer. */
static void find_direct(void)
{
	uint32_t i = 0;

	pd_listen.direct = 0;
	pd_listen.observer = NULL;
	pd_listen.known = NULL;
	pd_listen.deaf = false;
	while (i < pd_listen.n && !pd_listen.listener[i]->observer)
		i++;
	if (i == pd_listen.n)
		return;
	pd_listen.observer = pd_listen.listener[i]->observer;
	for (uint32_t kind = 0; kind < PD_EV_N; kind++)
		if (pd_listen.heard[kind] == 1u << i)
			pd_listen.direct |= 1ULL << kind;
	if (pd_listen.direct & PD_EV_BIT(LOAD))
		pd_listen.known = pd_listen.observer->known;
	pd_listen.deaf = !pd_listen.heard[PD_EV_LOAD];
}

static bool hears_loads(uint32_t i)
{
	const struct pd_listener *l = pd_listen.listener[i];

	return pd_listen.heard[PD_EV_LOAD] >> i & 1 || l->loading || l->loaded || l->deciding ||
	       l->decided;
}

static void find_quiet(void)
{
	pd_listen.takes_quiet = true;
	for (uint32_t i = 0; i < pd_listen.n; i++)
		if (hears_loads(i) && !pd_listen.listener[i]->takes_quiet)
			pd_listen.takes_quiet = false;
	pd_quiet.limit = 0; /* until it is granted again */
}

void pd_listen_wants(const struct pd_listener *l, uint64_t wants)
{
	uint32_t i = index_of(l);

	PD_CHECK(i < pd_listen.n && l->event, "a listener that was not added");
	for (uint32_t kind = 0; kind < PD_EV_N; kind++)
		pd_listen.heard[kind] =
			(uint16_t)((pd_listen.heard[kind] & ~(1u << i)) | (wants >> kind & 1) << i);
	find_direct();
	find_quiet();
}

void pd_listen_add(const struct pd_listener *l)
{
	PD_CHECK(pd_listen.n < PD_LISTENERS && index_of(l) == pd_listen.n, "a listener too many");
	pd_listen.listener[pd_listen.n++] = l;
#define PD_LISTEN_ADD(name, params, args)                                                          \
	if (l->name)                                                                               \
		pd_listen.name.fn[pd_listen.name.n++] = l->name;
	PD_LISTEN(PD_LISTEN_ADD)
	find_quiet();
	if (l->event)
		pd_listen_wants(l, l->wants);
}

void pd_listen_several(struct pd_event *e)
{
	for (uint32_t who = pd_listen.heard[e->kind]; who; who &= who - 1)
		pd_listen.listener[__builtin_ctz(who)]->event(e);
}

void pd_listen_in_child(void)
{
	struct pd_listen were;

	pd_listen_forked();
	were = pd_listen;
	memset(&pd_listen, 0, sizeof(pd_listen));
	for (uint32_t i = 0; i < were.n; i++)
		if (were.listener[i]->stays)
			pd_listen_add(were.listener[i]);
}

#define PD_LISTEN_ALL(name, params, args)                                                          \
	void pd_listen_all_##name params                                                           \
	{                                                                                          \
		for (uint32_t i = 0; i < pd_listen.name.n; i++)                                    \
			pd_listen.name.fn[i] args;                                                 \
	}
PD_LISTEN(PD_LISTEN_ALL)

void pd_rt_files_change(void)
{
	pd_rt_drain_now();
	pd_listen_point(PD_EV_POOL_SIZE, 0);
	/* The next crash point has something new, whether PM is stored to or not */
	pd_listen_changed();
}
