/*
 * check/misuse.c - reports a program that does not fit the way in which it is tested. See check.h.
 */
#include "protocol/board.h"
#include "runtime/check/check.h"
#include <stdarg.h>
#include <string.h>

_Noreturn void pd_check_misuse(const char *fmt, ...)
{
	struct pd_board *b = pd_board();
	struct pd_outbuf o;
	char text[PD_RUN_TEXT];
	va_list ap;

	pd_outbuf_init(&o, text, sizeof(text));
	va_start(ap, fmt);
	pd_voutf(&o.out, fmt, ap);
	va_end(ap);
	if (pd_check.role == PD_CHECK_RECOVERY)
		pd_outs(&o.out, " (in recovery)");
	if (!__atomic_fetch_add(&b->misused, 1, __ATOMIC_RELAXED))
		memcpy(b->misuse, text, sizeof(b->misuse));
	pd_rt_fail(2, "%s", text);
}
