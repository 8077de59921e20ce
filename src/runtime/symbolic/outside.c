/*
 * symbolic/outside.c - input that the program writes and reads again; see symbolic.h.
 *
 * Bytes in a file, a pipe or a stream have no labels. A program may put out what it likes; but where
 * it reads a file that it has written input to, what it gets depends on the input, and no label says
 * so: a loss. Bytes of a pool keep their labels while they are written by descriptor (file/io.c).
 *
 * Precision lost: a file counts as a whole, and so do all sockets. Standard output and error are
 * taken to lead out of the program.
 *
 * Thread rule: as in rt.h.
 */
#include "runtime/symbolic/symbolic.h"
#include <unistd.h>

enum { FILES = 64 };

/* Files that have input in them; as memory, so each run has its own. */
static struct {
	uint32_t n;
	uint64_t file[FILES];
} written;

static bool is_written(uint64_t file)
{
	for (uint32_t i = 0; i < written.n; i++)
		if (written.file[i] == file)
			return true;
	return false;
}

static void lose(const struct pd_site *site, const char *by)
{
	if (pd_symbolic.lost)
		pd_symbolic.lost(PD_SYM_WHY_OUTSIDE, site, by);
}

void pd_outside_wrote(int fd, const struct pd_site *site, const char *by)
{
	uint64_t file = pd_symbolic.file_of ? pd_symbolic.file_of(fd) : 0;

	if (fd == STDOUT_FILENO || fd == STDERR_FILENO || !file || is_written(file))
		return;
	if (written.n == FILES)
		lose(site, by);
	else
		written.file[written.n++] = file;
}

void pd_outside_wrote_stream(FILE *f, const struct pd_site *site, const char *by)
{
	if (f == stdout || f == stderr)
		return;
	if (fileno(f) < 0)
		lose(site, by); /* into memory */
	else
		pd_outside_wrote(fileno(f), site, by);
}

void pd_outside_reads(int fd, const struct pd_site *site, const char *by)
{
	if (pd_unlikely(written.n) && pd_symbolic.on && pd_symbolic.file_of &&
	    is_written(pd_symbolic.file_of(fd)))
		lose(site, by);
}
