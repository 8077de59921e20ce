/* check/checksum.c - see check/checksum.h. */
#include "runtime/check/checksum.h"
#include "engine/crash/checksum.h"
#include "protocol/board.h"
#include "runtime/check/check.h"
#include "runtime/session/session.h"
#include "runtime/place/site.h"
#include "runtime/thread/thread.h"

static struct pd_checksums sums PD_TABLE;

void pd_checksum_said(bool begin, uint64_t off, uint64_t n)
{
	if (pd_check.role != PD_CHECK_RECOVERY)
		return;
	if (begin)
		pd_checksum_begin_range(&sums, pd_thread_self(), off, n);
	else
		pd_checksum_end_range(&sums, pd_thread_self());
}

void pd_checksum_read(uint64_t off, size_t n, uint32_t site)
{
	const struct pd_checksum_functions *named = &pd_board()->checksum;
	struct pd_model *m = &pd_mem.model;
	const char *library = site ? pd_site_library(site) : NULL;
	uint32_t group = named->name[0][0] || sums.groups || library
				 ? pd_checksum_group(&sums, &pd_board()->checksum, pd_thread_self(),
						     off, n, pd_site_get(site), library)
				 : 0; /* no checksum is named */

	pd_mem.group = group;
	m->cutting = group != 0;
	if (group && group != m->cut.group)
		m->cut = (struct pd_cut){.group = group};
}
