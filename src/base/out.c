/* out.c - see out.h. */
#include "base/out.h"

struct spec {
	bool left;
	bool zero;
	int width;
	int precision; /* -1: none */
	bool wide;     /* l or z */
};

static void put(struct pd_out *o, const char *s, size_t n)
{
	if (n)
		o->write(o->ctx, s, n);
}

static void pad(struct pd_out *o, const struct spec *sp, size_t n, char c)
{
	for (size_t i = n; sp->width > 0 && i < (size_t)sp->width; i++)
		put(o, &c, 1);
}

static void put_padded(struct pd_out *o, const struct spec *sp, const char *s, size_t n)
{
	if (!sp->left)
		pad(o, sp, n, sp->zero ? '0' : ' ');
	put(o, s, n);
	if (sp->left)
		pad(o, sp, n, ' ');
}

static void put_number(struct pd_out *o, const struct spec *sp, uint64_t v, bool negative,
		       unsigned base)
{
	char buf[24];
	size_t i = sizeof(buf);

	do {
		buf[--i] = "0123456789abcdef"[v % base];
		v /= base;
	} while (v);
	if (negative && sp->zero && !sp->left) {
		/* The sign goes before the zeros. */
		struct spec rest = *sp;

		rest.width--;
		put(o, "-", 1);
		put_padded(o, &rest, buf + i, sizeof(buf) - i);
		return;
	}
	if (negative)
		buf[--i] = '-';
	put_padded(o, sp, buf + i, sizeof(buf) - i);
}

static void put_string(struct pd_out *o, const struct spec *sp, const char *s)
{
	size_t n = 0;

	if (!s)
		s = "(null)";
	while ((sp->precision < 0 || n < (size_t)sp->precision) && s[n])
		n++;
	put_padded(o, sp, s, n);
}

static const char *parse_spec(const char *f, struct spec *sp, va_list *ap)
{
	*sp = (struct spec){.precision = -1};
	for (; *f == '-' || *f == '0'; f++) {
		sp->left |= *f == '-';
		sp->zero |= *f == '0';
	}
	if (*f == '*') {
		sp->width = va_arg(*ap, int);
		f++;
	}
	while (*f >= '0' && *f <= '9')
		sp->width = sp->width * 10 + (*f++ - '0');
	if (*f == '.' && f[1] == '*') {
		sp->precision = va_arg(*ap, int);
		f += 2;
	}
	while (*f == 'l' || *f == 'z') {
		sp->wide = true;
		f++;
	}
	return f;
}

static void put_signed(struct pd_out *o, const struct spec *sp, int64_t v)
{
	put_number(o, sp, v < 0 ? 0 - (uint64_t)v : (uint64_t)v, v < 0, 10);
}

static void put_one(struct pd_out *o, const struct spec *sp, char conv, va_list *ap)
{
	char c;

	switch (conv) {
	case 'd':
		put_signed(o, sp, sp->wide ? va_arg(*ap, long) : va_arg(*ap, int));
		break;
	case 'u':
	case 'x':
		put_number(o, sp, sp->wide ? va_arg(*ap, unsigned long) : va_arg(*ap, unsigned),
			   false, conv == 'x' ? 16 : 10);
		break;
	case 'p':
		put(o, "0x", 2);
		put_number(o, sp, (uintptr_t)va_arg(*ap, void *), false, 16);
		break;
	case 's':
		put_string(o, sp, va_arg(*ap, const char *));
		break;
	case 'c':
		c = (char)va_arg(*ap, int);
		put_padded(o, sp, &c, 1);
		break;
	default:
		put(o, &conv, 1);
	}
}

void pd_voutf(struct pd_out *o, const char *fmt, va_list ap0)
{
	va_list ap;

	va_copy(ap, ap0);
	while (*fmt) {
		const char *lit = fmt;
		struct spec sp;

		while (*fmt && *fmt != '%')
			fmt++;
		put(o, lit, (size_t)(fmt - lit));
		if (!*fmt)
			break;
		fmt = parse_spec(fmt + 1, &sp, &ap);
		if (*fmt)
			put_one(o, &sp, *fmt++, &ap);
	}
	va_end(ap);
}

void pd_outf(struct pd_out *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	pd_voutf(o, fmt, ap);
	va_end(ap);
}

void pd_outs(struct pd_out *o, const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	put(o, s, n);
}

static void outbuf_write(void *ctx, const char *s, size_t n)
{
	struct pd_outbuf *b = ctx;
	size_t room = b->size - 1 - b->n;
	size_t k = PD_MIN(n, room);

	memcpy(b->buf + b->n, s, k);
	b->n += k;
	b->buf[b->n] = '\0';
	b->lost += n - k;
}

void pd_outbuf_init(struct pd_outbuf *b, char *buf, size_t size)
{
	*b = (struct pd_outbuf){.out = {outbuf_write, b}, .buf = buf, .size = size};
	buf[0] = '\0';
}
