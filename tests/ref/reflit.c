/*
 * reflit.c - the reference alone on litmus files: a second judge on the sets that a file expects.
 *
 *	reflit [--max-states N] FILE...
 *
 * Prints TAP, a test a file. A file with more states than the limit is skipped, and says so. Under
 * a file that fails stands what its sets lack (-: expected, but the reference never gets there) and
 * what they miss (+: the reference gets there), as in a diff.
 *
 * Exit: 0 all as expected, 1 not, 2 usage or a file that cannot be read.
 */
#include "ref/compare.h"
#include "ref/ref.h"
#include "lib/tap.h"

#include "host/host.h"
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 1 << 18 };

static size_t read_file(const char *path, char *text)
{
	FILE *f = fopen(path, "r");
	size_t n;

	if (!f)
		return 0;
	n = fread(text, 1, TEXT_SIZE, f);
	fclose(f);
	return n;
}

/* The number of differences; each is a line of output. */
static uint32_t judge(struct pd_out *o, const struct pd_litmus *lit, const struct pd_lit_result *r)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < lit->nsection; i++) {
		const struct pd_lit_section *s = &lit->section[i];
		char prefix[64];

		snprintf(prefix, sizeof(prefix), "#   section %u: images: ", i);
		if (s->has_images)
			n += pd_diff_images(o, prefix, lit, &s->images, &r->images[i]);
		snprintf(prefix, sizeof(prefix), "#   section %u: outcomes: ", i);
		if (s->has_outcomes)
			n += pd_diff_outcomes(o, prefix, s, &s->outcomes, &r->outcomes[i]);
	}
	return n;
}

static bool expects_something(const struct pd_litmus *lit)
{
	for (uint32_t i = 0; i < lit->nsection; i++)
		if (lit->section[i].has_images || lit->section[i].has_outcomes)
			return true;
	return false;
}

static int judge_file(struct pd_arena *a, const char *path, uint64_t max_states)
{
	static char text[TEXT_SIZE], message[4096], diff[TEXT_SIZE];
	struct pd_outbuf err, out;
	struct pd_lit_result r;
	struct pd_litmus *lit;
	size_t n = read_file(path, text);

	pd_outbuf_init(&err, message, sizeof(message));
	pd_outbuf_init(&out, diff, sizeof(diff));
	lit = pd_litmus_parse(a, path, text, n, &err.out);
	if (!lit) {
		tap_ok(0, "%s", path);
		printf("#   %s", message);
		return 2;
	}
	if (!pd_ref_explore(lit, a, max_states, &r)) {
		tap_ok(0, "%s", path);
		printf("#   no memory\n");
		return 2;
	}
	if (r.capped) {
		tap_ok(1, "%s # SKIP more than %lu states", path, (unsigned long)max_states);
		return 0;
	}
	n = judge(&out.out, lit, &r);
	if (!expects_something(lit)) {
		pd_outs(&out.out, "#   neither 'images:' nor 'outcomes:': nothing to judge\n");
		n = 1;
	}
	tap_ok(!n, "%s (%lu states)", path, (unsigned long)r.states);
	printf("%s", diff);
	return n ? 1 : 0;
}

int main(int argc, char **argv)
{
	uint64_t max_states = 3000000;
	int first = 1, status = 0, one;
	struct pd_arena a;

	if (argc > 2 && strcmp(argv[1], "--max-states") == 0) {
		max_states = strtoull(argv[2], NULL, 10);
		first = 3;
	}
	if (first >= argc || argv[first][0] == '-') {
		fprintf(stderr, "usage: reflit [--max-states N] FILE...\n");
		return 2;
	}
	for (int i = first; i < argc; i++) {
		pd_arena_init(&a, pd_host_memory());
		one = judge_file(&a, argv[i], max_states);
		status = PD_MAX(status, one);
		pd_arena_finish(&a);
		fflush(stdout);
	}
	tap_finish();
	return status;
}
