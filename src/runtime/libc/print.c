/*
 * libc/print.c - printf into PM and from PM; see wrap.h and libc/args.h.
 *
 * Strings that are PM are loaded as far as printf reads them and printed from the copy. Output into
 * PM is made in ordinary memory and stored as far as the function writes: the text and its NUL.
 */
#include "runtime/libc/args.h"
#include <alloca.h>

/* ---- arguments --------------------------------------------------------------------------------
 */

/* Exchanges what is PM for copies, which must stay until give_back. */
static void exchange(struct pd_args *a, struct pd_copy *room)
{
	a->copies = room;
	for (uint32_t i = 0; i < a->n; i++) {
		struct pd_arg *g = &a->v[i];
		struct pd_copy *c = &room[a->ncopies];

		if ((g->kind != PD_ARG_STRING && g->kind != PD_ARG_COUNT) || !PM(g->ptr))
			continue;
		a->ncopies++;
		if (g->kind == PD_ARG_STRING) {
			pd_copy_string(c, g->ptr, g->max >= 0 ? (size_t)g->max : SIZE_MAX);
		} else {
			pd_copy_room(c, 8);
			c->n = (size_t)g->ptr; /* where it goes in the end */
			memset(c->p, 0, 8);
		}
		g->ptr = c->p;
	}
}

static void give_back(struct pd_args *a)
{
	uint32_t k = 0;

	for (uint32_t i = 0; i < a->n && k < a->ncopies; i++) {
		struct pd_arg *g = &a->v[i];

		if (g->ptr != a->copies[k].p)
			continue;
		if (g->kind == PD_ARG_COUNT)
			pd_wrap_put((void *)a->copies[k].n, g->ptr, g->size);
		pd_copy_drop(&a->copies[k++]);
	}
}

static uint32_t count_pm(const struct pd_args *a)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < a->n; i++)
		n += (a->v[i].kind == PD_ARG_STRING || a->v[i].kind == PD_ARG_COUNT) &&
		     PM(a->v[i].ptr);
	return n;
}

/*
 * Formats the whole text into memory of ours. flag < 0: not the checking variant. Returns the
 * length or -1; the caller drops *out.
 */
static int format(struct pd_copy *out, int flag, const char *fmt, struct pd_args *a, va_list plain)
{
	struct pd_copy *room = alloca((count_pm(a) + 1) * sizeof(*room));
	int need = 0;

	pd_copy_room(out, 0);
	if (!a->unknown)
		exchange(a, room);
	for (size_t size = sizeof(out->small);; size = (size_t)need + 1) {
		va_list ap;

		if (a->unknown)
			va_copy(ap, plain);
		else
			pd_args_list(a, &ap);
		need = flag < 0 ? vsnprintf(out->p, size, fmt, ap)
				: __vsnprintf_chk(out->p, size, flag, size, fmt, ap);
		if (need < 0 || (size_t)need < size)
			break;
		pd_copy_drop(out);
		pd_copy_room(out, (size_t)need + 1);
	}
	if (!a->unknown)
		give_back(a);
	out->n = need < 0 ? 0 : (size_t)need;
	return need;
}

/* Examines a call. False: no PM in it, libc can have it as it is. The format is copied if it is
 * PM. */
static bool look(struct pd_args *a, struct pd_copy *f, const char *fmt, va_list ap, bool into_pm)
{
	bool pm = into_pm || PM(fmt);

	f->held = 0;
	if (!pd_inside())
		return false;
	pd_copy_string(f, fmt, SIZE_MAX);
	pd_args_printf(a, f->p);
	if (a->unknown) {
		pd_rt_loss(PD_LOSS_CAPPED, pd_file_site,
			   "a format of printf that is not understood");
		return pm;
	}
	pd_args_take(a, ap);
	return pm || a->pm;
}

/* ---- into memory ------------------------------------------------------------------------------
 */

