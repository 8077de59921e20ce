/*
 * session_stub.c - the rest of a runtime, for tests of pools and files alone.
 *
 * Stands in for the session, the scheduler and the entry of the runtime: stores and loads are plain
 * copies, events are counted and, with PERDURE_TEST_LOG=FILE, written down one a line. Driven means
 * that PERDURE_CONTROL is set.
 */
#include "event/abi.h"
#include "runtime/pm/pool.h"
#include "runtime/access/mem.h"
#include "runtime/base/raw.h"
#include "runtime/thread/sched.h"
#include "runtime/thread/door.h"
#include "runtime/pm/veil.h"
#include "runtime/symbolic/symbolic.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

PD_EXPORT _Thread_local const struct pd_site *__pd_call_site;

__thread uint8_t pd_door;

struct pd_symbolic pd_symbolic; /* off */

void pd_labels_forget(const void *p, size_t n)
{
	(void)p, (void)n;
}

void pd_outside_reads_pool(const struct pd_pool *p, const char *by)
{
	(void)p, (void)by;
}

void pd_outside_reads(int fd, const struct pd_site *site, const char *by)
{
	(void)fd, (void)site, (void)by;
}

void pd_outside_maps(int fd)
{
	(void)fd;
}

void pd_outside_writes(int fd, const struct iovec *v, size_t n, const char *by)
{
	(void)fd, (void)v, (void)n, (void)by;
}

void pd_outside_passes(int in, int out, const char *by)
{
	(void)in, (void)out, (void)by;
}

void pd_outside_attaches(uint64_t memory, const char *by)
{
	(void)memory, (void)by;
}

bool pd_labels_any(const void *p, size_t n)
{
	(void)p, (void)n;
	return false;
}

void pd_labels_move(void *to, const void *from, size_t n)
{
	(void)to, (void)from, (void)n;
}

void pd_labels_clear(void *p, size_t n)
{
	(void)p, (void)n;
}

bool pd_door_knock(void)
{
	return false;
}

bool pd_door_knock_pm(void)
{
	return false;
}

static int log_fd = -1;

__attribute__((format(printf, 1, 2))) static void note(const char *fmt, ...)
{
	char line[4096];
	struct pd_outbuf b;
	va_list ap;

	if (log_fd < 0)
		return;
	pd_outbuf_init(&b, line, sizeof(line));
	va_start(ap, fmt);
	pd_voutf(&b.out, fmt, ap);
	va_end(ap);
	pd_raw_write(log_fd, line, b.n);
}

void pd_rt_init(void)
{
	static struct pd_channel unused;
	static int done;
	const char *log;

	if (done || !environ)
		return;
	done = 1;
	pd_rt.driven = getenv("PERDURE_CONTROL");
	pd_door = pd_rt.driven ? PD_DOOR_INSIDE : PD_DOOR_OUTSIDE;
	pd_rt.seed = 1;
	pd_rt.channel = &unused;
	log = getenv("PERDURE_TEST_LOG");
	if (log) {
		log_fd = (int)pd_raw_openat(AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0644);
		if (log_fd >= 0) {
			int high = (int)pd_raw(SYS_fcntl, log_fd, F_DUPFD, 900, 0, 0, 0);

			pd_raw_close(log_fd);
			log_fd = high;
		}
	}
}

uint32_t pd_thread_self(void)
{
	return 0;
}

void pd_rt_emit(struct pd_event *e)
{
	note("%s %lx %lx %lu\n", pd_event_info[e->kind].name, e->addr, e->size, e->aux);
}

static bool in_pool(uint64_t addr)
{
	uint64_t off;

	return pd_pool_of_address(addr, &off);
}

static uint64_t model_address(const void *p)
{
	return pd_pool_canonical((uint64_t)p) - PD_PM_BASE;
}

void pd_rt_store(void *dst, const void *src, size_t n, uint32_t site, int kind)
{
	note("%s%s %lx %lx site=%u\n", pd_event_info[kind].name,
	     in_pool((uint64_t)dst) ? "" : "(not a pool)", model_address(dst), n, site);
	memcpy(dst, src, n);
}

void pd_rt_load(void *dst, const void *src, size_t n, uint32_t site)
{
	note("load %lx %lx site=%u\n", model_address(src), n, site);
	memcpy(dst, src, n);
}

void pd_rt_point(void)
{
}

void pd_sched_wait_fd(int fd, short events)
{
	(void)fd;
	(void)events;
}

void pd_rt_loss(enum pd_loss kind, uint32_t site, const char *what)
{
	note("loss %u %u %s\n", kind, site, what);
}

/* ---- there are no recoveries here ---------------------------------------------------------------- */

bool pd_veil_on;

bool pd_veil_covers(uint64_t off)
{
	(void)off;
	return false;
}

bool pd_veil_next_lifted(uint64_t off, uint64_t n, uint32_t *at, uint64_t *page)
{
	(void)off, (void)n, (void)at, (void)page;
	return false;
}

void pd_veil_show(uint64_t addr, const void *data, size_t n)
{
	(void)addr, (void)data, (void)n;
}

void pd_veil_expose(void)
{
}

void pd_veil_conceal(void)
{
}

/* Nor are there private mappings whose pages are closed. */
long pd_copy_map(const struct pd_pool *p, uint64_t off, uint64_t n, int prot, uint64_t fixed)
{
	(void)p;
	(void)off;
	(void)n;
	(void)prot;
	(void)fixed;
	return -1;
}

void pd_copy_unmap(uint64_t from, uint64_t to)
{
	(void)from;
	(void)to;
}

bool pd_copy_is_closed(uint64_t addr)
{
	(void)addr;
	return false;
}

void pd_veil_remapped(void)
{
}
