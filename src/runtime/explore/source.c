/*
 * source.c - where the bytes of the input are. See explore.h.
 *
 * A file that is symbolic, standard input among them, is a pool (pm/pool.h): its bytes are private
 * memory, so that they have labels, and so does what read() takes from there. So is a file whose
 * bytes an input fixes (input=DIR, event/control.h). Arguments are where the kernel has put them.
 */
#include "base/hash.h"
#include "base/out.h"
#include "runtime/base/listen.h"
#include "runtime/base/outside.h"
#include "runtime/base/raw.h"
#include "runtime/explore/deep.h"
#include "runtime/explore/explore.h"
#include "runtime/file/file.h"
#include "runtime/file/stdio.h"
#include "runtime/pm/shadow.h"
#include "runtime/session/session.h"
#include "runtime/symbolic/symbolic.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/statfs.h>
#include <unistd.h>

/* Bytes of PD_SOURCE_MEMORY assigned so far. */
static uint32_t given;

static bool is_labelled(int fd);
static uint64_t file_of(int fd);
static bool stream_at(FILE *f, const uint8_t **at, uint64_t *left);
static bool is_source(const void *p);

/* Their values if the input is fixed; NULL: none. */
static const uint8_t *memory;
static size_t memory_size;

/* The pool of each source that is a file. */
static const struct pd_pool *laid[PD_EXPLORE_SOURCES];

void pd_sources_note(const struct pd_explore_source *s, uint32_t n)
{
	uint32_t *used = &pd_exploring.board->source[s - pd_exploring.board->source].used;
	uint32_t was = *used;

	while (was < n && !__atomic_compare_exchange_n(used, &was, n, false, __ATOMIC_RELAXED,
						       __ATOMIC_RELAXED))
		;
}

bool pd_sources_is(uint32_t byte, uint8_t value, const struct pd_site *site)
{
	bool is = pd_symbolic.input[byte] == value;
	struct pd_exprs *x = pd_symbolic.exprs;
	pd_expr e = pd_expr_input(x, byte);

	pd_symbolic_used(e);
	pd_symbolic_branch(site, pd_expr_binary(x, PD_SYM_EQ, e, pd_expr_const(x, 8, value)), is);
	return is;
}

/* ---- files ---------------------------------------------------------------------------------- */

static struct pd_pool *pool_named(const char *name)
{
	struct pd_found f = {0};
	long r = pd_file_find(AT_FDCWD, name, true, &f), err = 0;
	int e = 0;

	if (r == 0 && (f.pool || f.real))
		return pd_file_adopt(&f, &err);
	if (r != 0 && r != PD_FILE_PASS)
		return NULL;
	if (f.real && !S_ISREG(f.st.st_mode))
		return NULL;
	return pd_pool_create(f.abs, f.real ? &f.st : NULL, 0644, r == PD_FILE_PASS, &e);
}

/* Puts these bytes at an offset; returns where they are. */
static uint8_t *lay(struct pd_pool *p, uint64_t at, bool whole, const uint8_t *bytes, uint64_t n)
{
	if ((whole && p->size != at + n) || p->size < at + n)
		if (pd_pool_resize(p, at + n))
			return NULL;
	pd_pool_poke(p->base + at, bytes, n);
	if (!p->side) {
		pd_shadow_pool(p); /* it was not opened yet */
		memcpy(pd_shadow(p->base + at - PD_PM_BASE), bytes, n);
	}
	return (uint8_t *)(p->base + at);
}

static void lay_source(const struct pd_explore_source *s, struct pd_pool *p)
{
	const uint8_t *bytes = pd_exploring.board->seed + s->first;
	uint8_t *at = p ? lay(p, s->at, s->whole, bytes, s->n) : NULL;

	if (!at)
		pd_rt_fail(2, "'%s' cannot be made symbolic: it is no regular file", s->name);
	if (p->side) {
		p->open = true;
		pd_raw_mprotect(p->base, PD_PAGE_UP(p->size), PROT_READ | PROT_WRITE);
	}
	pd_labels_input(at, s->n, s->first);
	laid[s - pd_exploring.board->source] = p;
}

