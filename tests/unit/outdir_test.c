/* outdir_test.c - --out and files: everything that can be wrong, and nothing left behind. */
#include "unit/unit.h"
#include "host/outdir.h"
#include "report/report.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char home[64];

static int remove_one(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static int enter(void **state)
{
	(void)state;
	strcpy(home, "/tmp/perdure-outdir-XXXXXX");
	return mkdtemp(home) && chdir(home) == 0 ? 0 : -1;
}

static int leave(void **state)
{
	(void)state;
	umount2("small", MNT_DETACH); /* where disk_is_full has failed */
	return chdir("/") == 0 ? nftw(home, remove_one, 8, FTW_DEPTH | FTW_PHYS) : -1;
}

static int entries(const char *path)
{
	DIR *d = opendir(path);
	int n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n - 2;
}

static bool exists(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0;
}

static void put(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static void one_line(const struct pd_error *e, enum pd_exit status, const char *part)
{
	assert_int_equal(e->status, status);
	assert_null(strchr(e->text, '\n'));
	if (!strstr(e->text, part))
		fail_msg("'%s' is not in '%s'", part, e->text);
}

/* ---- directories ------------------------------------------------------------------------------
 */

static void numbered_directories(void **state)
{
	struct pd_outdir d;
	struct pd_error e;
	char link[32];
	ssize_t n;

	(void)state;
	assert_true(pd_outdir_open(&d, NULL, &e));
	assert_string_equal(d.path, "perdure.out/1");
	assert_false(exists("perdure.out/last"));
	assert_true(pd_outdir_done(&d, &e));
	n = readlink("perdure.out/last", link, sizeof(link));
	assert_int_equal(n, 1);
	assert_int_equal(link[0], '1');
	mkdir("perdure.out/9", 0777);
	mkdir("perdure.out/12x", 0777);
	assert_true(pd_outdir_open(&d, NULL, &e));
	assert_string_equal(d.path, "perdure.out/10");
	assert_true(pd_outdir_done(&d, &e));
	assert_int_equal(readlink("perdure.out/last", link, sizeof(link)), 2);
	assert_memory_equal(link, "10", 2);
	assert_int_equal(entries("perdure.out"), 5); /* 1 9 12x 10 last: no temporary link */
}

static void abandoned_run_leaves_nothing(void **state)
{
	struct pd_outdir d;
	struct pd_error e;

	(void)state;
	assert_true(pd_outdir_open(&d, NULL, &e));
	mkdir("perdure.out/1/sub", 0777);
	put("perdure.out/1/sub/file", "x");
	put("precious", "x");
	assert_int_equal(symlink("../../precious", "perdure.out/1/link"), 0);
	assert_int_equal(symlink("../..", "perdure.out/1/sub/up"), 0);
	pd_outdir_abandon(&d);
	assert_false(exists("perdure.out"));
	assert_true(exists("precious"));
	pd_outdir_abandon(&d); /* again: nothing happens */
}

static void abandon_keeps_what_was_there(void **state)
{
	struct pd_outdir d;
	struct pd_error e;

	(void)state;
	mkdir("mine", 0777);
	assert_true(pd_outdir_open(&d, "mine", &e));
	put("mine/other", "x");
	pd_outdir_abandon(&d);
	assert_true(exists("mine/other"));
}

static void given_directory(void **state)
{
	struct pd_outdir d;
	struct pd_error e;

	(void)state;
	assert_true(pd_outdir_open(&d, "res//", &e));
	assert_string_equal(d.path, "res");
	put("res/result.json", "old");
	assert_true(pd_outdir_done(&d, &e));
	assert_false(exists("perdure.out"));
	/* Again: it is ours, and the old result goes at once. */
	assert_true(pd_outdir_open(&d, "res", &e));
	assert_false(exists("res/result.json"));
	assert_false(d.made);
	mkdir("empty", 0777);
	assert_true(pd_outdir_open(&d, "empty", &e));
}

static void foreign_directory_is_refused(void **state)
{
	struct pd_outdir d;
	struct pd_error e;

	(void)state;
	mkdir("photos", 0777);
	put("photos/result.json", "not ours");
	assert_false(pd_outdir_open(&d, "photos", &e));
	one_line(&e, PD_EXIT_USAGE, "holds other files");
	assert_int_equal(entries("photos"), 1);
}

static void file_in_the_way(void **state)
{
	struct pd_outdir d;
	struct pd_error e;

	(void)state;
	put("file", "x");
	assert_false(pd_outdir_open(&d, "file", &e));
	one_line(&e, PD_EXIT_USAGE, "'file' is a file");
	assert_false(pd_outdir_open(&d, "file/sub", &e));
	one_line(&e, PD_EXIT_USAGE, "a part of the path is a file");
	assert_false(pd_outdir_open(&d, "no/such", &e));
	one_line(&e, PD_EXIT_USAGE, "its directory exists");
	assert_false(pd_outdir_open(&d, "", &e));
	one_line(&e, PD_EXIT_USAGE, "name of a directory");
	put("perdure.out", "x");
	assert_false(pd_outdir_open(&d, NULL, &e));
	one_line(&e, PD_EXIT_USAGE, "'perdure.out' is a file");
	assert_int_equal(entries("."), 2);
}

static void names_that_are_odd_or_long(void **state)
{
	static char name[2 * PATH_MAX];
	struct pd_outdir d;
	struct pd_error e;

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	assert_false(pd_outdir_open(&d, name, &e));
	one_line(&e, PD_EXIT_USAGE, "use a shorter name");
	name[300] = '\0';
	assert_false(pd_outdir_open(&d, name, &e));
	one_line(&e, PD_EXIT_USAGE, "use a shorter name");
	assert_false(pd_outdir_open(&d, "a\nb\033/c", &e));
	one_line(&e, PD_EXIT_USAGE, "a?b?/c");
	assert_int_equal(entries("."), 0);
}

/* Root may write everywhere, so the test gives that up in a child. */
static void unwritable_directory(void **state)
{
	pid_t pid;
	int status;

	(void)state;
	mkdir("shut", 0555);
	mkdir("shut-too", 0555);
	fflush(NULL);
	assert_int_equal(chmod(home, 0755), 0); /* mkdtemp gave it to us alone */
	pid = fork();
	if (pid == 0) {
		struct pd_outdir d;
		struct pd_error e;
		int bad = 0;

		if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0))
			_exit(77);
		bad |= pd_outdir_open(&d, "shut/new", &e) || e.status != PD_EXIT_USAGE ||
		       !strstr(e.text, "Permission denied; check its permissions");
		bad |= pd_outdir_open(&d, "shut", &e) || e.status != PD_EXIT_USAGE ||
		       !strstr(e.text, "cannot write into 'shut': Permission denied");
		_exit(bad);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		UNIT_SKIP();
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(entries("shut"), 0);
}

/* ---- files -------------------------------------------------------------------------------------
 */

static char *content(const char *path)
{
	struct pd_error e;
	size_t n;
	char *t = pd_file_read(path, 1000, &n, &e);

	assert_non_null(t);
	return t;
}

static void file_appears_when_it_is_whole(void **state)
{
	struct pd_filewriter w;
	struct pd_error e;
	struct stat st;
	char *t;

	(void)state;
	umask(022);
	put("f", "old");
	assert_true(pd_file_begin(&w, "f", &e));
	fputs("new", w.f);
	fflush(w.f);
	t = content("f");
	assert_string_equal(t, "old");
	free(t);
	assert_true(pd_file_commit(&w, &e));
	t = content("f");
	assert_string_equal(t, "new");
	free(t);
	assert_int_equal(stat("f", &st), 0);
	assert_int_equal(st.st_mode & 0777, 0644);
	assert_true(pd_file_begin(&w, "f", &e));
	fputs("third", w.f);
	pd_file_abandon(&w);
	t = content("f");
	assert_string_equal(t, "new");
	free(t);
	assert_int_equal(entries("."), 1);
}

static void links_stay_links(void **state)
{
	struct pd_filewriter w;
	struct pd_error e;
	struct stat st;

	(void)state;
	put("real", "old");
	assert_int_equal(symlink("real", "link"), 0);
	assert_true(pd_file_begin(&w, "link", &e));
	fputs("new text", w.f);
	assert_true(pd_file_commit(&w, &e));
	assert_int_equal(lstat("link", &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_int_equal(stat("real", &st), 0);
	assert_int_equal(st.st_size, 8);
}

static void files_that_cannot_be(void **state)
{
	struct pd_filewriter w;
	struct pd_error e;

	(void)state;
	assert_false(pd_file_begin(&w, "no/such", &e));
	one_line(&e, PD_EXIT_USAGE, "its directory exists");
	mkdir("dir", 0777);
	assert_false(pd_file_begin(&w, "dir", &e));
	one_line(&e, PD_EXIT_USAGE, "Is a directory");
	assert_false(pd_file_begin(&w, "", &e));
	one_line(&e, PD_EXIT_USAGE, "without a name");
	assert_int_equal(entries("."), 1);
}

static void reading(void **state)
{
	struct pd_error e;
	size_t n;

	(void)state;
	assert_null(pd_file_read("none", 10, &n, &e));
	one_line(&e, PD_EXIT_USAGE, "cannot read 'none'");
	assert_null(pd_file_read(".", 10, &n, &e));
	one_line(&e, PD_EXIT_USAGE, "Is a directory");
	assert_null(pd_file_read("/dev/zero", 10, &n, &e));
	one_line(&e, PD_EXIT_USAGE, "not a regular file");
	assert_int_equal(mkfifo("pipe", 0666), 0);
	assert_null(pd_file_read("pipe", 10, &n, &e));
	one_line(&e, PD_EXIT_USAGE, "not a regular file");
	put("f", "12345678901");
	assert_null(pd_file_read("f", 10, &n, &e));
	one_line(&e, PD_EXIT_USAGE, "larger than 10 bytes");
}

/* ---- full disks ---------------------------------------------------------------------------------
 */

static void fill(FILE *f)
{
	static char block[65536];

	for (int i = 0; i < 64; i++)
		fwrite(block, 1, sizeof(block), f);
}

static void device_is_full(void **state)
{
	struct pd_filewriter w;
	struct pd_error e;

	(void)state;
	assert_true(pd_file_begin(&w, "/dev/full", &e));
	fputs("x", w.f);
	assert_false(pd_file_commit(&w, &e));
	one_line(&e, PD_EXIT_INTERNAL, "No space left on device; free some space");
	assert_true(pd_file_begin(&w, "/dev/full", &e));
	fill(w.f); /* the error comes long before the end */
	assert_false(pd_file_commit(&w, &e));
	one_line(&e, PD_EXIT_INTERNAL, "No space left on device");
	assert_true(exists("/dev/full"));
}

static void file_size_limit(void **state)
{
	const struct rlimit small = {4096, RLIM_INFINITY};
	struct pd_filewriter w;
	struct rlimit was;
	struct pd_error e;
	bool ok;

	(void)state;
	put("f", "old");
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	assert_true(pd_file_begin(&w, "f", &e));
	fill(w.f);
	ok = pd_file_commit(&w, &e);
	setrlimit(RLIMIT_FSIZE, &was);
	assert_false(ok);
	one_line(&e, PD_EXIT_INTERNAL, "raise the limit on file sizes");
	assert_int_equal(entries("."), 1);
	assert_true(exists("f"));
}

static void disk_is_full(void **state)
{
	struct pd_filewriter w;
	struct pd_outdir d;
	struct pd_error e;

	(void)state;
	mkdir("small", 0777);
	if (mount("none", "small", "tmpfs", 0, "size=64k,nr_inodes=6") != 0)
		UNIT_SKIP();
	assert_true(pd_outdir_open(&d, "small/out", &e));
	assert_true(pd_file_begin(&w, "small/out/result.json", &e));
	fill(w.f);
	assert_false(pd_file_commit(&w, &e));
	one_line(&e, PD_EXIT_INTERNAL, "No space left on device");
	pd_outdir_abandon(&d);
	assert_int_equal(entries("small"), 0);
	/* No inode for the directory's mark. */
	for (int i = 0; i < 4; i++) {
		char name[] = {'s', 'm', 'a', 'l', 'l', '/', (char)('a' + i), 0};

		put(name, "");
	}
	assert_false(pd_outdir_open(&d, "small/out", &e));
	one_line(&e, PD_EXIT_INTERNAL, "cannot write into 'small/out': No space left on device");
	assert_int_equal(entries("small"), 4);
	assert_int_equal(umount("small"), 0);
}

#define T(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(numbered_directories),
		T(abandoned_run_leaves_nothing),
		T(abandon_keeps_what_was_there),
		T(given_directory),
		T(foreign_directory_is_refused),
		T(file_in_the_way),
		T(names_that_are_odd_or_long),
		T(unwritable_directory),
		T(file_appears_when_it_is_whole),
		T(links_stay_links),
		T(files_that_cannot_be),
		T(reading),
		T(device_is_full),
		T(file_size_limit),
		T(disk_is_full),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
