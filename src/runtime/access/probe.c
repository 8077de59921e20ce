/* probe.c - see probe.h. */
#include "runtime/access/probe.h"
#include "base/map.h"
#include "event/x86.h"
#include "runtime/access/mem.h"
#include "runtime/base/listen.h"
#include "runtime/base/raw.h"
#include "runtime/place/foreign.h"
#include "runtime/place/place.h"
#include "runtime/place/stack.h"
#include "runtime/thread/door.h"
#include "runtime/pm/pool.h"
#include "runtime/pm/veil.h"
#include <emmintrin.h>
#include <link.h>
#include <string.h>
#include <ucontext.h>

/* Invalid on purpose; no flush or fence is shorter. */
static const uint8_t invalid[2] = {0x0f, 0x0b};

struct probe {
	const uint8_t *at;
	uint8_t bytes[PD_X86_LONGEST]; /* what is there */
	struct pd_x86 in;	       /* length 0: the loader's announcement */
};

/* The code of a loaded object. */
struct code {
	const uint8_t *from, *to;
	const uint8_t *unwind; /* .eh_frame_hdr; NULL: none */
	const char *name;
};

static struct {
	struct pd_arena arena;
	struct pd_map at;	/* address -> struct probe */
	struct pd_map searched; /* beginnings of code */
} probes;

/* ---- where functions begin ------------------------------------------------------------------ */

/*
 * .eh_frame_hdr with the encodings that all linkers use: four bytes (version, encodings), the
 * address of .eh_frame, the number of entries, entries sorted by address: offsets, from the
 * header, of a function and of its unwind information.
 */
struct unwind_header {
	uint8_t version, frame, count_format, table_format;
	int32_t frame_at;
	uint32_t n;
	struct {
		int32_t function, information;
	} entry[];
};

enum { UNSIGNED_32 = 0x03, FROM_HEADER_SIGNED_32 = 0x3b };

/* The last function that begins at or before p, or the beginning of the code. */
static const uint8_t *function_before(const struct code *c, const uint8_t *p)
{
	const struct unwind_header *h = (const void *)c->unwind;
	uint32_t low = 0, high;

	if (!h || h->version != 1 || h->count_format != UNSIGNED_32 ||
	    h->table_format != FROM_HEADER_SIGNED_32)
		return c->from;
	for (high = h->n; low < high;) {
		uint32_t middle = low + (high - low) / 2;

		if (c->unwind + h->entry[middle].function <= p)
			low = middle + 1;
		else
			high = middle;
	}
	return low && c->unwind + h->entry[low - 1].function >= c->from
		       ? c->unwind + h->entry[low - 1].function
		       : c->from;
}

/* ---- planting ------------------------------------------------------------------------------- */

static bool write_code(const uint8_t *at, const uint8_t *bytes, size_t n)
{
	uint64_t page = PD_PAGE_DOWN((uint64_t)at), size = PD_PAGE_UP((uint64_t)at + n) - page;

	if (pd_raw_mprotect(page, size, PROT_READ | PROT_WRITE) < 0)
		return false;
	memcpy((uint8_t *)at, bytes, n);
	return pd_raw_mprotect(page, size, PROT_READ | PROT_EXEC) >= 0;
}

static bool plant(const uint8_t *at, const struct pd_x86 *in)
{
	struct probe *p = pd_arena_alloc(&probes.arena, sizeof(*p));
	uint64_t *slot = pd_map_put(&probes.at, &probes.arena, (uintptr_t)at);

	if (!p || !slot)
		pd_rt_fail(4, "out of memory");
	*p = (struct probe){.at = at, .in = *in};
	memcpy(p->bytes, at, PD_MAX(in->length, sizeof(invalid)));
	*slot = (uintptr_t)p;
	return write_code(at, invalid, sizeof(invalid));
}

