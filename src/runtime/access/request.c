/*
 * request.c - Valgrind's client requests in instrumented code: what PMDK announces to pmemcheck.
 *
 * A library with such annotations asks whether it runs in Valgrind, and whether pmemcheck is there
 * (is this variable, which was just registered, PM?); then it reports its transactions and what
 * need not be durable. A run that an engine watches takes these requests, as the Valgrind tool does
 * (src/valgrind/request.c), so that both front ends find the same. So does `check`, where only
 * PMDK's libraries are led to believe that they run in Valgrind: how they behave then is known
 * (small copies go word by word, and there are fewer locks), and any other program behaves
 * natively. All other runs ignore the requests.
 *
 * The request itself is still made: a program that really runs in Valgrind gets its answer from
 * there.
 */
#include "event/pmemcheck.h"
#include "runtime/pm/pool.h"
#include "runtime/base/rt.h"
#include "runtime/access/announce.h"
#include "runtime/place/foreign.h"
#include "runtime/thread/door.h"

#define PMEMCHECK ((uint64_t)'P' << 24 | (uint64_t)'C' << 16)

enum {
	RUNNING_ON_VALGRIND = 0x1001,
	/* From PMEMCHECK on: */
	REGISTER_MAPPING = 0,
	REMOVE_MAPPING = 2,
	IS_MAPPING = 3,
	SET_CLEAN = 17,
	START_TX = 18,
	START_TX_N = 19,
	END_TX = 20,
	END_TX_N = 21,
	ADD_TO_TX = 22,
	ADD_TO_TX_N = 23,
	REMOVE_FROM_TX = 24,
	REMOVE_FROM_TX_N = 25,
	ADD_TO_GLOBAL_IGNORE = 28,
	REQUESTS = 31,
};

static uint64_t probe; /* registered last: PMDK's test of whether pmemcheck is there */

static const struct pd_walk_frame *asked; /* frame of the hook that is running */

static void emit(enum pd_event_kind kind, uint64_t a, uint64_t n)
{
	struct pd_event e = {.kind = (uint8_t)kind,
			     .order = PD_ORDER_NONE,
			     .addr = PD_IS_PM(a) ? pd_pool_canonical(a) - PD_PM_BASE
						 : a | PD_ADDR_OUTSIDE,
			     .size = n};

	if (pd_listen.direct >> kind & 1)
		pd_announce_direct(&e, asked);
	else
		pd_rt_emit(&e);
}

static void removed(uint64_t a, uint64_t n)
{
	uint64_t off = 0;
	const struct pd_pool *p = PD_IS_PM(a) ? pd_pool_of_address(a, &off) : NULL;

	if (a == probe)
		probe = 0;
	if (p && !pd_pmemcheck_unmaps(off, n, p->size))
		emit(PD_EV_TRANSIENT, a, n);
}

static uint64_t pmemcheck(const uint64_t *arg)
{
	switch (arg[0] - PMEMCHECK) {
	case REGISTER_MAPPING:
		probe = arg[1];
		break;
	case REMOVE_MAPPING:
		removed(arg[1], arg[2]);
		break;
	case IS_MAPPING:
		return arg[1] == probe || PD_IS_PM(arg[1]);
	case SET_CLEAN:
		emit(PD_EV_CLEAN, arg[1], arg[2]);
		break;
	case START_TX:
	case START_TX_N:
		emit(PD_EV_TX_BEGIN, 0, 0);
		break;
	case END_TX:
	case END_TX_N:
		emit(PD_EV_TX_END, 0, 0);
		break;
	case ADD_TO_TX:
		emit(PD_EV_TX_ADD, arg[1], arg[2]);
		break;
	case ADD_TO_TX_N:
		emit(PD_EV_TX_ADD, arg[2], arg[3]);
		break;
	case REMOVE_FROM_TX:
		emit(PD_EV_TX_REMOVE, arg[1], arg[2]);
		break;
	case REMOVE_FROM_TX_N:
		emit(PD_EV_TX_REMOVE, arg[2], arg[3]);
		break;
	case ADD_TO_GLOBAL_IGNORE:
		emit(PD_EV_TX_IGNORE, arg[1], arg[2]);
		break;
	default: /* flushes, fences: their instructions are seen */
		break;
	}
	return 0;
}

uint64_t __pd_request(const uint64_t *arg, uint64_t answer);

PD_EXPORT uint64_t __pd_request(const uint64_t *arg, uint64_t answer)
{
	if (!pd_rt.takes_requests || !pd_inside())
		return answer;
	if (arg[0] == RUNNING_ON_VALGRIND)
		return answer		      ? answer
		       : pd_rt.hides_valgrind ? pd_foreign_is_pmdk(__builtin_return_address(0))
					      : 1;
	if (arg[0] - PMEMCHECK >= REQUESTS)
		return answer;
	asked = __builtin_frame_address(0);
	return pmemcheck(arg);
}
