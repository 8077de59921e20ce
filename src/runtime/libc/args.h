/*
 * libc/args.h - the variable arguments of printf and scanf, taken apart and put together again.
 *
 * The format says which argument is what. Those that point to PM are exchanged for copies, and libc
 * gets a va_list over our array: on x86-64 a va_list whose register areas are used up reads
 * everything from its overflow area, 8 bytes an argument (16, aligned, for long double).
 */
#ifndef PD_RUNTIME_LIBC_ARGS_H
#define PD_RUNTIME_LIBC_ARGS_H

#include "runtime/libc/wrap.h"

#define PD_ARGS_MAX 64

enum pd_arg_kind {
	PD_ARG_NONE,
	PD_ARG_INT,
	PD_ARG_LONG, /* and every pointer that is printed as a number */
	PD_ARG_DOUBLE,
	PD_ARG_LDOUBLE,
	PD_ARG_STRING,	   /* read: %s */
	PD_ARG_COUNT,	   /* written: %n */
	PD_ARG_OUT,	   /* scanf: written, `size` bytes */
	PD_ARG_OUT_STRING, /* scanf: written, with its NUL; at most `size` bytes, 0: no limit */
};

struct pd_arg {
	enum pd_arg_kind kind;
	uint32_t size;	  /* of what is written */
	int64_t max;	  /* %s: the precision, -1: none */
	int32_t max_from; /* %s: the argument that is the precision, -1: none */
	union {
		uint64_t word;
		char *ptr;
		long double wide;
	};
};

struct pd_args {
	uint32_t n;
	bool unknown; /* a format that we do not understand: leave everything to libc */
	bool pm;      /* some argument points to PM */
	struct pd_arg v[PD_ARGS_MAX];
	struct pd_copy *copies; /* one for each exchanged argument, in order */
	uint32_t ncopies;
	_Alignas(16) uint64_t slots[PD_ARGS_MAX * 2 + 2];
};

/* What the format asks for; then the arguments themselves, out of ap. */
void pd_args_printf(struct pd_args *a, const char *fmt);
void pd_args_scanf(struct pd_args *a, const char *fmt);
void pd_args_take(struct pd_args *a, va_list ap);

/* The arguments as a va_list for libc. */
void pd_args_list(struct pd_args *a, va_list *ap);

#endif
