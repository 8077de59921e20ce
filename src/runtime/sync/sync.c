/* sync.c - what the primitives share; see sync.h. */
#include "runtime/sync/sync.h"
#include "runtime/base/listen.h"
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

void pd_sync_listen(void)
{
	static const struct pd_listener sync = {
		.stays = true, .thread_ending = pd_sync_end, .forked = pd_once_forked};

	pd_listen_add(&sync);
}
