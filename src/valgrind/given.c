/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * given.c - locks outside PM that are released by an ordinary store, which is not instrumented.
 *
 * When a thread changes a word by an exchange, the word and its new value are remembered. Before
 * the thread's next event, and before another thread's locked instruction on the word, the word is
 * read again: if it has changed, the thread has stored to it in the meantime, and that store is
 * reported before the event. Everything that a lock protects here is an event, so the report is not
 * late. The engine decides what the word is.
 *
 * An instruction that has changed several words which no thread ever restores takes no locks. It is
 * ignored from then on: reading words before each event costs time.
 */
#include "vg.h"
#include "pub_tool_aspacemgr.h"

enum { WORDS = 32, NEVER_RETURNED = 8 };

struct word {
	Addr at;
	ULong left;
	UInt size;
	UInt number; /* of the thread */
	UInt place;
	struct vg_insn *insn;
};

static struct word words[WORDS];
UInt vg_given_words;

static ULong value_at(Addr a, UInt size)
{
	ULong v = 0;

	__builtin_memcpy(&v, (const void *)a, size);
	return v;
}

static void forget(UInt i)
{
	words[i] = words[--vg_given_words];
}

/* The thread has stored this value to word i. */
static void given(UInt i, ULong value)
{
	struct word w = words[i];
	struct pd_event e = {.kind = PD_EV_ATOMIC_STORE,
			     .order = PD_ORDER_RELEASE,
			     .addr = w.at | PD_ADDR_OUTSIDE,
			     .size = w.size,
			     .site = w.place,
			     .data = (const void *)&value};

	forget(i);
	w.insn->kept = 0;
	vg_emit_as(w.number, &e);
}

void vg_given_look(UInt number)
{
	for (UInt i = vg_given_words; i-- > 0;) {
		const struct word *w = &words[i];

		if (w->number != number)
			continue;
		if (!VG_(am_is_valid_for_client)(w->at, w->size, VKI_PROT_READ))
			forget(i);
		else if (value_at(w->at, w->size) != w->left)
			given(i, value_at(w->at, w->size));
	}
}

/* Reports what earlier holders have stored to the word, before this thread changes it. */
static void look_at(Addr a, UInt number, Bool exchange, ULong found)
{
	for (UInt i = vg_given_words; i-- > 0;) {
		if (words[i].at != a)
			continue;
		if (exchange && found != words[i].left)
			given(i, found);
		else if (words[i].number == number || exchange)
			forget(i);
	}
}

static void remember(Addr a, struct vg_insn *i, UInt number, UInt place)
{
	if (i->kept++ == NEVER_RETURNED) {
		i->keeps = True;
		return;
	}
	if (vg_given_words == WORDS)
		forget(0);
	words[vg_given_words++] = (struct word){.at = a,
						.left = value_at(a, i->size),
						.size = i->size,
						.number = number,
						.place = place,
						.insn = i};
}

void vg_given_locked(Addr a, struct vg_insn *i, UInt place, Bool done, ULong found)
{
	UInt number = vg_thread_number(VG_(get_running_tid)());
	Bool exchange = i->exchange && i->size <= sizeof(found);

	look_at(a, number, exchange, found);
	if (exchange && done && !i->keeps && value_at(a, i->size) != found)
		remember(a, i, number, place);
}
