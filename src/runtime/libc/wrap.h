/*
 * wrap.h - what the wrappers of libc's memory functions share.
 *
 * __pd_w_<name> is what an instrumented module calls for <name> (cc/crash/wrap.def). Where no
 * argument is in the PM window it calls libc immediately. Otherwise it does what the function does
 * with the bytes coming from pd_rt_load and going to pd_rt_store: strings byte by byte, as far as
 * they are really read; blocks in pieces, ascending. A function that is too large to be done here
 * runs in libc on copies.
 *
 * The session may hold a newer value of a byte than memory has, so PM is never read or written
 * directly, and a value is loaded once.
 *
 * Thread rule: any thread; strtok's state alone is shared, as libc's is.
 */
#ifndef PD_RUNTIME_LIBC_WRAP_H
#define PD_RUNTIME_LIBC_WRAP_H

#include "runtime/file/file.h"
#include "runtime/access/mem.h"
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/random.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>
#include <arpa/inet.h>
#include <inttypes.h>
#include <math.h>
#include <search.h>

/* What _FORTIFY_SOURCE calls, declared by no header outside it. */
void *__memcpy_chk(void *d, const void *s, size_t n, size_t room);
void *__memmove_chk(void *d, const void *s, size_t n, size_t room);
void *__mempcpy_chk(void *d, const void *s, size_t n, size_t room);
void *__memset_chk(void *d, int c, size_t n, size_t room);
void __explicit_bzero_chk(void *d, size_t n, size_t room);
char *__strdup(const char *s);
char *__strcpy_chk(char *d, const char *s, size_t room);
char *__stpcpy_chk(char *d, const char *s, size_t room);
char *__strncpy_chk(char *d, const char *s, size_t n, size_t room);
char *__stpncpy_chk(char *d, const char *s, size_t n, size_t room);
char *__strcat_chk(char *d, const char *s, size_t room);
char *__strncat_chk(char *d, const char *s, size_t n, size_t room);
int __sprintf_chk(char *d, int flag, size_t room, const char *fmt, ...);
int __snprintf_chk(char *d, size_t n, int flag, size_t room, const char *fmt, ...);
int __vsprintf_chk(char *d, int flag, size_t room, const char *fmt, va_list ap);
int __vsnprintf_chk(char *d, size_t n, int flag, size_t room, const char *fmt, va_list ap);
int __asprintf_chk(char **out, int flag, const char *fmt, ...);
int __vasprintf_chk(char **out, int flag, const char *fmt, va_list ap);
int __printf_chk(int flag, const char *fmt, ...);
int __fprintf_chk(FILE *f, int flag, const char *fmt, ...);
int __dprintf_chk(int fd, int flag, const char *fmt, ...);
int __vprintf_chk(int flag, const char *fmt, va_list ap);
int __vfprintf_chk(FILE *f, int flag, const char *fmt, va_list ap);
int __vdprintf_chk(int fd, int flag, const char *fmt, va_list ap);
int __isoc99_sscanf(const char *s, const char *fmt, ...);
int __isoc99_fscanf(FILE *f, const char *fmt, ...);
int __isoc99_vsscanf(const char *s, const char *fmt, va_list ap);
int __isoc99_vfscanf(FILE *f, const char *fmt, va_list ap);
ssize_t __read_chk(int fd, void *buf, size_t n, size_t room);
ssize_t __pread_chk(int fd, void *buf, size_t n, off_t off, size_t room);
ssize_t __pread64_chk(int fd, void *buf, size_t n, off64_t off, size_t room);
ssize_t __recv_chk(int fd, void *buf, size_t n, size_t room, int flags);
ssize_t __recvfrom_chk(int fd, void *buf, size_t n, size_t room, int flags, struct sockaddr *from,
		       socklen_t *fromlen);
