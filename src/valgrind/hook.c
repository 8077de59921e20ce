/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * hook.c - functions of the program that are known by name (event/function.h): libc's locks, and
 * those that the user names.
 *
 * Translated code calls vg_on_entry where such a function begins. Effects of the call are reported
 * there. Effects of the return wait in a list of the thread: while it is not empty, each return of
 * the thread compares stack pointers to find the entry that returns.
 *
 * A function that is left by longjmp or an exception never returns: its entry is dropped as soon as
 * the stack pointer is above it, or when another call, or the same one again, has taken its place.
 * A function that ends in a jump to another one returns with that one. A signal handler may have a
 * stack of its own, anywhere.
 *
 * If such a function is implemented by another one of the same object (the program's own
 * pthread_mutex_lock calls libc's; musl's continues in pthread_mutex_timedlock), that is one event,
 * not two: the engine counts how often a lock is held, and locking and unlocking need not involve
 * the same number of functions.
 *
 * Locks are not wrapped by the preloaded library, as conditions and the like are (preload.c): a
 * wrapper calls the original through Valgrind's scheduler, which takes longer than everything else.
 */
#include "event/function.h"
#include "libvex_guest_amd64.h"
#include "pool.h"
#include "pub_tool_aspacemgr.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_vki.h"
#include "vg.h"

enum {
	WAITING = 64,	 /* nested calls of such functions, at most */
	OWNER_DIED = 130 /* EOWNERDEAD: the lock has been taken */
};

struct hook {
	struct pd_function f;
	UShort size;   /* of the object; 0: unknown */
	UShort number; /* among the functions that the user named, from 1; 0: it is ours */
};

/* Everything that one function does. */
struct vg_hooks {
	UInt n;
	struct hook v[];
};

struct waiting {
	const struct hook *hook;
	Addr sp; /* on entry: points to the return address */
	Addr back;
	Addr object; /* of an allocation: its size */
	Addr first;  /* argument */
	UInt place;
	Bool reported; /* by a function that this one calls */
};

/* The last release of a thread; functions that implement it run inside. */
struct release {
	const struct vg_hooks *hooks;
	Addr sp, back, object;
};

struct list {
	struct release release;
	UInt n;
	struct waiting v[WAITING];
};

ULong vg_hooks_waiting;

static PD_VEC(struct hook) functions;
static struct list *lists; /* by thread */

static Bool add(const HChar *text, UInt size, UInt number)
{
	struct hook *to;
	struct pd_function f;

	if (!pd_function_parse(text, &f))
		return False;
	if (!vg_wants(f.event))
		return True;
	to = pd_vec_push(&functions, &vg_session.arena);
	if (!to)
		vg_fail(4, "memory ran out");
	*to = (struct hook){f, (UShort)size, (UShort)number};
	return True;
}

Bool vg_hook_add(const HChar *text)
{
	static UInt named;

	return add(text, 0, ++named);
}

void vg_hook_locks(void)
{
	enum { MUTEX = 40, RWLOCK = 56, SPIN = 4 };
	static const struct {
		const HChar *text;
		UInt size;
	} locks[] = {
		{"acquire pthread_mutex_lock 1 zero", MUTEX},
		{"acquire pthread_mutex_trylock 1 zero", MUTEX},
		{"acquire pthread_mutex_timedlock 1 zero", MUTEX},
		{"acquire pthread_mutex_clocklock 1 zero", MUTEX},
		{"release pthread_mutex_unlock 1 always", MUTEX},
		{"shared pthread_rwlock_rdlock 1 zero", RWLOCK},
		{"shared pthread_rwlock_tryrdlock 1 zero", RWLOCK},
		{"shared pthread_rwlock_timedrdlock 1 zero", RWLOCK},
		{"shared pthread_rwlock_clockrdlock 1 zero", RWLOCK},
		{"acquire pthread_rwlock_wrlock 1 zero", RWLOCK},
		{"acquire pthread_rwlock_trywrlock 1 zero", RWLOCK},
		{"acquire pthread_rwlock_timedwrlock 1 zero", RWLOCK},
		{"acquire pthread_rwlock_clockwrlock 1 zero", RWLOCK},
		{"release pthread_rwlock_unlock 1 always", RWLOCK},
		{"acquire pthread_spin_lock 1 zero", SPIN},
		{"acquire pthread_spin_trylock 1 zero", SPIN},
		{"release pthread_spin_unlock 1 always", SPIN},
		/* Shares its code with unlock: either name may be the one that is found */
		{"release pthread_spin_init 1 always", SPIN},
	};

	for (UInt i = 0; i < PD_LEN(locks); i++)
		add(locks[i].text, locks[i].size, 0);
}