static void lay_stdin(const struct pd_explore_source *s)
{
	int err = 0;
	struct pd_pool *p = pd_pool_create("/dev/stdin", NULL, 0444, true, &err);
	long fd;

	if (!p)
		pd_rt_fail(4, "no memory for standard input");
	lay_source(s, p);
	fd = pd_file_attach(p, O_RDONLY, PD_OFD_POOL);
	if (fd < 0 || (fd != STDIN_FILENO && (dup2((int)fd, STDIN_FILENO) < 0 || close((int)fd))))
		pd_rt_fail(4, "standard input cannot be replaced");
	stdin = fdopen(STDIN_FILENO, "r");
}

static void lay_argument(const struct pd_explore_source *s, int argc, char **argv)
{
	if (s->at >= (uint64_t)argc || strlen(argv[s->at]) != s->n)
		pd_rt_fail(4, "argument %lu is not as it should be", (unsigned long)s->at);
	pd_labels_input(argv[s->at], s->n, s->first);
}

void pd_sources_start(int argc, char **argv)
{
	struct pd_explore *b = pd_exploring.board;

	pd_file_driven(); /* makes sure that there are pools */
	pd_symbolic.is_labelled = is_labelled;
	pd_symbolic.file_of = file_of;
	pd_symbolic.stream_at = stream_at;
	pd_symbolic.is_source = is_source;
	for (uint32_t i = 0; i < b->nsources; i++) {
		const struct pd_explore_source *s = &b->source[i];

		switch ((enum pd_source_kind)s->kind) {
		case PD_SOURCE_ARG:
			lay_argument(s, argc, argv);
			break;
		case PD_SOURCE_STDIN:
			lay_stdin(s);
			break;
		case PD_SOURCE_FILE:
		case PD_SOURCE_PM:
			lay_source(s, pool_named(s->name));
			break;
		case PD_SOURCE_FAULT:
			pd_faults_explore(s);
			break;
		case PD_SOURCE_SCHEDULE:
			pd_schedule_explore(s);
			break;
		case PD_SOURCE_SOCKET:
			pd_sockets_start(b->script, strlen(b->script), s);
			break;
		case PD_SOURCE_MEMORY:
			break;
		}
	}
}

/* ---- streams -------------------------------------------------------------------------------- */

/* The source whose bytes a descriptor reads. */
static const struct pd_explore_source *source_of(int fd)
{
	const struct pd_pool *p = pd_file_pool(fd);

	for (uint32_t i = 0; p && i < pd_exploring.board->nsources; i++)
		if (laid[i] == p)
			return &pd_exploring.board->source[i];
	return NULL;
}

static bool is_labelled(int fd)
{
	return pd_file_pool(fd) != NULL || pd_sockets_is_source(fd);
}

/* Files of /proc that show memory, arguments and environment of a process. */
static bool shows_memory(int fd)
{
	static const char *const names[] = {"/mem", "/cmdline", "/environ"};
	char link[32], name[64];
	struct pd_outbuf b;
	struct statfs fs;
	long n;

	if (pd_raw(SYS_fstatfs, fd, (long)&fs, 0, 0, 0, 0) < 0 || fs.f_type != PROC_SUPER_MAGIC)
		return false;
	pd_outbuf_init(&b, link, sizeof(link));
	pd_outf(&b.out, "/proc/self/fd/%d", fd);
	n = pd_raw(SYS_readlink, (long)link, (long)name, sizeof(name) - 1, 0, 0, 0);
	name[PD_MAX(n, 0)] = '\0';
	for (size_t i = 0; i < PD_LEN(names); i++)
		if (n >= (long)strlen(names[i]) &&
		    strcmp(name + n - strlen(names[i]), names[i]) == 0)
			return true;
	return false;
}

/* The clients of a script are no file: what they send has labels, and nobody reads what they
 * get. */