/* room is the size of the object (SIZE_MAX: unknown), n what the caller allows. */
static int to_memory(char *d, size_t n, size_t room, const struct pd_copy *text, int need)
{
	size_t k = PD_MIN((size_t)need, n ? n - 1 : 0);
	char *end = text->p + k;

	if (need < 0)
		return need;
	if (k >= room && n)
		__chk_fail();
	if (n) {
		*end = 0;
		pd_wrap_put(d, text->p, k + 1);
	}
	return need;
}

/*
 * A v-function: `direct` is libc's; `use` makes the result from the text in `text` and its length
 * `need`.
 */
#define V_BODY(into, flag, direct, use)                                                            \
	do {                                                                                       \
		struct pd_args a;                                                                  \
		struct pd_copy f, text;                                                            \
		int need, r;                                                                       \
                                                                                                   \
		pd_wrap_talk();                                                                    \
		if (!look(&a, &f, fmt, ap, PM(into))) {                                            \
			r = direct;                                                                \
		} else {                                                                           \
			need = format(&text, flag, f.p, &a, ap);                                   \
			r = use;                                                                   \
			pd_copy_drop(&text);                                                       \
		}                                                                                  \
		pd_copy_drop(&f);                                                                  \
		return r;                                                                          \
	} while (0)

int __pd_w_vsprintf(char *restrict d, const char *restrict fmt, va_list ap)
{
	V_BODY(d, -1, vsprintf(d, fmt, ap), to_memory(d, SIZE_MAX, SIZE_MAX, &text, need));
}

int __pd_w_vsnprintf(char *restrict d, size_t n, const char *restrict fmt, va_list ap)
{
	V_BODY(d, -1, vsnprintf(d, n, fmt, ap), to_memory(d, n, SIZE_MAX, &text, need));
}

int __pd_w___vsprintf_chk(char *d, int flag, size_t room, const char *fmt, va_list ap)
{
	V_BODY(d, flag, __vsprintf_chk(d, flag, room, fmt, ap),
	       to_memory(d, SIZE_MAX, room, &text, need));
}

int __pd_w___vsnprintf_chk(char *d, size_t n, int flag, size_t room, const char *fmt, va_list ap)
{
	if (n > room)
		__chk_fail();
	V_BODY(d, flag, __vsnprintf_chk(d, n, flag, room, fmt, ap),
	       to_memory(d, n, room, &text, need));
}

int __pd_w_sprintf(char *restrict d, const char *restrict fmt, ...)
{
	PD_WRAP_DOTS(__pd_w_vsprintf(d, fmt, ap));
}

int __pd_w_snprintf(char *restrict d, size_t n, const char *restrict fmt, ...)
{
	PD_WRAP_DOTS(__pd_w_vsnprintf(d, n, fmt, ap));
}

int __pd_w___sprintf_chk(char *d, int flag, size_t room, const char *fmt, ...)
{
	PD_WRAP_DOTS(__pd_w___vsprintf_chk(d, flag, room, fmt, ap));
}

int __pd_w___snprintf_chk(char *d, size_t n, int flag, size_t room, const char *fmt, ...)
{
	PD_WRAP_DOTS(__pd_w___vsnprintf_chk(d, n, flag, room, fmt, ap));
}

/* ---- into new memory --------------------------------------------------------------------------
 */

static int to_new(char **out, const struct pd_copy *text, int need)
{
	char *s;

	if (need < 0)
		return need;
	s = malloc((size_t)need + 1);
	if (!s)
		return -1;
	memcpy(s, text->p, (size_t)need + 1);
	pd_wrap_put(out, &s, sizeof(s));
	return need;
}

int __pd_w_vasprintf(char **restrict out, const char *restrict fmt, va_list ap)
{
	V_BODY(out, -1, vasprintf(out, fmt, ap), to_new(out, &text, need));
}

int __pd_w___vasprintf_chk(char **out, int flag, const char *fmt, va_list ap)
{
	V_BODY(out, flag, __vasprintf_chk(out, flag, fmt, ap), to_new(out, &text, need));
}

int __pd_w_asprintf(char **restrict out, const char *restrict fmt, ...)
{
	PD_WRAP_DOTS(__pd_w_vasprintf(out, fmt, ap));
}

