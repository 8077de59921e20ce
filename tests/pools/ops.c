/*
 * ops.c - every file call that is interposed, on a PM file, with its result printed.
 *
 *	ops old new
 *
 * With DIE=N it is killed after N calls.
 *
 * `old` exists (64 KB, byte i is i % 251), `new` does not;
 * link.pm leads to old, sub is a directory, ../plain may be made (it is not PM). The same binary
 *runs natively and driven, and must print the same; what may differ by right (inode numbers,
 *addresses, times) is not printed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <utime.h>

static int left; /* calls until it is killed; 0: it is not */

static void count_call(void)
{
	if (left && !--left)
		kill(getpid(), SIGKILL);
}

#define P(name, expr)                                                                              \
	do {                                                                                       \
		long r_;                                                                           \
		errno = 0;                                                                         \
		r_ = (long)(expr);                                                                 \
		printf("%s: %ld %s\n", name, r_, r_ == -1 ? strerrorname_np(errno) : "");          \
		count_call();                                                                      \
	} while (0)
#define CALL(expr) P(#expr, expr)

static const char *old, *new;
static char buf[1 << 17];

static unsigned sum(const void *p, size_t n)
{
	const unsigned char *b = p;
	unsigned h = 1;

	while (n--)
		h = h * 31 + *b++;
	return h;
}

static void show_stat(const char *what, int r, const struct stat *st)
{
	if (r)
		printf("%s: -1 %s\n", what, strerrorname_np(errno));
	else
		printf("%s: mode %o links %ld size %ld uid %d\n", what, st->st_mode,
		       (long)st->st_nlink, (long)st->st_size, st->st_uid);
}

static sigjmp_buf env;

static volatile int armed;

static void on_fault(int sig)
{
	if (!armed)
		_exit(99);
	siglongjmp(env, sig);
}

/* The signal that touching a byte raises, 0 for none. */
static int touch(volatile char *p, int write)
{
	int sig = sigsetjmp(env, 1);

	armed = 1;
	if (!sig) {
		if (write)
			*p = 1;
		else
			(void)*p;
	}
	armed = 0;
	return sig;
}

