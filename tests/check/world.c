/*
 * world.c - programs that have to do with more than PM: world MODE
 *
 * Nothing is wrong with any of them, but that some cannot be followed, and two recoveries do not fit.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <emmintrin.h>
#include <ftw.h>
#include <glob.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

void leave_at_once(void); /* by a system call of its own, in code that is not instrumented */

static uint64_t *map(const char *name, size_t size)
{
	int fd = open(name, O_RDWR | O_CREAT, 0600);
	void *p;

	if (fd < 0 || ftruncate(fd, (off_t)size) != 0)
		exit(9);
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	return p;
}

/* What is there is looked at, so that a recovery tests something. */
static void set(uint64_t *p, uint64_t v)
{
	if (__atomic_load_n(p, __ATOMIC_ACQUIRE) > 1000)
		exit(9);
	__atomic_store_n(p, v, __ATOMIC_RELEASE);
	_mm_clflush(p);
}

static int opens(const char *name)
{
	if (open(name, O_RDWR) >= 0)
		return 0;
	perror(name);
	return 5;
}

static int forks(uint64_t *p)
{
	pid_t child;
	int status;

	set(p, 1);
	child = fork();
	if (child == 0) {
		set(p + 8, 1);
		_exit(0);
	}
	waitpid(child, &status, 0);
	set(p, 2);
	return status;
}

static int reads(uint64_t *p, int from)
{
	uint64_t x = 0;

	if (read(from, &x, 1) != 1)
		return 9;
	set(p + 8 * (1 + x % 7), x);
	set(p, 1);
	return 0;
}

static int socket_pair(uint64_t *p)
{
	int s[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, s) != 0 || write(s[0], "x", 1) != 1)
		return 9;
	return reads(p, s[1]);
}

/* Where recovery reads depends on a clock that nobody can fix. */
static int cycles(volatile uint64_t *p)
{
	uint64_t sum = 0, x = __builtin_ia32_rdtsc();

	if (*p)
		for (int i = 0; i < 8; i++, x /= 32)
			sum += p[8 * (1 + x % 32)];
	set((uint64_t *)p, 1);
	set((uint64_t *)p + 500, sum);
	return 0;
}

/* Finds its data by asking the file system where there is some. */
static int holes(int fd)
{
	char *p;

	if (fd < 0 || ftruncate(fd, 3 * 4096) != 0)
		return 9;
	p = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p[0] && lseek(fd, 4096, SEEK_DATA) != 8192)
		return 9;
	p[8192] = 4;
	_mm_clflush(p + 8192);
	set((uint64_t *)p, 1);
	return 0;
}

/* Makes a file aside, without a name, and gives it one when it is complete. */
static int nameless(void)
{
	int fd = open("t.pm", O_RDWR), made = fd < 0 ? open(".", O_TMPFILE | O_RDWR, 0600) : -1;
	char self[40];
	uint64_t *p;

	if (fd < 0 && (made < 0 || ftruncate(made, 4096) != 0))
		return 9;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd < 0 ? made : fd, 0);
	if (fd >= 0)
		return p[0] != 1 || p[8] != 2 ? 9 : 0;
	p[0] = 1;
	_mm_clflush(p);
	p[8] = 2;
	_mm_clflush(p + 8);
	snprintf(self, sizeof(self), "/proc/self/fd/%d", made);
	return linkat(AT_FDCWD, self, AT_FDCWD, "t.pm", AT_SYMLINK_FOLLOW) ? 9 : 0;
}

static uint64_t *guarded;

static void open_page(int sig)
{
	if (mprotect(guarded + 512, 4096, PROT_READ | PROT_WRITE) != 0)
		_exit(sig);
	set(guarded, 1);
}

/* Its second page is protected: whoever stores to it is noted first, in the first page. */
static int guards(uint64_t *p)
{
	guarded = p;
	if (!p[0] && p[512] != p[520])
		return 9;
	signal(SIGSEGV, open_page);
	if (p[512] > 2 || mprotect(p + 512, 4096, PROT_READ) != 0)
		return p[512] <= 2;
	p[512]++;
	_mm_clflush(p + 512);
	p[520] = p[512];
	_mm_clflush(p + 520);
	set(p, 0);
	return 0;
}

