/*
 * symbolic/stream.c - streams and descriptors; see summary.h.
 *
 * libc copies bytes out of the buffer of a FILE, where they have no labels. Where in a pool a
 * stream reads next is known (stream_at), so that what was read gets the labels that are there. How
 * much fgets and getline read depends on what they read: that is made certain. A read from a
 * descriptor is labelled where its bytes come from.
 */
#include "runtime/symbolic/summary.h"
#include <stdio.h>
#include <string.h>

/* ---- streams -------------------------------------------------------------------------------- */

/* What the current call reads; nothing here calls back. */
static _Thread_local struct {
	const uint8_t *at;
	uint64_t left;
	bool known;
} reading;

static bool stream(struct pd_sym_call *c, FILE *f)
{
	reading.known = false;
	if (!f || !pd_symbolic.stream_at)
		return false;
	pd_sum_read_plain(c, f);
	reading.known = pd_symbolic.stream_at(f, &reading.at, &reading.left);
	return reading.known;
}

static pd_expr next_byte(struct pd_sym_call *c, FILE *f)
{
	if (!stream(c, f) || !reading.left || !pd_labels_any(reading.at, 1))
		return 0;
	return pd_sum_zext(pd_sum_byte(reading.at), 32);
}

static pd_expr get(struct pd_sym_call *c)
{
	return next_byte(c, pd_sum_pointer(c, 0));
}

static pd_expr get_stdin(struct pd_sym_call *c)
{
	return next_byte(c, stdin);
}

PD_SUMMARY_OF(getchar, "", get_stdin, NULL);
PD_SUMMARY_OF(getchar_unlocked, "", get_stdin, NULL);
PD_SUMMARY_OF(getc, "p", get, NULL);
PD_SUMMARY_OF(fgetc, "p", get, NULL);
PD_SUMMARY_OF(_IO_getc, "p", get, NULL);
PD_SUMMARY_OF(getc_unlocked, "p", get, NULL);
PD_SUMMARY_OF(fgetc_unlocked, "p", get, NULL);
PD_SUMMARY_OF(__uflow, "p", get, NULL);
PD_SUMMARY_OF(ungetc, "-p", NULL, NULL);
PD_SUMMARY_OF(feof, "p", NULL, NULL);

/* The number of bytes up to and including the first `end`, at most n: fixed by branches. */
static size_t line(struct pd_sym_call *c, size_t n, int end)
{
	size_t i;

	n = PD_MIN(n, reading.left);
	for (i = 0; i < n; i++)
		if (pd_sum_decide(c->site, reading.at + i, (unsigned char)end))
			return i + 1;
	return n;
}

/* Labels these bytes as the next n of the stream, if they are. */
static void label(struct pd_sym_call *c, unsigned char *p, size_t n)
{
	if (!reading.known || !n || !pd_labels_any(reading.at, n))
		pd_sum_clear(p, n);
	else if (n <= reading.left && memcmp(p, reading.at, n) == 0)
		pd_sum_move(p, reading.at, n);
	else {
		pd_sum_clear(p, n);
		pd_sum_lost(c);
	}
}

static pd_expr get_line_of(struct pd_sym_call *c, int size, FILE *f)
{
	if (stream(c, f))
		return size > 0 ? (pd_expr)line(c, (size_t)size - 1, '\n') : 0;
	return 0;
}

static pd_expr get_line(struct pd_sym_call *c)
{
	return get_line_of(c, (int)c->arg[1], pd_sum_pointer(c, 2));
}

static pd_expr get_line_checked(struct pd_sym_call *c)
{
	return get_line_of(c, (int)c->arg[2], pd_sum_pointer(c, 3));
}

static pd_expr got_line(struct pd_sym_call *c)
{
	unsigned char *p = (unsigned char *)(uintptr_t)c->result;
	size_t n = (uint32_t)c->state;

	if (!p)
		return 0;
	if (!reading.known)
		n = strlen((const char *)p);
	label(c, p, n);
	pd_sum_clear(p + n, 1);
	return 0;
}

PD_SUMMARY_OF(fgets, "pnp", get_line, got_line);
PD_SUMMARY_OF(fgets_unlocked, "pnp", get_line, got_line);
PD_SUMMARY_OF(__fgets_chk, "pnnp", get_line_checked, got_line);

static pd_expr get_any_line(struct pd_sym_call *c)
{
	return stream(c, pd_sum_pointer(c, 2)) ? (pd_expr)line(c, SIZE_MAX, '\n') : 0;
}

static pd_expr get_delimited(struct pd_sym_call *c)
{
	return stream(c, pd_sum_pointer(c, 3)) ? (pd_expr)line(c, SIZE_MAX, (int)c->arg[2]) : 0;
}

static pd_expr got_any_line(struct pd_sym_call *c)
{
	unsigned char **p = pd_sum_pointer(c, 0);
	int64_t n = (int64_t)c->result;

	pd_sum_clear(p, sizeof(*p));
	pd_sum_clear(pd_sum_pointer(c, 1), sizeof(size_t));
	if (n < 0)
		return 0;
	label(c, *p, (size_t)n);
	pd_sum_clear(*p + n, 1);
	return 0;
}

PD_SUMMARY_OF(getline, "ppp", get_any_line, got_any_line);
PD_SUMMARY_OF(getdelim, "ppcp", get_delimited, got_any_line);
PD_SUMMARY_OF(__getdelim, "ppcp", get_delimited, got_any_line);

static pd_expr get_block(struct pd_sym_call *c)
{
	stream(c, pd_sum_pointer(c, 3));
	return 0;
}

