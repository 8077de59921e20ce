/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * place.c - call stacks as small numbers.
 *
 * The place of an event is a number that stands for the addresses of a call stack; each stack is
 * stored once. Unwinding costs more than all other work for an event, so it is done once per
 * instruction and way to get there. A way is remembered as the stack pointer and the positions of
 * the return addresses on the stack. If the instruction is reached again with the same stack
 * pointer and unchanged return addresses, the stack is the same.
 *
 * Precision lost: a frame of another size in between, with stale return addresses at exactly the
 * old positions, would be taken for the old stack.
 */
#include "vg.h"
#include "core.h"
#include "finding/wire.h"
#include "pub_tool_debuginfo.h"
#include "pub_tool_stacktrace.h"

enum { DEPTH = 24, WAYS = 8 };

struct vg_stack {
	struct vg_stack *next;
	Addr sp;
	UInt epoch;
	UInt place;
	UInt n; /* number of frames above the innermost */
	struct {
		const Addr *slot;
		Addr value;
	} ret[DEPTH];
};

struct place {
	ULong hash;
	UInt next; /* the next one with the same hash */
	UInt n;
	Addr ip[];
};

static PD_VEC(struct place *) places; /* number 0 means unknown */
static struct pd_map by_hash;
static UInt epoch = 1;
/* Granules of memory that contain slots: if one is unmapped, no slot in it is read any more. */
static PD_VEC(Addr) granules;

/* ---- numbers -------------------------------------------------------------------------------- */

static void *need(void *p)
{
	if (!p)
		vg_fail(4, "memory ran out");
	return p;
}

static UInt intern(const Addr *ip, UInt n)
{
	ULong hash = n;
	uint64_t *first;
	struct place *p;

	for (UInt i = 0; i < n; i++)
		hash = (hash ^ ip[i]) * 0x9e3779b97f4a7c15ULL, hash ^= hash >> 29;
	hash >>= 1;
	if (!places.n)
		*(struct place **)need(pd_vec_push(&places, &vg_session.arena)) = NULL;
	first = need(pd_map_put(&by_hash, &vg_session.arena, hash));
	for (UInt k = (UInt)*first; k; k = places.v[k]->next)
		if (places.v[k]->n == n && VG_(memcmp)(places.v[k]->ip, ip, n * sizeof(*ip)) == 0)
			return k;
	p = vg_alloc(sizeof(*p) + n * sizeof(*ip));
	p->hash = hash;
	p->n = n;
	p->next = (UInt)*first;
	VG_(memcpy)(p->ip, ip, n * sizeof(*ip));
	vg_session_modules();
	*first = places.n;
	*(struct place **)need(pd_vec_push(&places, &vg_session.arena)) = p;
	return places.n - 1;
}

/* ---- remembered ways ------------------------------------------------------------------------ */

static Bool unchanged(const struct vg_stack *s)
{
	for (UInt i = 0; i < s->n; i++)
		if (*s->ret[i].slot != s->ret[i].value)
			return False;
	return True;
}

static void note_granule(Addr a)
{
	a >>= 16;
	for (UInt i = granules.n; i > 0; i--)
		if (granules.v[i - 1] == a)
			return;
	*(Addr *)need(pd_vec_push(&granules, &vg_session.arena)) = a;
}

void vg_place_unmapped(Addr a, SizeT n)
{
	for (UInt i = 0; i < granules.n; i++)
		if (granules.v[i] >= a >> 16 && granules.v[i] <= (a + n - 1) >> 16) {
			epoch++;
			granules.n = 0;
			return;
		}
}

/* A record to fill: a new one, or the least recently used one. */
static struct vg_stack *fresh(struct vg_insn *i)
{
	struct vg_stack **at = &i->stacks, *s;
	UInt n = 0;

	for (; *at && (*at)->next; at = &(*at)->next)
		n++;
	if (n + 1 < WAYS) {
		s = vg_alloc(sizeof(*s));
	} else {
		s = *at;
		*at = NULL;
	}
	s->next = i->stacks;
	i->stacks = s;
	return s;
}

/* In our preloaded library: such frames are not shown. */
static Bool is_own(Addr ip)
{
	static Addr from;
	static SizeT size;
	const HChar *name;

	for (const DebugInfo *d = size ? NULL : VG_(next_DebugInfo)(NULL); d;
	     d = VG_(next_DebugInfo)(d)) {
		name = VG_(DebugInfo_get_filename)(d);
		if (name && VG_(strstr)(name, "/vgpreload_perdure")) {
			from = VG_(DebugInfo_get_text_avma)(d);
			size = VG_(DebugInfo_get_text_size)(d);
		}
	}
	return ip - from < size;
}

static UInt unwind(struct vg_insn *i, ThreadId tid, Addr sp)
{
	Addr ip[DEPTH], sps[DEPTH], fps[DEPTH];
	struct vg_stack *s;
	UInt n, own = 0;

	VG_(set_IP)(tid, i->ip); /* otherwise it is exact only at the ends of blocks */
	n = VG_(get_StackTrace)(tid, ip, DEPTH, sps, fps, 0);
	if (i->kind == PD_EV_N && i->size == VG_AT_CALLER)
		own = n > 1;
	while (own + 1 < n && is_own(ip[own]))
		own++;
	s = fresh(i);
	s->sp = sp;
	s->epoch = epoch;
	s->place = intern(ip + own, n - own);
	s->n = n ? n - 1 : 0;
	for (UInt k = 1; k < n; k++) {
		const Addr *slot = (const Addr *)(sps[k] - sizeof(Addr));

		if ((Addr)slot < sp || (Addr)slot - sp > 1 << 20 || *slot != ip[k] + 1) {
			/* Not where it is expected, e.g. in a signal frame: never matches */
			s->epoch = 0;
			break;
		}
		s->ret[k - 1].slot = slot;
		s->ret[k - 1].value = *slot;
		note_granule((Addr)slot);
	}
	return s->place;
}

