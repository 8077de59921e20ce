/* slice.c - see slice.h. */
#include "engine/explore/slice.h"
#include "engine/explore/node.h"
#include "engine/explore/wide.h"

bool pd_assumptions_init(struct pd_assumptions *s, struct pd_arena *a, struct pd_exprs *x,
			 uint32_t input_size)
{
	*s = (struct pd_assumptions){.arena = a, .x = x, .input_size = input_size, .path = 1};
	s->byte = pd_new_array(a, struct pd_assumed_byte, input_size);
	return s->byte != NULL;
}

void pd_assumptions_begin(struct pd_assumptions *s)
{
	s->path++;
	s->list.n = 0;
	s->never = s->failed = false;
}

struct pd_assumed_byte *pd_assumptions_byte(struct pd_assumptions *s, uint32_t byte)
{
	struct pd_assumed_byte *b = &s->byte[byte];

	if (b->path != s->path) {
		b->path = s->path;
		b->domain = PD_SET_ALL;
		b->parent = b->next = byte;
		b->size = 1;
		b->alone = b->first = b->last = 0;
	}
	return b;
}

static uint32_t root_of(struct pd_assumptions *s, uint32_t byte)
{
	struct pd_assumed_byte *b = pd_assumptions_byte(s, byte);

	while (b->parent != byte) {
		b->parent = s->byte[b->parent].parent;
		byte = b->parent;
		b = &s->byte[byte];
	}
	return byte;
}

bool pd_assumptions_joined(struct pd_assumptions *s, uint32_t byte)
{
	return s->byte[root_of(s, byte)].first != 0;
}

static uint32_t join(struct pd_assumptions *s, uint32_t p, uint32_t q)
{
	struct pd_assumed_byte *a = &s->byte[p], *b = &s->byte[q];
	uint32_t t;

	if (p == q)
		return p;
	if (a->size < b->size)
		return join(s, q, p);
	b->parent = p;
	a->size += b->size;
	t = a->next;
	a->next = b->next;
	b->next = t;
	if (b->first) {
		if (a->first)
			s->list.v[a->last - 1].next = b->first;
		else
			a->first = b->first;
		a->last = b->last;
	}
	return p;
}

/* ---- conjunctions --------------------------------------------------------------------------- */

/* Takes e apart: puts the conditions that it consists of into `parts`. */
static bool take_apart(struct pd_assumptions *s, pd_expr e)
{
	struct pd_exprs *x = s->x;
	pd_expr *to = pd_vec_push(&s->parts, s->arena);

	if (!to || !e)
		return false;
	*to = e;
	for (uint32_t i = 0; i < s->parts.n;) {
		pd_expr part = s->parts.v[i], a = pd_expr_operand(x, part, 0), b;
		bool negated = pd_expr_op(x, part) == PD_SYM_NOT;
		pd_expr both = negated ? a : part;

		if (pd_expr_op(x, both) != (negated ? PD_SYM_OR : PD_SYM_AND)) {
			i++;
			continue;
		}
		a = pd_expr_operand(x, both, 0);
		b = pd_expr_operand(x, both, 1);
		to = pd_vec_push(&s->parts, s->arena);
		if (!to)
			return false;
		*to = negated ? pd_expr_not(x, b) : b;
		s->parts.v[i] = negated ? pd_expr_not(x, a) : a;
		if (!*to || !s->parts.v[i])
			return false;
	}
	return true;
}

/* ---- assuming ------------------------------------------------------------------------------- */

static struct pd_assumed *keep(struct pd_assumptions *s, pd_expr e)
{
	struct pd_assumed *to = pd_vec_push(&s->list, s->arena);

	if (to)
		*to = (struct pd_assumed){.e = e};
	else
		s->failed = true;
	return to;
}

static void add_alone(struct pd_assumptions *s, pd_expr e, uint32_t byte)
{
	struct pd_assumed_byte *b = pd_assumptions_byte(s, byte);
	struct pd_set holds = pd_truth(s->x, e);
	struct pd_assumed *to;

	if (pd_set_is_within(&b->domain, &holds))
		return;
	to = keep(s, e);
	if (!to)
		return;
	pd_set_and(&b->domain, &holds);
	to->next = b->alone;
	b->alone = s->list.n;
}

static void add_joining(struct pd_assumptions *s, pd_expr e, const uint32_t *byte, uint32_t n)
{
	struct pd_assumed *to = keep(s, e);
	uint32_t root = root_of(s, byte[0]);
	struct pd_assumed_byte *b;

	if (!to)
		return;
	for (uint32_t i = 1; i < n; i++)
		root = join(s, root, root_of(s, byte[i]));
	b = &s->byte[root];
	if (b->first)
		s->list.v[b->last - 1].next = s->list.n;
	else
		b->first = s->list.n;
	b->last = s->list.n;
}

void pd_assumptions_add(struct pd_assumptions *s, pd_expr holds)
{
	uint64_t v;

	s->parts.n = 0;
	if (!take_apart(s, holds)) {
		s->failed = true;
		return;
	}
	for (uint32_t i = 0; i < s->parts.n; i++) {
		uint32_t n;
		const uint32_t *byte = pd_expr_support(s->x, s->parts.v[i], &n);

		if (pd_expr_is_const(s->x, s->parts.v[i], &v))
			s->never |= !v;
		else if (n == 1)
			add_alone(s, s->parts.v[i], byte[0]);
		else
			add_joining(s, s->parts.v[i], byte, n);
	}
}

