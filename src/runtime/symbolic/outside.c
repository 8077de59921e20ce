/*
 * symbolic/outside.c - input that the program writes and reads again; see symbolic.h.
 *
 * Bytes in a file, a pipe or a stream have no labels. A program may put out what it likes; but
 * where it reads a file that it has written input to, what it gets depends on the input, and no
 * label says so: a loss. Bytes of a pool keep their labels while they are written by descriptor
 * (file/io.c).
 *
 * Streams over a pool write past them.
 *
 * Precision lost: a file counts as a whole, and so do all sockets. Standard output and error are
 * taken to lead out of the program.
 *
 * Thread rule: as in rt.h.
 */
#include "runtime/symbolic/symbolic.h"
#include <unistd.h>

enum { FILES = 64 };

/* Files that have input in them, and those that are mapped; as memory, so each run has its own. */
static struct files {
	uint32_t n;
	uint64_t file[FILES];
} written, mapped;

static bool has(const struct files *f, uint64_t file)
{
	for (uint32_t i = 0; i < f->n; i++)
		if (f->file[i] == file)
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

	if (fd == STDOUT_FILENO || fd == STDERR_FILENO || !file || has(&written, file))
		return;
	if (written.n == FILES || mapped.n == FILES || has(&mapped, file))
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
	uint64_t file = pd_symbolic.on && pd_symbolic.file_of ? pd_symbolic.file_of(fd) : 0;

	if (file && (file == PD_OUTSIDE_MEMORY || has(&written, file)))
		lose(site, by);
}

void pd_outside_reads_pool(const struct pd_pool *p, const char *by)
{
	if (has(&written, (uint64_t)(uintptr_t)p))
		lose(NULL, by);
}

void pd_outside_writes(int fd, const struct iovec *v, size_t n, const char *by)
{
	for (size_t i = 0; i < n; i++) {
		if (!v[i].iov_len || !pd_labels_any(v[i].iov_base, v[i].iov_len))
			continue;
		pd_symbolic_use();
		pd_labels_used(v[i].iov_base, v[i].iov_len);
		pd_outside_wrote(fd, NULL, by);
	}
}

void pd_outside_passes(int in, int out, const char *by)
{
	if (!pd_symbolic.on || !pd_symbolic.is_labelled)
		return;
	pd_outside_reads(in, NULL, by);
	if (pd_symbolic.is_labelled(in) && !pd_symbolic.is_labelled(out))
		pd_outside_wrote(out, NULL, by);
}

void pd_outside_attaches(uint64_t memory, const char *by)
{
	if (!pd_symbolic.on)
		return;
	if (has(&mapped, memory) || mapped.n == FILES)
		lose(NULL, by);
	else
		mapped.file[mapped.n++] = memory;
}

void pd_outside_maps(int fd)
{
	uint64_t file = pd_symbolic.on && pd_symbolic.file_of ? pd_symbolic.file_of(fd) : 0;

	pd_outside_reads(fd, NULL, "mmap");
	if (file && !has(&mapped, file) && mapped.n < FILES)
		mapped.file[mapped.n++] = file;
}
