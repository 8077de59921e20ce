/*
 * out.h - text goes through a sink that the caller gives.
 *
 * pd_outf knows %s %.*s %c %d %u %x %ld %lu %lx %zu %p %% with an optional field width (digits,
 * '-' for left, '0' for zeros), which is what the core needs; the same format checking as printf's.
 */
#ifndef PD_BASE_OUT_H
#define PD_BASE_OUT_H

#include "base/types.h"
#include <stdarg.h>

struct pd_out {
	void (*write)(void *ctx, const char *s, size_t n);
	void *ctx;
};

void pd_outs(struct pd_out *o, const char *s);
void pd_outf(struct pd_out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void pd_voutf(struct pd_out *o, const char *fmt, va_list ap) __attribute__((format(printf, 2, 0)));

/* A sink into a fixed buffer: always terminated, `lost` counts what did not fit. */
struct pd_outbuf {
	struct pd_out out;
	char *buf;
	size_t size;
	size_t n;
	size_t lost;
};

void pd_outbuf_init(struct pd_outbuf *b, char *buf, size_t size);

#endif