static void lose(const struct code *c, const char *why)
{
	const char *slash = strrchr(c->name, '/');
	struct pd_outbuf b;
	char what[200];

	pd_outbuf_init(&b, what, sizeof(what));
	pd_outf(&b.out, "a flush or fence in %s, which was not instrumented: %s",
		*c->name ? slash ? slash + 1 : c->name : "the program", why);
	pd_rt_loss(PD_LOSS_FLUSH, 0, what);
	pd_rt.sees_flushes = false;
}

/* ---- searching ------------------------------------------------------------------------------ */

/* The next bytes that the instructions of interest have in common, with room for a third one. */
static const uint8_t *find_bytes(const uint8_t *p, const uint8_t *to)
{
	for (; p + 2 < to && (p = memchr(p, 0x0f, (size_t)(to - p - 2))); p++)
		if (p[1] == 0xae && p[2] >= 0x30)
			return p;
	return NULL;
}

/* Reads on from p; the instruction that has the bytes at `hit`, or NULL. */
static const uint8_t *read_up_to(const uint8_t *p, const uint8_t *hit, const struct code *c,
				 struct pd_x86 *in)
{
	for (; p <= hit; p += in->length) {
		if (!pd_x86_read(p, (size_t)(c->to - p), in))
			in->length = 1; /* data, or not known */
		else if (p + in->length > hit)
			return p;
	}
	return NULL;
}

static void search(const struct code *c)
{
	const uint8_t *reached = c->from, *begin, *at;
	struct pd_x86 in;

	for (const uint8_t *hit = c->from; (hit = find_bytes(hit, c->to)); hit++) {
		begin = function_before(c, hit);
		at = read_up_to(PD_MAX(begin, reached), hit, c, &in);
		if (!at)
			continue;
		reached = at;
		if (!pd_x86_persists(&in))
			continue;
		if ((in.segment || in.short_address) && in.is <= PD_X86_CLWB)
			lose(c, "its address depends on a segment");
		else if (!plant(at, &in))
			lose(c, "the system does not allow code to be changed");
		reached = hit = at + in.length;
		hit--;
	}
}

static bool is_searched(const uint8_t *from)
{
	uint64_t *known = pd_map_put(&probes.searched, &probes.arena, (uintptr_t)from);

	if (!known)
		pd_rt_fail(4, "out of memory");
	return (*known)++ != 0;
}

static int look_at(struct dl_phdr_info *info, size_t size, void *unused)
{
	struct code c = {.name = info->dlpi_name};

	(void)size;
	(void)unused;
	if (pd_foreign_is_system(info->dlpi_name))
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
			c.unwind = (const void *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X))
			continue;
		c.from = (const void *)(info->dlpi_addr + p->p_vaddr);
		c.to = c.from + p->p_memsz;
		if (!is_searched(c.from))
			search(&c);
	}
	return 0;
}

/* ---- when one is reached -------------------------------------------------------------------- */

