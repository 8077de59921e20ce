/*
 * deny.c - runs a command on a poorer machine: deny WHAT... -- COMMAND.
 *
 * What a container or an old kernel refuses, refused by a seccomp filter:
 *	personality  ADDR_NO_RANDOMIZE, as docker's default profile does: addresses stay random
 *	pidfd        pidfd_open is not known (before Linux 5.3, and in some containers)
 *	seccomp      no filter can be added
 *	commit       private memory that can be written has no room from 256 MB on, whether it is used or not: as
 *	             with vm.overcommit_memory=2, where MAP_NORESERVE counts for nothing
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ARG(n) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[n]))
#define HIGH(n) BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[n]) + 4)
#define NR BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define IF(nr, skip) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, skip)
#define DENY(e) BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (e))
#define ALLOW BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static int install(struct sock_filter *f, unsigned short n)
{
	struct sock_fprog p = {n, f};

	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p);
}

#define INSTALL(f) install(f, sizeof(f) / sizeof((f)[0]))

static int deny(const char *what)
{
	struct sock_filter layout[] = {
		NR, IF(SYS_personality, 4), ARG(0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xffffffff, 2, 0), /* a question */
		BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, ADDR_NO_RANDOMIZE, 0, 1), DENY(EPERM), ALLOW,
	};
	struct sock_filter pidfd[] = {NR, IF(SYS_pidfd_open, 1), DENY(ENOSYS), ALLOW};
	struct sock_filter filter[] = {NR, IF(SYS_seccomp, 1), DENY(EPERM), ALLOW};
	struct sock_filter commit[] = {
		NR,
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 2, 0),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mprotect, 1, 0),
		ALLOW,
		HIGH(1), IF(0, 2), ARG(1), BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 256 << 20, 0, 6),
		ARG(2), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_WRITE, 0, 4),
		NR, IF(SYS_mmap, 3) /* mprotect: of private memory, as far as we use it */,
		ARG(3), BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, MAP_SHARED, 0, 1),
		ALLOW,
		DENY(ENOMEM),
	};

	if (strcmp(what, "personality") == 0)
		return INSTALL(layout);
	if (strcmp(what, "pidfd") == 0)
		return INSTALL(pidfd);
	if (strcmp(what, "seccomp") == 0)
		return INSTALL(filter);
	return strcmp(what, "commit") == 0 ? INSTALL(commit) : -1;
}

int main(int argc, char **argv)
{
	int i = 1;

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return 126;
	for (; i < argc && strcmp(argv[i], "--"); i++)
		if (deny(argv[i])) {
			fprintf(stderr, "deny: cannot refuse '%s'\n", argv[i]);
			return 126;
		}
	if (i + 1 < argc)
		execvp(argv[i + 1], argv + i + 1);
	return 127;
}