/* The flags of floating point, and its traps, are the program's own. */
static int flags(uint64_t *p)
{
	_mm_setcsr(0);
	set(p + 8, 1);
	set(p, 1);
	return _mm_getcsr() ? 9 : 0;
}

static int big(void)
{
	uint64_t *p = map("big.pm", 1UL << 30);

	if (p[1 << 26] && !p[0])
		return 1;
	set(p, 1);
	set(p + (1 << 20), 1);
	set(p + (1 << 26), 1);
	return 0;
}

static void *nothing(void *arg)
{
	return arg;
}

/* Nothing but what it has opened, and what its parent left it. */
static int descriptors(uint64_t *p)
{
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;
	int n = 0, mine = 0;

	while (d && (e = readdir(d))) {
		n += atoi(e->d_name) >= 900;
		mine += atoi(e->d_name) == dirfd(d);
	}
	set(p, 1);
	return n || !mine;
}

static int found;

static int count(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind;
	found += !strcmp(path + at->base, "segment.pm");
	return 0;
}

static int is_segment(const struct dirent *e)
{
	return !strcmp(e->d_name, "segment.pm");
}

/* A segment is made, and then found in the directory. */
static int lists(const char *how, uint64_t *p)
{
	struct dirent **list;
	glob_t g;

	if (!strcmp(how, "scandir"))
		found = scandir(".", &list, is_segment, alphasort);
	else if (!strcmp(how, "scandirat"))
		found = scandirat(AT_FDCWD, ".", &list, is_segment, alphasort);
	else if (!strcmp(how, "glob"))
		found = glob("seg*.pm", 0, NULL, &g) == 0 ? (int)g.gl_pathc : 0;
	else
		nftw(".", count, 8, FTW_PHYS);
	if (*p)
		return found == 1 ? 0 : 7;
	map("segment.pm", 4096);
	set(p, 1);
	return 0;
}

/* Gives up where its file cannot be spliced. */
static int splices(uint64_t *p, int fd)
{
	int to[2];

	set(p, 1);
	return pipe(to) != 0 || splice(fd, NULL, to[1], NULL, 8, 0) != 8 ? 8 : 0;
}

int main(int argc, char **argv)
{
	const char *mode = argc > 1 ? argv[1] : "";
	pthread_t t;

	if (!strcmp(mode, "plain"))
		return opens("/dev/null");
	if (!strcmp(mode, "other"))
		return opens("other.pm");
	if (!strcmp(mode, "big"))
		return big();
	if (!strcmp(mode, "look"))
		return __atomic_load_n(map("w.pm", 4096), __ATOMIC_ACQUIRE) > 100;
	if (!strcmp(mode, "fork"))
		return forks(map("w.pm", 4096));
	if (!strcmp(mode, "random"))
		return reads(map("w.pm", 4096), open("/dev/urandom", O_RDONLY));
	if (!strcmp(mode, "socket"))
		return socket_pair(map("w.pm", 4096));
	if (!strcmp(mode, "descriptors"))
		return descriptors(map("w.pm", 4096));
	if (!strncmp(mode, "list ", 5))
		return lists(mode + 5, map("w.pm", 4096));
	if (!strcmp(mode, "splice"))
		return splices(map("w.pm", 4096), open("w.pm", O_RDONLY));
	if (!strcmp(mode, "holes"))
		return holes(open("w.pm", O_RDWR | O_CREAT, 0600));
	if (!strcmp(mode, "nameless"))
		return nameless();
	if (!strcmp(mode, "guards"))
		return guards(map("w.pm", 8192));
	if (!strcmp(mode, "flags"))
		return flags(map("w.pm", 4096));
	if (!strcmp(mode, "cycles"))
		return cycles(map("w.pm", 4096));
	if (!strcmp(mode, "map"))
		return map("w.pm", 4096) == MAP_FAILED;
	set(map("w.pm", 4096), 1);
	if (!strcmp(mode, "threads") && pthread_create(&t, NULL, nothing, NULL) == 0)
		return pthread_join(t, NULL);
	if (!strcmp(mode, "exec"))
		execl("/bin/true", "true", NULL);
	if (!strcmp(mode, "raw"))
		leave_at_once();
	return 0;
}