static uint64_t file_of(int fd)
{
	const struct pd_pool *p = pd_file_pool(fd);
	struct stat st;

	if (p)
		return (uint64_t)(uintptr_t)p;
	if (pd_sockets_is_source(fd) || pd_raw(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) < 0 ||
	    S_ISCHR(st.st_mode))
		return 0;
	if (S_ISSOCK(st.st_mode))
		return 1;
	if (shows_memory(fd))
		return PD_OUTSIDE_MEMORY;
	return pd_mix(st.st_ino ^ pd_mix(st.st_dev)) | 4;
}

static bool is_source(const void *p)
{
	const struct pd_stream *s = pd_stream_find(p);

	return s && source_of(s->fd);
}

static bool stream_at(FILE *f, const uint8_t **at, uint64_t *left)
{
	int fd = fileno(f);
	const struct pd_ofd *o = pd_file_of(fd);
	uint64_t off;

	if (!source_of(fd))
		return false;
	pd_symbolic_use(); /* libc reads ahead */
	if (f != stdin)
		pd_deep_blind(); /* its buffer would have to be found */
	off = o->off - (uint64_t)(f->_IO_read_end - f->_IO_read_ptr);
	*at = (const uint8_t *)o->pool->base + off;
	*left = off < o->pool->size ? o->pool->size - off : 0;
	return true;
}

/* glibc: what was put back is in another buffer. */
#define IN_BACKUP 0x0100

bool pd_sources_may_stop(void)
{
	return !(stdin->_flags & IN_BACKUP);
}

/* What libc has read ahead has no labels. */
void pd_sources_refresh(void)
{
	const struct pd_explore_source *s = source_of(fileno(stdin));
	uint64_t end = s ? pd_file_of(fileno(stdin))->off : 0;

	for (char *p = stdin->_IO_read_base; s && p < stdin->_IO_read_end; p++) {
		uint64_t at = end - (uint64_t)(stdin->_IO_read_end - p) - s->at;

		if (at < s->n)
			*p = (char)pd_symbolic.input[s->first + at];
	}
}

void pd_sources_used(void)
{
	struct pd_explore *b = pd_exploring.board;
	const struct pd_ofd *o = pd_file_of(STDIN_FILENO);

	for (uint32_t i = 0; i < b->nsources; i++) {
		const struct pd_explore_source *s = &b->source[i];

		if (s->kind == PD_SOURCE_STDIN && o && o->pool == laid[i])
			pd_sources_note(s, (uint32_t)PD_MIN(o->off, s->n));
	}
}

/* ---- a fixed input -------------------------------------------------------------------------- */

/* DIR/NAME */
static void path_in(char path[PATH_MAX], const char *dir, const char *name)
{
	struct pd_outbuf b;

	pd_outbuf_init(&b, path, PATH_MAX);
	pd_outf(&b.out, "%s/%s", dir, name);
}

/* Reads a file; NULL: it cannot be read. */
static uint8_t *read_source(const char *path, size_t *n)
{
	long fd = pd_raw_open(path, O_RDONLY), r;
	struct stat st;
	uint8_t *bytes;

	if (fd < 0 || pd_raw(SYS_fstat, fd, (long)&st, 0, 0, 0, 0) < 0)
		return NULL;
	bytes = pd_raw_borrow((size_t)st.st_size + 1);
	*n = 0;
	while (bytes && *n < (size_t)st.st_size &&
	       (r = pd_raw_read((int)fd, bytes + *n, (size_t)st.st_size - *n)) > 0)
		*n += (size_t)r;
	pd_raw_close((int)fd);
	return bytes;
}

