/* machine.c - the check at the start; see machine.h. machine_facts.c has what doctor prints. */
#include "host/machine.h"
#include "event/abi.h"
#include "event/control.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <unistd.h>

#define MB ((rlim_t)1 << 20)

enum {
	USUAL_FILES = 1024,
	LEAST_FILES = 64,
	OWN_FILES = 12, /* of perdure itself, beside those per job */
};

#define MOST_STACK  (1024 * MB)
#define LARGE_STACK (64 * MB)

/* The window of PM, a partial shadow of it and the board, with room to spare. */
#define LEAST_SPACE (24ULL << 40)

/* ---- limits that are set -------------------------------------------------------------------- */

static void set_stack(struct pd_machine *m)
{
	struct rlimit l;

	if (getrlimit(RLIMIT_STACK, &l) != 0)
		return;
	m->stack = l.rlim_cur == RLIM_INFINITY ? UINT64_MAX : l.rlim_cur;
	if (l.rlim_cur <= MOST_STACK)
		return;
	l.rlim_cur = LARGE_STACK;
	setrlimit(RLIMIT_STACK, &l);
}

static void set_files(struct pd_machine *m)
{
	struct rlimit l;

	m->files = USUAL_FILES;
	if (getrlimit(RLIMIT_NOFILE, &l) == 0) {
		if (l.rlim_cur < USUAL_FILES && l.rlim_cur < l.rlim_max) {
			l.rlim_cur = PD_MIN(l.rlim_max, (rlim_t)USUAL_FILES);
			setrlimit(RLIMIT_NOFILE, &l);
		}
		m->files = l.rlim_cur;
	}
	m->first_fd = m->files >= USUAL_FILES ? PD_FIRST_FD : (int)(m->files - m->files / 4);
}

static void set_space(struct pd_machine *m)
{
	struct rlimit l;

	m->space = UINT64_MAX;
	if (getrlimit(RLIMIT_AS, &l) != 0 || l.rlim_cur == RLIM_INFINITY)
		return;
	l.rlim_cur = l.rlim_max;
	setrlimit(RLIMIT_AS, &l);
	m->space = l.rlim_cur == RLIM_INFINITY ? UINT64_MAX : l.rlim_cur;
}

/* ---- what there is -------------------------------------------------------------------------- */

/* Containers forbid it; docker's default profile does. */
static bool can_fix_addresses(void)
{
	int now = personality(0xffffffff);

	if (now < 0 || personality((unsigned long)now | ADDR_NO_RANDOMIZE) < 0)
		return false;
	personality((unsigned long)now);
	return true;
}

static bool counts_unused_memory(void)
{
	int fd = open("/proc/sys/vm/overcommit_memory", O_RDONLY | O_CLOEXEC);
	char mode = 0;

	if (fd < 0)
		return false;
	if (read(fd, &mode, 1) != 1)
		mode = 0;
	close(fd);
	return mode == '2';
}

const struct pd_machine *pd_machine(void)
{
	static struct pd_machine machine;

	if (machine.files)
		return &machine;
	set_stack(&machine);
	set_files(&machine);
	set_space(&machine);
	machine.random = !can_fix_addresses();
	machine.proc = access("/proc/self/fd", F_OK) == 0;
	machine.strict = counts_unused_memory();
	return &machine;
}

bool pd_machine_allows(bool in_valgrind, struct pd_error *e)
{
	const struct pd_machine *m = pd_machine();

	if (m->files < LEAST_FILES)
		return pd_error_set(
			e, PD_EXIT_INTERNAL,
			"only %lu files may be open here, and perdure needs %d; raise the "
			"limit (ulimit -n)",
			(unsigned long)m->files, LEAST_FILES);
	if (in_valgrind && !m->proc)
		return pd_error_set(
			e, PD_EXIT_INTERNAL,
			"there is no /proc here, and Valgrind needs it; mount it, or build "
			"the program with 'perdure cc'");
	if (!in_valgrind && m->space < LEAST_SPACE)
		return pd_error_set(
			e, PD_EXIT_INTERNAL,
			"virtual memory is limited to %lu MB here, and perdure needs addresses "
			"(not memory) for PM; remove the limit (ulimit -v unlimited)",
			(unsigned long)(m->space / MB));
	return true;
}

uint32_t pd_machine_jobs(uint32_t wanted, uint32_t each)
{
	const struct pd_machine *m = pd_machine();
	uint64_t high = m->files - (uint64_t)m->first_fd,
		 room = high > OWN_FILES ? high - OWN_FILES : 0;

	return (uint32_t)PD_MAX(1, PD_MIN(wanted, room / each));
}

void pd_machine_fix_addresses(void)
{
	int now = personality(0xffffffff);

	if (now >= 0)
		personality((unsigned long)now | ADDR_NO_RANDOMIZE);
}

int pd_machine_shared(const char *name, unsigned flags, uint64_t size)
{
	struct sigaction ignore = {.sa_handler = SIG_IGN}, was;
	int fd = memfd_create(name, flags), r, err;
	struct rlimit l, most;

	if (fd < 0)
		return -1;
	sigaction(SIGXFSZ, &ignore, &was);
	getrlimit(RLIMIT_FSIZE, &l);
	most = (struct rlimit){l.rlim_max, l.rlim_max};
	setrlimit(RLIMIT_FSIZE, &most);
	r = ftruncate(fd, (off_t)size);
	err = errno;
	setrlimit(RLIMIT_FSIZE, &l);
	sigaction(SIGXFSZ, &was, NULL);
	if (r == 0)
		return fd;
	close(fd);
	errno = err;
	return -1;
}
