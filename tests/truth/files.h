/*
 * files.h - like images.h, for what calls do to files: sizes, names, writes, syncs, and stores to
 * mappings.
 *
 * The judge keeps files of its own: names and sizes are durable at once, the content of a unit
 * (a page; without PAGE a line) is one of its versions (docs/model.md, "Files"). A call on a file that
 * is not there does nothing.
 */
#ifndef FILES_H
#define FILES_H

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES = 3, MOST = 3 * 4096 };

static void work(void);
static int recover(void);

#ifdef NAIVE

#ifdef PAGE
enum { UNIT = 4096, CUT = 4096 };
#else
enum { UNIT = 64, CUT = 8 };
#endif
enum { UNITS = MOST / UNIT, FILES = 12, VERSIONS = 24, STATUSES = 256, ENOUGH = 200000 };

/* The contents that a unit had; those from `must` on are possible. */
struct unit {
	uint8_t *v[VERSIONS];
	int n, must;
	int seen; /* the one that recovery sees */
};

static struct {
	struct unit u[UNITS];
	int size;
} file[FILES];
static int nfile, name[NAMES] = {-1, -1, -1};
static int crashed, too_many, tried;
static int ended[STATUSES];
static uint8_t zeros[UNIT];

static int has_name(int i)
{
	return name[0] == i || name[1] == i || name[2] == i;
}

/* Runs recovery on all that may be there, from a unit on. */
static void try_all(int i, int k)
{
	struct unit *u = i < nfile ? &file[i].u[k] : NULL;

	if (too_many || ++tried > ENOUGH) {
		too_many = 1;
	} else if (!u) {
		crashed = 1;
		ended[recover() & (STATUSES - 1)]++;
		crashed = 0;
	} else {
		for (u->seen = has_name(i) ? u->must : u->n - 1; u->seen < u->n; u->seen++)
			try_all(k + 1 < UNITS ? i : i + 1, k + 1 < UNITS ? k + 1 : 0);
	}
}

static void crash(void)
{
	try_all(0, 0);
}

/* A copy of a unit's version, its end from `keep` on zero. */
static uint8_t *copy(const uint8_t *of, int keep)
{
	uint8_t *c = calloc(1, UNIT);

	if (!c)
		exit(2);
	memcpy(c, of, (size_t)keep);
	return c;
}

static void put(struct unit *u, int at, const uint8_t *from, int n)
{
	uint8_t *c = copy(u->v[u->n - 1], UNIT);

	if (u->n == VERSIONS) {
		too_many = 1;
		return;
	}
	memcpy(c + at, from, (size_t)n);
	u->v[u->n++] = c;
}

static void CREAT(int q)
{
	if (name[q] >= 0)
		return;
	crash();
	if (nfile == FILES)
		exit(3);
	for (int k = 0; k < UNITS; k++)
		file[nfile].u[k] = (struct unit){.v = {zeros}, .n = 1};
	name[q] = nfile++;
}

static void TRUNC(int q, int size)
{
	int i = name[q];

	if (i < 0 || file[i].size == size)
		return;
	crash();
	for (int k = 0; k < UNITS; k++) {
		struct unit *u = &file[i].u[k];
		int keep = size - k * UNIT;

		if (keep <= 0)
			*u = (struct unit){.v = {zeros}, .n = 1};
		for (int v = 0; v < u->n && keep > 0 && keep < UNIT; v++)
			u->v[v] = copy(u->v[v], keep);
	}
	file[i].size = size;
}

static void OTRUNC(int q)
{
	CREAT(q);
	TRUNC(q, 0);
}

static void PW(int q, int off, const char *from, int n)
{
	int i = name[q];

	if (i < 0)
		return;
	if (off + n > file[i].size) {
		crash();
		file[i].size = off + n;
	}
	for (int k; n; off += k, from += k, n -= k) {
		k = CUT - off % CUT < n ? CUT - off % CUT : n;
		put(&file[i].u[off / UNIT], off % UNIT, (const uint8_t *)from, k);
	}
}

