/* history.c - see history.h. */
#include "engine/linear/history.h"
#include "base/sort.h"

enum {
	MAGIC = 0x31,
	MORE = 512, /* operations that are likely to follow those that were unpacked */
};

void pd_op_history_init(struct pd_op_history *h, struct pd_arena *a)
{
	*h = (struct pd_op_history){.arena = a};
}

static bool copy_value(struct pd_arena *a, struct pd_linear_value *v)
{
	void *p;

	if (!v->size) {
		v->data = NULL;
		return true;
	}
	p = pd_arena_alloc(a, v->size);
	if (p)
		v->data = memcpy(p, v->data, v->size);
	return p != NULL;
}

bool pd_op_history_add(struct pd_op_history *h, uint32_t thread, uint64_t call, uint64_t ret,
		       const struct pd_linear_op *op)
{
	struct pd_hop x = {call, ret, thread, *op}, *place;

	for (uint32_t i = 0; i < op->nargs; i++)
		if (!copy_value(h->arena, &x.op.arg[i]))
			return false;
	if (!copy_value(h->arena, &x.op.result))
		return false;
	place = pd_vec_push(&h->ops, h->arena);
	if (place)
		*place = x;
	return place != NULL;
}

bool pd_op_history_crash(struct pd_op_history *h, uint64_t time)
{
	uint64_t *place = pd_vec_push(&h->crashes, h->arena);

	if (place)
		*place = time;
	return place != NULL;
}

