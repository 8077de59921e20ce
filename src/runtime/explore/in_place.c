/* in_place.c - see in_place.h. */
#include "runtime/explore/in_place.h"
#include "runtime/base/raw.h"
#include "runtime/base/rt.h"
#include "runtime/explore/explore.h"
#include "runtime/explore/pages.h"
#include "runtime/pm/shadow.h"
#include "runtime/thread/sched.h"
#include "runtime/thread/snapshot.h"
#include <asm/prctl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/rseq.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum {
	STACK = 512 << 10,    /* of the loop */
	HANDLERS = 128 << 10, /* and of handlers */
	AHEAD = 1 << 20,      /* of the program's stack, touched before a run begins */
	TICK_MS = 50,
	SLICE_MS = 100, /* waiting for a run in a process of its own */
	TICK = 62,	/* a real-time signal */
	COOL = 4096,	/* runs after which hot pages have to prove it again */
	WARM = 48,	/* up to this many hot pages are left alone */
};

#define PR_DISPATCH	   59 /* PR_SET_SYSCALL_USER_DISPATCH */
#define FILTER_ALLOW	   0
#define FILTER_BLOCK	   1
#define KERNEL_SA_RESTORER 0x04000000UL
#define FAULT_WRITE	   2 /* of the processor's error code */

/* What the kernel takes; libc's is another. */
struct action {
	void (*handler)(int, siginfo_t *, void *);
	unsigned long flags;
	void (*restorer)(void);
	uint64_t mask;
};

static const int caught[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, TICK};

/* In memory that is neither protected nor restored. */
struct in_place {
	uint8_t selector;
	bool on;       /* else each run is a snapshot */
	bool running;  /* a run is under way, in this process */
	uint64_t size; /* of all this */
	void (*loop)(void);
	uint64_t loop_at, program_at; /* stack pointers, with registers below */
	uint64_t thread;	      /* thread pointer at the checkpoint */
	long looks; /* descriptor that the run has opened to inspect memory; 0: none */
	struct pd_run_end end;
	bool stopping;
	struct pd_run_stop stop;
	uint32_t ms;
	uint32_t ticks; /* since the run began */
	uint32_t runs;
	struct action was[PD_LEN(caught)];
	stack_t stack_was;
	uint8_t stack[STACK] __attribute__((aligned(4096)));
	uint8_t handlers[HANDLERS] __attribute__((aligned(4096)));
};

static struct in_place *self;

/* ---- two stacks ----------------------------------------------------------------------------- */

/* Saves registers on this stack, and switches to another one that was left in this way. */
void pd_in_place_switch(uint64_t *from, uint64_t to);

/* The only system call that is not caught: the return from a handler. */
void pd_in_place_restorer(void);
extern const char pd_in_place_exempt[], pd_in_place_exempt_end[];

__asm__(".pushsection .text\n"
	".globl pd_in_place_switch\n"
	".hidden pd_in_place_switch\n"
	".type pd_in_place_switch, @function\n"
	"pd_in_place_switch:\n"
	"	push %rbp\n"
	"	push %rbx\n"
	"	push %r12\n"
	"	push %r13\n"
	"	push %r14\n"
	"	push %r15\n"
	"	sub $8, %rsp\n"
	"	stmxcsr (%rsp)\n"
	"	fnstcw 4(%rsp)\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	ldmxcsr (%rsp)\n"
	"	fldcw 4(%rsp)\n"
	"	add $8, %rsp\n"
	"	pop %r15\n"
	"	pop %r14\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n"
	".size pd_in_place_switch, .-pd_in_place_switch\n"
	".globl pd_in_place_restorer, pd_in_place_exempt, pd_in_place_exempt_end\n"
	".hidden pd_in_place_restorer, pd_in_place_exempt, pd_in_place_exempt_end\n"
	".type pd_in_place_restorer, @function\n"
	"pd_in_place_exempt:\n"
	"pd_in_place_restorer:\n"
	"	mov $15, %eax\n"
	"	syscall\n"
	"	nop\n"
	"pd_in_place_exempt_end:\n"
	".size pd_in_place_restorer, .-pd_in_place_restorer\n"
	".popsection\n");

/* The initial stack pointer of a new stack: it begins with a call of this function. */
static uint64_t stack_for(uint8_t *stack, size_t n, void (*function)(void))
{
	uint64_t *top = (uint64_t *)(stack + n) - 2;
	uint32_t modes[2] = {0x1f80, 0x037f}; /* floating-point control, as a process starts */

	*--top = 0; /* where it would return to */
	*--top = (uint64_t)function;
	top -= 6;
	memset(top, 0, 6 * sizeof(*top));
	memcpy(--top, modes, sizeof(modes));
	return (uint64_t)top;
}

