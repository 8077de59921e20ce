/*
 * annotate.c - annotations of the program (perdure.h).
 */
#include "perdure.h"
#include "runtime/base/listen.h"
#include "runtime/pm/pool.h"
#include "runtime/base/rt.h"
#include "runtime/thread/door.h"
#include "runtime/thread/thread.h"
#include <string.h>

static uint64_t address(const void *p)
{
	uint64_t a = (uint64_t)p;

	return PD_IS_PM(a) ? pd_pool_canonical(a) - PD_PM_BASE : a | PD_ADDR_OUTSIDE;
}

PD_EXPORT void __pd_say_check(int holds, const char *what, const char *file, int line)
{
	struct pd_event e = {.kind = PD_EV_CHECK, .order = PD_ORDER_NONE, .aux = (uint64_t)holds};
	const char *slash = strrchr(file, '/');
	struct pd_outbuf b;
	char text[512];

	pd_outbuf_init(&b, text, sizeof(text));
	pd_outf(&b.out, "%s (%s:%d)", what, slash ? slash + 1 : file, line);
	e.data = text;
	e.size = b.n;
	pd_rt_emit(&e);
	if (!holds && pd_inside())
		pd_listen_check_failed(text, file, line);
}

PD_EXPORT void __pd_say_mark(const char *name)
{
	struct pd_event e = {.kind = PD_EV_MARK, .order = PD_ORDER_NONE, .data = name};

	e.size = strlen(name);
	pd_rt_emit(&e);
}

PD_EXPORT void __pd_say_checksum(const void *p, size_t n, int begin, int matched)
{
	struct pd_event e = {.kind = begin ? PD_EV_CHECKSUM_BEGIN : PD_EV_CHECKSUM_END,
			     .order = PD_ORDER_NONE,
			     .addr = address(p),
			     .size = n,
			     .aux = (uint64_t)matched};

	if (pd_inside())
		pd_listen_checksum(begin, e.addr, n, matched);
	pd_rt_emit(&e);
}

PD_EXPORT void __pd_say_range(int what, const void *p, size_t n)
{
	static const uint8_t kinds[] = {
		[PD_RANGE_DURABLE] = PD_EV_DURABLE,	[PD_RANGE_TRANSIENT] = PD_EV_TRANSIENT,
		[PD_RANGE_TX_BEGIN] = PD_EV_TX_BEGIN,	[PD_RANGE_TX_ADD] = PD_EV_TX_ADD,
		[PD_RANGE_TX_IGNORE] = PD_EV_TX_IGNORE, [PD_RANGE_TX_END] = PD_EV_TX_END,
	};
	struct pd_event e = {.order = PD_ORDER_NONE, .addr = address(p), .size = n};

	if ((unsigned)what >= PD_LEN(kinds))
		return; /* from a newer header: unknown to this runtime */
	e.kind = kinds[what];
	pd_rt_emit(&e);
}
