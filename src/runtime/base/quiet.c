/* quiet.c - see quiet.h. */
#include "runtime/base/quiet.h"
#include <string.h>

struct pd_quiet pd_quiet PD_TABLE;

static bool has_pages; /* since the table was cleared */

/* The slot of its page in the table; evicts another page if need be. */
static uint64_t place_of(uint64_t off)
{
	uint64_t i = off / 4096 % PD_QUIET_PAGES;

	if (pd_quiet.page[i].number != off / 4096 + 1)
		pd_quiet.page[i] = (struct pd_quiet_page){.number = off / 4096 + 1};
	has_pages = true;
	return i;
}

void pd_quiet_add(uint64_t block, uint64_t mask)
{
	uint64_t i = place_of(block);

	if (!pd_quiet.page[i].parts)
		memset(pd_quiet.bytes[i], 0, sizeof(pd_quiet.bytes[i]));
	pd_quiet.page[i].parts = true;
	pd_quiet.bytes[i][block / 64 % PD_QUIET_BLOCKS] |= mask;
}

void pd_quiet_add_blocks(uint64_t page, uint64_t blocks)
{
	pd_quiet.page[place_of(page)].blocks |= blocks;
}

void pd_quiet_add_look(uint64_t off, const struct pd_lens *lens)
{
	if (++pd_quiet.looks > (uint32_t)PD_QUIET_FEW << pd_quiet.more &&
	    PD_QUIET_FEW << pd_quiet.more < PD_QUIET_LOOKS)
		pd_quiet.more++; /* where it was before it is not found again */
	*pd_quiet_look_at(off, lens) = (struct pd_quiet_look){off + pd_quiet.age, *lens};
}

bool pd_quiet_knows(uint64_t page)
{
	return pd_quiet.page[page / 4096 % PD_QUIET_PAGES].number == page / 4096 + 1;
}

void pd_quiet_forget(void)
{
	if (has_pages) /* else it is memory that an execution has not touched yet */
		memset(pd_quiet.page, 0, sizeof(pd_quiet.page));
	has_pages = false;
	pd_quiet.age += PD_PM_END; /* more than any home */
}