static void set_thread(uint64_t pointer)
{
	pd_raw(SYS_arch_prctl, ARCH_SET_FS, (long)pointer, 0, 0, 0, 0);
}

/* Restores the state of the checkpoint. */
static void put_back(void)
{
	pd_pages_put_back();
	if (self->looks)
		pd_raw_close((int)self->looks);
	self->looks = 0;
	if ((uint64_t)__builtin_thread_pointer() != self->thread)
		set_thread(self->thread);
}

/* ---- the end of a run ----------------------------------------------------------------------- */

static _Noreturn void end_run(struct pd_run_end end)
{
	uint64_t unused;

	self->end = end;
	self->running = false;
	self->selector = FILTER_ALLOW;
	pd_in_place_switch(&unused, self->loop_at);
	__builtin_unreachable();
}

/* In a snapshot: makes it an ordinary process. */
static void set_free(void)
{
	pd_pages_set_free();
	pd_shadow_written = NULL;
	for (uint32_t i = 0; i < PD_LEN(caught); i++)
		pd_raw(SYS_rt_sigaction, caught[i], (long)&self->was[i], 0, 8, 0, 0);
	self->running = false;
	self->on = false;
	pd_explore_renew();
	pd_exploring.self->forks++;
}

/* Ticks are for runs in place; here they would only disturb. */
static void block_ticks(int how)
{
	uint64_t mask = 1ULL << (TICK - 1);

	pd_raw(SYS_rt_sigprocmask, how, (long)&mask, 0, sizeof(mask), 0, 0);
}

static struct pd_run_end await(pid_t pid, uint32_t ms)
{
	struct pd_run_end e = {.alone = true, .late = true};
	long fd = pd_raw(SYS_pidfd_open, pid, 0, 0, 0, 0, 0);

	block_ticks(SIG_BLOCK);
	for (uint32_t left = ms; left && e.late && !e.stopped;) {
		uint32_t slice = PD_MIN(left, (uint32_t)SLICE_MS);

		e.late = !pd_snapshot_ended(pid, (int)fd, (int)slice);
		e.stopped = e.late && pd_exploring.board->stop;
		left -= slice;
	}
	if (e.late)
		pd_raw(SYS_kill, pid, SIGKILL, 0, 0, 0, 0);
	pd_snapshot_wait(pid, &e.status);
	if (fd >= 0)
		pd_raw_close((int)fd);
	block_ticks(SIG_UNBLOCK);
	return e;
}

/* Returns in a snapshot, which continues where the handler was called. */
static void escape(ucontext_t *u)
{
	pid_t pid;

	self->selector = FILTER_ALLOW;
	self->running = false; /* ticks do not count while it waits */
	pid = pd_snapshot_fork();
	if (pid == 0) {
		set_free();
		u->uc_stack = self->stack_was;
		return;
	}
	if (pid < 0)
		pd_rt_leave(4); /* the origin puts the record back */
	end_run(await(pid, self->ms));
}

/* ---- handlers ------------------------------------------------------------------------------- */

static void on_fault(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	uint8_t was = self->selector;

	self->selector = FILTER_ALLOW;
	if (sig == SIGSEGV && (u->uc_mcontext.gregs[REG_ERR] & FAULT_WRITE) &&
	    pd_pages_heat((uint64_t)info->si_addr)) {
		self->selector = was;
		return;
	}
	if (!self->running)
		pd_rt_leave(4); /* the worker's own: the origin puts the record back */
	escape(u);
}

/* Whether it is the program's output, which is discarded (worker.c). */
static bool is_nowhere(long fd)
{
	return fd == STDOUT_FILENO || fd == STDERR_FILENO;
}

/* libc asks what its stream leads to. The kernel cannot write to protected pages. */
static bool describe(long nr, greg_t *r)
{
	long fd = r[REG_RDI];
	uint64_t to = (uint64_t)(nr == SYS_fstat ? r[REG_RSI] : r[REG_RDX]);

	if (!is_nowhere(fd) || (nr == SYS_newfstatat && r[REG_R10] != AT_EMPTY_PATH))
		return false;
	pd_pages_heat_range(to, sizeof(struct stat));
	r[REG_RAX] = pd_raw(nr, fd, r[REG_RSI], r[REG_RDX], r[REG_R10], 0, 0);
	return true;
}