static void test_open(void)
{
	int fd, fd2;

	CALL(open("no/such/dir.pm", O_RDONLY));
	CALL(open("missing.pm", O_RDONLY));
	CALL(open("missing.pm", O_RDWR));
	CALL(open(old, O_CREAT | O_EXCL | O_RDWR, 0600));
	CALL(open(old, O_RDONLY | O_DIRECTORY));
	CALL(fd = open(old, O_RDONLY));
	CALL(write(fd, "x", 1));
	CALL(ftruncate(fd, 1));
	CALL(fcntl(fd, F_GETFL) & O_ACCMODE);
	CALL(fcntl(fd, F_GETFD));
	CALL(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
	CALL(close(fd));
	CALL(close(fd));
	CALL(read(fd, buf, 1));
	CALL(fd = openat(AT_FDCWD, new, O_CREAT | O_RDWR | O_CLOEXEC, 0640));
	CALL(fcntl(fd, F_GETFD));
	CALL(write(fd, "hello", 5));
	CALL(fd2 = open64(new, O_WRONLY | O_APPEND));
	CALL(read(fd2, buf, 1));
	CALL(write(fd2, " world", 6));
	CALL(lseek(fd2, 0, SEEK_CUR));
	CALL(pread(fd, buf, 100, 0));
	printf("%.11s\n", buf);
	CALL(close(fd2));
	CALL(fd2 = creat(new, 0600));
	CALL(pread(fd, buf, 100, 0));
	CALL(close(fd2));
	CALL(unlink(new));
	CALL(open(new, O_RDWR));
	CALL(write(fd, "gone but open", 13));
	CALL(lseek(fd, 0, SEEK_END));
	CALL(close(fd));
	CALL(openat(-1, new, O_RDWR));
	CALL(openat(999, "rel.pm", O_RDWR));
	CALL(open("", O_RDWR));
}

static void test_io(void)
{
	char a[100], b[50];
	struct iovec v[2] = {{a, sizeof(a)}, {b, sizeof(b)}};
	int fd = open(old, O_RDWR), p[2];
	int minus = -1;
	off_t off = 10;
	loff_t in_off = 5, out_off = 70000;

	CALL(read(fd, buf, 1000));
	printf("%u\n", sum(buf, 1000));
	CALL(lseek(fd, 0, SEEK_CUR));
	CALL(lseek(fd, -10, SEEK_CUR));
	CALL(lseek(fd, -10000, SEEK_CUR));
	CALL(lseek64(fd, -100, SEEK_END));
	CALL(read(fd, buf, sizeof(buf)));
	CALL(read(fd, buf, 10));
	CALL(lseek(fd, 0, 99));
	CALL(pread64(fd, buf, 300, 65300));
	CALL(pread(fd, buf, 300, -1));
	CALL(pwrite(fd, "abcdef", 6, 65535));
	CALL(lseek(fd, 0, SEEK_END));
	CALL(pwrite64(fd, "far", 3, 100000));
	CALL(readv(fd, v, 2));
	CALL(preadv(fd, v, 2, 65500));
	printf("%u\n", sum(a, 100) ^ sum(b, 50));
	CALL(pwritev(fd, v, 2, 200));
	CALL(preadv64(fd, v, 2, 100));
	CALL(pwritev64(fd, v, 1, 300));
	CALL(preadv2(fd, v, 2, 100, 0));
	CALL(pwritev2(fd, v, 2, 0, RWF_DSYNC));
	CALL(lseek(fd, 50, SEEK_SET));
	CALL(preadv2(fd, v, 2, -1, 0));
	CALL(writev(fd, v, 2));
	CALL(lseek(fd, 0, SEEK_CUR));
	CALL(preadv(fd, v, 2, -5));
	CALL(readv(fd, v, *(volatile int *)&minus));
	CALL(fsync(fd));
	CALL(fdatasync(fd));
	CALL(sync_file_range(fd, 0, 4096, SYNC_FILE_RANGE_WRITE));
	CALL(sync_file_range(fd, -1, 4096, 0));
	CALL(pipe(p));
	CALL(sendfile(p[1], fd, &off, 1000));
	CALL(read(p[0], buf, 2000));
	printf("%u %ld\n", sum(buf, 1000), (long)off);
	CALL(copy_file_range(fd, &in_off, fd, &out_off, 500, 0));
	printf("%ld %ld\n", (long)in_off, (long)out_off);
	CALL(pread(fd, buf, sizeof(buf), 0));
	printf("%u\n", sum(buf, 100003));
	close(p[0]), close(p[1]);
	CALL(close(fd));
}

static void test_size(void)
{
	int fd = open(new, O_CREAT | O_RDWR, 0644);
	struct stat st;

	CALL(ftruncate(fd, 10000));
	CALL(pwrite(fd, "tail", 4, 9996));
	CALL(ftruncate64(fd, 9998));
	CALL(ftruncate(fd, 20000));
	CALL(pread(fd, buf, 30000, 9990));
	printf("%u\n", sum(buf, 10010));
	CALL(ftruncate(fd, -1));
	CALL(truncate(new, 30000));
	CALL(truncate64(new, 40000));
	CALL(truncate("missing.pm", 1));
	CALL(truncate(new, -1));
	CALL(fallocate(fd, 0, 0, 50000));
	CALL(fallocate(fd, FALLOC_FL_KEEP_SIZE, 0, 90000));
	CALL(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 9000, 1000));
	CALL(fallocate(fd, 0, -1, 5));
	CALL(fallocate(fd, 0, 0, 0));
	P("posix_fallocate", posix_fallocate(fd, 50000, 10000));
	P("posix_fallocate64", posix_fallocate64(fd, 0, -1));
	CALL(posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED));
	CALL(pread(fd, buf, sizeof(buf), 0));
	printf("%u\n", sum(buf, 60000));
	show_stat("fstat", fstat(fd, &st), &st);
	CALL(close(fd));
	CALL(fd = open(old, O_RDWR));
	CALL(ftruncate(fd, 5000));
	CALL(ftruncate(fd, 50000));
	CALL(pread(fd, buf, sizeof(buf), 0));
	printf("%u\n", sum(buf, 50000));
	CALL(close(fd));
	CALL(unlink(new));
}

