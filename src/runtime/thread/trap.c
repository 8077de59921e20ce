/*
 * thread/trap.c - see thread/trap.h.
 *
 * A seccomp filter turns the futex call of any code but our own into SIGSYS, whose handler passes
 * it to the scheduler: another thread runs meanwhile, on its own stack, and the wait ends when the
 * handler returns. The waiting thread's stack has an ordinary signal frame, so a snapshot in the
 * middle of a wait is like any other. Uncontended locks make no call and cost nothing.
 *
 *  1. The handler runs on the thread's own stack and blocks no signal: a thread that is switched
 *     to has the mask that it would have had.
 *  2. SIGSYS is never blocked while code of the program runs, for the kernel then kills instead.
 *     libc's own blocking of everything lasts for moments in which it takes no lock that another
 *     coroutine may hold.
 *  3. A filter stays for good, also in programs that are started from here, which have no handler.
 *     It names addresses, those of the code that is loaded here; other programs get random ones
 *     (pd_trap_foreign_begin), and so what is at a fixed place, an executable that was linked
 *     without PIE, is left out.
 *
 * Where the kernel denies the filter (some containers), or the program has its own handler for
 * SIGSYS, such a wait stops the program. For a program with threads and a library that waits by its
 * own futex calls this is then reported as a loss beforehand.
 *
 * Not covered: code in a library that was loaded after the last pthread_create, code that was
 * generated at run time, a raw futex in an executable at a fixed address.
 */
#include "runtime/thread/trap.h"
#include "base/out.h"
#include "runtime/base/raw.h"
#include "runtime/base/rt.h"
#include "runtime/thread/sched.h"
#include "runtime/thread/thread.h"
#include <errno.h>
#include <link.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <ucontext.h>

enum {
	RANGES = 512,
	PER_RANGE = 6,
	FRAME = 64,
	NEAR = 64,	/* bytes of code from a system call's number to the call */
	BY_SECCOMP = 1, /* si_code; defined by kernel headers that libc's exclude */
};

/* Calls that loaded code may not make by itself: waiting for a futex, and passing structures that
 * may lead to PM (pm/veil_syscall.c). */
static const uint32_t calls[] = {SYS_futex,
				 SYS_readv,
				 SYS_writev,
				 SYS_preadv,
				 SYS_pwritev,
				 SYS_preadv2,
				 SYS_pwritev2,
				 SYS_vmsplice,
				 SYS_sendmsg,
				 SYS_recvmsg,
				 SYS_sendmmsg,
				 SYS_recvmmsg,
				 SYS_process_vm_readv,
				 SYS_process_vm_writev,
				 SYS_io_submit,
				 SYS_io_uring_enter,
				 SYS_ioctl};

enum { CALLS = PD_LEN(calls) };

struct pd_trap_calls pd_trap_calls;

struct range {
	uint64_t from, to;
};

static bool active;
static bool denied;		/* by the kernel */
static unsigned long long adds; /* libraries loaded when the filter was made */
static struct range covered[RANGES] PD_TABLE;
static uint32_t ncovered;

/* ---- the handler ---------------------------------------------------------------------------- */

static void not_ours(int sig)
{
	struct sigaction normal = {.sa_handler = SIG_DFL};

	sigaction(sig, &normal, NULL);
	pd_raw(SYS_tgkill, pd_raw(SYS_getpid, 0, 0, 0, 0, 0, 0),
	       pd_raw(SYS_gettid, 0, 0, 0, 0, 0, 0), sig, 0, 0, 0);
}

static void on_trap(int sig, siginfo_t *info, void *context)
{
	greg_t *r = ((ucontext_t *)context)->uc_mcontext.gregs;
	const long a[] = {r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], r[REG_R8], r[REG_R9]};
	int saved = errno;

	if (info->si_code != BY_SECCOMP) {
		not_ours(sig);
		return;
	}
	if (info->si_syscall == SYS_futex && pd_trap_calls.futex && pd_thread_driven() &&
	    pd_sched.cur)
		r[REG_RAX] = pd_trap_calls.futex(a);
	else if (info->si_syscall != SYS_futex && pd_trap_calls.memory)
		r[REG_RAX] = pd_trap_calls.memory(info->si_syscall, a, (uintptr_t)r[REG_RIP]);
	else
		r[REG_RAX] = pd_raw(info->si_syscall, a[0], a[1], a[2], a[3], a[4], a[5]);
	errno = saved;
}

/* ---- the filter ----------------------------------------------------------------------------- */

#define LOAD(field)                                                                                \
	(struct sock_filter)                                                                       \
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field))
#define UPPER(field)                                                                               \
	(struct sock_filter)                                                                       \
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, field) + 4)
#define JUMP(op, value, yes, no)                                                                   \
	(struct sock_filter) BPF_JUMP(BPF_JMP | (op) | BPF_K, (uint32_t)(value), (yes), (no))
