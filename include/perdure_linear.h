/*
 * perdure_linear.h - all that a driver of `perdure linear` needs, in C or C++.
 *
 * A driver lists the operations of a data structure. perdure calls them, from several threads,
 * makes power fail, and asks a sequential specification whether it can explain what they returned.
 * A driver has no main of its own: PD_LINEAR_DRIVER defines it.
 *
 *	static void *open_map(const char *path) { return map_open(path); }
 *	static void close_map(void *m)          { map_close(m); }
 *	static void put(void *m, struct pd_linear_op *op)
 *	{
 *		map_put(m, op->arg[0].word, op->arg[1].word);
 *	}
 *	static void get(void *m, struct pd_linear_op *op)
 *	{
 *		pd_linear_return(op, map_get(m, op->arg[0].word, PD_NONE));
 *	}
 *	static const struct pd_linear_entry table[] = {
 *		{"put", {PD_NEW_KEY, PD_VALUE}, put, 0},
 *		{"get", {PD_ANY_KEY}, get, 0},
 *		PD_LINEAR_END};
 *	PD_LINEAR_DRIVER("map", PD_DURABLE, table, open_map, close_map)
 *
 * docs/engines/linear.md lists the operations of the specifications that perdure ships;
 * docs/specifications.md explains how to write your own.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef PERDURE_LINEAR_H
#define PERDURE_LINEAR_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { PD_LINEAR_ARGS = 3 };

/* Results with a meaning of their own; perdure never uses them as keys or values. */
#define PD_NONE	  UINT64_MAX	   /* absent: no such key or element */
#define PD_FAILED (UINT64_MAX - 1) /* refused without any effect; the entry says PD_MAY_FAIL */

/* An argument or a result: a word, or bytes and their hash as the word. */
struct pd_linear_value {
	uint64_t word;
	const void *data;
	size_t size;
};

/* One operation: its arguments and, if `returned`, its result. */
struct pd_linear_op {
	uint16_t fn; /* index in the specification's list of operations */
	uint8_t nargs;
	uint8_t returned; /* 0: no result was given; any is accepted */
	uint8_t flags;	  /* PD_MAY_FAIL, PD_SYNC */
	struct pd_linear_value arg[PD_LINEAR_ARGS];
	struct pd_linear_value result;
};

/* Sets the result of the operation. If it is never called, the operation returns nothing that its
 * caller could see. */
static inline void pd_linear_return(struct pd_linear_op *op, uint64_t word)
{
	op->returned = 1;
	op->result.word = word;
}

/* A word, and an array of words with it (for a scan, pairs of key and value). Whoever keeps the
 * result copies them. */
static inline void pd_linear_return_data(struct pd_linear_op *op, uint64_t word, const void *data,
					 size_t size)
{
	pd_linear_return(op, word);
	op->result.data = data;
	op->result.size = size;
}

/* The word that stands for bytes. */
static inline uint64_t pd_linear_hash(const void *data, size_t size)
{
	const unsigned char *b = (const unsigned char *)data;
	uint64_t h = 0xcbf29ce484222325ULL;
	size_t i;

	for (i = 0; i < size; i++)
		h = (h ^ b[i]) * 0x100000001b3ULL;
	return h >> 1; /* neither PD_NONE nor PD_FAILED */
}

/* Bytes, such as a PD_BYTES argument of an earlier operation. */
static inline void pd_linear_return_bytes(struct pd_linear_op *op, const void *data, size_t size)
{
	pd_linear_return_data(op, pd_linear_hash(data, size), data, size);
}

/* ---- the table of operations --------------------------------------------------------------- */

/* The kind of an argument: how perdure chooses it. */
enum pd_linear_arg {
	PD_NO_ARG,
	PD_NEW_KEY, /* usually one that was not used before */
	PD_OLD_KEY, /* usually one that was */
	PD_ANY_KEY,
	PD_VALUE, /* usually different from all before */
	PD_BYTES,
	PD_COUNT /* a small number */
};

enum {
	PD_MAY_FAIL = 1, /* may return PD_FAILED at any time, without effect */
	PD_SYNC = 2 /* when it returns, everything that returned before it was called is durable */
};

struct pd_linear_entry {
	const char *name; /* its name in the specification; any name for a sync */
	enum pd_linear_arg args[PD_LINEAR_ARGS];
	void (*call)(void *structure, struct pd_linear_op *op);
	int flags;
};

/* Ends a table. */
#define PD_LINEAR_END {NULL, {PD_NO_ARG}, NULL, 0}

