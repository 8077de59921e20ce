/* thread/door.c - see thread/door.h. */
#include "runtime/thread/door.h"
#include "runtime/base/listen.h"
#include "runtime/base/raw.h"
#include "runtime/thread/sched.h"
#include "runtime/thread/thread.h"
#include <string.h>
#include <sys/prctl.h>

enum { NAME = 16 };

__thread uint8_t pd_door;

static struct {
	uint32_t calls;
	uint32_t accesses; /* of those, to PM */
	char name[NAME];   /* the first one's, once it is known */
	char first[NAME];
} strangers;

/* Only this function writes `name`; readers see it complete or empty. */
static void note_stranger(void)
{
	if (__atomic_fetch_add(&strangers.calls, 1, __ATOMIC_RELAXED))
		return;
	pd_raw(SYS_prctl, PR_GET_NAME, (long)strangers.first, 0, 0, 0, 0);
	memcpy(strangers.name + 1, strangers.first + 1, NAME - 1);
	__atomic_store_n(strangers.name, strangers.first[0], __ATOMIC_RELEASE);
}

bool pd_door_knock(void)
{
	if (pd_door == PD_DOOR_OUTSIDE)
		note_stranger();
	return false;
}

bool pd_door_knock_pm(void)
{
	if (pd_door == PD_DOOR_OUTSIDE)
		__atomic_fetch_add(&strangers.accesses, 1, __ATOMIC_RELAXED);
	return pd_door_knock();
}

static const char *name_of_stranger(void)
{
	return __atomic_load_n(strangers.name, __ATOMIC_ACQUIRE) ? strangers.name : "?";
}

static bool any_stranger(void)
{
	return __atomic_load_n(&strangers.calls, __ATOMIC_RELAXED) || pd_thread_uncounted();
}

void pd_door_before_snapshot(void)
{
	if (pd_unlikely(any_stranger()))
		pd_rt_fail(2,
			   "a kernel thread ('%s') that was not made by pthread_create runs beside "
			   "the program, so "
			   "that its state cannot be copied; turn it off (jemalloc: "
			   "MALLOC_CONF=background_thread:false)",
			   name_of_stranger());
}

void pd_door_report(void)
{
	struct pd_outbuf b;
	char text[200];

	if (pd_likely(!any_stranger()))
		return;
	pd_outbuf_init(&b, text, sizeof(text));
	pd_outf(&b.out,
		"a kernel thread ('%s') that was not made by pthread_create: it is not scheduled, "
		"and what it "
		"does is not seen",
		name_of_stranger());
	pd_rt_loss(PD_LOSS_THREAD, 0, text);
	if (strangers.accesses)
		pd_rt_loss(PD_LOSS_BLIND, 0,
			   "PM, accessed by a kernel thread that was not made by pthread_create");
}

void pd_rt_loss(enum pd_loss kind, uint32_t site, const char *what)
{
	if (!pd_inside() || !pd_rt.channel->started)
		return;
	pd_rt.channel->losses[kind]++;
	if (what && !pd_rt.channel->loss_what[kind][0])
		strncpy(pd_rt.channel->loss_what[kind], what, PD_CHANNEL_WHAT - 1);
	pd_listen_lost(kind, site, what);
}
