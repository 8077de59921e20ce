/*
 * libc/scan.c - scanf into PM and from PM; see wrap.h and libc/args.h.
 *
 * Every argument is a pointer. Those into PM are exchanged for memory of ours; how many conversions
 * came to be assigned is scanf's own result, and that many are stored, in order. A %n has no part
 * in that count: its memory starts with a value that no count has.
 */
#include "runtime/libc/args.h"
#include <alloca.h>

#define UNLIMITED (1u << 20) /* %s without a width, from a stream */

struct target {
	struct pd_copy c;
	char *to;
	struct pd_arg *g;
};

static uint32_t count_pm(const struct pd_args *a)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->n; i++)
		n += PM(a->v[i].ptr);
	return n;
}

static void exchange(struct pd_args *a, struct target *t, size_t longest)
{
	for (uint32_t i = 0; i < a->n; i++) {
		struct pd_arg *g = &a->v[i];
		size_t n = g->size ? g->size : longest;

		if (!PM(g->ptr))
			continue;
		pd_copy_room(&t->c, PD_MAX(n, 16u));
		memset(t->c.p, 0xa5, PD_MIN(n, 16u));
		t->to = g->ptr;
		t->g = g;
		g->ptr = t->c.p;
		t++;
	}
}

static bool written(const struct pd_arg *g, int assigned, int index)
{
	static const unsigned char untouched[8] = {0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5, 0xa5};

	if (g->kind != PD_ARG_COUNT)
		return index < assigned;
	return memcmp(g->ptr, untouched, PD_MIN(g->size, 8u)) != 0;
}

static void store(struct pd_args *a, struct target *t, int assigned)
{
	int index = 0;

	for (uint32_t i = 0; i < a->n; i++) {
		struct pd_arg *g = &a->v[i];
		bool pm = t->g == g;

		if (pm && written(g, assigned, index))
			pd_wrap_put(t->to, g->ptr,
				    g->kind == PD_ARG_OUT_STRING ? strlen(g->ptr) + 1 : g->size);
		if (pm)
			pd_copy_drop(&t++->c);
		index += g->kind != PD_ARG_COUNT;
	}
}

/* `call` is libc's function with the list `ap`; longest is how long a %s can become. */
#define SCAN_BODY(longest, direct, call)                                                           \
	do {                                                                                       \
		struct pd_args a;                                                                  \
		struct pd_copy f;                                                                  \
		struct target *t;                                                                  \
		va_list list;                                                                      \
		int r;                                                                             \
                                                                                                   \
		pd_wrap_talk();                                                                    \
		if (!pd_inside())                                                                  \
			return direct;                                                             \
		pd_copy_string(&f, fmt, SIZE_MAX);                                                 \
		pd_args_scanf(&a, f.p);                                                            \
		if (a.unknown) {                                                                   \
			pd_rt_loss(PD_LOSS_CAPPED, pd_file_site,                                   \
				   "a format of scanf that is not understood");                    \
			pd_copy_drop(&f);                                                          \
			return direct;                                                             \
		}                                                                                  \
		pd_args_take(&a, ap);                                                              \
		t = alloca((count_pm(&a) + 1) * sizeof(*t));                                       \
		t[count_pm(&a)].g = NULL;                                                          \
		if (a.pm)                                                                          \
			exchange(&a, t, longest);                                                  \
		pd_args_list(&a, &list);                                                           \
		r = call;                                                                          \
		if (t->g)                                                                          \
			store(&a, t, r);                                                           \
		pd_copy_drop(&f);                                                                  \
		return r;                                                                          \
	} while (0)

/* No %s is longer than the string itself. */
static size_t longest_in(const char *s)
{
	size_t n = 0;

	if (!PM(s))
		return strlen(s) + 1;
	while (pd_wrap_get(s + n))
		n++;
	return n + 1;
}

static int scan_string(const char *s, const char *fmt, va_list ap,
		       int (*libc)(const char *, const char *, va_list))
{
	struct pd_copy x;
	int r;

	pd_copy_string(&x, s, SIZE_MAX);
	r = libc(x.p, fmt, ap);
	pd_copy_drop(&x);
	return r;
}

