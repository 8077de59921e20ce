/* annotate.c - what the program tells us through perdure.h. */
#include "runtime/check.h"
#include "runtime/rt.h"
#include <string.h>

void __pd_say_check(int holds, const char *what, const char *file, int line);
void __pd_say_mark(const char *name);
void __pd_say_checksum(const void *p, size_t n, int begin, int matched);

static uint64_t address(const void *p)
{
	uint64_t a = (uint64_t)p;

	return PD_IS_PM(a) ? a - PD_PM_BASE : a | PD_ADDR_OUTSIDE;
}

PD_EXPORT void __pd_say_check(int holds, const char *what, const char *file, int line)
{
	struct pd_event e = {.kind = PD_EV_CHECK, .order = PD_ORDER_NONE, .aux = (uint64_t)holds};
	struct pd_outbuf b;
	char text[512];

	pd_outbuf_init(&b, text, sizeof(text));
	pd_outf(&b.out, "%s (%s:%d)", what, file, line);
	e.data = text;
	e.size = b.n;
	pd_rt_emit(&e);
	if (!holds)
		pd_check_failed(text, file, line);
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

	pd_rt_emit(&e);
}
