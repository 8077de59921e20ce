/*
 * check/image.c - writes PM files as a crash left them. See check/again.h.
 *
 * They are written when recovery begins, each line in its newest version; whenever a read of
 * recovery narrows a line, that line is written again in the newest version that is still possible.
 * Stores of recovery itself are not written.
 */
#include "runtime/check/check.h"
#include "runtime/check/again.h"
#include "runtime/pm/pool.h"
#include "runtime/base/raw.h"
#include "runtime/session/session.h"
#include <errno.h>
#include <string.h>

static bool wanted(void)
{
	const struct pd_board *b = pd_board();

	return b->again.image[0] && pd_check.depth == b->crashes;
}

/* FILE, FILE.2, FILE.3 ... */
static void path_of(uint32_t i, char *path, size_t n)
{
	struct pd_outbuf b;

	pd_outbuf_init(&b, path, n);
	pd_outf(&b.out, i ? "%s.%u" : "%s", pd_board()->again.image, i + 1);
}

static void fail(const char *path, int err)
{
	struct pd_again *a = &pd_board()->again;
	struct pd_outbuf b;

	pd_outbuf_init(&b, a->error, sizeof(a->error));
	if (err == EEXIST)
		pd_outf(&b.out, "'%s' exists; --image takes the name of a new file", path);
	else
		pd_outf(&b.out, "cannot write '%s' (errno %d)", path, err);
}

static void write_file(struct pd_pool *p, uint32_t i)
{
	char path[PD_AGAIN_PATH + 16];
	long fd;
	int r;

	path_of(i, path, sizeof(path));
	fd = pd_raw_openat(AT_FDCWD, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	r = fd < 0 ? (int)fd : pd_pool_write_image(p, (int)fd);
	if (r < 0)
		fail(path, -r);
	if (fd >= 0)
		pd_raw_close((int)fd);
}

void pd_image_begin(void)
{
	struct pd_again *a = &pd_board()->again;

	if (!a->files || pd_check.depth != pd_board()->crashes)
		return;
	a->nfile = 0;
	for (uint32_t i = 0; i < pd_pool_count() && a->nfile < PD_AGAIN_FILES; i++) {
		struct pd_pool *p = pd_pool_get(i);
		struct pd_again_file *f = &a->file[a->nfile];

		if (!p->names || p->side)
			continue;
		*f = (struct pd_again_file){
			.pool = p->id, .base = p->base - PD_PM_BASE, .size = p->size};
		strncpy(f->name, p->name, sizeof(f->name) - 1);
		if (wanted())
			write_file(p, a->nfile);
		a->nfile++;
	}
}

static void write_at(uint32_t i, uint64_t off, const uint8_t *bytes, size_t n)
{
	char path[PD_AGAIN_PATH + 16];
	long fd, r;

	path_of(i, path, sizeof(path));
	fd = pd_raw_openat(AT_FDCWD, path, O_WRONLY | O_CLOEXEC, 0);
	r = fd < 0 ? fd : pd_raw(SYS_pwrite64, fd, (long)bytes, (long)n, (long)off, 0, 0);
	if (r != (long)n)
		fail(path, r < 0 ? (int)-r : 0);
	if (fd >= 0)
		pd_raw_close((int)fd);
}

static void write_block(uint64_t addr, const uint8_t *bytes)
{
	const struct pd_again *a = &pd_board()->again;

	for (uint32_t i = 0; i < a->nfile; i++) {
		const struct pd_again_file *f = &a->file[i];

		if (addr >= f->base && addr < f->base + f->size)
			write_at(i, addr - f->base, bytes,
				 PD_MIN(PD_BLOCK, f->base + f->size - addr));
	}
}

void pd_image_line(uint64_t off, const struct pd_vset *set)
{
	struct pd_model *m = &pd_mem.model;
	const struct pd_line *line = wanted() ? pd_model_line(m, off) : NULL;

	if (!line || !line->crashed)
		return;
	for (uint32_t b = 0; b < (1u << m->params.line_shift) / PD_BLOCK; b++) {
		pd_classes classes;

		if (pd_vset_classes(line->crashed, set, b, UINT64_MAX, NULL, &m->step, &classes))
			write_block((line->cur.line << m->params.line_shift) + b * PD_BLOCK,
				    classes.v[0].value);
	}
}
