/* sync.c - what the primitives share; see sync.h. */
#include "runtime/sync/sync.h"
#include <errno.h>
#include <string.h>

const struct pd_site pd_sync_site = {
	.file = "libc", .function = "pthread", .flags = PD_SITE_ATOMIC};

void pd_object_load(const void *obj, void *copy, size_t n)
{
	pd_sync_enter();
	__pd_loadb((void *)(uintptr_t)obj, copy, n, &pd_sync_site);
	pd_sync_leave();
}

void pd_object_store(void *obj, void *copy, size_t n)
{
	pd_sync_enter();
	__pd_storeb(obj, copy, n, &pd_sync_site, 0);
	pd_sync_leave();
}

static uint64_t saturating_ns(int64_t sec, int64_t nsec)
{
	if (sec < 0)
		return 0;
	if ((uint64_t)sec > INT64_MAX / 1000000000 - 1)
		return INT64_MAX;
	return (uint64_t)sec * 1000000000 + (uint64_t)nsec;
}

int pd_sync_deadline(clockid_t clock, const struct timespec *abs, uint64_t *deadline)
{
	struct timespec now;
	uint64_t at;
	uint64_t from;

	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return EINVAL;
	if (abs->tv_nsec < 0 || abs->tv_nsec >= 1000000000)
		return EINVAL;
	clock_gettime(clock, &now);
	at = saturating_ns(abs->tv_sec, abs->tv_nsec);
	from = saturating_ns(now.tv_sec, now.tv_nsec);
	*deadline = pd_sched_clock() + (at > from ? at - from : 0);
	return 0;
}

uint64_t pd_sync_after(const struct timespec *rel)
{
	return pd_sched_clock() + saturating_ns(rel->tv_sec, rel->tv_nsec);
}
