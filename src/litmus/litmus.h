/*
 * litmus.h - small programs with their whole set of allowed results.
 *
 *	# Does clwb+sfence on x order x before a later store to y?   rule: P8
 *	T0:     st x 1; clwb x; sfence; st y 1
 *	images: x=0 y=0 | x=1 y=0 | x=1 y=1
 *
 * A file is a list of lines `key: ...`; docs/litmus.md describes them for a user. Each T line is a
 * thread. `crash:` starts another execution on what the crash before left. `images:` lists what PM
 * may hold if power fails at any moment of the execution; `outcomes:` what the registers may hold
 * when it has run to its end.
 *
 * This header is the parsed form, shared by the explorer that drives the model (explore.c) and by
 * the naive reference in tests/ref, which must know nothing else of the model.
 */
#ifndef PD_LITMUS_LITMUS_H
#define PD_LITMUS_LITMUS_H

#include "base/arena.h"
#include "base/map.h"
#include "base/out.h"
#include "base/vec.h"
#include "model/params.h"

enum {
	PD_LIT_THREADS = 8,
	PD_LIT_REGS = 16,
	PD_LIT_VARS = 32,
	PD_LIT_WORDS = 8, /* of one stv */
	PD_LIT_SECTIONS = 4,
};

enum pd_lit_op {
	PD_LIT_ST,
	PD_LIT_STNT,
	PD_LIT_STV, /* a wide store: some 8-byte words */
	PD_LIT_LD,
	PD_LIT_CLFLUSH,
	PD_LIT_CLFLUSHOPT,
	PD_LIT_CLWB,
	PD_LIT_SFENCE,
	PD_LIT_MFENCE,
	PD_LIT_LFENCE,
	PD_LIT_XCHG, /* reg = old; memory = value */
	PD_LIT_ADD,  /* reg = old; memory += value */
	PD_LIT_CAS,  /* reg = old; if old == value[0]: memory = value[1] */
	PD_LIT_MSYNC,
	PD_LIT_UNNEEDED,
};

/* A number, or a register of the same thread. */
struct pd_lit_operand {
	bool is_reg;
	uint64_t value; /* the number, or the register's index in its section */
};

struct pd_lit_instr {
	enum pd_lit_op op;
	uint32_t size; /* bytes of the access; 1, 2, 4, 8, or 8 * words for stv */
	uint64_t addr; /* a byte of memory, from 0 */
	uint32_t reg;  /* destination, for ld and locked instructions */
	uint32_t nvalue;
	struct pd_lit_operand value[PD_LIT_WORDS];
	bool guarded; /* runs only if register guard_reg == guard_value */
	uint32_t guard_reg;
	uint64_t guard_value;
};

struct pd_lit_thread {
	PD_VEC(struct pd_lit_instr) instr;
	const char *name;
};

struct pd_lit_var {
	const char *name;
	uint64_t addr;
	uint32_t size; /* 1, 2, 4 or 8; any alignment */
	uint64_t init;
};

/* A set of tuples of numbers: images (a value a variable) or outcomes (a value a register). */
struct pd_tuples {
	struct pd_arena *arena;
	uint32_t width;
	PD_VEC(uint64_t) flat;
	uint32_t n;
	struct pd_map index;
};

/* One execution: from the start or a crash to a crash or the end. */
struct pd_lit_section {
	uint32_t nthread;
	struct pd_lit_thread thread[PD_LIT_THREADS];
	uint32_t nreg;
	const char *reg[PD_LIT_REGS];
	bool has_images; /* the file says what they are */
	bool has_outcomes;
	struct pd_tuples images;
	struct pd_tuples outcomes;
};

struct pd_litmus {
	const char *file;
	const char *question; /* the first comment, or NULL */
	struct pd_params params;
	uint64_t mem_size; /* a whole number of lines */
	uint32_t nvar;
	struct pd_lit_var var[PD_LIT_VARS];
	uint32_t nsection;
	struct pd_lit_section section[PD_LIT_SECTIONS];
};

/* Results of one exploration, in the order of sections. */
struct pd_lit_result {
	struct pd_tuples images[PD_LIT_SECTIONS];
	struct pd_tuples outcomes[PD_LIT_SECTIONS];
	uint64_t states; /* distinct states visited */
	uint64_t runs;	 /* executions of the program, whole or in part */
	bool capped;	 /* a limit was hit: the sets are too small */
};

/*
 * Parses text. On an error NULL, and one line in err: "file:line: what was expected".
 */
struct pd_litmus *pd_litmus_parse(struct pd_arena *a, const char *file, const char *text, size_t n,
				  struct pd_out *err);

/* Explores with the model. False where memory ran out. */
bool pd_litmus_explore(const struct pd_litmus *lit, struct pd_arena *keep, uint64_t max_states,
		       struct pd_lit_result *out);

/* The same, with every crash carried to a new model as bytes (model/state.h). */
bool pd_litmus_explore_by_state(const struct pd_litmus *lit, struct pd_arena *keep,
				uint64_t max_states, struct pd_lit_result *out);

/* Prints one tuple: "x=0 y=1". */
void pd_litmus_print_image(struct pd_out *o, const struct pd_litmus *lit, const uint64_t *tuple);
void pd_litmus_print_outcome(struct pd_out *o, const struct pd_lit_section *s,
			     const uint64_t *tuple);

void pd_tuples_init(struct pd_tuples *t, struct pd_arena *a, uint32_t width);
/* 1: was new, 0: was there, -1: no memory. */
int pd_tuples_add(struct pd_tuples *t, const uint64_t *tuple);
bool pd_tuples_has(const struct pd_tuples *t, const uint64_t *tuple);
const uint64_t *pd_tuples_at(const struct pd_tuples *t, uint32_t i);
/* Ascending order, for printing. */
void pd_tuples_sort(struct pd_tuples *t);

#endif
