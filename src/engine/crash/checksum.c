/* checksum.c - see checksum.h. */
#include "engine/crash/checksum.h"
#include "finding/owner.h"
#include "finding/text.h"

/* The decimal number that ends right before `at`; 0: none. */
static size_t number_before(const char *first, const char *at)
{
	size_t place = 1, number = 0;

	for (; at > first && at[-1] >= '0' && at[-1] <= '9'; place *= 10)
		number += (size_t)(*--at - '0') * place;
	return number;
}

bool pd_checksum_is_name_of(const char *name, const char *function)
{
	size_t n = pd_text_len(name), all = pd_text_len(function);

	if (n == all && memcmp(name, function, n) == 0)
		return true;
	if (all < 2 || function[0] != '_' || function[1] != 'Z')
		return false;
	for (size_t at = 1; at + n <= all; at++)
		if (memcmp(function + at, name, n) == 0 &&
		    number_before(function, function + at) == n)
			return true;
	return false;
}

static bool is_named(struct pd_checksum_functions *f, const char *function)
{
	for (uint32_t i = 0; i < PD_CHECKSUM_NAMES && f->name[i][0]; i++)
		if (pd_checksum_is_name_of(f->name[i], function)) {
			f->used[i] = 1;
			return true;
		}
	return false;
}

/*
 * PMDK's own checksum functions, of pool headers and logs, in whatever build. util_header_check
 * copies a header and computes the checksum of the copy.
 */
static bool is_pmdk_checksum(const char *library, const char *function)
{
	static const char *const known[] = {"util_checksum", "util_checksum_compute",
					    "util_checksum_seq", "util_header_check"};

	if (!library || pd_owner_of(library, true, NULL) == PD_OWNER_USER)
		return false;
	for (uint32_t i = 0; i < PD_LEN(known); i++)
		if (pd_text_cmp(known[i], function) == 0)
			return true;
	return false;
}

static bool in_function(struct pd_checksums *s, struct pd_checksum_functions *f,
			const struct pd_site *site, const char *library)
{
	uint8_t anew = 0;
	uint8_t *known = site && site->id < PD_CHECKSUM_SITES ? &s->site[site->id] : &anew;

	if (!*known) {
		*known = 1;
		for (; site; site = site->inlined_at)
			if (is_named(f, site->function) ||
			    is_pmdk_checksum(library, site->function))
				*known = 2;
	}
	return *known == 2;
}

static struct pd_checksum_feeding *feeding(struct pd_checksums *s, uint32_t thread)
{
	return &s->thread[PD_MIN(thread, PD_CHECKSUM_THREADS - 1)];
}

void pd_checksum_begin_range(struct pd_checksums *s, uint32_t thread, uint64_t off, uint64_t n)
{
	struct pd_checksum_feeding *f = feeding(s, thread);

	f->off = off;
	f->n = n;
	f->group = ++s->groups;
}

void pd_checksum_end_range(struct pd_checksums *s, uint32_t thread)
{
	feeding(s, thread)->n = 0;
}

uint32_t pd_checksum_group(struct pd_checksums *s, struct pd_checksum_functions *functions,
			   uint32_t thread, uint64_t off, uint64_t n, const struct pd_site *site,
			   const char *library)
{
	struct pd_checksum_feeding *f = feeding(s, thread);

	if (f->n && off >= f->off && off + n <= f->off + f->n)
		return f->group;
	if ((!functions->name[0][0] && !library) || !in_function(s, functions, site, library))
		return f->function = 0;
	if (!f->function)
		f->function = ++s->groups;
	return f->function;
}
