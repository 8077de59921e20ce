/*
 * board.c - a process of an exploration looks at the board before it uses it: board PROGRAM ARGS...
 *
 * Boards that differ in what they say of themselves are refused in a line; prints TAP.
 */
#include "drive/driven.h"
#include "lib/tap.h"
#include "protocol/board.h"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char refusal[] = "the board of this exploration is not one of this version of perdure";

/* Whether the program refuses a board that begins like this one. */
static bool is_refused(char **argv, const struct pd_board *begins)
{
	const char *pm = "*.pm";
	char settings[60];
	struct pd_driven_options o = {.argv = argv, .pm = &pm, .npm = 1, .mode = "check",
				      .settings = settings, .stdout_to = 2, .zygote = true};
	int fd = memfd_create("board", 0);
	struct pd_driven d;
	struct pd_error e = {0};
	bool refused;

	snprintf(settings, sizeof(settings), "board=%d model=adr stdin=-1", fd);
	if (ftruncate(fd, PD_BOARD_SIZE) != 0 || pwrite(fd, begins, 64, 0) != 64 ||
	    !pd_driven_start(&d, &o, &e)) {
		tap_ok(false, "it can be started: %s", e.text);
		return false;
	}
	refused = !pd_driven_order(&d, PD_ZYGOTE_RUN, 0, &e) || !pd_driven_answer(&d, &e);
	refused = refused && !pd_driven_judge(&d, argv[0], &e) && strstr(e.text, refusal);
	pd_driven_finish(&d);
	close(fd);
	return refused;
}

int main(int argc, char **argv)
{
	static struct pd_board b;

	(void)argc;
	pd_board_mark(&b);
	b.stop = 1; /* nothing is to be explored */
	tap_ok(!is_refused(argv + 1, &b), "a board of this version");
	b.version++;
	tap_ok(is_refused(argv + 1, &b), "one of the next version");
	b.version--;
	b.size += 8;
	tap_ok(is_refused(argv + 1, &b), "one with another field");
	b.size -= 8;
	b.magic = 0;
	tap_ok(is_refused(argv + 1, &b), "something else");
	return tap_finish();
}
