/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hook.c - functions of the program that are told by their names (event/function.h).
 *
 * Where the code of such a function begins, translated code calls vg_on_entry. What happens at the call
 * is told there. What happens when the function returns waits in a list of the thread: as long as one is
 * not empty, every return of the program asks whether it is the one: the stack pointer says.
 *
 * A function that is left by longjmp or an exception never returns: its entry is dropped as soon as the
 * stack pointer is above it. One that ends in a jump to another function returns with that one.
 */
#include "event/function.h"
#include "libvex_guest_amd64.h"
#include "pool.h"
#include "pub_tool_debuginfo.h"
#include "vg.h"

enum { WAITING = 64 }; /* nested calls of such functions */

struct waiting {
	const struct pd_function *f;
	Addr sp; /* at the entry: of the return address */
	Addr object;
	UInt place;
};

struct list {
	UInt n;
	struct waiting v[WAITING];
};

ULong vg_hooks_waiting;

static PD_VEC(struct pd_function) functions;
static struct list *lists; /* by thread */

Bool vg_hook_add(const HChar *text)
{
	struct pd_function f, *to;

	if (!pd_function_parse(text, &f))
		return False;
	if (!vg_wants(f.event))
		return True;
	to = pd_vec_push(&functions, &vg_session.arena);
	if (!to)
		vg_fail(4, "memory ran out");
	*to = f;
	return True;
}

/* What libc has, for a program that is linked with it statically: nothing can be preloaded there. */
void vg_hook_static(void)
{
	static const HChar *const libc[] = {
		"acquire pthread_mutex_lock 1 zero",	  "acquire pthread_mutex_trylock 1 zero",
		"acquire pthread_mutex_timedlock 1 zero", "release pthread_mutex_unlock 1 always",
		"shared pthread_rwlock_rdlock 1 zero",	  "shared pthread_rwlock_tryrdlock 1 zero",
		"acquire pthread_rwlock_wrlock 1 zero",	  "acquire pthread_rwlock_trywrlock 1 zero",
		"release pthread_rwlock_unlock 1 always", "acquire pthread_spin_lock 1 zero",
		"acquire pthread_spin_trylock 1 zero",	  "release pthread_spin_unlock 1 always",
		"release pthread_spin_init 1 always", /* the same code as unlock, and one name of it */
		"signal pthread_cond_signal 1 always",	  "signal pthread_cond_broadcast 1 always",
		"wait pthread_cond_wait 1 zero",	  "release pthread_cond_wait 2 always",
		"acquire pthread_cond_wait 2 always",	  "signal sem_post 1 always",
		"wait sem_wait 1 zero",			  "wait sem_trywait 1 zero",
		"signal pthread_barrier_wait 1 always",	  "wait pthread_barrier_wait 1 always",
	};

	for (UInt i = 0; i < PD_LEN(libc); i++)
		vg_hook_add(libc[i]);
}

Bool vg_hooks_any(void)
{
	return functions.n != 0;
}

Bool vg_hook_at(Addr ip)
{
	const HChar *name;

	if (!functions.n || !VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), ip, &name))
		return False;
	for (UInt i = 0; i < functions.n; i++)
		if (pd_function_is(&functions.v[i], name))
			return True;
	return False;
}

static void emit(const struct pd_function *f, Addr object, UInt place)
{
	struct pd_event e = {.kind = f->event,
			     .order = PD_ORDER_NONE,
			     .site = place,
			     .addr = vg_event_address(object),
			     .aux = f->mode};

	vg_emit(&e);
}

static UWord argument(const VexGuestAMD64State *g, UInt i)
{
	const ULong all[] = {g->guest_RDI, g->guest_RSI, g->guest_RDX,
			     g->guest_RCX, g->guest_R8,	 g->guest_R9};

	return all[i];
}

static struct list *list_of(ThreadId tid)
{
	if (!lists)
		lists = vg_alloc(VG_N_THREADS * sizeof(*lists));
	return &lists[tid];
}

static void drop_above(struct list *l, Addr sp)
{
	while (l->n && l->v[l->n - 1].sp < sp) {
		l->n--;
		vg_hooks_waiting--;
	}
}

void vg_on_entry(void *state, struct vg_insn *i)
{
	const VexGuestAMD64State *g = state;
	ThreadId tid = VG_(get_running_tid)();
	struct list *l = list_of(tid);
	UInt place = vg_place(i, tid);
	const HChar *name;

	drop_above(l, g->guest_RSP);
	if (!VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), i->ip, &name))
		return;
	for (UInt k = 0; k < functions.n; k++) {
		const struct pd_function *f = &functions.v[k];
		Addr object = argument(g, f->argument);

		if (!pd_function_is(f, name))
			continue;
		if (f->event == PD_EV_RELEASE || f->event == PD_EV_SIGNAL) {
			emit(f, object, place);
		} else if (l->n < WAITING) {
			l->v[l->n++] = (struct waiting){f, g->guest_RSP, object, place};
			vg_hooks_waiting++;
		}
	}
}

static Bool happened(const struct pd_function *f, UInt result)
{
	return f->result == PD_FUNCTION_ALWAYS || (result == 0) == (f->result == PD_FUNCTION_ZERO);
}

/* After the return address was taken off the stack. */
void vg_on_return(void *state)
{
	const VexGuestAMD64State *g = state;
	struct list *l = list_of(VG_(get_running_tid)());
	UInt first = l->n;

	while (first && l->v[first - 1].sp + sizeof(Addr) == g->guest_RSP)
		first--;
	for (UInt k = first; k < l->n; k++)
		if (happened(l->v[k].f, (UInt)g->guest_RAX))
			emit(l->v[k].f, l->v[k].object, l->v[k].place);
	vg_hooks_waiting -= l->n - first;
	l->n = first;
	drop_above(l, g->guest_RSP);
}