int __pd_w___asprintf_chk(char **out, int flag, const char *fmt, ...)
{
	PD_WRAP_DOTS(__pd_w___vasprintf_chk(out, flag, fmt, ap));
}

/* ---- to files ---------------------------------------------------------------------------------
 */

static int to_file(FILE *f, const struct pd_copy *text, int need)
{
	if (need < 0 || fwrite(text->p, 1, (size_t)need, f) != (size_t)need)
		return -1;
	return need;
}

static int to_fd(int fd, const struct pd_copy *text, int need)
{
	for (size_t done = 0; need > 0 && done < (size_t)need;) {
		ssize_t k = write(fd, text->p + done, (size_t)need - done);

		if (k < 0)
			return -1;
		done += (size_t)k;
	}
	return need;
}

int __pd_w_vfprintf(FILE *restrict f_, const char *restrict fmt, va_list ap)
{
	V_BODY(NULL, -1, vfprintf(f_, fmt, ap), to_file(f_, &text, need));
}

int __pd_w___vfprintf_chk(FILE *f_, int flag, const char *fmt, va_list ap)
{
	V_BODY(NULL, flag, __vfprintf_chk(f_, flag, fmt, ap), to_file(f_, &text, need));
}

/* dprintf goes to the kernel past our write: where the descriptor is a pool, the text goes through
 * it. */
int __pd_w_vdprintf(int fd, const char *restrict fmt, va_list ap)
{
	V_BODY(pd_file_of(fd) ? (void *)PD_PM_BASE : NULL, -1, vdprintf(fd, fmt, ap),
	       to_fd(fd, &text, need));
}

int __pd_w___vdprintf_chk(int fd, int flag, const char *fmt, va_list ap)
{
	V_BODY(pd_file_of(fd) ? (void *)PD_PM_BASE : NULL, flag, __vdprintf_chk(fd, flag, fmt, ap),
	       to_fd(fd, &text, need));
}

int __pd_w_vprintf(const char *restrict fmt, va_list ap)
{
	return __pd_w_vfprintf(stdout, fmt, ap);
}

int __pd_w___vprintf_chk(int flag, const char *fmt, va_list ap)
{
	return __pd_w___vfprintf_chk(stdout, flag, fmt, ap);
}

int __pd_w_printf(const char *restrict fmt, ...)
{
	PD_WRAP_DOTS(__pd_w_vfprintf(stdout, fmt, ap));
}

int __pd_w_fprintf(FILE *restrict f_, const char *restrict fmt, ...)
{
	PD_WRAP_DOTS(__pd_w_vfprintf(f_, fmt, ap));
}

int __pd_w_dprintf(int fd, const char *restrict fmt, ...)
{
	PD_WRAP_DOTS(__pd_w_vdprintf(fd, fmt, ap));
}

int __pd_w___printf_chk(int flag, const char *fmt, ...)
{
	PD_WRAP_DOTS(__pd_w___vfprintf_chk(stdout, flag, fmt, ap));
}

int __pd_w___fprintf_chk(FILE *f_, int flag, const char *fmt, ...)
{
	PD_WRAP_DOTS(__pd_w___vfprintf_chk(f_, flag, fmt, ap));
}

int __pd_w___dprintf_chk(int fd, int flag, const char *fmt, ...)
{
	PD_WRAP_DOTS(__pd_w___vdprintf_chk(fd, flag, fmt, ap));
}

int __pd_w_fputs(const char *restrict s, FILE *restrict f)
{
	struct pd_copy x;
	int r;

	pd_wrap_talk();
	pd_copy_string(&x, s, SIZE_MAX);
	r = fputs(x.p, f);
	pd_copy_drop(&x);
	return r;
}

int __pd_w_puts(const char *s)
{
	struct pd_copy x;
	int r;

	pd_wrap_talk();
	pd_copy_string(&x, s, SIZE_MAX);
	r = puts(x.p);
	pd_copy_drop(&x);
	return r;
}
