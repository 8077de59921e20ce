/*
 * errors.c - one thing that cannot be done, by name.
 *
 *	errors WHAT      in a directory with old.pm
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

static void report(const char *what, long r)
{
	printf("%s: %s\n", what, r == -1 ? strerrorname_np(errno) : "done");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";
	int fd = open("new.pm", O_RDWR | O_CREAT, 0600), fd2;
	struct statfs fs;
	char *p;

	if (!strcmp(what, "fixed")) {
		ftruncate(fd, 4096);
		mmap((void *)0x300000000000, 4096, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0);
		printf("not reached\n");
	} else if (!strcmp(what, "twice")) {
		ftruncate(fd, 4096);
		p = mmap(NULL, 65536, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		mmap(p, 4096, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0);
		mmap(p + 8192, 4096, PROT_READ, MAP_SHARED | MAP_FIXED, fd, 0);
		printf("not reached\n");
	} else if (!strcmp(what, "huge")) {
		report("ftruncate", ftruncate(fd, 1L << 40)); /* it was always empty: it can move */
		report("ftruncate", ftruncate(fd, 1L << 45));
		report("pwrite", pwrite(fd, "x", 1, 1L << 45));
	} else if (!strcmp(what, "space")) {
		statfs(".", &fs);
		report("fallocate", fallocate(fd, 0, 0, (off_t)fs.f_blocks * fs.f_bsize * 2));
	} else if (!strcmp(what, "denied")) {
		report("open for reading", open("old.pm", O_RDONLY));
		report("open for writing", open("old.pm", O_WRONLY));
		report("create", open("sub/x.pm", O_RDWR | O_CREAT, 0600));
		report("unlink", unlink("sub/y.pm"));
		report("rename", rename("old.pm", "sub/z.pm"));
		report("truncate", truncate("old.pm", 0));
		report("chmod", access("old.pm", R_OK));
	} else if (!strcmp(what, "cut")) {
		fd2 = open("old.pm", O_RDWR | O_TRUNC);
		report("write", write(fd2, "short", 5));
		unlink("old.pm");
	}
	return 0;
}
