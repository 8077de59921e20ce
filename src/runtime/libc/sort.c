/*
 * libc/sort.c - functions that call back, for code that follows labels (cc/symbolic/summary.def).
 *
 * libc's own would decide by the result of the program's function, which may depend on the input,
 * and move elements without their labels. Here each decision is a branch, and labels go along.
 * qsort is stable, as glibc's was where it had memory, so that equal elements are where a plain run
 * has them.
 */
#include "runtime/libc/wrap.h"
#include "runtime/base/raw.h"
#include "runtime/symbolic/symbolic.h"

typedef int compare(const void *, const void *);
typedef int compare_with(const void *, const void *, void *);

PD_EXPORT __typeof__(qsort) __pd_sym_w_qsort;
PD_EXPORT __typeof__(qsort_r) __pd_sym_w_qsort_r;
PD_EXPORT __typeof__(bsearch) __pd_sym_w_bsearch;
PD_EXPORT __typeof__(lfind) __pd_sym_w_lfind;
PD_EXPORT __typeof__(lsearch) __pd_sym_w_lsearch;

/* ---- the program's function ----------------------------------------------------------------- */

struct order {
	const void *function;
	compare *plain;
	compare_with *with;
	void *arg;
};

/* What it says, and the label of that, or 0. */
static int ask(const struct order *o, const void *a, const void *b, pd_expr *label)
{
	struct pd_sym_pass *pass = &__pd_sym_pass;
	int r;

	pass->callee = NULL;
	pass->by = NULL;
	r = o->with ? o->with(a, b, o->arg) : o->plain(a, b);
	*label = pass->by == o->function ? pass->result[0] : 0;
	pass->by = NULL;
	return r;
}

/* The same result again, compared with 0. */
static bool decide(pd_expr label, enum pd_sym_op op, bool holds)
{
	pd_expr zero, e;

	if (!label)
		return holds;
	zero = pd_expr_const(pd_symbolic.exprs, 32, 0);
	e = zero ? pd_expr_binary(pd_symbolic.exprs, op, label, zero) : 0;
	if (e)
		pd_symbolic_branch(NULL, e, holds);
	return holds;
}

/* ---- qsort: numbers of elements are sorted, elements are moved in the end ------------------- */

struct sort {
	const struct order *order;
	char *base;
	size_t size;
	uint32_t *at, *other;
};

static bool in_order(const struct sort *s, uint32_t a, uint32_t b)
{
	pd_expr label;
	int r = ask(s->order, s->base + a * s->size, s->base + b * s->size, &label);

	return decide(label, PD_SYM_SLE, r <= 0);
}

/* [from, middle) and [middle, to) are in order each. */
static void merge(struct sort *s, size_t from, size_t middle, size_t to)
{
	size_t i = from, k = middle, n = from;

	while (i < middle && k < to) {
		if (in_order(s, s->at[i], s->at[k]))
			s->other[n++] = s->at[i++];
		else
			s->other[n++] = s->at[k++];
	}
	while (i < middle)
		s->other[n++] = s->at[i++];
	while (k < to)
		s->other[n++] = s->at[k++];
}

static void sort_numbers(struct sort *s, size_t n)
{
	uint32_t *swap;
	size_t width, i;

	for (i = 0; i < n; i++)
		s->at[i] = (uint32_t)i;
	for (width = 1; width < n; width *= 2) {
		for (i = 0; i < n; i += 2 * width)
			merge(s, i, PD_MIN(i + width, n), PD_MIN(i + 2 * width, n));
		swap = s->at;
		s->at = s->other;
		s->other = swap;
	}
}

static void place(const struct sort *s, size_t n, char *bytes, pd_expr *labels)
{
	bool any = pd_labels_any(s->base, n * s->size);
	size_t i, k;

	pd_file_from_user(bytes, s->base, n * s->size);
	for (i = 0; any && i < n * s->size; i++)
		labels[i] = pd_label_get(s->base + i);
	for (i = 0; i < n; i++) {
		if (s->at[i] == i)
			continue;
		pd_wrap_put(s->base + i * s->size, bytes + s->at[i] * s->size, s->size);
		for (k = 0; any && k < s->size; k++)
			pd_label_set(s->base + i * s->size + k, labels[s->at[i] * s->size + k]);
	}
}