size_t __fread_chk(void *buf, size_t room, size_t size, size_t n, FILE *f);
char *__fgets_chk(char *buf, size_t room, int n, FILE *f);
_Noreturn void __chk_fail(void);
int __memcmpeq(const void *a, const void *b, size_t n);
void *__mempcpy(void *restrict d, const void *restrict s, size_t n);
wchar_t *__wcscpy_chk(wchar_t *d, const wchar_t *s, size_t room);
wchar_t *__wcpcpy_chk(wchar_t *d, const wchar_t *s, size_t room);
wchar_t *__wcscat_chk(wchar_t *d, const wchar_t *s, size_t room);
wchar_t *__wcsncat_chk(wchar_t *d, const wchar_t *s, size_t n, size_t room);
wchar_t *__wcsncpy_chk(wchar_t *d, const wchar_t *s, size_t n, size_t room);
wchar_t *__wcpncpy_chk(wchar_t *d, const wchar_t *s, size_t n, size_t room);
wchar_t *__wmemcpy_chk(wchar_t *d, const wchar_t *s, size_t n, size_t room);
wchar_t *__wmemmove_chk(wchar_t *d, const wchar_t *s, size_t n, size_t room);
wchar_t *__wmempcpy_chk(wchar_t *d, const wchar_t *s, size_t n, size_t room);
wchar_t *__wmemset_chk(wchar_t *d, wchar_t w, size_t n, size_t room);
size_t __mbstowcs_chk(wchar_t *d, const char *s, size_t n, size_t room);
size_t __wcstombs_chk(char *d, const wchar_t *s, size_t n, size_t room);
wchar_t *wcswcs(const wchar_t *a, const wchar_t *b);

/*
 * What newer versions of libc have. They are called by PD_C23, or not at all, where this one does
 * not have them. Headers of those versions make the plain name mean the new function; PD_LIBC is
 * the plain one.
 */
#define PD_NEWER __attribute__((weak))
#define PD_INTEGER_23(c, name, type)                                                               \
	type __isoc23_##name(const c *restrict s, c **restrict end, int base) PD_NEWER;            \
	extern __typeof__(name) pd_libc_##name __asm__(#name);
PD_INTEGER_23(char, strtol, long)
PD_INTEGER_23(char, strtoll, long long)
PD_INTEGER_23(char, strtoul, unsigned long)
PD_INTEGER_23(char, strtoull, unsigned long long)
PD_INTEGER_23(char, strtoimax, intmax_t)
PD_INTEGER_23(char, strtoumax, uintmax_t)
PD_INTEGER_23(wchar_t, wcstol, long)
PD_INTEGER_23(wchar_t, wcstoll, long long)
PD_INTEGER_23(wchar_t, wcstoul, unsigned long)
PD_INTEGER_23(wchar_t, wcstoull, unsigned long long)
PD_INTEGER_23(wchar_t, wcstoimax, intmax_t)
PD_INTEGER_23(wchar_t, wcstoumax, uintmax_t)
#define PD_PLAIN(name) extern __typeof__(name) pd_libc_##name __asm__(#name);
PD_PLAIN(strtod)
PD_PLAIN(strtof)
PD_PLAIN(strtold)
PD_PLAIN(wcstod)
PD_PLAIN(wcstof)
PD_PLAIN(wcstold)
PD_PLAIN(vsscanf)
PD_PLAIN(vfscanf)
/* The variant of a function with "..." calls the one with va_list. */
#define PD_WRAP_DOTS(call)                                                                         \
	do {                                                                                       \
		va_list ap;                                                                        \
		int r;                                                                             \
                                                                                                   \
		va_start(ap, fmt);                                                                 \
		r = call;                                                                          \
		va_end(ap);                                                                        \
		return r;                                                                          \
	} while (0)

