/* check/checksum.c - see check/checksum.h. */
#include "runtime/check/checksum.h"
#include "protocol/board.h"
#include "runtime/check/check.h"
#include "runtime/session/session.h"
#include "runtime/place/site.h"
#include "runtime/thread/thread.h"
#include <string.h>

/* Of one thread; those with higher numbers share the last. */
struct feeding {
	uint64_t off;
	uint64_t n;	   /* 0: nothing is named */
	uint32_t group;	   /* of what is named */
	uint32_t function; /* group of the function that is reading; 0: none is */
};

static struct {
	uint32_t groups;
	struct feeding thread[64];
	uint8_t site[PD_BOARD_SITES]; /* 0: not looked at, 1: no, 2: yes */
} sums;

static struct feeding *own(void)
{
	return &sums.thread[PD_MIN(pd_thread_self(), PD_LEN(sums.thread) - 1)];
}

/* As it is, or as a C++ name whose last part it is: its length and itself come before the types. */
static bool is_name_of(const char *name, const char *function)
{
	size_t n = strlen(name);
	const char *at = function;

	if (strcmp(name, function) == 0)
		return true;
	if (strncmp(function, "_Z", 2) != 0)
		return false;
	while ((at = strstr(at + 1, name))) {
		size_t place = 1, length = 0;
		const char *d = at;

		for (; d > function && d[-1] >= '0' && d[-1] <= '9'; place *= 10)
			length += (size_t)(*--d - '0') * place;
		if (length == n)
			return true;
	}
	return false;
}

static bool is_named(const char *function)
{
	struct pd_board *b = pd_board();

	for (uint32_t i = 0; i < PD_BOARD_CHECKSUMS && b->checksum[i][0]; i++)
		if (is_name_of(b->checksum[i], function)) {
			b->checksum_used[i] = 1;
			return true;
		}
	return false;
}

static bool in_function(uint32_t id)
{
	const struct pd_site *s = pd_site_get(id);
	uint8_t *known = &sums.site[id < PD_BOARD_SITES ? id : 0];

	if (!*known) {
		*known = 1;
		for (; s; s = s->inlined_at)
			if (is_named(s->function))
				*known = 2;
	}
	return *known == 2;
}

void pd_checksum_said(bool begin, uint64_t off, uint64_t n)
{
	struct feeding *f;

	if (pd_check.role != PD_CHECK_RECOVERY)
		return;
	f = own();
	f->off = off;
	f->n = begin ? n : 0;
	if (begin)
		f->group = ++sums.groups;
}

static uint32_t group_of(uint64_t off, uint64_t n, uint32_t site)
{
	struct feeding *f = own();

	if (f->n && off >= f->off && off + n <= f->off + f->n)
		return f->group;
	if (!pd_board()->checksum[0][0] || !in_function(site))
		return f->function = 0;
	if (!f->function)
		f->function = ++sums.groups;
	return f->function;
}

void pd_checksum_read(uint64_t off, uint64_t n, uint32_t site)
{
	struct pd_model *m = &pd_session.model;
	uint32_t group = group_of(off, n, site);

	pd_session.group = group;
	m->cutting = group != 0;
	if (group && group != m->cut.group)
		m->cut = (struct pd_cut){.group = group};
}