static int hex(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* %2F is a slash; in place. */
static void decode(char *name)
{
	char *to = name;

	for (; *name; name++) {
		bool coded = *name == '%' && hex(name[1]) >= 0 && hex(name[2]) >= 0;

		*to++ = coded ? (char)(hex(name[1]) << 4 | hex(name[2])) : *name;
		name += coded ? 2 : 0;
	}
	*to = '\0';
}

static void lay_fixed(const char *dir, const char *file, bool pm)
{
	char path[PATH_MAX], name[PATH_MAX], *plus;
	uint64_t offset = 0;
	struct pd_outbuf b;
	struct pd_pool *p;
	uint8_t *bytes;
	size_t n = 0;

	path_in(path, dir, file);
	bytes = read_source(path, &n);
	pd_outbuf_init(&b, name, sizeof(name));
	pd_outf(&b.out, "%s", file);
	plus = pm ? strrchr(name, '+') : NULL;
	if (plus) {
		offset = strtoull(plus + 1, NULL, 10);
		*plus = '\0';
	}
	decode(name);
	p = pool_named(name);
	if (!bytes || !p || !lay(p, offset, !pm, bytes, n))
		pd_rt_fail(2, "the input's bytes of '%s' cannot be put in place", name);
}

static void lay_folder(const char *dir, const char *sub, bool pm)
{
	char path[PATH_MAX], buf[4096] __attribute__((aligned(8)));
	long fd, n;

	path_in(path, dir, sub);
	fd = pd_raw_open(path, O_RDONLY | O_DIRECTORY);
	while (fd >= 0 && (n = pd_raw(SYS_getdents64, fd, (long)buf, sizeof(buf), 0, 0, 0)) > 0)
		for (long at = 0; at < n;) {
			const struct dirent64 *d = (const void *)(buf + at);

			if (d->d_name[0] != '.')
				lay_fixed(path, d->d_name, pm);
			at += d->d_reclen;
		}
	if (fd >= 0)
		pd_raw_close((int)fd);
}

static void fixed_stdin(const char *dir)
{
	char path[PATH_MAX];
	long fd;

	path_in(path, dir, "stdin");
	fd = pd_raw_open(path, O_RDONLY);
	if (fd > 0) {
		pd_raw(SYS_dup2, fd, STDIN_FILENO, 0, 0, 0, 0);
		pd_raw_close((int)fd);
	}
}

void pd_sources_fixed(const char *dir, size_t n)
{
	char path[PATH_MAX] = "", file[PATH_MAX], *text;
	size_t size;

	memcpy(path, dir, PD_MIN(n, sizeof(path) - 1));
	pd_file_driven();
	if (pd_session.exploring)
		fixed_stdin(path);
	path_in(file, path, "memory");
	memory = read_source(file, &memory_size);
	path_in(file, path, "faults");
	text = (char *)read_source(file, &size);
	if (text && !pd_outside.over)
		pd_faults_fixed(text, size);
	path_in(file, path, "schedule");
	text = (char *)read_source(file, &size);
	if (text)
		pd_schedule_fixed(text, size);
	path_in(file, path, "sockets");
	text = (char *)read_source(file, &size);
	if (text)
		pd_sockets_start(text, size, NULL);
	lay_folder(path, "files", false);
	lay_folder(path, "pm", true);
}

/* ---- what the program says ------------------------------------------------------------------ */

static const struct pd_explore_source *memory_source(const struct pd_explore *b)
{
	for (uint32_t i = 0; i < b->nsources; i++)
		if (b->source[i].kind == PD_SOURCE_MEMORY)
			return &b->source[i];
	return NULL;
}

PD_EXPORT void __pd_say_symbolic(void *p, size_t n, const char *name)
{
	const struct pd_explore *b = pd_exploring.board;
	const struct pd_explore_source *s = b ? memory_source(b) : NULL;

	if (!b && memory && n <= memory_size - given) {
		memcpy(p, memory + given, n);
		given += (uint32_t)n;
	}
	if (!b)
		return;
	if (!s || n > s->n - given) {
		if (s)
			pd_sources_note(s, given + (uint32_t)n);
		else
			pd_result_lost(PD_SYM_WHYS, NULL, name);
		return;
	}
	pd_labels_input(p, n, s->first + given);
	given += (uint32_t)n;
	pd_sources_note(s, given);
}

PD_EXPORT void __pd_say_assume(void)
{
	if (!pd_exploring.board)
		return;
	if (pd_exploring.self)
		pd_exploring.self->assumed = 1;
	pd_rt_leave(0);
}