/* More functions of libc, for a program that is linked statically: nothing can be preloaded
 * there. */
void vg_hook_static(void)
{
	static const HChar *const libc[] = {
		"signal pthread_cond_signal 1 always",
		"signal pthread_cond_broadcast 1 always",
		"wait pthread_cond_wait 1 zero",
		"release pthread_cond_wait 2 always",
		"acquire pthread_cond_wait 2 always",
		"signal sem_post 1 always",
		"wait sem_wait 1 zero",
		"wait sem_trywait 1 zero",
		"signal pthread_barrier_wait 1 always",
		"wait pthread_barrier_wait 1 always",
	};

	for (UInt i = 0; i < PD_LEN(libc); i++)
		add(libc[i], 0, 0);
}

Bool vg_hooks_any(void)
{
	return functions.n != 0;
}

struct vg_hooks *vg_hooks_at(Addr ip)
{
	struct vg_hooks *h;
	const HChar *name;
	UInt n = 0;

	if (!functions.n || !VG_(get_fnname_if_entry)(VG_(current_DiEpoch)(), ip, &name))
		return NULL;
	for (UInt i = 0; i < functions.n; i++)
		n += pd_function_is(&functions.v[i].f, name);
	if (!n)
		return NULL;
	h = vg_alloc(sizeof(*h) + n * sizeof(h->v[0]));
	for (UInt i = 0; i < functions.n; i++)
		if (pd_function_is(&functions.v[i].f, name))
			h->v[h->n++] = functions.v[i];
	return h;
}