static void sort(void *base, size_t n, size_t size, const struct order *o)
{
	struct sort s = {.order = o, .base = base, .size = size};
	size_t room = n * (2 * sizeof(uint32_t) + size * (1 + sizeof(pd_expr))) + 64;
	uint32_t site = pd_file_site;
	char *memory;

	if (n < 2 || !size)
		return;
	memory = n < UINT32_MAX ? pd_raw_borrow(room) : NULL;
	if (!memory)
		pd_rt_fail(4, "no memory to sort %zu elements", n);
	s.at = (uint32_t *)memory;
	s.other = s.at + n;
	sort_numbers(&s, n);
	pd_file_site = site; /* the callback may have come through wrappers */
	place(&s, n, memory + n * (2 * sizeof(uint32_t) + size * sizeof(pd_expr)),
	      (pd_expr *)(memory + n * 2 * sizeof(uint32_t)));
	pd_raw_give_back(memory, room);
}

void __pd_sym_w_qsort(void *v, size_t n, size_t size, compare *cmp)
{
	struct order o = {.function = (const void *)cmp, .plain = cmp};

	if (!pd_symbolic.on) {
		__pd_w_qsort(v, n, size, cmp);
		return;
	}
	pd_wrap_enter();
	sort(v, n, size, &o);
}

void __pd_sym_w_qsort_r(void *v, size_t n, size_t size, compare_with *cmp, void *arg)
{
	struct order o = {.function = (const void *)cmp, .with = cmp, .arg = arg};

	if (!pd_symbolic.on) {
		__pd_w_qsort_r(v, n, size, cmp, arg);
		return;
	}
	pd_wrap_enter();
	sort(v, n, size, &o);
}

/* ---- searches: elements are looked at where they are ---------------------------------------- */

void *__pd_sym_w_bsearch(const void *key, const void *v, size_t n, size_t size, compare *cmp)
{
	struct order o = {.function = (const void *)cmp, .plain = cmp};
	size_t low = 0, high = n, middle;
	const char *at;
	pd_expr label;
	int r;

	if (!pd_symbolic.on)
		return bsearch(key, v, n, size, cmp);
	while (low < high) {
		middle = (low + high) / 2;
		at = (const char *)v + middle * size;
		r = ask(&o, key, at, &label);
		if (decide(label, PD_SYM_EQ, r == 0))
			return (void *)(uintptr_t)at;
		if (decide(label, PD_SYM_SLT, r < 0))
			high = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

static void *find(const void *key, const void *v, size_t n, size_t size, compare *cmp)
{
	struct order o = {.function = (const void *)cmp, .plain = cmp};
	const char *at = v;
	pd_expr label;
	size_t i;
	int r;

	for (i = 0; i < n; i++, at += size) {
		r = ask(&o, key, at, &label);
		if (decide(label, PD_SYM_EQ, r == 0))
			return (void *)(uintptr_t)at;
	}
	return NULL;
}

void *__pd_sym_w_lfind(const void *key, const void *v, size_t *n, size_t size, compare *cmp)
{
	size_t count;

	if (!pd_symbolic.on)
		return __pd_w_lfind(key, v, n, size, cmp);
	pd_wrap_enter();
	pd_file_from_user(&count, n, sizeof(count));
	return find(key, v, count, size, cmp);
}

void *__pd_sym_w_lsearch(const void *key, void *v, size_t *n, size_t size, compare *cmp)
{
	uint32_t site;
	size_t count;
	void *found;

	if (!pd_symbolic.on)
		return __pd_w_lsearch(key, v, n, size, cmp);
	pd_wrap_enter();
	site = pd_file_site;
	pd_file_from_user(&count, n, sizeof(count));
	found = find(key, v, count, size, cmp);
	if (found)
		return found;
	pd_file_site = site;
	found = (char *)v + count * size;
	pd_labels_move(found, key, size);
	__pd_w_memcpy(found, key, size);
	count++;
	pd_wrap_put(n, &count, sizeof(count));
	return found;
}