#define RETURN(what) (struct sock_filter) BPF_STMT(BPF_RET | BPF_K, (what))

struct filter {
	struct sock_filter v[FRAME + PER_RANGE * RANGES];
	uint32_t n;
};

static void put(struct filter *f, struct sock_filter i)
{
	f->v[f->n++] = i;
}

static void put_range(struct filter *f, const struct range *r)
{
	put(f, LOAD(instruction_pointer)); /* its lower half; x86 is little-endian */
	put(f, JUMP(BPF_JGE, r->from, 0, 4));
	put(f, JUMP(BPF_JGE, r->to, 3, 0));
	put(f, UPPER(instruction_pointer));
	put(f, JUMP(BPF_JEQ, r->from >> 32, 0, 1));
	put(f, RETURN(SECCOMP_RET_TRAP));
}

static bool load(struct filter *f)
{
	struct sock_fprog program = {.filter = f->v, .len = (unsigned short)f->n};

	return pd_raw(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW,
		      (long)&program, 0, 0, 0) == 0;
}

static bool install(const struct range *ranges, uint32_t n)
{
	static struct filter f PD_TABLE;

	f.n = 0;
	put(&f, LOAD(arch));
	put(&f, JUMP(BPF_JEQ, AUDIT_ARCH_X86_64, 1, 0));
	put(&f, RETURN(SECCOMP_RET_ALLOW));
	put(&f, LOAD(nr));
	for (uint32_t i = 0; i < CALLS; i++)
		put(&f, JUMP(BPF_JEQ, calls[i], CALLS - i, 0));
	put(&f, RETURN(SECCOMP_RET_ALLOW));
	for (uint32_t i = 0; i < n; i++)
		put_range(&f, &ranges[i]);
	put(&f, RETURN(SECCOMP_RET_ALLOW));
	return load(&f);
}

/*
 * Traps calls of any code but this with an argument in the PM window; except those that a handler
 * cannot make in place of the code that it interrupted. (Other programs have nothing there.)
 */
static bool install_window(const struct range *own)
{
	static const uint32_t exempt[] = {SYS_rt_sigreturn, SYS_rt_sigprocmask, SYS_sigaltstack,
					  SYS_clone,	    SYS_clone3,		SYS_fork,
					  SYS_vfork,	    SYS_exit,		SYS_exit_group};
	static struct filter f PD_TABLE;

	f.n = 0;
	put(&f, LOAD(arch));
	put(&f, JUMP(BPF_JEQ, AUDIT_ARCH_X86_64, 1, 0));
	put(&f, RETURN(SECCOMP_RET_ALLOW));
	put(&f, LOAD(nr));
	for (uint32_t i = 0; i < PD_LEN(exempt); i++) {
		put(&f, JUMP(BPF_JEQ, exempt[i], 0, 1));
		put(&f, RETURN(SECCOMP_RET_ALLOW));
	}
	put(&f, UPPER(instruction_pointer));
	put(&f, JUMP(BPF_JEQ, own->from >> 32, 0, 4));
	put(&f, LOAD(instruction_pointer));
	put(&f, JUMP(BPF_JGE, own->from, 0, 2));
	put(&f, JUMP(BPF_JGE, own->to, 1, 0));
	put(&f, RETURN(SECCOMP_RET_ALLOW));
	for (uint32_t i = 0; i < 6; i++) {
		put(&f, UPPER(args[i]));
		put(&f, JUMP(BPF_JGE, PD_PM_BASE >> 32, 0, 2));
		put(&f, JUMP(BPF_JGE, PD_PM_END >> 32, 1, 0));
		put(&f, RETURN(SECCOMP_RET_TRAP));
	}
	put(&f, RETURN(SECCOMP_RET_ALLOW));
	return load(&f);
}

/* ---- what is loaded ------------------------------------------------------------------------- */

struct search {
	struct range fresh[RANGES];
	uint32_t n;
	bool capped;
	unsigned long long adds;
};

static bool is_covered(const struct range *r)
{
	for (uint32_t i = 0; i < ncovered; i++)
		if (covered[i].from == r->from && covered[i].to == r->to)
			return true;
	return false;
}

static void note_range(struct search *s, struct range r)
{
	if (r.from >> 32 != r.to >> 32 || is_covered(&r))
		return;
	if (ncovered + s->n == RANGES)
		s->capped = true;
	else
		s->fresh[s->n++] = r;
}

static bool holds(const struct dl_phdr_info *info, uintptr_t address)
{
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_LOAD &&
		    address - info->dlpi_addr - info->dlpi_phdr[i].p_vaddr <
			    info->dlpi_phdr[i].p_memsz)
			return true;
	return false;
}

/* The code of this library. */
static int find_own(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct range *own = arg;

	(void)size;
	for (int i = 0; holds(info, (uintptr_t)on_trap) && i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X)
			*own = (struct range){info->dlpi_addr + p->p_vaddr,
					      info->dlpi_addr + p->p_vaddr + p->p_memsz};
	}
	return own->to != 0;
}