static void emit(const struct hook *h, Addr object, UInt place)
{
	struct pd_event e = {.kind = h->f.event,
			     .order = PD_ORDER_NONE,
			     .site = place,
			     .addr = vg_event_address(object),
			     .size = h->f.event == PD_EV_ACQUIRE ? h->size : 0,
			     .aux = h->f.mode};

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

static Bool on_signal_stack(ThreadId tid, Addr sp)
{
	return sp - VG_(thread_get_altstack_min)(tid) < VG_(thread_get_altstack_size)(tid);
}

/* Entries that a signal interrupted wait until its handler has returned; then the handler's own
 * entries are obsolete. */
static Bool is_left(const struct waiting *w, ThreadId tid, Addr sp)
{
	Bool inside = on_signal_stack(tid, w->sp);

	return inside == on_signal_stack(tid, sp) ? w->sp < sp : inside;
}

static void drop_left(struct list *l, ThreadId tid, Addr sp)
{
	while (l->n && is_left(&l->v[l->n - 1], tid, sp))
		l->n--;
	vg_hooks_waiting = l->n;
}

/*
 * Drops entries with the stack pointer of a new one: a function that jumped to this one, which
 * continues to wait; one that was left and called again; or a loop back to the start of the
 * function.
 */
static void drop_replaced(struct list *l, const struct vg_hooks *hooks, Addr sp, Addr back)
{
	UInt first = l->n;

	while (first && l->v[first - 1].sp == sp)
		first--;
	for (UInt k = first; k < l->n; k++)
		if (l->v[k].back != back ||
		    (l->v[k].hook >= hooks->v && l->v[k].hook < hooks->v + hooks->n)) {
			l->n = k;
			break;
		}
}

void vg_hooks_thread_new(ThreadId tid)
{
	if (lists)
		lists[tid] = (struct list){.n = 0};
}

void vg_hooks_thread_runs(ThreadId tid)
{
	vg_hooks_waiting = lists ? lists[tid].n : 0;
}

/* The frame of w is still there: it called this one, or jumped to it. */
static Bool is_inside(const struct release *r, const struct release *now)
{
	return r->hooks && r->hooks != now->hooks && r->object == now->object && now->sp <= r->sp &&
	       VG_(am_is_valid_for_client)(r->sp, sizeof(Addr), VKI_PROT_READ) &&
	       *(const Addr *)r->sp == r->back;
}

static void release(struct list *l, const struct hook *h, const struct release *now, UInt place)
{
	if (is_inside(&l->release, now))
		return;
	emit(h, now->object, place);
	l->release = *now;
	for (UInt k = 0; k < l->n; k++)
		if (l->v[k].object == now->object)
			l->v[k].reported = False;
}

void vg_on_entry(void *state, struct vg_insn *i)
{
	const VexGuestAMD64State *g = state;
	ThreadId tid = VG_(get_running_tid)();
	struct list *l = list_of(tid);
	UInt place = vg_place(i, tid);
	Addr sp = g->guest_RSP, back = *(const Addr *)sp;

	drop_left(l, tid, sp);
	drop_replaced(l, i->hooks, sp, back);
	for (UInt k = 0; k < i->hooks->n; k++) {
		const struct hook *h = &i->hooks->v[k];
		Addr object = argument(g, h->f.argument);

		if (h->number)
			pd_channel_called(vg_session.channel, h->number - 1U);
		if (h->f.event == PD_EV_RELEASE)
			release(l, h, &(struct release){i->hooks, sp, back, object}, place);
		else if (h->f.event == PD_EV_SIGNAL || h->f.event == PD_EV_FREED)
			emit(h, object, place);
		else if (l->n < WAITING)
			l->v[l->n++] =
				(struct waiting){h, sp, back, object, g->guest_RDI, place, False};
		else
			vg_loss(PD_LOSS_CAPPED, place,
				"calls of locks inside each other, more than are followed");
	}
	vg_hooks_waiting = l->n;
}

static Bool happened(const struct hook *h, UInt result)
{
	if (h->f.result == PD_FUNCTION_ALWAYS || (h->size && result == OWNER_DIED))
		return True;
	return (result == 0) == (h->f.result == PD_FUNCTION_ZERO);
}

static void report(struct list *l, const struct waiting *w)
{
	UInt place = w->place;

	if (w->reported)
		return;
	for (UInt k = l->n; k-- && w->hook->f.event == PD_EV_ACQUIRE;)
		if (l->v[k].object == w->object && l->v[k].hook->f.event == PD_EV_ACQUIRE) {
			place = l->v[k].place;
			l->v[k].reported = True;
		}
	emit(w->hook, w->object, place);
}

static void allocated(const struct waiting *w, Addr result)
{
	Addr p = result;
	struct pd_event e = {.kind = PD_EV_ALLOCATED,
			     .order = PD_ORDER_NONE,
			     .site = w->place,
			     .size = w->object};

	if (w->hook->f.result == PD_FUNCTION_ZERO) {
		if ((UInt)result ||
		    !VG_(am_is_valid_for_client)(w->first, sizeof(p), VKI_PROT_READ))
			return;
		p = *(const Addr *)w->first;
	}
	e.addr = vg_event_address(p);
	if (!(e.addr & PD_ADDR_OUTSIDE))
		vg_emit(&e);
}

/* Called after the return address was popped. */
void vg_on_return(void *state)
{
	const VexGuestAMD64State *g = state;
	ThreadId tid = VG_(get_running_tid)();
	struct list *l = list_of(tid);
	Addr sp = g->guest_RSP - sizeof(Addr), back = *(const Addr *)sp;
	UInt first = l->n;

	while (first && l->v[first - 1].sp == sp)
		first--;
	for (UInt k = first; k < l->n; k++)
		if (l->v[k].back != back)
			continue;
		else if (l->v[k].hook->f.event == PD_EV_ALLOCATED)
			allocated(&l->v[k], g->guest_RAX);
		else if (happened(l->v[k].hook, (UInt)g->guest_RAX))
			report(l, &l->v[k]);
	l->n = first;
	drop_left(l, tid, g->guest_RSP);
}
