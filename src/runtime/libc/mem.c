/* libc/mem.c - blocks of bytes; and the copies that wrappers use. See wrap.h. */
#include "runtime/libc/wrap.h"
#include "runtime/base/raw.h"

#define PIECE 4096

/* ---- copies -----------------------------------------------------------------------------------
 */

void pd_copy_room(struct pd_copy *c, size_t n)
{
	c->held = 0;
	c->n = 0;
	c->p = c->small;
	if (n <= sizeof(c->small))
		return;
	c->p = pd_raw_borrow(n);
	c->held = n;
	if (!c->p)
		pd_rt_fail(4, "no memory to copy %lu bytes of PM", n);
}

void pd_copy_drop(struct pd_copy *c)
{
	if (c->held)
		pd_raw_give_back(c->p, c->held);
	c->held = 0;
}

void pd_copy_block(struct pd_copy *c, const void *p, size_t n)
{
	if (!PM(p)) {
		c->held = 0;
		c->p = (char *)p;
	} else {
		pd_copy_room(c, n);
		pd_file_from_user(c->p, p, n);
	}
	c->n = n;
}

void pd_copy_add(struct pd_copy *c, const void *p, size_t n)
{
	size_t cap = c->held ? c->held : sizeof(c->small);

	if (c->n + n > cap) {
		struct pd_copy old = *c;

		if (!c->held)
			old.p = old.small;
		pd_copy_room(c, cap * 2);
		memcpy(c->p, old.p, old.n);
		c->n = old.n;
		pd_copy_drop(&old);
	}
	memcpy(c->p + c->n, p, n);
	c->n += n;
}

static void append(struct pd_copy *c, char b)
{
	pd_copy_add(c, &b, 1);
}

void pd_copy_string(struct pd_copy *c, const char *s, size_t max)
{
	char b = 1;

	if (!PM(s) && max == SIZE_MAX) {
		c->held = 0;
		c->p = (char *)s;
		c->n = strlen(s);
		return;
	}
	pd_copy_room(c, 0);
	while (c->n < max && (b = (char)pd_wrap_get(s + c->n)))
		append(c, b);
	append(c, 0);
	c->n--;
}

void pd_copy_while(struct pd_copy *c, const char *s, bool (*more)(unsigned char))
{
	unsigned char b;

	if (!PM(s)) {
		pd_copy_string(c, s, SIZE_MAX);
		return;
	}
	pd_copy_room(c, 0);
	do {
		b = pd_wrap_get(s + c->n);
		append(c, (char)b);
	} while (b && more(b));
	append(c, 0);
	c->n--;
}

/* ---- copying and setting -----------------------------------------------------------------------
 */

/* Ascending, in pieces that end where pages of dst do. */
static void copy_up(char *d, const char *s, size_t n)
{
	char piece[PIECE];

	while (n) {
		size_t k = PD_MIN(n, PIECE - ((uint64_t)d & (PIECE - 1)));

		if (!PM(s)) {
			pd_wrap_put(d, s, k);
		} else if (!PM(d)) {
			pd_file_from_user(d, s, k);
		} else {
			pd_file_from_user(piece, s, k);
			pd_wrap_put(d, piece, k);
		}
		d += k;
		s += k;
		n -= k;
	}
}

static void copy_any(void *d, const void *s, size_t n)
{
	struct pd_copy c;

	if ((uint64_t)d - (uint64_t)s >= n) { /* not into what is still to be read */
		copy_up(d, s, n);
		return;
	}
	pd_copy_room(&c, n);
	pd_file_from_user(c.p, s, n);
	copy_up(d, c.p, n);
	pd_copy_drop(&c);
}

static void set_bytes(char *d, int v, size_t n)
{
	char piece[PIECE];

	memset(piece, v, PD_MIN(n, sizeof(piece)));
	while (n) {
		size_t k = PD_MIN(n, PIECE - ((uint64_t)d & (PIECE - 1)));

		pd_wrap_put(d, piece, k);
		d += k;
		n -= k;
	}
}

void *__pd_w_memcpy(void *restrict d, const void *restrict s, size_t n)
{
	pd_wrap_enter();
	if (!PM(d) && !PM(s))
		return memcpy(d, s, n);
	copy_any(d, s, n);
	return d;
}

void *__pd_w_memmove(void *d, const void *s, size_t n)
{
	pd_wrap_enter();
	if (!PM(d) && !PM(s))
		return memmove(d, s, n);
	copy_any(d, s, n);
	return d;
}

void *__pd_w_mempcpy(void *restrict d, const void *restrict s, size_t n)
{
	return (char *)__pd_w_memcpy(d, s, n) + n;
}

void *__pd_w___mempcpy(void *restrict d, const void *restrict s, size_t n)
{
	return __pd_w_mempcpy(d, s, n);
}

void __pd_w_bcopy(const void *s, void *d, size_t n)
{
	__pd_w_memmove(d, s, n);
}

void *__pd_w_memset(void *d, int v, size_t n)
{
	pd_wrap_enter();
	if (!PM(d))
		return memset(d, v, n);
	set_bytes(d, v, n);
	return d;
}