static bool watch_window(void)
{
	struct range own = {0};

	dl_iterate_phdr(find_own, &own);
	return own.from >> 32 == own.to >> 32 && install_window(&own);
}

static int look_at(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct search *s = arg;

	if (size >= offsetof(struct dl_phdr_info, dlpi_adds) + sizeof(info->dlpi_adds))
		s->adds = info->dlpi_adds;
	/* A load address of 0: it was linked for fixed addresses. */
	if (!info->dlpi_addr || holds(info, (uintptr_t)on_trap))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t from = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && p->p_flags & PF_X)
			note_range(s, (struct range){from, from + p->p_memsz});
	}
	return 0;
}

/*
 * Whether a system call follows closely after the number of the futex call. The two bytes of the
 * instruction alone are not enough: any large library has them inside other instructions.
 */
static bool has_futex(const unsigned char *code, size_t n)
{
	static const unsigned char number[] = {SYS_futex, 0, 0, 0}, insn[] = {0x0f, 0x05};
	const unsigned char *end = code + n, *p = code;

	while ((p = memmem(p, (size_t)(end - p), number, sizeof(number)))) {
		size_t left = (size_t)(end - ++p);

		if (memmem(p, left < NEAR ? left : NEAR, insn, sizeof(insn)))
			return true;
	}
	return false;
}

/* Reports libraries that wait by themselves, as far as their bytes show; libc does, but not while
 * it calls code of the program. */
static int report_waits(struct dl_phdr_info *info, size_t size, void *unused)
{
	struct pd_outbuf b;
	char text[400];
	bool waits = false;

	(void)size;
	(void)unused;
	if (holds(info, (uintptr_t)on_trap) || strstr(info->dlpi_name, "linux-vdso") ||
	    (!pd_thread_own_malloc &&
	     (holds(info, (uintptr_t)sigaction) || strstr(info->dlpi_name, "/ld-linux"))))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type == PT_LOAD && p->p_flags & PF_X)
			waits |=
				has_futex((const void *)(info->dlpi_addr + p->p_vaddr), p->p_memsz);
	}
	if (!waits)
		return 0;
	pd_outbuf_init(&b, text, sizeof(text));
	pd_outf(&b.out,
		"seccomp is not permitted: a futex that %s waits for by itself would stop all",
		*info->dlpi_name ? info->dlpi_name : "the program");
	pd_rt_loss(PD_LOSS_SYSCALL, 0, text);
	return 0;
}

static void report_denied(void)
{
	static bool reported;

	if (!reported)
		dl_iterate_phdr(report_waits, NULL);
	reported = true;
}

static bool cover(struct search *s)
{
	if (s->n && !install(s->fresh, s->n))
		return false;
	for (uint32_t i = 0; i < s->n; i++)
		covered[ncovered++] = s->fresh[i];
	if (s->capped)
		pd_rt_loss(PD_LOSS_CAPPED, 0, "futexes in more libraries than can be watched");
	return true;
}

void pd_trap_update(void)
{
	static struct search s PD_TABLE;

	if (denied)
		report_denied();
	if (!active)
		return;
	s.n = 0;
	dl_iterate_phdr(look_at, &s);
	if (s.adds == adds)
		return;
	adds = s.adds;
	denied = !cover(&s);
	active = !denied;
}

void pd_trap_start(void)
{
	struct sigaction act = {.sa_sigaction = on_trap,
				.sa_flags = SA_SIGINFO | SA_NODEFER | SA_RESTART};
	struct sigaction old;
	uint64_t set = 1ULL << (SIGSYS - 1);

	if (sigaction(SIGSYS, &act, &old))
		return;
	pd_raw(SYS_rt_sigprocmask, SIG_UNBLOCK, (long)&set, 0, sizeof(set), 0, 0);
	pd_raw(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0, 0);
	active = true;
	pd_trap_update();
	denied = denied || !watch_window();
	active = active && !denied;
	if (denied)
		sigaction(SIGSYS, &old, NULL);
}

uint64_t pd_trap_unblocked(uint64_t mask)
{
	if (pd_trap_calls.unblocked)
		mask = pd_trap_calls.unblocked(mask);
	return active ? mask & ~(1ULL << (SIGSYS - 1)) : mask;
}

/* ---- other programs ------------------------------------------------------------------------- */

static long layout;

void pd_trap_foreign_begin(void)
{
	if (!active)
		return;
	layout = pd_raw(SYS_personality, 0xffffffff, 0, 0, 0, 0, 0);
	if (layout >= 0)
		pd_raw(SYS_personality, layout & ~(long)ADDR_NO_RANDOMIZE, 0, 0, 0, 0, 0);
}

void pd_trap_foreign_end(void)
{
	if (active && layout >= 0)
		pd_raw(SYS_personality, layout, 0, 0, 0, 0, 0);
}