uint32_t pd_op_history_era(const struct pd_op_history *h, uint64_t time)
{
	uint32_t lo = 0, hi = h->crashes.n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (h->crashes.v[mid] < time)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* ---- checking ------------------------------------------------------------------------------- */

static uint32_t count_ops(const struct pd_linear_spec *spec)
{
	uint32_t n = 0;

	while (spec->ops[n].name)
		n++;
	return n;
}

static enum pd_op_history_fault check_op(const struct pd_op_history *h, const struct pd_hop *x,
					 const struct pd_linear_spec *spec, uint32_t nfns)
{
	if (x->ret <= x->call)
		return PD_HISTORY_RETURNS_EARLY;
	if (x->ret != PD_NEVER && pd_op_history_era(h, x->ret) != pd_op_history_era(h, x->call))
		return PD_HISTORY_SPANS_CRASH;
	if (x->op.flags & PD_SYNC)
		return PD_HISTORY_OK;
	if (x->op.fn >= nfns)
		return PD_HISTORY_UNKNOWN_FN;
	if (x->op.nargs > PD_LINEAR_ARGS || x->op.nargs != spec->ops[x->op.fn].nargs)
		return PD_HISTORY_WRONG_ARGS;
	return PD_HISTORY_OK;
}

/* Whether b, the next operation of a's thread, begins before a has ended. */
static bool overlaps(const struct pd_op_history *h, const struct pd_hop *a, const struct pd_hop *b)
{
	if (a->thread != b->thread)
		return false;
	if (a->ret == PD_NEVER)
		return pd_op_history_era(h, a->call) == pd_op_history_era(h, b->call);
	return a->ret > b->call;
}

static bool by_thread(const void *ctx, uint32_t a, uint32_t b)
{
	const struct pd_hop *ops = ctx;

	if (ops[a].thread != ops[b].thread)
		return ops[a].thread < ops[b].thread;
	return ops[a].call < ops[b].call;
}

enum { FEW_THREADS = 64 };

/* Without sorting, if there are few threads and operations are ordered by call, as usual. *known:
 * that was so. */
static enum pd_op_history_fault check_threads(const struct pd_op_history *h, uint32_t *at,
					      bool *known)
{
	const struct pd_hop *last[FEW_THREADS] = {NULL};

	*known = false;
	for (uint32_t i = 0; i < h->ops.n; i++) {
		const struct pd_hop *x = &h->ops.v[i];

		if (x->thread >= FEW_THREADS ||
		    (last[x->thread] && last[x->thread]->call > x->call))
			return PD_HISTORY_OK;
		*at = i;
		*known = last[x->thread] && overlaps(h, last[x->thread], x);
		if (*known)
			return PD_HISTORY_OVERLAPS;
		last[x->thread] = x;
	}
	*known = true;
	return PD_HISTORY_OK;
}

static enum pd_op_history_fault check_sorted(const struct pd_op_history *h, uint32_t *at)
{
	enum pd_op_history_fault f = PD_HISTORY_OK;
	struct pd_arena step;
	uint32_t *order;

	pd_arena_init(&step, h->arena->host);
	order = pd_sort_new(&step, h->ops.n, by_thread, h->ops.v);
	if (!order)
		f = PD_HISTORY_NO_MEMORY;
	for (uint32_t i = 1; order && i < h->ops.n && f == PD_HISTORY_OK; i++) {
		*at = order[i];
		if (overlaps(h, &h->ops.v[order[i - 1]], &h->ops.v[order[i]]))
			f = PD_HISTORY_OVERLAPS;
	}
	pd_arena_finish(&step);
	return f;
}

enum pd_op_history_fault pd_op_history_check(const struct pd_op_history *h,
					     const struct pd_linear_spec *spec, uint32_t *at)
{
	uint32_t nfns = count_ops(spec);
	enum pd_op_history_fault f;
	bool known;

	for (uint32_t i = 1; i < h->crashes.n; i++)
		if (h->crashes.v[i] <= h->crashes.v[i - 1])
			return PD_HISTORY_CRASHES_UNSORTED;
	for (uint32_t i = 0; i < h->ops.n; i++) {
		*at = i;
		f = check_op(h, &h->ops.v[i], spec, nfns);
		if (f != PD_HISTORY_OK)
			return f;
	}
	f = check_threads(h, at, &known);
	return known ? f : check_sorted(h, at);
}

/* ---- the compact form ----------------------------------------------------------------------- */

/*
 * magic, number of operations, then each operation (thread, fn, flags, arguments, result), then the
 * events in their order: 0 a crash, 2i+1 the call of i, 2i+2 its response.
 */
struct packer {
	uint8_t *to;
	size_t n, cap;
};

static void put_byte(struct packer *p, uint8_t b)
{
	if (p->n < p->cap)
		p->to[p->n] = b;
	p->n++;
}

static void put_u64(struct packer *p, uint64_t x)
{
	for (; x >= 0x80; x >>= 7)
		put_byte(p, (uint8_t)(x | 0x80));
	put_byte(p, (uint8_t)x);
}

static void put_value(struct packer *p, const struct pd_linear_value *v)
{
	const uint8_t *b = v->data;

	put_u64(p, v->word + 3); /* makes PD_NONE and PD_FAILED, which are common, short */
	put_u64(p, v->size);
	for (size_t i = 0; i < v->size; i++)
		put_byte(p, b[i]);
}

static void put_op(struct packer *p, const struct pd_hop *x)
{
	put_u64(p, x->thread);
	put_u64(p, x->op.fn);
	put_byte(p, x->op.nargs);
	put_byte(p, (uint8_t)(x->op.flags << 1 | !!x->op.returned));
	for (uint32_t i = 0; i < x->op.nargs; i++)
		put_value(p, &x->op.arg[i]);
	if (x->op.returned)
		put_value(p, &x->op.result);
}

struct moment {
	uint64_t time;
	uint64_t code;
};

static bool by_time(const void *ctx, uint32_t a, uint32_t b)
{
	const struct moment *m = ctx;

	return m[a].time < m[b].time;
}

static uint32_t list_moments(const struct pd_op_history *h, struct moment *m)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < h->crashes.n; i++)
		m[n++] = (struct moment){h->crashes.v[i], 0};
	for (uint32_t i = 0; i < h->ops.n; i++) {
		m[n++] = (struct moment){h->ops.v[i].call, 2 * (uint64_t)i + 1};
		if (h->ops.v[i].ret != PD_NEVER)
			m[n++] = (struct moment){h->ops.v[i].ret, 2 * (uint64_t)i + 2};
	}
	return n;
}