enum pd_linear_condition {
	PD_DURABLE, /* what returned survives a crash; an interrupted operation happens or does not */
	PD_BUFFERED, /* a crash may lose the latest operations, but leaves a consistent prefix */
	PD_STRICT    /* an interrupted operation happens before the crash or never */
};

/* ---- specifications ------------------------------------------------------------------------ */

/* Memory that lasts as long as the judging. Never change what a state points to in it: clones share
 * it. */
struct pd_linear_memory {
	void *(*alloc)(struct pd_linear_memory *m, size_t n); /* zeroed; NULL: out of memory */
};

enum pd_linear_effect {
	PD_WRITES,  /* may change the state */
	PD_READS,   /* never changes it */
	PD_REMOVES, /* removes an element */
	PD_PEEKS    /* returns the element that would be removed next */
};

struct pd_linear_spec_op {
	const char *name;
	int effect; /* enum pd_linear_effect */
	int nargs;
};

/*
 * A sequential implementation. A state is `size` bytes, which perdure allocates; all zeros is the
 * initial state. Where clone, equal and hash are NULL, perdure copies, compares and hashes the
 * bytes themselves (so they must contain no pointers and no uninitialised padding).
 */
struct pd_linear_spec {
	const char *name;
	const struct pd_linear_spec_op *ops; /* ends with an entry whose name is NULL */
	size_t size;
	/*
	 * Changes the state as the operation does, and sets its result. If the operation can go on
	 * in several ways, `way` counts them from 0. Returns 1; 0: there is no such way; -1: out of
	 * memory. The observed result is in op->result; the way need not match it.
	 */
	int (*apply)(void *state, const struct pd_linear_op *op, unsigned way,
		     struct pd_linear_value *result, struct pd_linear_memory *m);
	int (*clone)(void *to, const void *from, struct pd_linear_memory *m); /* 0: out of memory */
	int (*equal)(const void *a, const void *b);
	uint64_t (*hash)(const void *state);
	/* Stores the key and returns true if the operation reads and changes only what belongs to
	 * that key. NULL: no */
	int (*key)(const struct pd_linear_op *op, uint64_t *key);
	void (*finish)(void *state); /* if clone took memory from elsewhere; else NULL */
	/* Makes long histories quick to judge: operations that remove or peek return, in this
	 * order, what operations that write passed as their first argument. 0: they do not. */
	int order; /* enum pd_linear_order */
};

enum pd_linear_order { PD_NO_ORDER, PD_FIRST_IN_FIRST_OUT, PD_LAST_IN_FIRST_OUT };

/* ---- the driver ---------------------------------------------------------------------------- */

enum { PD_LINEAR_VERSION = 1 };

struct pd_linear_driver {
	int version;
	const char *spec;		  /* the name of one that perdure ships, or NULL and ... */
	const struct pd_linear_spec *own; /* ... your own */
	enum pd_linear_condition condition;
	const struct pd_linear_entry *table;
	void *(*open)(
		const char *path); /* creates the structure, or recovers it; NULL: it cannot */
	void (*close)(void *structure);
};

/* In perdure's runtime, which `perdure cc` and `perdure c++` always link. */
extern int __pd_linear_main(int argc, char **argv, const struct pd_linear_driver *driver);

#define PD_LINEAR_MAIN(spec_, own_, condition_, table_, open_, close_)                             \
	int main(int argc, char **argv)                                                            \
	{                                                                                          \
		static const struct pd_linear_driver pd_driver = {                                 \
			PD_LINEAR_VERSION, spec_, own_, condition_, table_, open_, close_};        \
		return __pd_linear_main(argc, argv, &pd_driver);                                   \
	}

/* The first takes the name of a specification, the second a specification of your own. */
#define PD_LINEAR_DRIVER(spec_, condition_, table_, open_, close_)                                 \
	PD_LINEAR_MAIN(spec_, NULL, condition_, table_, open_, close_)
#define PD_LINEAR_DRIVER_OWN(own_, condition_, table_, open_, close_)                              \
	PD_LINEAR_MAIN(NULL, own_, condition_, table_, open_, close_)

/* ---- programs with a main of their own ------------------------------------------------------ */

extern void __pd_say_spec(const struct pd_linear_spec *spec) __attribute__((weak));

/* Once, outside of any function: your own specification for a program that announces its operations
 * (pd_op_begin in perdure.h). `perdure linear --spec NAME` selects it by its name. */
#define PD_LINEAR_SPEC(own_)                                                                       \
	__attribute__((constructor)) static void pd_linear_spec_say(void)                          \
	{                                                                                          \
		if (__pd_say_spec)                                                                 \
			__pd_say_spec(own_);                                                       \
	}

#ifdef __cplusplus
}
#endif

#endif