static void test_map(void)
{
	int fd = open(new, O_CREAT | O_RDWR, 0644), ro;
	char *a, *b, *c, *r;

	CALL(ftruncate(fd, 1 << 20));
	a = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	b = mmap((void *)0x700000000000, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 8192);
	c = mmap64(NULL, 8192, PROT_READ, MAP_SHARED_VALIDATE, fd, 8192);
	printf("maps: %d %d %d\n", a != MAP_FAILED, b != MAP_FAILED, c != MAP_FAILED);
	strcpy(a + 8192, "one");
	printf("%s %s\n", b, c);
	strcpy(b + 4096, "two");
	printf("%s %s\n", a + 12288, c + 4096);
	CALL(pwrite(fd, "three", 6, 8200));
	printf("%s %s %s\n", a + 8200, b + 8, c + 8);
	CALL(pread(fd, buf, 100, 12288));
	printf("%s\n", buf);
	CALL(msync(a, 1 << 20, MS_SYNC));
	CALL(msync(a, 4096, MS_ASYNC));
	CALL(msync(a + 1, 4096, MS_SYNC));
	CALL(msync(a, 4096, MS_SYNC | MS_ASYNC));
	CALL(madvise(a, 1 << 20, MADV_DONTNEED));
	CALL(madvise(a, 4096, MADV_FREE));
	CALL(madvise(a, 4096, 12345));
	CALL(posix_madvise(a, 4096, POSIX_MADV_WILLNEED));
	CALL(mlock(a, 4096));
	CALL(munlock(a, 4096));
	printf("%s\n", a + 8192);
	CALL(munmap(b, 8192));
	CALL(munmap(c, 8192));
	printf("%s\n", a + 12288);
	CALL(munmap(a, 4096));
	printf("gone: %d\n", touch(a, 0));
	printf("there: %d\n", touch(a + 4096, 1));
	CALL(munmap(a + 4096, (1 << 20) - 4096));
	printf("gone: %d\n", touch(a + 8192, 0));
	a = mmap(NULL, 1 << 20, PROT_READ, MAP_SHARED, fd, 0);
	printf("%s %s\n", a + 8192, a + 12288);
	printf("read-only: %d\n", touch(a, 1));
	CALL(mprotect(a, 8192, PROT_READ | PROT_WRITE));
	printf("writable: %d %d\n", touch(a, 1), touch(a + 8192, 1));
	CALL(mprotect(a, 4096, PROT_NONE));
	printf("none: %d\n", touch(a, 0));
	CALL(mprotect(a + 100, 4096, PROT_NONE));
	CALL(munmap(a, 1 << 20));
	CALL(mmap(NULL, 0, PROT_READ, MAP_SHARED, fd, 0) == MAP_FAILED ? errno : 0);
	CALL(mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 100) == MAP_FAILED ? errno : 0);
	CALL(mmap(NULL, 4096, PROT_READ, 0, fd, 0) == MAP_FAILED ? errno : 0);
	a = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 8192);
	printf("private: %s\n", a);
	strcpy(a, "mine");
	CALL(msync(a, 8192, MS_SYNC));
	CALL(syscall(SYS_msync, a, 8192, MS_SYNC));
	CALL(syscall(SYS_mlock, a, 4096));
	CALL(munlock(a, 4096));
	CALL(pread(fd, buf, 100, 8192));
	printf("%s\n", buf);
	CALL(munmap(a, 8192));
	ro = open(new, O_RDONLY);
	r = mmap(NULL, 4096, PROT_READ, MAP_SHARED, ro, 0);
	CALL(mprotect(r, 4096, PROT_READ | PROT_WRITE));
	CALL(munmap(r, 4096));
	CALL(close(ro));
	CALL(close(fd));
}