UInt vg_place(struct vg_insn *i, ThreadId tid)
{
	return vg_place_at(i, tid, VG_(get_SP)(tid));
}

UInt vg_place_at(struct vg_insn *i, ThreadId tid, Addr sp)
{
	for (struct vg_stack *s = i->stacks, *last = NULL; s; last = s, s = s->next) {
		if (s->sp != sp || s->epoch != epoch || !unchanged(s))
			continue;
		if (last) {
			last->next = s->next;
			s->next = i->stacks;
			i->stacks = s;
		}
		return s->place;
	}
	return unwind(i, tid, sp);
}

/* Places of requests and system calls: each gets an instruction record of its own. */
UInt vg_place_here(ThreadId tid)
{
	return vg_place(vg_insn_new(VG_(get_IP)(tid), PD_EV_N, 0), tid);
}

/* ---- names of frames ------------------------------------------------------------------------ */

/* Parses "0x1234: function (dir/file.c:12)" or "0x1234: function (in /lib/x.so)". */
static void parse(const HChar *text, struct pd_wire_frame *f)
{
	const HChar *p = VG_(strstr)(text, ": "), *open = NULL, *colon;
	HChar *file;

	p = p ? p + 2 : text;
	for (const HChar *q = p; (q = VG_(strstr)(q, " (")); q++)
		open = q;
	if (!open)
		return;
	if (VG_(strncmp)(p, "???", 3) != 0)
		f->at.function = pd_arena_strndup(&vg_session.arena, p, (size_t)(open - p));
	open += 2;
	colon = VG_(strrchr)(open, ':');
	if (VG_(strncmp)(open, "in ", 3) == 0 || !colon)
		return;
	file = pd_arena_strndup(&vg_session.arena, open, (size_t)(colon - open));
	f->at.file = file;
	for (p = colon + 1; *p >= '0' && *p <= '9'; p++)
		f->at.line = f->at.line * 10 + (UInt)(*p - '0');
}

static UInt describe(Addr ip, struct pd_wire_frame *to, UInt max)
{
	DiEpoch now = VG_(current_DiEpoch)();
	InlIPCursor *cursor = VG_(new_IIPC)(now, ip);
	const HChar *object = NULL;
	UInt n = 0;

	if (VG_(get_objname)(now, ip, &object))
		object = vg_strdup(object);
	do {
		to[n] = (struct pd_wire_frame){.how = PD_WIRE_TEXT, .pc = ip, .object = object};
		parse(VG_(describe_IP)(now, ip, cursor), &to[n]);
		n++;
	} while (VG_(next_IIPC)(cursor) && n < max);
	VG_(delete_IIPC)(cursor);
	for (UInt i = 0; i + 1 < n; i++)
		to[i].inlined = true;
	return n;
}

UInt vg_place_names(UInt place, struct pd_wire_frame *to, UInt max)
{
	UInt n = 0;

	if (!place || place >= places.n)
		return 0;
	for (UInt i = 0; i < places.v[place]->n && n < max; i++)
		n += describe(places.v[place]->ip[i], to + n, max - n);
	return n;
}

UInt vg_place_frames(void *ctx, UInt place, struct pd_wire_frame *to, UInt max)
{
	UInt n = 0;

	(void)ctx;
	if (!place || place >= places.n)
		return 0;
	for (; n < places.v[place]->n && n < max; n++)
		to[n] = (struct pd_wire_frame){.how = PD_WIRE_PC, .pc = places.v[place]->ip[n]};
	return n;
}

/* ---- files of code -------------------------------------------------------------------------- */

static Bool loaded = True;  /* code was loaded since the last report of modules */
static struct pd_map known; /* by code address and name */

void vg_place_mapped(Addr a, SizeT n, Bool r, Bool w, Bool x, ULong handle)
{
	(void)a, (void)n, (void)r, (void)w, (void)x;
	loaded |= handle != 0;
}

void vg_place_modules(struct pd_wire_writer *t)
{
	if (!loaded)
		return;
	loaded = False;
	for (const DebugInfo *d = VG_(next_DebugInfo)(NULL); d; d = VG_(next_DebugInfo)(d)) {
		struct pd_wire_module m = {.path = VG_(DebugInfo_get_filename)(d),
					   .low = VG_(DebugInfo_get_text_avma)(d),
					   .base = (ULong)VG_(DebugInfo_get_text_bias)(d)};
		ULong key = m.low;
		uint64_t *at;

		for (const HChar *p = m.path; p && *p; p++)
			key = (key ^ (UChar)*p) * 0x100000001b3ULL;
		at = m.path && m.low ? pd_map_put(&known, &vg_session.arena, key >> 1) : NULL;
		if (!at || *at)
			continue;
		*at = 1;
		m.high = m.low + VG_(DebugInfo_get_text_size)(d);
		pd_wire_module(t, &m);
	}
}
