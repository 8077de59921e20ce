/*
 * side.c - side MODE: a program with one word of PM that matters (commit) and a file beside it that is not PM but is mapped
 * shared, or locked, or synced. What it does to PM is right; recovery fails (3) where the other file is not as a reboot
 * leaves it.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <emmintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

struct pm {
	uint64_t first[8];
	uint64_t commit[8];
	uint64_t last[8];
};

static struct pm *pm;

static void *map(const char *name, int flags, int *fd)
{
	*fd = open(name, O_RDWR | O_CREAT | flags, 0600);
	if (*fd < 0 || ftruncate(*fd, 4096) != 0)
		exit(9);
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, *fd, 0);
}

/* What the program has stored is looked at: else nothing would be tested. */
static void look(void)
{
	volatile uint64_t *p = pm->first, *q = pm->commit, *r = pm->last;

	if (*r && (!*q || !*p))
		exit(4);
}

static void put(uint64_t *p)
{
	*(volatile uint64_t *)p = 1;
	_mm_clflush(p);
	_mm_sfence();
}

/* ---- locks: nobody holds one after a reboot ---- */

static int robust(void)
{
	pthread_mutexattr_t how;
	int fd;
	struct {
		uint64_t made;
		pthread_mutex_t lock;
	} *s = map("side.lock", 0, &fd);

	if (!s->made) {
		pthread_mutexattr_init(&how);
		pthread_mutexattr_setpshared(&how, PTHREAD_PROCESS_SHARED);
		pthread_mutexattr_setrobust(&how, PTHREAD_MUTEX_ROBUST);
		pthread_mutex_init(&s->lock, &how);
		s->made = 1;
	}
	if (pthread_mutex_lock(&s->lock) != 0)
		return 3;
	look();
	put(pm->first);
	put(pm->commit);
	put(pm->last);
	pthread_mutex_unlock(&s->lock);
	return 0;
}

static int locks(int records)
{
	struct flock l = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
	int fd = open("side.lock", O_RDWR | O_CREAT, 0600);

	if (records ? fcntl(fd, F_SETLK, &l) != 0 : flock(fd, LOCK_EX | LOCK_NB) != 0)
		return 3;
	look();
	put(pm->first);
	put(pm->commit);
	put(pm->last);
	return 0;
}

/* ---- bytes: as at the start, and each execution has its own ---- */

/* As it was found by the first: 5. */
static int count(void)
{
	int fd;
	volatile uint64_t *s = map("side.old", 0, &fd);

	if (s[0] != 5)
		return 3;
	look();
	s[0]++;
	put(pm->first);
	put(pm->commit);
	s[0]++;
	put(pm->last);
	return 0;
}

/* Recovery goes on in several ways from one read: none sees what another has stored. */
static int branch(void)
{
	uint64_t seen = 0;
	int fd;
	volatile uint64_t *s = map("side.own", 0, &fd), *t;
	volatile uint64_t *p = pm->first, *q = pm->commit, *r = pm->last;

	t = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	s[0]++;
	seen += *p;
	t[0]++;
	seen += *q;
	s[0]++;
	seen += *r;
	t[0]++;
	if (s[0] != 4 || t[0] != 4 || pread(fd, &seen, 8, 0) != 8 || seen != 4)
		return 3;
	*p = *q = *r = 1;
	put(pm->commit);
	return 0;
}

/* The same of memory that snapshots would share: without a file, or a file without a name. */
static int memory(int file)
{
	volatile uint64_t *p = pm->first, *q = pm->commit, *r = pm->last, *s;
	uint64_t seen = 0;
	int fd = file ? memfd_create("side", 0) : -1;

	if (file && (fd < 0 || ftruncate(fd, 4096) != 0))
		return 9;
	s = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | (file ? 0 : MAP_ANONYMOUS), fd, 0);
	s[0]++;
	seen += *p;
	s[0]++;
	seen += *q;
	s[0]++;
	seen += *r;
	if (s[0] != 3 || (file && (pread(fd, &seen, 8, 0) != 8 || seen != 3)))
		return 3;
	*p = *q = *r = 1;
	put(pm->commit);
	return 0;
}