static void test_map_size(void)
{
	int fd = open(new, O_RDWR);
	char *a, *b;

	a = mmap(NULL, 1 << 21, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	printf("beyond the end: %d\n", touch(a + (1 << 20), 0));
	CALL(ftruncate(fd, 3 << 19));
	printf("now inside: %d\n", touch(a + (1 << 20), 1));
	CALL(ftruncate(fd, 5000));
	printf("cut: %d %d\n", touch(a + 4096, 0), touch(a + 8192, 0));
	CALL(ftruncate(fd, 1 << 20));
	printf("zero: %d\n", a[1 << 19]);
	a[1 << 19] = 7;
	b = mremap(a, 1 << 21, 1 << 20, 0);
	printf("shrunk: %d\n", b == a);
	b = mremap(b, 1 << 20, 1 << 22, MREMAP_MAYMOVE);
	printf("grown: %d %d\n", b != MAP_FAILED, b[1 << 19]);
	printf("beyond the end: %d\n", touch(b + (3 << 20), 0));
	b = mremap(b, 1 << 22, 4096, 0);
	CALL(munmap(b, 4096));
	CALL(close(fd));
	CALL(unlink(new));
}

/* Reserve, then map files into the reservation, as libpmem2 and multi-part pools do. */
static void test_reserve(void)
{
	int fd = open(new, O_CREAT | O_RDWR, 0644), fd2 = open(old, O_RDWR);
	size_t n = 1 << 22;
	char *r = mmap(NULL, n, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *a, *b, *c;

	ftruncate(fd, 1 << 20);
	a = mmap(r + (1 << 20), 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	printf("fixed: %d\n", a == r + (1 << 20));
	strcpy(a, "in a reservation");
	pread(fd, buf, 100, 0);
	printf("%s\n", buf);
	b = mmap(r + (1 << 21), 8192, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd2, 4096);
	printf("fixed: %d %u\n", b == r + (1 << 21), sum(b, 8192));
	CALL(pwrite(fd, "by write", 9, 4096));
	printf("%s\n", a + 4096);
	c = mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 4096);
	a[4099] = 'Y';
	printf("twice: %s\n", c);
	CALL(munmap(c, 8192));
	printf("still: %s\n", a + 4096);
	CALL(munmap(a, 1 << 20));
	printf("gone: %d\n", touch(a, 0));
	a = mmap(NULL, 1 << 20, PROT_READ, MAP_SHARED, fd, 0);
	printf("again: %s, %s\n", a, a + 4096);
	CALL(munmap(a, 1 << 20));
	a = mmap(r, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, 0);
	printf("moved: %s, %s\n", a, a + 4096);
	CALL(ftruncate(fd, 4096));
	printf("cut: %d %d\n", touch(a, 1), touch(a + 8192, 1));
	CALL(ftruncate(fd, 16384));
	a[8192] = 5;
	pread(fd, buf, 1, 8192);
	printf("grown: %d %d\n", touch(a + 8192, 1), buf[0]);
	CALL(mmap(a, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == a);
	printf("gone: %d\n", touch(a, 0));
	CALL(mprotect(a, 4096, PROT_READ | PROT_WRITE));
	a[0] = 3;
	CALL(munmap(r, n));
	printf("gone: %d\n", touch(r, 0));
	close(fd), close(fd2);
	CALL(unlink(new));
}

static void test_stat(void)
{
	struct stat st;
	struct stat64 st64;
	struct statx x;
	struct statfs fs;
	struct statvfs vfs;
	struct timespec t[2] = {{1000, 5}, {2000, 6}};
	int fd = open(new, O_CREAT | O_RDWR, 0640);

	pwrite(fd, "x", 1, 4999);
	show_stat("stat", stat(new, &st), &st);
	show_stat("lstat", lstat(new, &st), &st);
	show_stat("fstat", fstat(fd, &st), &st);
	show_stat("fstatat", fstatat(AT_FDCWD, new, &st, 0), &st);
	show_stat("fstatat empty", fstatat(fd, "", &st, AT_EMPTY_PATH), &st);
	show_stat("stat64", stat64(new, &st64), (struct stat *)&st64);
	show_stat("fstat64", fstat64(fd, &st64), (struct stat *)&st64);
	show_stat("stat old", stat(old, &st), &st);
	show_stat("stat missing", stat("missing.pm", &st), &st);
	CALL(statx(AT_FDCWD, new, 0, STATX_BASIC_STATS, &x));
	printf("%o %u %ld\n", x.stx_mode, x.stx_nlink, (long)x.stx_size);
	CALL(statx(fd, "", AT_EMPTY_PATH, STATX_SIZE, &x));
	CALL(statfs(new, &fs));
	CALL(fstatfs(fd, &fs));
	CALL(statvfs(new, &vfs));
	CALL(fstatvfs(fd, &vfs));
	CALL(statfs("missing.pm", &fs));
	CALL(access(new, F_OK));
	CALL(access(new, R_OK | W_OK));
	CALL(access(new, X_OK));
	CALL(access("missing.pm", F_OK));
	CALL(faccessat(AT_FDCWD, new, R_OK, 0));
	CALL(euidaccess(new, R_OK));
	CALL(chmod(new, 0700));
	CALL(access(new, X_OK));
	CALL(fchmod(fd, 0600));
	CALL(fchmodat(AT_FDCWD, old, 0444, 0));
	CALL(chown(new, -1, -1));
	CALL(fchown(fd, -1, -1));
	CALL(utimensat(AT_FDCWD, old, t, 0));
	CALL(futimens(fd, t));
	fstat(fd, &st);
	printf("%ld %ld\n", st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	CALL(utime(old, NULL));
	show_stat("stat", stat(new, &st), &st);
	show_stat("stat old", stat(old, &st), &st);
	CALL(fchmodat(AT_FDCWD, old, 0644, 0));
	CALL(close(fd));
	CALL(unlink(new));
	show_stat("stat", stat(new, &st), &st);
}

static void show(const char *path)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, buf, 20);

	printf("%s: %s %.*s\n", path, fd < 0 ? strerrorname_np(errno) : "", (int)n, buf);
	if (fd >= 0)
		close(fd);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void list(const char *dir)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char *names[64];
	int n = 0;

	while ((e = readdir(d)))
		names[n++] = strdup(e->d_name);
	qsort(names, (size_t)n, sizeof(*names), by_name);
	printf("%s has %d:", dir, n);
	for (int i = 0; i < n; i++)
		printf(" %s", names[i]);
	printf("\n");
	rewinddir(d);
	while ((e = readdir(d)))
		n--;
	printf("and again: %d\n", n);
	closedir(d);
}

static void make(const char *path, const char *text)
{
	int fd = open(path, O_CREAT | O_TRUNC | O_RDWR, 0644);

	write(fd, text, strlen(text));
	close(fd);
}

static void test_names(void)
{
	struct stat st;
	int dir, fd;

	make("a.pm", "file a");
	make("b.pm", "file b");
	list(".");
	CALL(realpath("sub/../b.pm", buf) == buf);
	printf("%s\n", strrchr(buf, '/'));
	CALL(realpath("missing.pm", buf) == NULL);
	CALL(readlink("b.pm", buf, 100));
	memset(buf, 0, 100);
	CALL(readlink("link.pm", buf, 100));
	printf("%s\n", buf);
	CALL(rename("a.pm", "b.pm"));
	show("a.pm"), show("b.pm");
	CALL(rename("missing.pm", "b.pm"));
	CALL(rename("b.pm", "no/such/dir.pm"));
	CALL(rename("b.pm", "sub"));
	CALL(link("b.pm", "c.pm"));
	CALL(link("b.pm", "c.pm"));
	stat("c.pm", &st);
	printf("%ld links\n", (long)st.st_nlink);
	CALL(rename("b.pm", "c.pm"));
	show("b.pm"), show("c.pm");
	CALL(unlink("b.pm"));
	show("c.pm");
	CALL(unlink("b.pm"));
	CALL(unlink("sub") == -1);
	make("d.pm", "file d");
	CALL(renameat2(AT_FDCWD, "c.pm", AT_FDCWD, "d.pm", RENAME_NOREPLACE));
	CALL(renameat2(AT_FDCWD, "c.pm", AT_FDCWD, "d.pm", RENAME_EXCHANGE));
	show("c.pm"), show("d.pm");
	dir = open("sub", O_RDONLY | O_DIRECTORY);
	CALL(renameat(AT_FDCWD, "c.pm", dir, "e.pm"));
	show("sub/e.pm");
	list("."), list("sub"), list("./sub/../sub/");
	CALL(fd = openat(dir, "e.pm", O_RDWR));
	CALL(close(fd));
	CALL(fstatat(dir, "e.pm", &st, 0));
	CALL(faccessat(dir, "e.pm", R_OK, 0));
	CALL(unlinkat(dir, "e.pm", 0));
	CALL(unlinkat(dir, "e.pm", 0));
	CALL(linkat(AT_FDCWD, "d.pm", dir, "f.pm", 0));
	CALL(remove("d.pm"));
	show("sub/f.pm"), show("sub/../sub/f.pm"), show("./sub//f.pm");
	CALL(unlink("sub/f.pm"));
	CALL(close(dir));
	show("link.pm");
	CALL(rename(old, "old2.pm"));
	CALL(access(old, F_OK));
	show("link.pm");
	CALL(rename("old2.pm", old));
	CALL(unlink("link.pm"));
	CALL(access("link.pm", F_OK));
	CALL(access(old, F_OK));
	make("../plain", "not PM yet");
	CALL(rename("../plain", "g.pm"));
	show("g.pm"), show("../plain");
	CALL(rename("g.pm", "../plain"));
	show("g.pm"), show("../plain");
	CALL(unlink("../plain"));
	show("../plain");
	CALL(unlink(old));
	list(".");
	CALL(open(old, O_RDONLY));
	make(old, "made again");
	show(old);
}

/* A lock is the description's, and a mapping keeps that after the last descriptor is closed. */
static void test_lock_of_mapping(void)
{
	int fd = open(new, O_CREAT | O_RDWR, 0600), fd2 = open(new, O_RDWR);
	char *p;

	CALL(ftruncate(fd, 8192));
	CALL(flock(fd, LOCK_EX | LOCK_NB));
	p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CALL(close(fd));
	CALL(flock(fd2, LOCK_SH | LOCK_NB));
	CALL(munmap(p, 4096));
	CALL(flock(fd2, LOCK_SH | LOCK_NB));
	CALL(munmap(p + 4096, 4096));
	CALL(flock(fd2, LOCK_EX | LOCK_NB));
	CALL(close(fd2));
	fd = open(new, O_RDWR);
	CALL(flock(fd, LOCK_EX | LOCK_NB));
	CALL(close(fd));
	CALL(unlink(new));
}

static void test_fds(void)
{
	int fd = open(new, O_CREAT | O_RDWR, 0600), d, fd2;
	struct flock l = {.l_type = F_WRLCK};

	CALL(d = dup(fd));
	CALL(write(fd, "0123456789", 10));
	CALL(lseek(d, 0, SEEK_CUR));
	CALL(lseek(d, 3, SEEK_SET));
	CALL(read(fd, buf, 2));
	CALL(close(fd));
	CALL(read(d, buf, 2));
	CALL(dup2(d, 20));
	CALL(dup2(d, d));
	CALL(dup2(99, 21));
	CALL(dup3(d, 21, O_CLOEXEC));
	CALL(dup3(d, d, 0));
	CALL(fcntl(21, F_GETFD));
	CALL(fcntl(20, F_DUPFD, 30));
	CALL(fcntl(20, F_DUPFD_CLOEXEC, 30));
	CALL(read(30, buf, 1));
	CALL(lseek(31, 0, SEEK_CUR));
	CALL(fcntl(20, F_SETFL, O_APPEND));
	CALL(fcntl(30, F_GETFL) & O_APPEND);
	CALL(flock(20, LOCK_EX | LOCK_NB));
	CALL(flock(d, LOCK_EX | LOCK_NB));
	fd2 = open(new, O_RDWR);
	CALL(flock(fd2, LOCK_EX | LOCK_NB));
	CALL(flock(fd2, LOCK_SH | LOCK_NB));
	CALL(flock(20, LOCK_SH));
	CALL(flock(fd2, LOCK_SH | LOCK_NB));
	CALL(flock(20, LOCK_UN));
	CALL(flock(fd2, LOCK_EX | LOCK_NB));
	CALL(flock(fd2, 77));
	CALL(fcntl(20, F_SETLK, &l));
	CALL(fcntl(20, F_GETLK, &l));
	printf("%d\n", l.l_type == F_UNLCK);
	CALL(lockf(20, F_TLOCK, 0));
	close(d), close(20), close(21), close(30), close(31);
	CALL(read(20, buf, 1));
	CALL(pread(fd2, buf, 20, 0));
	CALL(dup2(0, fd2));
	CALL(lseek(fd2, 0, SEEK_END) == 10);
	CALL(close(fd2));
	CALL(unlink(new));
}

static void test_temp(void)
{
	char t[] = "tmp-XXXXXX.pm", u[] = "uXXXXXX", name[64];
	int fd;
	struct stat st;

	CALL((fd = mkstemps(t, 3)) > 0);
	printf("%d\n", strstr(t, "XXXXXX") == NULL);
	CALL(write(fd, "temp", 4));
	CALL(stat(t, &st));
	CALL(close(fd));
	CALL(unlink(t));
	CALL(mkstemp(u + 2));
	CALL((fd = open(".", O_TMPFILE | O_RDWR, 0600)) > 0);
	CALL(write(fd, "no name", 7));
	show_stat("fstat", fstat(fd, &st), &st);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	CALL(linkat(AT_FDCWD, name, AT_FDCWD, "named.pm", AT_SYMLINK_FOLLOW));
	show("named.pm");
	CALL(unlink("named.pm"));
	CALL(close(fd));
}

static void test_shm(void)
{
	int fd;
	char *p;

	CALL((fd = shm_open("/perdure-ops.pm", O_RDWR | O_CREAT | O_EXCL, 0600)) > 0);
	CALL(shm_open("/perdure-ops.pm", O_RDWR | O_CREAT | O_EXCL, 0600));
	CALL(ftruncate(fd, 8192));
	p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	strcpy(p, "shared");
	CALL(pread(fd, buf, 7, 0));
	printf("%s\n", buf);
	munmap(p, 8192);
	CALL(close(fd));
	CALL(shm_unlink("/perdure-ops.pm"));
	CALL(shm_unlink("/perdure-ops.pm"));
}

static void test_stdio(void)
{
	FILE *f = fopen(new, "w+");
	char line[64] = "";

	printf("%d %d\n", f != NULL, fileno(f) > 2);
	fprintf(f, "first\nsecond %d\n", 2);
	CALL(ftell(f));
	CALL(fseek(f, 6, SEEK_SET));
	printf("%s", fgets(line, sizeof(line), f));
	CALL(fgetc(f));
	CALL(feof(f) != 0);
	CALL(ftruncate(fileno(f), 100));
	CALL(fclose(f));
	f = fopen64(new, "a");
	fputs("end", f);
	fclose(f);
	f = fopen(new, "rb");
	CALL(fread(buf, 1, 200, f));
	printf("%u\n", sum(buf, 103));
	CALL(fputc('x', f));
	fclose(f);
	CALL(fopen("missing.pm", "r") == NULL ? errno : 0);
	CALL(fopen(new, "wx") == NULL ? errno : 0);
	f = fdopen(open(new, O_RDONLY), "r");
	CALL(fgetc(f));
	CALL(fclose(f));
	CALL(unlink(new));
}

/* Buffers that are PM themselves, with descriptors that are not. */
static void test_buffers(void)
{
	int fd = open(new, O_CREAT | O_RDWR, 0644), s[2];
	char *pm, *q;
	struct iovec v[2];
	struct msghdr m = {.msg_iov = v, .msg_iovlen = 2};

	ftruncate(fd, 1 << 16);
	pm = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	q = pm + 4096;
	CALL(socketpair(AF_UNIX, SOCK_DGRAM, 0, s));
	strcpy(pm, "from PM");
	CALL(write(s[0], pm, 8));
	CALL(read(s[1], q, 100));
	printf("%s\n", q);
	CALL(send(s[0], pm + 5, 3, 0));
	CALL(recv(s[1], q, 100, 0));
	printf("%s\n", q);
	v[0] = (struct iovec){pm, 5}, v[1] = (struct iovec){pm + 5, 3};
	CALL(writev(s[0], v, 2));
	v[0].iov_base = q, v[1].iov_base = q + 100;
	CALL(readv(s[1], v, 2));
	printf("%.5s %s\n", q, q + 100);
	v[0].iov_base = pm, v[1].iov_base = pm + 5;
	CALL(sendmsg(s[0], &m, 0));
	v[0].iov_base = q + 200, v[1].iov_base = q + 300;
	CALL(recvmsg(s[1], &m, 0));
	printf("%.5s %s\n", q + 200, q + 300);
	CALL(sendto(s[0], pm, 8, 0, NULL, 0));
	CALL(recvfrom(s[1], q + 400, 8, 0, NULL, NULL));
	printf("%s\n", q + 400);
	CALL(pread(fd, q + 500, 8, 0));
	CALL(pwrite(fd, q + 500, 8, 600));
	printf("%s %s\n", q + 500, pm + 600);
	close(s[0]), close(s[1]), close(fd);
	munmap(pm, 1 << 16);
	CALL(unlink(new));
}

int main(int argc, char **argv)
{
	struct sigaction sa = {.sa_handler = on_fault};

	if (argc < 3)
		return 2;
	old = argv[1];
	new = argv[2];
	left = getenv("DIE") ? atoi(getenv("DIE")) : 0;
	sigaction(SIGSEGV, &sa, NULL);
	sigaction(SIGBUS, &sa, NULL);
	setvbuf(stdout, NULL, _IOLBF, 0);
	test_open();
	test_io();
	test_size();
	test_map();
	test_map_size();
	test_reserve();
	test_stat();
	test_fds();
	test_lock_of_mapping();
	test_temp();
	test_shm();
	test_stdio();
	test_buffers();
	test_names();
	if (argc > 3 && !strcmp(argv[3], "abort"))
		abort();
	if (argc > 3 && !strcmp(argv[3], "kill"))
		kill(getpid(), SIGKILL);
	return 0;
}