size_t pd_op_history_pack(const struct pd_op_history *h, void *buf, size_t cap)
{
	struct packer p = {buf, 0, cap};
	struct pd_arena step;
	struct moment *m;
	uint32_t *order = NULL, n = 0;

	pd_arena_init(&step, h->arena->host);
	m = pd_new_array(&step, struct moment, 2 * (size_t)h->ops.n + h->crashes.n + 1);
	if (m) {
		n = list_moments(h, m);
		order = pd_sort_new(&step, n, by_time, m);
	}
	if (order) {
		put_byte(&p, MAGIC);
		put_u64(&p, h->ops.n);
		for (uint32_t i = 0; i < h->ops.n; i++)
			put_op(&p, &h->ops.v[i]);
		put_u64(&p, n);
		for (uint32_t i = 0; i < n; i++)
			put_u64(&p, m[order[i]].code);
	}
	pd_arena_finish(&step);
	return order ? p.n : 0;
}

struct unpacker {
	const uint8_t *p, *end;
	bool bad;
};

static uint8_t get_byte(struct unpacker *u)
{
	if (u->p < u->end)
		return *u->p++;
	u->bad = true;
	return 0;
}

static uint64_t get_u64(struct unpacker *u)
{
	uint64_t x = 0;

	for (uint32_t shift = 0; shift < 64; shift += 7) {
		uint8_t b = get_byte(u);

		x |= (uint64_t)(b & 0x7f) << shift;
		if (!(b & 0x80))
			return x;
	}
	u->bad = true;
	return 0;
}

static struct pd_linear_value get_value(struct unpacker *u)
{
	struct pd_linear_value v = {get_u64(u) - 3, NULL, 0};
	uint64_t size = get_u64(u);

	if (u->bad || size > (uint64_t)(u->end - u->p)) {
		u->bad = true;
		return v;
	}
	v.data = size ? u->p : NULL;
	v.size = size;
	u->p += size;
	return v;
}

static bool get_op(struct unpacker *u, struct pd_op_history *h)
{
	struct pd_linear_op op = {0};
	uint64_t thread = get_u64(u), fn = get_u64(u);
	uint8_t flags;

	op.fn = (uint16_t)fn;
	op.nargs = get_byte(u);
	flags = get_byte(u);
	op.flags = flags >> 1;
	op.returned = flags & 1;
	if (op.nargs > PD_LINEAR_ARGS || thread > UINT32_MAX || fn > UINT16_MAX)
		return false;
	for (uint32_t i = 0; i < op.nargs; i++)
		op.arg[i] = get_value(u);
	if (op.returned)
		op.result = get_value(u);
	return !u->bad && pd_op_history_add(h, (uint32_t)thread, PD_NEVER, PD_NEVER, &op);
}

static bool get_moment(struct unpacker *u, struct pd_op_history *h, uint64_t time)
{
	uint64_t code = get_u64(u), i = (code - 1) / 2;

	if (u->bad)
		return false;
	if (code == 0)
		return pd_op_history_crash(h, time);
	if (i >= h->ops.n)
		return false;
	if (code & 1) {
		if (h->ops.v[i].call != PD_NEVER)
			return false;
		h->ops.v[i].call = time;
		return true;
	}
	if (h->ops.v[i].call == PD_NEVER || h->ops.v[i].ret != PD_NEVER)
		return false;
	h->ops.v[i].ret = time;
	return true;
}

bool pd_op_history_unpack(struct pd_op_history *h, const void *buf, size_t n)
{
	struct unpacker u = {buf, (const uint8_t *)buf + n, false};
	uint64_t count;

	if (get_byte(&u) != MAGIC)
		return false;
	count = get_u64(&u);
	if (count > n) /* each takes at least a byte */
		return false;
	pd_vec_reserve(&h->ops, h->arena, (uint32_t)(count + count / 2) + MORE);
	for (uint64_t i = 0; i < count; i++)
		if (!get_op(&u, h))
			return false;
	count = get_u64(&u);
	for (uint64_t i = 0; i < count; i++)
		if (!get_moment(&u, h, i))
			return false;
	for (uint32_t i = 0; i < h->ops.n; i++)
		if (h->ops.v[i].call == PD_NEVER)
			return false;
	return !u.bad && u.p == u.end;
}