int __pd_w_vsscanf(const char *restrict s, const char *restrict fmt, va_list ap)
{
	SCAN_BODY(longest_in(s), PD_LIBC(vsscanf)(s, fmt, ap),
		  scan_string(s, f.p, list, PD_LIBC(vsscanf)));
}

int __pd_w___isoc23_vsscanf(const char *s, const char *fmt, va_list ap)
{
	SCAN_BODY(longest_in(s), PD_C23(vsscanf)(s, fmt, ap),
		  scan_string(s, f.p, list, PD_C23(vsscanf)));
}

int __pd_w___isoc99_vsscanf(const char *s, const char *fmt, va_list ap)
{
	SCAN_BODY(longest_in(s), __isoc99_vsscanf(s, fmt, ap),
		  scan_string(s, f.p, list, __isoc99_vsscanf));
}

static int scan_file(FILE *f_, const char *fmt, va_list ap)
{
	SCAN_BODY(UNLIMITED, PD_LIBC(vfscanf)(f_, fmt, ap), PD_LIBC(vfscanf)(f_, f.p, list));
}

static int scan_file23(FILE *f_, const char *fmt, va_list ap)
{
	SCAN_BODY(UNLIMITED, PD_C23(vfscanf)(f_, fmt, ap), PD_C23(vfscanf)(f_, f.p, list));
}

static int scan_file99(FILE *f_, const char *fmt, va_list ap)
{
	SCAN_BODY(UNLIMITED, __isoc99_vfscanf(f_, fmt, ap), __isoc99_vfscanf(f_, f.p, list));
}

int __pd_w_sscanf(const char *restrict s, const char *restrict fmt, ...)
{
	PD_WRAP_DOTS(__pd_w_vsscanf(s, fmt, ap));
}

int __pd_w___isoc99_sscanf(const char *s, const char *fmt, ...)
{
	PD_WRAP_DOTS(__pd_w___isoc99_vsscanf(s, fmt, ap));
}

int __pd_w_fscanf(FILE *restrict f, const char *restrict fmt, ...)
{
	PD_WRAP_DOTS(scan_file(f, fmt, ap));
}

int __pd_w___isoc99_fscanf(FILE *f, const char *fmt, ...)
{
	PD_WRAP_DOTS(scan_file99(f, fmt, ap));
}

int __pd_w___isoc23_sscanf(const char *s, const char *fmt, ...)
{
	PD_WRAP_DOTS(__pd_w___isoc23_vsscanf(s, fmt, ap));
}

int __pd_w___isoc23_fscanf(FILE *f, const char *fmt, ...)
{
	PD_WRAP_DOTS(scan_file23(f, fmt, ap));
}

int __pd_w_scanf(const char *restrict fmt, ...)
{
	PD_WRAP_DOTS(scan_file(stdin, fmt, ap));
}

int __pd_w___isoc99_scanf(const char *fmt, ...)
{
	PD_WRAP_DOTS(scan_file99(stdin, fmt, ap));
}

int __pd_w___isoc23_scanf(const char *fmt, ...)
{
	PD_WRAP_DOTS(scan_file23(stdin, fmt, ap));
}

int __pd_w_vscanf(const char *restrict fmt, va_list ap)
{
	return scan_file(stdin, fmt, ap);
}

int __pd_w___isoc99_vscanf(const char *fmt, va_list ap)
{
	return scan_file99(stdin, fmt, ap);
}

int __pd_w___isoc23_vscanf(const char *fmt, va_list ap)
{
	return scan_file23(stdin, fmt, ap);
}

int __pd_w_vfscanf(FILE *restrict f, const char *restrict fmt, va_list ap)
{
	return scan_file(f, fmt, ap);
}

int __pd_w___isoc99_vfscanf(FILE *f, const char *fmt, va_list ap)
{
	return scan_file99(f, fmt, ap);
}

int __pd_w___isoc23_vfscanf(FILE *f, const char *fmt, va_list ap)
{
	return scan_file23(f, fmt, ap);
}
