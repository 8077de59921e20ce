/*
 * further.c - recovery gives PM to the kernel through a structure. further HOW FILE [verify]
 *
 *	messages  sendmmsg
 *	memory    process_vm_readv of its own process
 *	requests  io_submit
 *	exec      an argument of a program that replaces it
 *	unknown   an ioctl whose structure has an address in it
 *
 * b is published before a is durable, if HOW begins with "lost-".
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <emmintrin.h>
#define _mm_clwb __builtin_ia32_clwb /* immintrin.h takes long to compile */
#include <linux/aio_abi.h>
#include <net/if.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

struct words {
	uint64_t a, fill[7], b, fill2[7];
};

static void persist(void *p)
{
	_mm_clwb(p);
	_mm_sfence();
}

static int by_messages(struct words *p, struct words *copy)
{
	struct iovec v = {p, sizeof(*p)};
	struct mmsghdr m = {.msg_hdr = {.msg_iov = &v, .msg_iovlen = 1}};
	int s[2];

	return socketpair(AF_UNIX, SOCK_DGRAM, 0, s) != 0 || sendmmsg(s[0], &m, 1, 0) != 1 ||
	       read(s[1], copy, sizeof(*copy)) != sizeof(*copy);
}

static int by_memory(struct words *p, struct words *copy)
{
	struct iovec from = {p, sizeof(*p)}, to = {copy, sizeof(*copy)};

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) != sizeof(*p);
}

static int by_requests(struct words *p, struct words *copy)
{
	aio_context_t context = 0;
	struct iocb r = {.aio_fildes = (uint32_t)open("side", O_RDWR | O_CREAT | O_TRUNC, 0644),
			 .aio_lio_opcode = IOCB_CMD_PWRITE,
			 .aio_buf = (uint64_t)p,
			 .aio_nbytes = sizeof(*p)},
		    *requests = &r;
	struct io_event e = {0};

	return syscall(SYS_io_setup, 1, &context) != 0 || syscall(SYS_io_submit, context, 1, &requests) != 1 ||
	       syscall(SYS_io_getevents, context, 1, 1, &e, NULL) != 1 || e.res != sizeof(*p) ||
	       pread((int)r.aio_fildes, copy, sizeof(*copy), 0) != sizeof(*copy);
}

static int by_exec(struct words *p, struct words *copy)
{
	char *arguments[] = {"sh", "-c", "exit 0", (char *)p, NULL};

	(void)copy;
	return execv("/bin/sh", arguments);
}

static int by_unknown(struct words *p, struct words *copy)
{
	struct ifconf c = {.ifc_len = sizeof(struct ifreq), .ifc_buf = (char *)p};

	(void)copy;
	return ioctl(socket(AF_UNIX, SOCK_DGRAM, 0), SIOCGIFCONF, &c) != 0;
}

static int verify(const char *how, struct words *p)
{
	struct words copy = {0};

	if (strcmp(how, "messages") == 0 ? by_messages(p, &copy)
	    : strcmp(how, "memory") == 0 ? by_memory(p, &copy)
	    : strcmp(how, "requests") == 0 ? by_requests(p, &copy)
	    : strcmp(how, "exec") == 0 ? by_exec(p, &copy)
				       : by_unknown(p, &copy))
		return 4;
	return copy.b && !copy.a;
}

int main(int argc, char **argv)
{
	int lost = argc > 2 && strncmp(argv[1], "lost-", 5) == 0;
	int fd = open(argc > 2 ? argv[2] : "", O_RDWR | O_CREAT, 0644);
	struct words *p;

	if (fd < 0 || ftruncate(fd, 4096) != 0)
		return 2;
	p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		return 2;
	if (argc > 3)
		return verify(argv[1] + (lost ? 5 : 0), p);
	p->a = 1;
	if (!lost)
		persist(&p->a);
	p->b = 1;
	persist(&p->b);
	return 0;
}