static bool is_same(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

/* The runtime inspects its own memory: which pages of PM were written to (pm/shadow.c). */
static bool look(long nr, greg_t *r)
{
	if (nr == SYS_openat && !self->looks && (r[REG_RDX] & O_ACCMODE) == O_RDONLY &&
	    is_same((const char *)r[REG_RSI], "/proc/self/pagemap")) {
		r[REG_RAX] = pd_raw(nr, r[REG_RDI], r[REG_RSI], r[REG_RDX], 0, 0, 0);
		self->looks = r[REG_RAX] > 0 ? r[REG_RAX] : 0;
		return true;
	}
	if (!self->looks || r[REG_RDI] != self->looks)
		return false;
	if (nr == SYS_pread64 || nr == SYS_read)
		pd_pages_heat_range((uint64_t)r[REG_RSI], (uint64_t)r[REG_RDX]);
	else if (nr == SYS_close)
		self->looks = 0;
	else
		return false;
	r[REG_RAX] = pd_raw(nr, r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10], 0, 0);
	return true;
}

/* It checks whether a byte can be read at all (symbolic/address.c). */
static bool check_readable(greg_t *r)
{
	const struct iovec *to = (const struct iovec *)r[REG_RSI];

	for (long i = 0; i < r[REG_RDX]; i++)
		pd_pages_heat_range((uint64_t)to[i].iov_base, to[i].iov_len);
	r[REG_RAX] = pd_raw(SYS_process_vm_readv, r[REG_RDI], r[REG_RSI], r[REG_RDX], r[REG_R10],
			    r[REG_R8], r[REG_R9]);
	return true;
}

/* Serves calls that need not leave the process: true if it was done, and the result is set. */
static bool serve(long nr, greg_t *r)
{
	long *result = (long *)&r[REG_RAX];

	switch (nr) {
	case SYS_write:
		r[REG_RAX] = r[REG_RDX];
		return is_nowhere(r[REG_RDI]);
	case SYS_ioctl:
		r[REG_RAX] = -ENOTTY;
		return is_nowhere(r[REG_RDI]) && r[REG_RSI] == TCGETS;
	case SYS_fstat:
	case SYS_newfstatat:
		return describe(nr, r);
	case SYS_brk:
		return pd_pages_break((uint64_t)r[REG_RDI], result);
	case SYS_mmap:
		return pd_pages_map((uint64_t)r[REG_RDI], (uint64_t)r[REG_RSI], (int)r[REG_RDX],
				    r[REG_R10], result);
	case SYS_munmap:
		return pd_pages_unmap((uint64_t)r[REG_RDI], (uint64_t)r[REG_RSI], result);
	case SYS_mprotect:
		return pd_pages_protect((uint64_t)r[REG_RDI], (uint64_t)r[REG_RSI], (int)r[REG_RDX],
					result);
	case SYS_madvise:
		r[REG_RAX] = 0;
		return r[REG_RDX] == MADV_HUGEPAGE || r[REG_RDX] == MADV_NOHUGEPAGE;
	case SYS_process_vm_readv:
		return check_readable(r);
	case SYS_rt_sigprocmask: /* pd_raw_is_readable: it changes nothing */
		if ((int)r[REG_RDI] != -1)
			return look(nr, r);
		r[REG_RAX] = pd_raw(nr, -1, r[REG_RSI], 0, r[REG_R10], 0, 0);
		return r[REG_RDX] == 0;
	case SYS_getpid: /* other callers may want to send themselves a signal, not us */
		r[REG_RAX] = pd_raw(nr, 0, 0, 0, 0, 0, 0);
		return pd_pages_is_own_code((uint64_t)r[REG_RIP]);
	default:
		return look(nr, r);
	}
}

static void on_call(int sig, siginfo_t *info, void *context)
{
	ucontext_t *u = context;
	greg_t *r = u->uc_mcontext.gregs;
	long nr = info->si_syscall;

	(void)sig;
	self->selector = FILTER_ALLOW;
	if (nr == SYS_exit_group || nr == SYS_exit)
		end_run((struct pd_run_end){.status = W_EXITCODE((int)r[REG_RDI] & 255, 0)});
	if (serve(nr, r)) {
		self->selector = FILTER_BLOCK;
		return;
	}
	r[REG_RIP] -= 2; /* the snapshot makes the call again */
	r[REG_RAX] = nr;
	escape(u);
}

static void on_tick(int sig, siginfo_t *info, void *context)
{
	bool late, stopped;

	(void)sig, (void)info, (void)context;
	if (!self->running)
		return;
	late = ++self->ticks * TICK_MS > self->ms;
	stopped = pd_exploring.board->stop;
	if (late || stopped)
		end_run((struct pd_run_end){W_EXITCODE(0, SIGKILL), late, stopped, false});
}