static void MST(int q, int off, uint64_t v)
{
	if (name[q] >= 0 && file[name[q]].size >= off + 8)
		put(&file[name[q]].u[off / UNIT], off % UNIT, (const uint8_t *)&v, 8);
}

static void FS(int q)
{
	if (name[q] < 0)
		return;
	crash();
	for (int k = 0; k < UNITS; k++)
		file[name[q]].u[k].must = file[name[q]].u[k].n - 1;
}

static void MSY(int q)
{
	FS(q);
}

static void REN(int a, int b)
{
	if (name[a] < 0 || name[a] == name[b])
		return;
	crash();
	name[b] = name[a];
	name[a] = -1;
}

static void XCH(int a, int b)
{
	int was = name[a];

	if (name[a] < 0 || name[b] < 0)
		return;
	crash();
	name[a] = name[b];
	name[b] = was;
}

static void UNL(int q)
{
	if (name[q] < 0)
		return;
	crash();
	name[q] = -1;
}

static void LNK(int a, int b)
{
	if (name[a] < 0 || name[b] >= 0)
		return;
	crash();
	name[b] = name[a];
}

static int SZ(int q)
{
	return name[q] < 0 ? -1 : file[name[q]].size;
}

static int BY(int q, int off)
{
	const struct unit *u;

	if (off >= SZ(q))
		return -1;
	u = &file[name[q]].u[off / UNIT];
	return u->v[crashed ? u->seen : u->n - 1][off % UNIT];
}

int main(void)
{
	work();
	crash();
	for (int s = 0; s < STATUSES; s++)
		if (ended[s])
			printf("%d %d 0\n", s, ended[s]);
	return too_many ? 3 : 0;
}

#else

static const char *const name[NAMES] = {"a.pm", "b.pm", "c.pm"};

/* Opens a file; -1 if it is not there. */
static int file(int q, int flags)
{
	return open(name[q], O_RDWR | flags, 0644);
}

static int SZ(int q)
{
	struct stat st;

	return stat(name[q], &st) ? -1 : (int)st.st_size;
}

static int BY(int q, int off)
{
	int fd = file(q, 0);
	uint8_t b;
	ssize_t n = fd < 0 ? 0 : pread(fd, &b, 1, off);

	close(fd);
	return n == 1 ? b : -1;
}

static void CREAT(int q)
{
	close(file(q, O_CREAT));
}

static void OTRUNC(int q)
{
	close(file(q, O_CREAT | O_TRUNC));
}

static void TRUNC(int q, int size)
{
	int fd = file(q, 0);

	if (fd >= 0 && ftruncate(fd, size) != 0)
		exit(9);
	close(fd);
}

static void PW(int q, int off, const char *from, int n)
{
	int fd = file(q, 0);

	if (fd >= 0 && pwrite(fd, from, (size_t)n, off) != n)
		exit(9);
	close(fd);
}

static void FS(int q)
{
	int fd = file(q, 0);

	if (fd >= 0 && fsync(fd) != 0)
		exit(9);
	close(fd);
}

/* Maps a file, stores to it or makes it durable, and unmaps it. */
static void mapped(int q, int off, const uint64_t *v)
{
	size_t size = (size_t)SZ(q);
	int fd = file(q, 0);
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p == MAP_FAILED)
		exit(9);
	if (v)
		*(uint64_t *)(p + off) = *v;
	else if (msync(p, size, MS_SYNC) != 0)
		exit(9);
	munmap(p, size);
	close(fd);
}

static void MST(int q, int off, uint64_t v)
{
	if (SZ(q) >= off + 8)
		mapped(q, off, &v);
}

static void MSY(int q)
{
	if (SZ(q) > 0)
		mapped(q, 0, NULL);
}

static void REN(int a, int b)
{
	rename(name[a], name[b]);
}

static void XCH(int a, int b)
{
	renameat2(AT_FDCWD, name[a], AT_FDCWD, name[b], RENAME_EXCHANGE);
}

static void UNL(int q)
{
	unlink(name[q]);
}

static void LNK(int a, int b)
{
	link(name[a], name[b]);
}

int main(int argc, char **argv)
{
	(void)argv;
	if (argc > 2)
		return recover();
	work();
	return 0;
}
#endif
#endif