/* What a child stores to memory that it shares is not seen here. */
static int child(void)
{
	volatile uint64_t *s = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = fork();

	if (!pid) {
		s[0] = 1;
		_exit(0);
	}
	look();
	put(pm->first);
	return waitpid(pid, NULL, 0) != pid;
}

/* A file that is only written to, made when the first word is durable. */
static int marker(int stdio)
{
	volatile uint64_t *p = pm->first;
	volatile uint64_t *r = pm->last;
	int fd, synced = stdio ? 0 : 4;
	struct stat st = {.st_size = -1};
	FILE *f;

	if (stat("side.log", &st) == 0 && (!*p || st.st_size > synced))
		return 3;
	if (*r && st.st_size != synced)
		return 3;
	put(pm->first);
	if (stdio) {
		f = fopen("side.log", "w");
		if (!f || fputs("made", f) < 0 || fclose(f) != 0)
			return 9;
	} else {
		fd = open("side.log", O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600);
		if (fd < 0 || write(fd, "made", 4) != 4 || fsync(fd) != 0 || close(fd) != 0)
			return 9;
	}
	put(pm->last);
	return 0;
}

/* ---- what is synced is there, what is not is lost ---- */

static int synced(const char *how)
{
	int osync = !strcmp(how, "osync"), fd, found;
	uint64_t *s = map("side.log", osync ? O_DSYNC : 0, &fd);
	uint64_t one = 1;
	volatile uint64_t *commit = pm->commit;

	if (*commit) {
		found = s[100] == 1;
		return found ? 0 : 3;
	}
	if (!strcmp(how, "msync") || !strcmp(how, "fsync") || !strcmp(how, "async"))
		s[100] = 1;
	else if (pwrite(fd, &one, 8, 800) != 8)
		return 9;
	if (!strcmp(how, "msync") && msync(s, 4096, MS_SYNC) != 0)
		return 9;
	if (!strcmp(how, "async") && msync(s, 4096, MS_ASYNC) != 0)
		return 9;
	if (!strcmp(how, "fsync") && fsync(fd) != 0)
		return 9;
	if (!strcmp(how, "fdatasync") && fdatasync(fd) != 0)
		return 9;
	put(pm->commit);
	s[200] = 1;
	put(pm->last);
	return 0;
}

/* ---- a file that becomes PM by its name, without the flush that it needs ---- */

static int renamed(int close_it)
{
	struct stat st;
	uint64_t *p;
	int fd;

	if (stat("new.pm", &st) == 0) {
		fd = open("new.pm", O_RDWR);
		p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
		return ((volatile uint64_t *)p)[64] && !((volatile uint64_t *)p)[0] ? 3 : 0;
	}
	p = map("new.tmp", 0, &fd);
	fsync(fd);
	munmap(p, 4096);
	if (close_it)
		close(fd);
	if (rename("new.tmp", "new.pm") != 0)
		return 9;
	if (close_it)
		p = map("new.pm", 0, &fd);
	else
		p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	*(volatile uint64_t *)p = 1;
	put(p + 64);
	return 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	int fd;

	pm = map("side.pm", 0, &fd);
	if (!strcmp(mode, "robust"))
		return robust();
	if (!strcmp(mode, "record") || !strcmp(mode, "flock"))
		return locks(!strcmp(mode, "record"));
	if (!strcmp(mode, "count"))
		return count();
	if (!strcmp(mode, "branch"))
		return branch();
	if (!strcmp(mode, "anonymous") || !strcmp(mode, "memfd"))
		return memory(!strcmp(mode, "memfd"));
	if (!strcmp(mode, "child"))
		return child();
	if (!strcmp(mode, "written") || !strcmp(mode, "fopen"))
		return marker(!strcmp(mode, "fopen"));
	if (!strcmp(mode, "renamed") || !strcmp(mode, "reused"))
		return renamed(!strcmp(mode, "renamed"));
	return synced(mode);
}
