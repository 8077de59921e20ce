/*
 * libc/misc.c - small functions that read or write one object of their caller: of the math library,
 * of random numbers, of time and of addresses; see wrap.h.
 */
#include "runtime/libc/wrap.h"
#include <dlfcn.h>

/* ---- results of the math library beside the one that is returned ---------------------------- */

/* One of libm's, which is there if the program can call it. */
#define LIBM(name)                                                                                 \
	static __typeof__(name) *libm_##name(void)                                                 \
	{                                                                                          \
		static __typeof__(name) *f;                                                        \
                                                                                                   \
		if (!f)                                                                            \
			*(void **)&f = dlsym(RTLD_DEFAULT, #name);                                 \
		return f;                                                                          \
	}

#define OUT(name, real, type, params, args, first)                                                 \
	type __pd_w_##name params                                                                  \
	{                                                                                          \
		__typeof__(*out) there;                                                            \
		type r;                                                                            \
                                                                                                   \
		pd_wrap_enter();                                                                   \
		if (!PM(out))                                                                      \
			return real args;                                                          \
		r = real first;                                                                    \
		pd_wrap_put(out, &there, sizeof(there));                                           \
		return r;                                                                          \
	}

#define FREXP(name, type) OUT(name, name, type, (type v, int *out), (v, out), (v, &there))
#define MODF(name, type)  OUT(name, name, type, (type v, type * out), (v, out), (v, &there))
#define LGAMMA(name, type)                                                                         \
	LIBM(name)                                                                                 \
	OUT(name, libm_##name(), type, (type v, int *out), (v, out), (v, &there))
#define REMQUO(name, type)                                                                         \
	LIBM(name)                                                                                 \
	OUT(name, libm_##name(), type, (type v, type w, int *out), (v, w, out), (v, w, &there))

FREXP(frexp, double)
FREXP(frexpf, float)
FREXP(frexpl, long double)
MODF(modf, double)
MODF(modff, float)
MODF(modfl, long double)
LGAMMA(lgamma_r, double)
LGAMMA(lgammaf_r, float)
LGAMMA(lgammal_r, long double)
REMQUO(remquo, double)
REMQUO(remquof, float)
REMQUO(remquol, long double)

#define SINCOS(name, type)                                                                         \
	LIBM(name)                                                                                 \
	void __pd_w_##name(type v, type *sine, type *cosine)                                       \
	{                                                                                          \
		type s, c;                                                                         \
                                                                                                   \
		pd_wrap_enter();                                                                   \
		libm_##name()(v, &s, &c);                                                          \
		pd_wrap_put(sine, &s, sizeof(s));                                                  \
		pd_wrap_put(cosine, &c, sizeof(c));                                                \
	}

SINCOS(sincos, double)
SINCOS(sincosf, float)
SINCOS(sincosl, long double)

/* ---- random numbers whose state is the caller's --------------------------------------------- */

int __pd_w_rand_r(unsigned *state)
{
	unsigned copy;
	int r;

	pd_wrap_enter();
	if (!PM(state))
		return rand_r(state);
	pd_file_from_user(&copy, state, sizeof(copy));
	r = rand_r(&copy);
	pd_wrap_put(state, &copy, sizeof(copy));
	return r;
}

#define RAND48(name, type)                                                                         \
	type __pd_w_##name(unsigned short state[3])                                                \
	{                                                                                          \
		unsigned short copy[3];                                                            \
		type r;                                                                            \
                                                                                                   \
		pd_wrap_enter();                                                                   \
		if (!PM(state))                                                                    \
			return name(state);                                                        \
		pd_file_from_user(copy, state, sizeof(copy));                                      \
		r = name(copy);                                                                    \
		pd_wrap_put(state, copy, sizeof(copy));                                            \
		return r;                                                                          \
	}

RAND48(erand48, double)
RAND48(nrand48, long)
RAND48(jrand48, long)

unsigned short *__pd_w_seed48(unsigned short state[3])
{
	unsigned short copy[3];

	pd_wrap_enter();
	pd_file_from_user(copy, state, sizeof(copy));
	return seed48(copy);
}

void __pd_w_lcong48(unsigned short param[7])
{
	unsigned short copy[7];

	pd_wrap_enter();
	pd_file_from_user(copy, param, sizeof(copy));
	lcong48(copy);
}

/* ---- time ----------------------------------------------------------------------------------- */

/* The hole between its integers and the rest is not written. */
static void put_tm(struct tm *to, const struct tm *tm)
{
	size_t rest = offsetof(struct tm, tm_gmtoff);

	pd_wrap_put(to, tm, offsetof(struct tm, tm_isdst) + sizeof(int));
	pd_wrap_put((char *)to + rest, (const char *)tm + rest, sizeof(*tm) - rest);
}

#define BROKEN_DOWN(name)                                                                          \
	struct tm *__pd_w_##name(const time_t *restrict t, struct tm *restrict out)                \
	{                                                                                          \
		time_t in;                                                                         \
		struct tm tm;                                                                      \
                                                                                                   \
		pd_wrap_talk();                                                                    \
		if (!PM(t) && !PM(out))                                                            \
			return name(t, out);                                                       \
		pd_file_from_user(&in, t, sizeof(in));                                             \
		if (!name(&in, &tm))                                                               \
			return NULL;                                                               \
		put_tm(out, &tm);                                                                  \
		return out;                                                                        \
	}

BROKEN_DOWN(localtime_r)
BROKEN_DOWN(gmtime_r)

/* Into memory of libc's own. */
#define FROM_TIME(name, type, from)                                                                \
	type __pd_w_##name(const from *t)                                                          \
	{                                                                                          \
		from in;                                                                           \
                                                                                                   \
		pd_wrap_talk();                                                                    \
		pd_file_from_user(&in, t, sizeof(in));                                             \
		return name(&in);                                                                  \
	}

FROM_TIME(localtime, struct tm *, time_t)
FROM_TIME(gmtime, struct tm *, time_t)
FROM_TIME(ctime, char *, time_t)
FROM_TIME(asctime, char *, struct tm)

/* Both set their argument right. */
#define TO_TIME(name)                                                                              \
	time_t __pd_w_##name(struct tm *t)                                                         \
	{                                                                                          \
		struct tm tm;                                                                      \
		time_t r;                                                                          \
                                                                                                   \
		pd_wrap_talk();                                                                    \
		if (!PM(t))                                                                        \
			return name(t);                                                            \
		pd_file_from_user(&tm, t, sizeof(tm));                                             \
		r = name(&tm);                                                                     \
		put_tm(t, &tm);                                                                    \
		return r;                                                                          \
	}

TO_TIME(mktime)
TO_TIME(timegm)
TO_TIME(timelocal)

#define TEXT_OF_TIME(name, from)                                                                   \
	char *__pd_w_##name(const from *restrict t, char *restrict d)                              \
	{                                                                                          \
		char text[64];                                                                     \
		from in;                                                                           \
                                                                                                   \
		pd_wrap_talk();                                                                    \
		pd_file_from_user(&in, t, sizeof(in));                                             \
		if (!PM(d))                                                                        \
			return name(&in, d);                                                       \
		if (!name(&in, text))                                                              \
			return NULL;                                                               \
		pd_wrap_put(d, text, strlen(text) + 1);                                            \
		return d;                                                                          \
	}

TEXT_OF_TIME(ctime_r, time_t)
TEXT_OF_TIME(asctime_r, struct tm)

size_t __pd_w_strftime(char *restrict d, size_t n, const char *restrict fmt,
		       const struct tm *restrict tm)
{
	struct pd_copy f, t, out;
	size_t r;

	pd_wrap_talk();
	if (!PM(d) && !PM(fmt) && !PM(tm))
		return strftime(d, n, fmt, tm);
	pd_copy_string(&f, fmt, SIZE_MAX);
	pd_copy_block(&t, tm, sizeof(*tm));
	pd_copy_room(&out, n);
	r = strftime(out.p, n, f.p, (struct tm *)t.p);
	if (r || (n && !*f.p))
		pd_wrap_put(d, out.p, r + 1);
	pd_copy_drop(&out);
	pd_copy_drop(&t);
	pd_copy_drop(&f);
	return r;
}

char *__pd_w_strptime(const char *restrict s, const char *restrict fmt, struct tm *restrict out)
{
	struct pd_copy x, f;
	struct tm tm;
	char *r;

	pd_wrap_talk();
	if (!PM(s) && !PM(fmt) && !PM(out))
		return strptime(s, fmt, out);
	pd_copy_string(&x, s, SIZE_MAX);
	pd_copy_string(&f, fmt, SIZE_MAX);
	pd_file_from_user(&tm, out, sizeof(tm)); /* it writes the fields that the format has */
	r = pd_copy_back(&x, s, strptime(x.p, f.p, &tm));
	if (PM(out))
		put_tm(out, &tm);
	else
		*out = tm;
	pd_copy_drop(&f);
	pd_copy_drop(&x);
	return r;
}

/* ---- addresses of the network --------------------------------------------------------------- */

in_addr_t __pd_w_inet_addr(const char *s)
{
	struct pd_copy x;
	in_addr_t r;

	pd_wrap_enter();
	pd_copy_string(&x, s, SIZE_MAX);
	r = inet_addr(x.p);
	pd_copy_drop(&x);
	return r;
}

int __pd_w_inet_aton(const char *s, struct in_addr *out)
{
	struct in_addr there;
	struct pd_copy x;
	int r;

	pd_wrap_enter();
	pd_copy_string(&x, s, SIZE_MAX);
	r = inet_aton(x.p, &there);
	if (r && out)
		pd_wrap_put(out, &there, sizeof(there));
	pd_copy_drop(&x);
	return r;
}

static size_t address_size(int family)
{
	return family == AF_INET ? sizeof(struct in_addr) : sizeof(struct in6_addr);
}

int __pd_w_inet_pton(int family, const char *restrict s, void *restrict out)
{
	struct in6_addr there;
	struct pd_copy x;
	int r;

	pd_wrap_enter();
	if (!PM(s) && !PM(out))
		return inet_pton(family, s, out);
	pd_copy_string(&x, s, SIZE_MAX);
	r = inet_pton(family, x.p, &there);
	if (r == 1)
		pd_wrap_put(out, &there, address_size(family));
	pd_copy_drop(&x);
	return r;
}

const char *__pd_w_inet_ntop(int family, const void *restrict from, char *restrict d, socklen_t n)
{
	struct pd_copy x;
	char text[INET6_ADDRSTRLEN];
	const char *r;

	pd_wrap_enter();
	if (!PM(from) && !PM(d))
		return inet_ntop(family, from, d, n);
	pd_copy_block(&x, from, address_size(family));
	r = inet_ntop(family, x.p, text, PD_MIN(n, sizeof(text)));
	if (r)
		pd_wrap_put(d, text, strlen(text) + 1);
	pd_copy_drop(&x);
	return r ? d : NULL;
}
