/*
 * check/tx.c - tracks the transactions of the first execution: when it is run again to explain a
 * failure (check/again.h), and for the torn engine. engine/crash/tx.h judges them.
 */
#include "engine/crash/tx.h"
#include "runtime/access/mem.h"
#include "runtime/base/listen.h"
#include "runtime/check/again.h"
#include "runtime/check/check.h"
#include "runtime/check/torn.h"

static struct {
	bool on;
	bool stores; /* are heard */
	struct pd_arena arena;
	struct pd_tx tx;
	uint32_t length; /* of the log after the previous event */
} here;

/* Only a survey needs places. */
static uint32_t place_of(const struct pd_event *e)
{
	return pd_board()->again.surveys ? pd_survey_place(e->site) : 0;
}

static uint32_t step_of(const struct pd_event *e)
{
	return e->kind == PD_EV_TX_BEGIN || e->kind == PD_EV_TX_END ? pd_survey_step(e, here.length)
								    : 0;
}

static void note(struct pd_event *e);
static void stop(void);

static const struct pd_listener transactions = {
	.wants = PD_TX_EVENTS, .event = note, .forked = stop};

/* Stores matter from the first transaction on. */
static void hear_stores(void)
{
	here.stores = true;
	here.length = pd_mem.model.log->n;
	pd_listen_wants(&transactions,
			PD_TX_EVENTS | PD_EV_BIT(STORE) | PD_EV_BIT(NTSTORE) | PD_EV_BIT(RMW));
}

static void note(struct pd_event *e)
{
	uint32_t before = here.length;

	if (e->kind == PD_EV_TX_BEGIN && !here.stores)
		hear_stores();
	here.length = pd_mem.model.log->n;
	if (PD_TX_EVENTS >> e->kind & 1)
		pd_tx_event(&here.tx, e, here.length, step_of(e));
	else if (pd_tx_is_open(&here.tx, e->tid) && !(e->addr & PD_ADDR_OUTSIDE))
		pd_tx_store(&here.tx, e, before, here.length, place_of(e));
}

static void stop(void)
{
	here.on = false;
}

void pd_check_tx_begin(void)
{
	const struct pd_again *a = &pd_board()->again;

	if (pd_check.depth || (!a->surveys && !a->least && !pd_check_torn.on))
		return;
	here.on = true;
	pd_arena_init(&here.arena, pd_rt_memory());
	here.tx.arena = &here.arena;
	pd_listen_add(&transactions);
}

const struct pd_tx *pd_check_tx(void)
{
	return here.on ? &here.tx : NULL;
}