void __pd_w_bzero(void *d, size_t n)
{
	__pd_w_memset(d, 0, n);
}

void __pd_w_explicit_bzero(void *d, size_t n)
{
	pd_wrap_enter();
	if (!PM(d))
		explicit_bzero(d, n);
	else
		set_bytes(d, 0, n);
}

void *__pd_w_memccpy(void *restrict d, const void *restrict s, int stop, size_t n)
{
	pd_wrap_enter();
	if (!PM(d) && !PM(s))
		return memccpy(d, s, stop, n);
	for (size_t i = 0; i < n; i++) {
		unsigned char b = pd_wrap_get((const char *)s + i);

		pd_wrap_put((char *)d + i, &b, 1);
		if (b == (unsigned char)stop)
			return (char *)d + i + 1;
	}
	return NULL;
}

void __pd_w_swab(const void *restrict s, void *restrict d, ssize_t n)
{
	struct pd_copy in, out;

	pd_wrap_enter();
	if ((!PM(d) && !PM(s)) || n < 2) {
		swab(s, d, n);
		return;
	}
	n &= ~1L;
	pd_copy_block(&in, s, (size_t)n);
	pd_copy_room(&out, (size_t)n);
	swab(in.p, out.p, n);
	copy_up(d, out.p, (size_t)n);
	pd_copy_drop(&out);
	pd_copy_drop(&in);
}

void *__pd_w_memfrob(void *d, size_t n)
{
	struct pd_copy x;

	pd_wrap_enter();
	if (!PM(d))
		return memfrob(d, n);
	pd_copy_block(&x, d, n);
	memfrob(x.p, n);
	copy_up(d, x.p, n);
	pd_copy_drop(&x);
	return d;
}

/* ---- comparing and searching -------------------------------------------------------------------
 */

/* By words, which is what is durable together; reads nothing after the word that differs. */
static int compare(const char *a, const char *b, size_t n)
{
	while (n) {
		const char *pm = PM(a) ? a : b;
		size_t k = PD_MIN(n, 8 - ((uint64_t)pm & 7));
		char x[8], y[8];
		int r;

		pd_file_from_user(x, a, k);
		pd_file_from_user(y, b, k);
		r = memcmp(x, y, k);
		if (r)
			return r;
		a += k;
		b += k;
		n -= k;
	}
	return 0;
}

int __pd_w_memcmp(const void *a, const void *b, size_t n)
{
	pd_wrap_enter();
	return PM(a) || PM(b) ? compare(a, b, n) : memcmp(a, b, n);
}

int __pd_w_bcmp(const void *a, const void *b, size_t n)
{
	return __pd_w_memcmp(a, b, n);
}

int __pd_w___memcmpeq(const void *a, const void *b, size_t n)
{
	return __pd_w_memcmp(a, b, n);
}

void *__pd_w_memchr(const void *s, int v, size_t n)
{
	pd_wrap_enter();
	if (!PM(s))
		return memchr(s, v, n);
	for (size_t i = 0; i < n; i++)
		if (pd_wrap_get((const char *)s + i) == (unsigned char)v)
			return (char *)s + i;
	return NULL;
}

void *__pd_w_rawmemchr(const void *s, int v)
{
	return __pd_w_memchr(s, v, SIZE_MAX);
}

void *__pd_w_memrchr(const void *s, int v, size_t n)
{
	pd_wrap_enter();
	if (!PM(s))
		return memrchr(s, v, n);
	while (n--)
		if (pd_wrap_get((const char *)s + n) == (unsigned char)v)
			return (char *)s + n;
	return NULL;
}

void *__pd_w_memmem(const void *s, size_t n, const void *what, size_t k)
{
	struct pd_copy a, b;
	void *r;

	pd_wrap_enter();
	if (!PM(s) && !PM(what))
		return memmem(s, n, what, k);
	pd_copy_block(&a, s, n);
	pd_copy_block(&b, what, k);
	r = pd_copy_back(&a, s, memmem(a.p, n, b.p, k));
	pd_copy_drop(&b);
	pd_copy_drop(&a);
	return r;
}

/* ---- with the size of the object ---------------------------------------------------------------
 */

static void check(size_t n, size_t room)
{
	if (n > room)
		__chk_fail();
}

void *__pd_w___memcpy_chk(void *d, const void *s, size_t n, size_t room)
{
	check(n, room);
	return __pd_w_memcpy(d, s, n);
}

void *__pd_w___memmove_chk(void *d, const void *s, size_t n, size_t room)
{
	check(n, room);
	return __pd_w_memmove(d, s, n);
}

void *__pd_w___mempcpy_chk(void *d, const void *s, size_t n, size_t room)
{
	check(n, room);
	return __pd_w_mempcpy(d, s, n);
}

void *__pd_w___memset_chk(void *d, int v, size_t n, size_t room)
{
	check(n, room);
	return __pd_w_memset(d, v, n);
}

void __pd_w___explicit_bzero_chk(void *d, size_t n, size_t room)
{
	check(n, room);
	__pd_w_explicit_bzero(d, n);
}