/* ---- slices --------------------------------------------------------------------------------- */

/* Adds the class of a byte. */
static void slice_class(struct pd_assumptions *s, uint32_t byte)
{
	struct pd_slice *l = &s->slice;
	uint32_t root = root_of(s, byte), at = byte;

	if (s->byte[byte].seen_by == s->slices)
		return;
	do {
		uint32_t *to = pd_vec_push(&l->byte, s->arena);

		if (!to) {
			l->failed = true;
			return;
		}
		*to = at;
		s->byte[at].seen_by = s->slices;
		at = s->byte[at].next;
	} while (at != byte);
	for (uint32_t i = s->byte[root].first; i; i = s->list.v[i - 1].next) {
		pd_expr *to = pd_vec_push(&l->holds, s->arena);

		if (!to) {
			l->failed = true;
			return;
		}
		*to = s->list.v[i - 1].e;
	}
}

static void sort_numbers(uint32_t *v, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++) {
		uint32_t x = v[i], j = i;

		for (; j > 0 && v[j - 1] > x; j--)
			v[j] = v[j - 1];
		v[j] = x;
	}
}

static void begin(struct pd_assumptions *s)
{
	s->slices++;
	s->slice.byte.n = s->slice.domain.n = s->slice.holds.n = s->slice.alone.n = 0;
	s->slice.failed = s->failed;
	s->asked.n = 0;
}

/* Keeps the first of several that are the same condition. */
static void drop_repeated(struct pd_assumptions *s)
{
	struct pd_slice *l = &s->slice;
	uint64_t epoch = pd_eval_epoch(s->x);
	uint32_t kept = 0;

	for (uint32_t i = 0; i < l->holds.n; i++) {
		struct pd_node *n = pd_node(s->x, l->holds.v[i]);

		if (n->epoch != epoch)
			l->holds.v[kept++] = l->holds.v[i];
		n->epoch = epoch;
	}
	l->holds.n = kept;
}

/* All classes are added: sets their domains. */
static void finish(struct pd_assumptions *s)
{
	struct pd_slice *l = &s->slice;

	sort_numbers(l->byte.v, l->byte.n);
	for (uint32_t i = 0; i < l->byte.n; i++) {
		struct pd_set *to = pd_vec_push(&l->domain, s->arena);

		if (!to) {
			l->failed = true;
			return;
		}
		*to = s->byte[l->byte.v[i]].domain;
		s->byte[l->byte.v[i]].seen = i + 1;
	}
	drop_repeated(s);
}

struct pd_slice *pd_slice_about(struct pd_assumptions *s, pd_expr e)
{
	uint32_t n;
	const uint32_t *byte = pd_expr_support(s->x, e, &n);

	begin(s);
	for (uint32_t i = 0; i < n; i++)
		slice_class(s, byte[i]);
	finish(s);
	return &s->slice;
}

/* Adds the parts of the question that concern several bytes as conditions of the slice. */
static void slice_parts(struct pd_assumptions *s)
{
	for (uint32_t i = 0; i < s->parts.n; i++) {
		uint32_t n;
		const uint32_t *byte = pd_expr_support(s->x, s->parts.v[i], &n);
		pd_expr *to;

		for (uint32_t j = 0; j < n; j++)
			slice_class(s, byte[j]);
		to = n == 1 ? pd_vec_push(&s->asked, s->arena)
			    : pd_vec_push(&s->slice.holds, s->arena);
		if (to)
			*to = s->parts.v[i];
		else
			s->slice.failed = true;
	}
}

struct pd_slice *pd_slice_of(struct pd_assumptions *s, pd_expr also)
{
	begin(s);
	s->parts.n = 0;
	if (!take_apart(s, also))
		s->slice.failed = true;
	else
		slice_parts(s);
	finish(s);
	sort_numbers(s->slice.holds.v, s->slice.holds.n);
	for (uint32_t i = 0; i < s->asked.n && !s->slice.failed; i++) {
		uint32_t n;
		uint32_t byte = pd_expr_support(s->x, s->asked.v[i], &n)[0];
		struct pd_set holds = pd_truth(s->x, s->asked.v[i]);

		pd_set_and(&s->slice.domain.v[s->byte[byte].seen - 1], &holds);
	}
	return &s->slice;
}

void pd_slice_alone(struct pd_assumptions *s)
{
	struct pd_slice *l = &s->slice;
	pd_expr *to;

	for (uint32_t i = 0; i < s->asked.n; i++) {
		to = pd_vec_push(&l->alone, s->arena);
		if (to)
			*to = s->asked.v[i];
		else
			l->failed = true;
	}
	for (uint32_t i = 0; i < l->byte.n; i++)
		for (uint32_t j = s->byte[l->byte.v[i]].alone; j; j = s->list.v[j - 1].next) {
			to = pd_vec_push(&l->alone, s->arena);
			if (to)
				*to = s->list.v[j - 1].e;
			else
				l->failed = true;
		}
}
