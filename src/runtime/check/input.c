/*
 * check/input.c - what executions read beside PM: standard input, the same bytes for all of them,
 * each at its own offset; and files that are open where a recovery splits. See check.h.
 */
#include "runtime/check/check.h"
#include "runtime/thread/door.h"
#include "runtime/base/raw.h"
#include "runtime/session/session.h"
#include "base/out.h"
#include <errno.h>
#include <unistd.h>

static int shared = -1; /* what every execution reads; -1: it is not shared */

void pd_check_input_start(int fd)
{
	shared = fd;
}

long pd_check_input_offset(void)
{
	return shared < 0 ? -1 : pd_raw(SYS_lseek, STDIN_FILENO, 0, SEEK_CUR, 0, 0, 0);
}

/* Without /proc: a copy of the same bytes. */
static long copy_input(void)
{
	long fd = pd_raw(SYS_memfd_create, (long)"perdure-stdin", 0, 0, 0, 0, 0);
	char buf[4096];
	long n, at = 0;

	while (fd >= 0 && (n = pd_raw(SYS_pread64, shared, (long)buf, sizeof(buf), at, 0, 0)) > 0) {
		if (pd_raw_write((int)fd, buf, (size_t)n) != n)
			pd_rt_fail(4, "no memory for a copy of standard input");
		at += n;
	}
	return fd;
}

/* Opened anew, since all who inherit a descriptor share its offset. */
void pd_check_input_again(long offset)
{
	struct pd_outbuf b;
	char path[40];
	long fd;

	if (shared < 0 || offset < 0)
		return;
	pd_outbuf_init(&b, path, sizeof(path));
	pd_outf(&b.out, "/proc/self/fd/%d", shared);
	fd = pd_raw_open(path, O_RDONLY);
	if (fd < 0)
		fd = copy_input();
	if (fd < 0)
		return;
	pd_raw(SYS_lseek, fd, offset, SEEK_SET, 0, 0, 0);
	pd_raw(SYS_dup2, fd, STDIN_FILENO, 0, 0, 0, 0);
	pd_raw_close((int)fd);
}

/* ---- where a recovery splits ---------------------------------------------------------------- */

enum { GAP = 16 }; /* so many descriptors that are not open end the search */

/* Pools and side files have offsets of their own in each process; these are the kernel's. */
void pd_check_offsets_keep(struct pd_check_offsets *o)
{
	uint32_t gap = 0;

	o->n = 0;
	for (int fd = 0; fd < pd_session.pipe && gap < GAP; fd++) {
		long at = pd_raw(SYS_lseek, fd, 0, SEEK_CUR, 0, 0, 0);

		gap = at == -EBADF ? gap + 1 : 0;
		if (at < 0)
			continue;
		if (o->n == PD_LEN(o->v)) {
			pd_rt_loss(PD_LOSS_CAPPED, 0, "files that are open in a recovery");
			return;
		}
		o->v[o->n].fd = fd;
		o->v[o->n++].at = at;
	}
}

void pd_check_offsets_restore(const struct pd_check_offsets *o)
{
	for (uint32_t i = 0; i < o->n; i++)
		pd_raw(SYS_lseek, o->v[i].fd, o->v[i].at, SEEK_SET, 0, 0, 0);
}
