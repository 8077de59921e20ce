/* SPDX-License-Identifier: GPL-2.0-or-later */
/* thread.c - threads: their numbers, starts and ends. */
#include "vg.h"
#include "libvex_guest_amd64.h"

static struct thread {
	UInt number;
	UInt creator;
} *threads; /* by Valgrind's number, which is reused */
static UInt made;
static UInt alive;
static struct pd_map by_handle; /* pthread_t -> number + 1 */

struct vg_running vg_running;

UInt vg_thread_number(ThreadId tid)
{
	return tid < VG_N_THREADS ? threads[tid].number : 0;
}

static void emit(UInt kind, ULong aux)
{
	struct pd_event e = {.kind = (uint8_t)kind, .order = PD_ORDER_NONE, .aux = aux};

	vg_emit(&e);
}

static void on_create(ThreadId parent, ThreadId child)
{
	alive++;
	vg_turn_thread(child);
	vg_hooks_thread_new(child);
	vg_running.tid = VG_INVALID_THREADID; /* its number may have changed */
	threads[child].number = made++;
	threads[child].creator = vg_thread_number(parent);
	if (!threads[child].number)
		return;
	if (made > 0xffff)
		vg_fail(3, "the program makes more than 65535 threads");
	emit(PD_EV_THREAD_CREATE, threads[child].number);
}

/* glibc's pthread_t is the address of the thread's control block. */
static void on_begin(ThreadId tid)
{
	Addr fs = 0;
	uint64_t *at;

	if (!threads[tid].number)
		return;
	VG_(get_shadow_regs_area)(tid, (UChar *)&fs, 0,
				  offsetof(VexGuestAMD64State, guest_FS_CONST), sizeof(fs));
	at = fs ? pd_map_put(&by_handle, &vg_session.arena, fs) : NULL;
	if (at)
		*at = threads[tid].number + 1;
	emit(PD_EV_THREAD_BEGIN, threads[tid].creator);
}

static void on_run(ThreadId tid, ULong blocks)
{
	if (vg_running.tid != tid)
		vg_running = (struct vg_running){tid, vg_thread_number(tid), NULL};
	vg_hooks_thread_runs(tid);
	vg_turn_run(tid, blocks);
}

static void on_exit(ThreadId tid)
{
	alive--;
	if (threads[tid].number)
		emit(PD_EV_THREAD_END, 0);
}

static void after_fork(ThreadId tid)
{
	(void)tid;
	vg_session_forked();
}

static void forking(ThreadId tid)
{
	vg_loss(PD_LOSS_SYSCALL, vg_place_here(tid), "fork: the child is not followed");
}

UInt vg_threads_alive(void)
{
	return alive;
}

void vg_thread_init(void)
{
	threads = vg_alloc(VG_N_THREADS * sizeof(*threads));
}

void vg_thread_register(void)
{
	VG_(track_pre_thread_ll_create)(on_create);
	VG_(track_pre_thread_first_insn)(on_begin);
	VG_(track_start_client_code)(on_run);
	VG_(track_stop_client_code)(vg_turn_stop);
	VG_(track_pre_thread_ll_exit)(on_exit);
	VG_(atfork)(forking, NULL, after_fork);
}

void vg_thread_joined(Addr handle)
{
	uint64_t *at = pd_map_get(&by_handle, handle);

	if (at)
		*at = 0; /* the next thread may get it, and is unknown until it runs */
}

UInt vg_thread_of_handle(Addr handle)
{
	uint64_t *at = pd_map_get(&by_handle, handle);

	return at ? (UInt)*at : 0;
}
