/*
 * zygote.c - a process that stops before main and starts executions of itself.
 *
 * Loading and linking a program costs milliseconds, a fork tenths of one. So the tool starts the
 * program once; a constructor of the runtime, which runs before every constructor of the program's
 * own, stops here and waits for orders. For each order a snapshot goes on to main. They run one at
 * a time: for more at the same time the tool starts more zygotes.
 *
 * Thread rule: before main there is one thread.
 */
#include "event/channel.h"
#include "runtime/check/again.h"
#include "runtime/check/check.h"
#include "runtime/check/hold.h"
#include "runtime/check/pace.h"
#include "runtime/base/raw.h"
#include "runtime/place/site.h"
#include "runtime/pm/pool.h"
#include "runtime/session/session.h"
#include "runtime/thread/snapshot.h"
#include "runtime/thread/thread.h"
#include "runtime/check/zygote_split.h"
#include <link.h>
#include <stdlib.h>
#include <sys/auxv.h>

/* Runs a snapshot; returns true in it, which goes on to main. */
static bool run(struct pd_zygote_answer *a)
{
	pid_t pid = pd_snapshot_fork();

	if (pid == 0)
		return true;
	a->error = pid < 0 ? -pid : -pd_snapshot_wait(pid, &a->status);
	return false;
}

/* The same for any kind of order. */
static bool start(const struct pd_zygote_order *o, struct pd_zygote_answer *a)
{
	if (o->what == PD_ZYGOTE_CHECK)
		return pd_check_supervise(o->depth, o->walker);
	return o->what == PD_ZYGOTE_PACE ? pd_pace_measure() : run(a);
}

static bool is_for_origin(uint32_t what)
{
	return what == PD_ZYGOTE_SPLIT || what == PD_ZYGOTE_KEEP || what == PD_ZYGOTE_BURY;
}

static void begin_first(void)
{
	pd_check_begin(PD_CHECK_FIRST, 0);
	pd_fail_watch();
}

static void serve(int fd)
{
	struct pd_zygote_order o;
	int given[PD_ZYGOTE_FDS];

	while (pd_zygote_next(fd, &o, given)) {
		struct pd_zygote_answer a = {0};

		if (is_for_origin(o.what)) {
			int was = fd;

			fd = pd_zygote_split(fd, &o, given, &a);
			if (fd != was)
				continue; /* a new zygote, without an order yet */
		} else if (start(&o, &a)) {
			pd_session_seed(o.seed);
			if (pd_session.checking && o.what == PD_ZYGOTE_RUN)
				begin_first();
			if (!pd_hold_on) /* else it serves orders, too, before its first thread */
				pd_raw_close(fd);
			return; /* to main */
		}
		if (pd_raw_write(fd, &a, sizeof(a)) != sizeof(a))
			break;
	}
	/* Not exit: nothing of the program has run in this process. */
	pd_raw(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

/*
 * libc's first allocation takes as long as thousands of later ones: make it once, for all
 * executions.
 */
static void start_heap(void)
{
	void *volatile first = malloc(1);

	free(first);
}

static void own_a_page(uint64_t from, uint64_t to, int prot)
{
	volatile char *first = (volatile char *)from;

	if (pd_raw_mprotect(from, to - from, prot | PROT_WRITE) < 0)
		return; /* snapshots are slower */
	*first = *first;
	pd_raw_mprotect(from, to - from, prot);
}

static int own_a_page_each(struct dl_phdr_info *info, size_t size, void *ctx)
{
	(void)size;
	(void)ctx;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uint64_t at = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && (p->p_flags & (PF_R | PF_W)) == PF_R &&
		    info->dlpi_addr != getauxval(AT_SYSINFO_EHDR))
			own_a_page(PD_PAGE_DOWN(at), PD_PAGE_UP(at + p->p_memsz),
				   PROT_READ | (p->p_flags & PF_X ? PROT_EXEC : 0));
	}
	return 0;
}

/*
 * A fork passes on which pages of a file are mapped only where the process owns a page of the
 * mapping. Without one each execution would fault in its code anew, which takes longer than all
 * else that a short one does.
 */
static void inherit_code(void)
{
	dl_iterate_phdr(own_a_page_each, NULL);
}

__attribute__((constructor(PD_START_ZYGOTE))) static void stop_before_main(void)
{
	pd_rt_init();
	if (!pd_rt.driven)
		return;
	/* A run that is only watched has the same numbers: its races are made to happen in
	 * executions. */
	pd_site_number_all();
	if (pd_session.zygote < 0)
		return;
	if (pd_session.checking)
		pd_check_start(pd_session.settings);
	pd_thread_self();
	pd_pool_init(); /* once, for all executions */
	start_heap();
	inherit_code();
	serve(pd_session.zygote);
}