static void install(void)
{
	stack_t stack = {.ss_sp = self->handlers, .ss_size = sizeof(self->handlers)};

	pd_raw(SYS_sigaltstack, (long)&stack, (long)&self->stack_was, 0, 0, 0, 0);
	for (uint32_t i = 0; i < PD_LEN(caught); i++) {
		struct action a = {.handler = caught[i] == SIGSYS ? on_call
					      : caught[i] == TICK ? on_tick
								  : on_fault,
				   .flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER |
					    KERNEL_SA_RESTORER,
				   .restorer = pd_in_place_restorer};

		pd_raw(SYS_rt_sigaction, caught[i], (long)&a, (long)&self->was[i], 8, 0, 0);
	}
}

static bool start_ticking(void)
{
	struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = TICK};
	struct itimerspec every = {{0, TICK_MS * 1000000L}, {0, TICK_MS * 1000000L}};
	int timer = 0;

	return pd_raw(SYS_timer_create, CLOCK_MONOTONIC, (long)&e, (long)&timer, 0, 0, 0) == 0 &&
	       pd_raw(SYS_timer_settime, timer, 0, (long)&every, 0, 0, 0) == 0;
}

static bool catch_calls(void)
{
	return pd_raw(SYS_prctl, PR_DISPATCH, 1, (long)pd_in_place_exempt,
		      pd_in_place_exempt_end - pd_in_place_exempt, (long)&self->selector, 0) == 0;
}

/* ---- runs ----------------------------------------------------------------------------------- */

/* Makes the stack as deep as most runs need: the kernel would have to grow it. */
static __attribute__((noinline)) void deepen_stack(void)
{
	volatile uint8_t room[AHEAD];

	for (size_t i = 0; i < sizeof(room); i += PD_PAGE)
		room[i] = 0;
}

static void begin_loop(void)
{
	self->on =
		self->on && pd_pages_start((uint64_t)self, self->size,
					   (uint64_t)pd_exploring.main + (uint64_t)__rseq_offset);
	if (self->on) {
		install();
		self->on = start_ticking() && catch_calls();
		pd_shadow_written = self->on ? pd_pages_each_hot : NULL;
		pd_pages_cool();
	}
	self->loop();
	__builtin_unreachable();
}

void pd_in_place_start(bool in_place, void (*loop)(void))
{
	long at = pd_raw_mmap(0, sizeof(*self), PROT_READ | PROT_WRITE,
			      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (pd_raw_failed(at))
		pd_rt_fail(4, "no memory for a worker");
	self = (struct in_place *)at;
	self->size = sizeof(*self);
	self->on = in_place;
	self->loop = loop;
	self->thread = (uint64_t)__builtin_thread_pointer();
	if (!pd_sched.cur || !pd_sched.cur->base) /* main's stack; others do not grow */
		deepen_stack();
	pd_in_place_switch(&self->program_at,
			   stack_for(self->stack, sizeof(self->stack), begin_loop));
}

static struct pd_run_end run_alone(uint32_t ms)
{
	pid_t pid = pd_snapshot_fork();

	if (pid == 0) {
		uint64_t unused;

		pd_explore_renew();
		pd_in_place_switch(&unused, self->program_at);
	}
	if (pid < 0)
		pd_rt_leave(4);
	pd_exploring.self->forks++;
	return await(pid, ms);
}

bool pd_in_place_may_stop(void)
{
	return self && self->on && self->running && !self->looks;
}

void pd_in_place_aside(void (*what)(void))
{
	uint8_t was = self->selector;

	self->selector = FILTER_ALLOW;
	what();
	self->selector = was;
}

void pd_in_place_stop(void)
{
	self->selector = FILTER_ALLOW;
	self->running = false;
	self->stopping = true;
	self->stop.thread = (uint64_t)__builtin_thread_pointer();
	self->stop.ticks = self->ticks;
	pd_in_place_switch(&self->stop.at, self->loop_at);
}

/* Until it ends or stops. */
static void go_on(uint64_t at)
{
	self->stopping = false;
	self->running = true;
	self->selector = FILTER_BLOCK;
	pd_in_place_switch(&self->loop_at, at);
}

struct pd_run_end pd_in_place_run(uint32_t ms, const struct pd_run_stop *from,
				  void (*stopped)(const struct pd_run_stop *s))
{
	if (!self->on)
		return run_alone(ms);
	self->ms = ms;
	self->ticks = from ? from->ticks : 0;
	if (from && from->thread != self->thread)
		set_thread(from->thread);
	go_on(from ? from->at : self->program_at);
	while (self->stopping) {
		stopped(&self->stop);
		go_on(self->stop.at);
	}
	put_back();
	if (pd_pages_full() || (++self->runs % COOL == 0 && pd_pages_hot() > WARM))
		pd_pages_cool();
	if (!self->end.alone)
		pd_exploring.self->in_place++;
	return self->end;
}