static pd_expr get_block_checked(struct pd_sym_call *c)
{
	stream(c, pd_sum_pointer(c, 4));
	return 0;
}

static pd_expr got_block_of(struct pd_sym_call *c, size_t size, size_t n)
{
	/* A piece that is not whole is there, too */
	size_t all = size * n;

	if (reading.known)
		all = PD_MIN(all, reading.left);
	else
		all = size * c->result;
	label(c, pd_sum_pointer(c, 0), all);
	return 0;
}

static pd_expr got_block(struct pd_sym_call *c)
{
	return got_block_of(c, c->arg[1], c->arg[2]);
}

static pd_expr got_block_checked(struct pd_sym_call *c)
{
	return got_block_of(c, c->arg[2], c->arg[3]);
}

PD_SUMMARY_OF(fread, "pnnp", get_block, got_block);
PD_SUMMARY_OF(fread_unlocked, "pnnp", get_block, got_block);
PD_SUMMARY_OF(__fread_chk, "pnnnp", get_block_checked, got_block_checked);

/* ---- descriptors ---------------------------------------------------------------------------- */

/* Whether the bytes of the file have their labels. */
static pd_expr read_bytes(struct pd_sym_call *c)
{
	return pd_symbolic.is_labelled && pd_symbolic.is_labelled((int)c->arg[0]);
}

/* Bytes from elsewhere have no labels. */
static pd_expr have_read(struct pd_sym_call *c)
{
	int64_t n = (int64_t)c->result;

	if (!c->state && n > 0)
		pd_sum_clear(pd_sum_pointer(c, 1), (size_t)n);
	return 0;
}

PD_SUMMARY_OF(read, "cpn", read_bytes, have_read);
PD_SUMMARY_OF(__read_chk, "cpnn", read_bytes, have_read);
PD_SUMMARY_OF(pread, "cpnc", read_bytes, have_read);
PD_SUMMARY_OF(pread64, "cpnc", read_bytes, have_read);
PD_SUMMARY_OF(recv, "cpnc", read_bytes, have_read);
PD_SUMMARY_OF(__recv_chk, "cpnnc", read_bytes, have_read);
PD_SUMMARY_OF(recvfrom, "cpncpp", read_bytes, have_read);

/* ---- what is written goes out of sight: it is this run's ------------------------------------ */

static pd_expr put_byte(struct pd_sym_call *c)
{
	return c->label[0] ? pd_sum_zext(pd_sum_low(c->label[0], 8), 32) : 0;
}

static pd_expr put_byte_to(struct pd_sym_call *c)
{
	if (c->label[0])
		pd_sum_put_out(c, pd_sum_pointer(c, 1));
	return put_byte(c);
}

/* Whether it has labels. */
static bool put_block(const void *p, size_t n)
{
	if (!n || !pd_labels_any(p, n))
		return false;
	pd_symbolic_use();
	pd_labels_used(p, n);
	return true;
}

static pd_expr put_bytes(struct pd_sym_call *c)
{
	if (put_block(pd_sum_pointer(c, 1), c->arg[2]) && !read_bytes(c))
		pd_outside_wrote((int)c->arg[0], c->site, "write");
	return 0;
}

static pd_expr put_pieces(struct pd_sym_call *c)
{
	if (put_block(pd_sum_pointer(c, 0), c->arg[1] * c->arg[2]))
		pd_sum_put_out(c, pd_sum_pointer(c, 3));
	return 0;
}

static pd_expr put_string(struct pd_sym_call *c)
{
	const char *s = pd_sum_pointer(c, 0);

	if (s)
		put_block(s, strlen(s) + 1);
	return 0;
}

static pd_expr put_string_to(struct pd_sym_call *c)
{
	const char *s = pd_sum_pointer(c, 0);

	FILE *f = pd_sum_pointer(c, 1);

	if (!put_block(s, strlen(s) + 1))
		return 0;
	if (f != stdout && f != stderr)
		pd_text_fix(c->site, s, SIZE_MAX); /* so much longer is the file */
	pd_sum_put_out(c, f);
	return 0;
}

PD_SUMMARY_OF(write, "cpn", put_bytes, NULL);
PD_SUMMARY_OF(pwrite, "cpnc", put_bytes, NULL);
PD_SUMMARY_OF(pwrite64, "cpnc", put_bytes, NULL);
PD_SUMMARY_OF(send, "cpnc", put_bytes, NULL);
PD_SUMMARY_OF(fwrite, "pnnp", put_pieces, NULL);
PD_SUMMARY_OF(puts, "p", put_string, NULL);
PD_SUMMARY_OF(fputs, "pp", put_string_to, NULL);
PD_SUMMARY_OF(perror, "p", put_string, NULL);
PD_SUMMARY_OF(fflush, "p", NULL, NULL);
PD_SUMMARY_OF(putchar, "v", put_byte, NULL);
PD_SUMMARY_OF(putc, "vp", put_byte_to, NULL);
PD_SUMMARY_OF(fputc, "vp", put_byte_to, NULL);
PD_SUMMARY_OF(fwrite_unlocked, "pnnp", put_pieces, NULL);
PD_SUMMARY_OF(fputs_unlocked, "pp", put_string_to, NULL);
PD_SUMMARY_OF(putchar_unlocked, "v", put_byte, NULL);
PD_SUMMARY_OF(putc_unlocked, "vp", put_byte_to, NULL);
PD_SUMMARY_OF(fputc_unlocked, "vp", put_byte_to, NULL);
PD_SUMMARY_OF(strerror, "c", NULL, NULL);
