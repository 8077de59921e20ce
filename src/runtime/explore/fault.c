/*
 * explore/fault.c - calls that fail. See explore.h; event/fault.def has the list.
 *
 * A call that may fail is a choice of the path: its byte of the input is compared with each way to
 * fail, as if the program had branches there. After as many faults as a path may have (b->faults)
 * there are no more choices. Calls beyond the last byte of the source do not fail; that there were
 * some is recorded.
 *
 * If the input is fixed, the calls that it lists fail; an entry that does not match is a loss. In a
 * recovery none does (check/point.c): the numbers are those of the first execution.
 */
#include "runtime/base/listen.h"
#include "runtime/explore/explore.h"
#include "runtime/libc/fault.h"
#include "runtime/symbolic/symbolic.h"
#include "runtime/thread/door.h"
#include <string.h>

enum { FIXED = 64 };

static uint32_t calls; /* that could have failed */
static uint32_t failed;

/* ---- explored ------------------------------------------------------------------------------- */

static const struct pd_explore_source *source;

static void note(enum pd_faulty f, enum pd_fault how, const struct pd_site *site)
{
	struct pd_explore_fault *to = &pd_exploring.self->fault[failed++];
	const char *slash = site ? strrchr(site->file, '/') : NULL;
	const char *file = slash ? slash + 1 : site ? site->file : "";
	size_t n = strnlen(file, sizeof(to->file) - 1);

	*to = (struct pd_explore_fault){.call = calls,
					.function = (uint16_t)f,
					.how = (uint16_t)how,
					.line = site ? site->line : 0};
	memcpy(to->file, file, n);
}

static enum pd_fault choose(enum pd_faulty f, uint32_t how, const struct pd_site *site)
{
	uint32_t at = calls++;

	if (failed == pd_exploring.board->faults)
		return PD_FAULT_NONE;
	if (at >= source->n) {
		pd_sources_note(source, calls);
		return PD_FAULT_NONE;
	}
	pd_symbolic_use();
	for (uint32_t i = PD_FAULT_NONE + 1; i < PD_FAULTS; i++)
		if (how >> i & 1 && pd_sources_is(source->first + at, (uint8_t)i, site)) {
			note(f, (enum pd_fault)i, site);
			return (enum pd_fault)i;
		}
	return PD_FAULT_NONE;
}

void pd_faults_explore(const struct pd_explore_source *s)
{
	source = s;
	pd_faults.decide = choose;
}

/* ---- fixed ---------------------------------------------------------------------------------- */

static struct {
	uint32_t n;
	struct {
		uint32_t call;
		enum pd_faulty f;
		enum pd_fault how;
	} v[FIXED];
} fixed;

static enum pd_fault look_up(enum pd_faulty f, uint32_t how, const struct pd_site *site)
{
	(void)site;
	calls++;
	for (uint32_t i = 0; i < fixed.n; i++)
		if (fixed.v[i].call == calls && fixed.v[i].f == f && how >> fixed.v[i].how & 1) {
			failed++;
			return fixed.v[i].how;
		}
	return PD_FAULT_NONE;
}

/* The program has changed, or follows another schedule. */
static void count_missing(void)
{
	if (pd_faults.decide && failed < fixed.n)
		pd_rt_loss(PD_LOSS_FAULT, 0, "a call that fails on this input was never made");
}

void pd_faults_fixed(const char *text, size_t n)
{
	static const struct pd_listener listener = {.ended = count_missing};
	const char *end = text + n;

	for (const char *s = text; s < end; s++) {
		bool ok = fixed.n < FIXED &&
			  pd_fault_parse(s, &fixed.v[fixed.n].call, &fixed.v[fixed.n].f,
					 &fixed.v[fixed.n].how);

		if (!ok && *s != '#' && *s != '\n')
			pd_rt_fail(2, "the input's file 'faults' has a line that is no fault of up "
				      "to 64");
		fixed.n += ok;
		s = memchr(s, '\n', (size_t)(end - s));
		if (!s)
			break;
	}
	pd_faults.decide = look_up;
	pd_listen_add(&listener);
}
