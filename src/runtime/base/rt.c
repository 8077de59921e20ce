/* rt.c - see rt.h: memory of our own, and giving up. */
#include "runtime/base/rt.h"
#include "base/bug.h"
#include "runtime/base/listen.h"
#include "runtime/base/raw.h"
#include <string.h>

struct pd_rt pd_rt;

/* ---- memory --------------------------------------------------------------------------------- */

static void *grow(void *ctx, size_t n)
{
	void *p = pd_raw_borrow(n);

	(void)ctx;
	if (p && n >= 2 << 20)
		pd_raw_madvise((uint64_t)p, n, MADV_HUGEPAGE);
	return p;
}

static void release(void *ctx, void *p, size_t n)
{
	(void)ctx;
	pd_raw_give_back(p, n);
}

struct pd_host pd_rt_memory(void)
{
	return (struct pd_host){grow, release, NULL};
}

/* ---- failing -------------------------------------------------------------------------------- */

_Noreturn void pd_rt_leave(int status)
{
	pd_raw(SYS_exit_group, status, 0, 0, 0, 0, 0);
	__builtin_unreachable();
}

_Noreturn void pd_rt_fail(int status, const char *fmt, ...)
{
	struct pd_outbuf b;
	char text[PD_CHANNEL_TEXT];
	va_list ap;

	pd_outbuf_init(&b, text, sizeof(text));
	va_start(ap, fmt);
	pd_voutf(&b.out, fmt, ap);
	va_end(ap);
	pd_listen_failing(status, text);
	if (pd_rt.channel && pd_rt.channel->started) {
		memcpy(pd_rt.channel->fail, text, sizeof(text));
		pd_rt.channel->failed = (uint32_t)status;
	} else {
		pd_raw_write(2, "perdure: ", 9);
		pd_raw_write(2, text, b.n);
		pd_raw_write(2, "\n", 1);
	}
	pd_rt_leave(status);
}

_Noreturn void pd_bug_report(const char *file, int line, const char *what)
{
	pd_rt.defect = true;
	pd_rt_fail(4, "defect in perdure's runtime (%s:%d): %s; please report it", file, line,
		   what);
}

_Noreturn void pd_rt_starved(void)
{
	pd_listen_starved(EAGAIN);
	pd_rt_fail(4, "no more threads can be started here; raise the limit (ulimit -u)");
}