static void copy_registers(uint64_t reg[PD_X86_REGISTERS], const greg_t *r)
{
	static const uint8_t order[PD_X86_REGISTERS] = {
		REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
		REG_R8,	 REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

	for (int i = 0; i < PD_X86_REGISTERS; i++)
		reg[i] = (uint64_t)r[order[i]];
}

/* What a probe was reached with. */
struct reached {
	const struct probe *p;
	const greg_t *r;
};

static void act(const struct reached *x)
{
	const struct probe *p = x->p;
	uint64_t reg[PD_X86_REGISTERS], addr;

	switch ((enum pd_x86_is)p->in.is) {
	case PD_X86_SFENCE:
		pd_mem_fence(PD_EV_SFENCE, PD_ORDER_NONE, 0);
		break;
	case PD_X86_MFENCE:
		pd_mem_fence(PD_EV_MFENCE, PD_ORDER_NONE, 0);
		break;
	case PD_X86_CLFLUSH:
	case PD_X86_CLFLUSHOPT:
	case PD_X86_CLWB:
		copy_registers(reg, x->r);
		addr = pd_x86_address(&p->in, p->bytes, reg, (uint64_t)p->at);
		pd_mem_flush((const void *)addr,
			     p->in.is == PD_X86_CLFLUSH	     ? PD_FLUSH_CLFLUSH
			     : p->in.is == PD_X86_CLFLUSHOPT ? PD_FLUSH_CLFLUSHOPT
							     : PD_FLUSH_CLWB,
			     0);
		break;
	case PD_X86_LFENCE:
	case PD_X86_OTHER:
		break;
	}
}

/* Calls f(x) as if it had been called from the frame. */
void pd_probe_call(const struct pd_walk_frame *frame, void (*f)(const struct reached *x),
		   const struct reached *x);

__asm__(".pushsection .text\n"
	".globl pd_probe_call\n"
	".hidden pd_probe_call\n"
	".type pd_probe_call, @function\n"
	"pd_probe_call:\n"
	"	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset %rbp, -16\n"
	"	mov %rdi, %rbp\n"
	"	mov %rdx, %rdi\n"
	"	call *%rsi\n"
	"	pop %rbp\n"
	"	.cfi_def_cfa_offset 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size pd_probe_call, .-pd_probe_call\n"
	".popsection\n");

/*
 * The callers of a probe, as frames. Its code may have no frame pointer, and the kernel's frame of
 * the signal is none; so they come from the unwinder.
 */
static void find_frames(struct pd_walk_frame frame[PD_PLACE_DEPTH], const uint8_t *at)
{
	uintptr_t pc[2 * PD_PLACE_DEPTH];
	/* Only engines that watch a run ask for places. */
	uint32_t n = pd_listen.observer ? pd_rt_stack(pc, PD_LEN(pc)) : 0, i = 0, k = 0;

	while (i < n && pc[i] != (uintptr_t)at - 1)
		i++;
	frame[0] = (struct pd_walk_frame){0, (uintptr_t)at + 2};
	for (i++; i < n && ++k < PD_PLACE_DEPTH; i++) {
		frame[k - 1].up = (uintptr_t)&frame[k];
		frame[k] = (struct pd_walk_frame){0, pc[i] + 1};
	}
}

static void on_announcement(greg_t *r)
{
	static const uint8_t ret = 0xc3;
	const struct probe *p = (const void *)*pd_map_get(&probes.at, (uint64_t)r[REG_RIP]);

	dl_iterate_phdr(look_at, NULL);
	if (p->bytes[0] != ret) {
		r[REG_RIP] += p->in.length;
		return;
	}
	r[REG_RIP] = (greg_t) * (const uint64_t *)r[REG_RSP];
	r[REG_RSP] += 8;
}

static bool on_replaced(greg_t *r)
{
	const uint64_t *known = pd_map_get(&probes.at, (uint64_t)r[REG_RIP]);
	const struct probe *p = known ? (const void *)*known : NULL;
	struct pd_walk_frame frame[PD_PLACE_DEPTH];

	if (!p)
		return false;
	if (p->in.is == PD_X86_OTHER) {
		on_announcement(r);
		return true;
	}
	_mm_mfence();
	if (pd_inside()) {
		find_frames(frame, p->at);
		pd_probe_call(frame, act, &(struct reached){p, r});
	}
	r[REG_RIP] += p->in.length;
	return true;
}

/* The loader calls an empty function whenever it has loaded something: `ret`, perhaps behind an
 * `endbr64`. */
static void watch_loader(void)
{
	const uint8_t *at = (const void *)_r_debug.r_brk;
	struct pd_x86 in;

	if (at && pd_x86_read(at, PD_X86_LONGEST, &in) && (at[0] == 0xc3 || in.length == 4))
		plant(at, &in);
}

void pd_probe_start(void)
{
	pd_arena_init(&probes.arena, pd_rt_memory());
	if (!pd_veil_replaces(on_replaced))
		return;
	pd_rt.sees_flushes = true;
	dl_iterate_phdr(look_at, NULL);
	watch_loader();
}