#define PD_LIBC(name) pd_libc_##name
#define PD_C23(name)  (__isoc23_##name ? __isoc23_##name : pd_libc_##name)
int __isoc23_sscanf(const char *s, const char *fmt, ...) PD_NEWER;
int __isoc23_fscanf(FILE *f, const char *fmt, ...) PD_NEWER;
int __isoc23_scanf(const char *fmt, ...) PD_NEWER;
int __isoc23_vsscanf(const char *s, const char *fmt, va_list ap) PD_NEWER;
int __isoc23_vfscanf(FILE *f, const char *fmt, va_list ap) PD_NEWER;
int __isoc23_vscanf(const char *fmt, va_list ap) PD_NEWER;
int __isoc99_scanf(const char *fmt, ...);
int __isoc99_vscanf(const char *fmt, va_list ap);
size_t strlcpy(char *restrict d, const char *restrict s, size_t n) PD_NEWER;
size_t strlcat(char *restrict d, const char *restrict s, size_t n) PD_NEWER;
size_t __strlcpy_chk(char *restrict d, const char *restrict s, size_t n, size_t room) PD_NEWER;
size_t __strlcat_chk(char *restrict d, const char *restrict s, size_t n, size_t room) PD_NEWER;
size_t __fread_unlocked_chk(void *buf, size_t room, size_t size, size_t n, FILE *f);
char *__fgets_unlocked_chk(char *buf, size_t room, int n, FILE *f);
ssize_t __getdelim(char **restrict line, size_t *restrict n, int end, FILE *restrict f);
char *__getcwd_chk(char *d, size_t n, size_t room);
char *__stpcpy(char *restrict d, const char *restrict s);
char *__stpncpy(char *restrict d, const char *restrict s, size_t n);
char *__strtok_r(char *restrict s, const char *restrict set, char **restrict save);

#define PD_WRAP(name, arguments) PD_EXPORT __typeof__(name) __pd_w_##name;
#include "cc/crash/wrap.def"

/*
 * The start of every wrapper: whose call it is, until the wrapper returns. What the program calls
 * next may have no wrapper (fflush), and its place is then found by its callers.
 */
#define pd_wrap_enter() uint32_t entered_ __attribute__((cleanup(pd_wrap_leave))) = pd_wrap_site()

static inline uint32_t pd_wrap_site(void)
{
	const struct pd_site *s = __pd_call_site;

	__pd_call_site = NULL;
	return pd_file_site = s ? s->id : 0;
}

static inline void pd_wrap_leave(const uint32_t *entered)
{
	(void)entered;
	pd_file_site = 0;
}

/* The same of one through which threads, or others, may hear of each other. */
#define pd_wrap_talk()                                                                             \
	pd_rt_drain();                                                                             \
	pd_wrap_enter()

/* Alone, a program may have anything at these addresses. */
#define PM(p) (pd_unlikely(PD_IS_PM(p)) && pd_inside_pm())

/* One byte of the program's memory, and n bytes to it. */
static inline unsigned char pd_wrap_get(const void *p)
{
	unsigned char c;

	if (!PM(p))
		return *(const unsigned char *)p;
	pd_rt_load(&c, p, 1, pd_file_site);
	return c;
}

static inline void pd_wrap_put(void *dst, const void *src, size_t n)
{
	pd_file_to_user(dst, src, n);
}

/* A copy of memory that may be PM; what is not PM is not copied but pointed to. */
struct pd_copy {
	char *p;
	size_t n;    /* bytes that are valid; of a string, without the NUL */
	size_t held; /* bytes borrowed, 0: none */
	char small[256];
};

/* Memory of ours for n bytes. */
void pd_copy_room(struct pd_copy *c, size_t n);
/* Adds n bytes, at most as many as fit into `small`. */
void pd_copy_add(struct pd_copy *c, const void *p, size_t n);
/* n bytes that the function reads. */
void pd_copy_block(struct pd_copy *c, const void *p, size_t n);
/* A string, up to its NUL or `max` bytes; the copy is terminated in any case. */
void pd_copy_string(struct pd_copy *c, const char *s, size_t max);
/* A string, as far as `more` says that the next byte is wanted. */
void pd_copy_while(struct pd_copy *c, const char *s, bool (*more)(unsigned char));
void pd_copy_drop(struct pd_copy *c);

/* A pointer into the copy, as the program has to see it. */
static inline void *pd_copy_back(const struct pd_copy *c, const void *orig, const void *p)
{
	return p ? (char *)orig + ((const char *)p - c->p) : NULL;
}

#endif
