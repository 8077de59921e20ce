/*
 * events.c - calls whose events events.t knows one by one; a MARK tells the log where each begins.
 *
 * Linked with the parts under test and the stand-in for the session, which writes the log.
 */
#include "runtime/file/file.h"
#include "runtime/libc/wrap.h"
#include <fcntl.h>
#include <sys/mman.h>
#include <wchar.h>

static struct pd_site site = {.id = 7};

static void mark(const char *what)
{
	pd_rt_loss(PD_LOSS_N, 0, what);
}

#define DO(call)                                                                                   \
	do {                                                                                       \
		long r_;                                                                           \
                                                                                                   \
		mark(#call);                                                                       \
		r_ = (long)(call);                                                                 \
		(void)r_;                                                                          \
	} while (0)

int main(void)
{
	char buf[64] __attribute__((aligned)) = "", *pm;
	wchar_t *rest;
	int fd, sync_fd;
	struct iovec v[2] = {{buf, 3}, {buf, 4}};

	pd_file_driven();
	DO(fd = open("e.pm", O_RDWR | O_CREAT, 0600));
	DO(ftruncate(fd, 8192));
	DO(pwrite(fd, "12345", 5, 100));
	DO(pread(fd, buf, 3, 101));
	DO(pwritev(fd, v, 2, 8190));
	DO(fsync(fd));
	DO(sync_fd = open("e.pm", O_WRONLY | O_DSYNC));
	DO(write(sync_fd, "abc", 3));
	DO(pm = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
	DO(msync(pm, 100, MS_SYNC));
	DO(msync(pm, 100, MS_ASYNC));
	DO(read(open("/dev/zero", O_RDONLY), pm, 10));
	DO(write(open("/dev/null", O_WRONLY), pm + 96, 10));
	__pd_call_site = &site;
	DO(__pd_w_strcpy(pm + 200, "four"));
	DO(__pd_w_strcmp(pm + 200, "fox"));
	DO(__pd_w_strlen(pm + 200));
	DO(__pd_w_memcpy(pm + 300, pm + 200, 20));
	DO(__pd_w_memcmp(pm + 205, "\0\0\0\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1\1", 20));
	DO(__pd_w_strncpy(pm + 400, "ab", 6));
	DO(__pd_w_snprintf(pm + 500, 4, "%.2s%d", pm + 200, 12345));
	DO(__pd_w_atoi(pm + 100));
	DO(__pd_w_wmemcpy((wchar_t *)(pm + 600), L"1 ab", 5));
	DO(__pd_w_wcscpy((wchar_t *)buf, (wchar_t *)(pm + 608)));
	DO(__pd_w_wcstol((wchar_t *)(pm + 600), NULL, 10));
	DO(__pd_w_wcspbrk((wchar_t *)(pm + 600), L"b"));
	DO(__pd_w_wcstok((wchar_t *)(pm + 600), L" ", &rest));
	DO(__pd_w_memcpy(buf, "plain", 5));
	DO(munmap(pm, 8192));
	DO(rename("e.pm", "f.pm"));
	DO(unlink("f.pm"));
	DO(close(fd));
	return 0;
}
