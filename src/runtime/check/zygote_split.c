/* check/zygote_split.c - see check/zygote_split.h. */
#include "runtime/check/zygote_split.h"
#include "runtime/base/raw.h"
#include "runtime/session/session.h"
#include "runtime/thread/snapshot.h"
#include <string.h>
#include <sys/socket.h>

bool pd_zygote_next(int fd, struct pd_zygote_order *o, int given[PD_ZYGOTE_FDS])
{
	union {
		struct cmsghdr h;
		char room[CMSG_SPACE(PD_ZYGOTE_FDS * sizeof(int))];
	} c = {.room = {0}};
	struct iovec v = {o, sizeof(*o)};
	struct msghdr m = {
		.msg_iov = &v, .msg_iovlen = 1, .msg_control = &c, .msg_controllen = sizeof(c)};
	struct cmsghdr *h;
	long n;

	do
		n = pd_raw(SYS_recvmsg, fd, (long)&m, MSG_CMSG_CLOEXEC, 0, 0, 0);
	while (n == -EINTR);
	for (int i = 0; i < PD_ZYGOTE_FDS; i++)
		given[i] = -1;
	h = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;
	if (h && h->cmsg_type == SCM_RIGHTS)
		memcpy(given, CMSG_DATA(h),
		       PD_MIN(h->cmsg_len - CMSG_LEN(0), PD_ZYGOTE_FDS * sizeof(int)));
	return n == sizeof(*o) && o->what != PD_ZYGOTE_QUIT;
}

/* Moves a descriptor to the runtime's own range, out of the program's way. */
static int put_high(int fd)
{
	int high = (int)pd_raw(SYS_fcntl, fd, F_DUPFD_CLOEXEC, pd_session.pipe, 0, 0, 0);

	pd_raw_close(fd);
	if (high < 0)
		pd_rt_fail(4,
			   "no descriptor is left for another zygote; raise the limit (ulimit -n)");
	return high;
}

/* Copies the old channel: what it says of the program's start holds for the new process. */
static void use_channel(int fd)
{
	struct pd_channel *old = pd_rt.channel;
	size_t n = sizeof(*old);
	long p = pd_raw_mmap(0, n, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (!pd_raw_failed(p)) {
		memcpy((void *)p, old, n);
		pd_raw_munmap((uint64_t)p, n);
		p = pd_raw_mmap((uint64_t)old, n, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED,
				fd, 0);
	}
	if (pd_raw_failed(p))
		pd_rt_fail(4, "cannot map the memory that the processes share (errno %d)", (int)-p);
	pd_raw_close(fd);
}

static int split(int fd, const int given[PD_ZYGOTE_FDS], struct pd_zygote_answer *a)
{
	pid_t pid = pd_snapshot_fork();
	int pipe;

	if (pid) {
		for (int i = 0; i < PD_ZYGOTE_FDS; i++)
			pd_raw_close(given[i]);
		a->status = pid;
		a->error = pid < 0 ? -pid : 0;
		return fd;
	}
	use_channel(given[0]);
	pipe = put_high(given[1]);
	pd_session.zygote = put_high(given[2]);
	pd_raw_close(pd_session.pipe);
	pd_raw_close(fd);
	pd_session.pipe = pipe;
	return pd_session.zygote;
}

int pd_zygote_split(int fd, const struct pd_zygote_order *o, const int given[PD_ZYGOTE_FDS],
		    struct pd_zygote_answer *a)
{
	long r;

	if (o->what == PD_ZYGOTE_SPLIT)
		return split(fd, given, a);
	if (o->what == PD_ZYGOTE_BURY) {
		a->error = -pd_snapshot_wait(o->number, &a->status);
		return fd;
	}
	r = pd_raw(SYS_dup3, given[0], o->number, O_CLOEXEC, 0, 0, 0);
	a->error = r < 0 ? (int32_t)-r : 0;
	pd_raw_close(given[0]);
	return fd;
}
