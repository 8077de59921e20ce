/*
 * node.h - what the files of the graph of expressions share (expr.h); only they include it, and
 * those that answer questions by tables (wide.h).
 *
 * A node is a cache line. Its first 16 bytes are its key: operator, width, operands, or the value
 * of a constant. Two hash tables by key: `slot` has the nodes, so each exists once; `rewritten` is
 * a lossy cache of keys that a rule turned into another node.
 *
 * A constructor looks up both, then tries the rules, then makes the node. Rules make nodes only by
 * calling constructors, and depend only on the structure of operands (never on numbers, on memory
 * or on which nodes exist), so that all graphs simplify alike. Their recursion is bounded: each
 * call has a smaller width, or is one of a fixed number of levels; chains of operators are followed
 * by loops.
 */
#ifndef PD_ENGINE_EXPLORE_NODE_H
#define PD_ENGINE_EXPLORE_NODE_H

#include "base/bug.h"
#include "engine/explore/expr.h"
#include "engine/explore/op.h"

enum { PD_NODE_CHUNK_BITS = 12, PD_NODE_CHUNK = 1 << PD_NODE_CHUNK_BITS };

struct pd_node_key {
	uint8_t op, width, low, none;
	uint32_t a; /* operand; input: its index */
	uint32_t b; /* operand; table: its number; constant: low half of the value */
	uint32_t c; /* operand; constant: high half */
};

struct pd_node {
	struct pd_node_key key;
	uint32_t support; /* number of its set */
	uint32_t up;	  /* the node that waits for its value, during evaluation */
	uint64_t memo;	  /* its value, valid in `epoch` */
	uint64_t epoch;
	struct pd_digest digest;
	uint32_t truth; /* number of its truth table, or 0 (wide.h) */
	uint8_t live;	/* no bit from here on is ever set */
	uint8_t zeros;	/* no bit below is */
	uint16_t none;
};

struct pd_slot {
	uint32_t hash;
	uint32_t id; /* 0: empty */
};

struct pd_rewritten {
	struct pd_node_key key;
	uint32_t to; /* 0: empty */
};

/* Memory that is allocated and freed like a stack. */
struct pd_stack_chunk {
	struct pd_stack_chunk *next;
	uint64_t size, used;
	uint64_t none;
};

struct pd_stack {
	struct pd_stack_chunk *first, *top;
};

struct pd_support_set {
	uint32_t n;
	uint32_t hash;
	uint64_t some; /* bit i: a byte that is i modulo 64 */
	uint32_t v[];
};

struct pd_union {
	uint64_t of; /* two numbers of sets; 0: empty */
	uint32_t set;
};

struct pd_table {
	struct pd_expr_table t;
	uint64_t hash;
	bool constant; /* all entries are */
};

/* Objects of a stack by number, with a hash table of the numbers. */
struct pd_interned {
	void **v;
	uint32_t n, cap;
	struct pd_slot *slot;
	uint32_t mask;
	struct pd_stack stack;
};

struct pd_set;
struct pd_range;

struct pd_exprs {
	struct pd_arena *arena;
	uint32_t input_size;

	struct pd_node **chunk;
	uint32_t nchunks, chunk_cap;
	uint32_t n; /* nodes; 0 is none */

	struct pd_slot *slot;
	uint32_t mask; /* slots - 1 */
	struct pd_rewritten *rewritten;
	uint32_t rewritten_mask;

	struct pd_interned supports; /* struct pd_support_set */
	struct pd_union *unions;     /* by hash of the two numbers; a lossy cache */
	struct pd_interned tables;   /* struct pd_table */
	uint64_t *scratch;	     /* keys, then entries, of a table under construction */
	uint32_t scratch_cap;

	const uint8_t *input;
	uint64_t epoch;	     /* of `input` */
	uint64_t last_epoch; /* last one assigned */

	struct pd_set **truth; /* chunks of truth tables, by number: wide.c */
	uint32_t truths, truth_chunks, truth_cap;
	uint64_t **lanes; /* scratch of wide.c */
	uint32_t nlanes, lanes_used;
	struct pd_range *range; /* scratch of range.c */
	uint32_t range_cap;
};

static inline struct pd_node *pd_node(const struct pd_exprs *x, pd_expr e)
{
	return &x->chunk[e >> PD_NODE_CHUNK_BITS][e & (PD_NODE_CHUNK - 1)];
}

static inline bool pd_node_is_const(const struct pd_node *n)
{
	return n->key.op == PD_SYM_CONST;
}

static inline uint64_t pd_node_value(const struct pd_node *n)
{
	return n->key.b | (uint64_t)n->key.c << 32;
}

static inline const struct pd_table *pd_node_table(const struct pd_exprs *x,
						   const struct pd_node *n)
{
	return x->tables.v[n->key.b];
}

static inline uint64_t pd_node_hash(const struct pd_node_key *k)
{
	uint64_t w[2];

	memcpy(w, k, sizeof(w));
	return pd_mix(w[0] ^ w[1] * 0x9e3779b97f4a7c15ULL);
}

static inline bool pd_node_same(const struct pd_node_key *p, const struct pd_node_key *q)
{
	uint64_t v[2], w[2];

	memcpy(v, p, sizeof(v));
	memcpy(w, q, sizeof(w));
	return v[0] == w[0] && v[1] == w[1];
}

/* The node of that key, or what a rule made of it; 0: neither is known. */
pd_expr pd_node_find(const struct pd_exprs *x, const struct pd_node_key *k);

/* Makes it. 0: no memory. */
pd_expr pd_node_make(struct pd_exprs *x, const struct pd_node_key *k);

/* live and zeros of a node whose operands have theirs (bits.c). */
void pd_bits_node(const struct pd_exprs *x, struct pd_node *n);

/* Makes pd_node_find return `to` for that key. */
void pd_node_remember(struct pd_exprs *x, const struct pd_node_key *k, pd_expr to);

/* ---- stack.c: memory ------------------------------------------------------------------------ */

/* NULL: no memory. Zeroed. */
void *pd_stack_take(struct pd_stack *s, struct pd_arena *a, uint64_t n);

/* Frees p and everything allocated after it; p NULL: everything. */
void pd_stack_give(struct pd_stack *s, void *p);

bool pd_interned_init(struct pd_interned *t, struct pd_arena *a);

/* Adds one by its hash; false: memory ran out. */
bool pd_interned_add(struct pd_interned *t, struct pd_arena *a, void *p, uint32_t hash);

/* ---- support.c ------------------------------------------------------------------------------ */

bool pd_support_init(struct pd_exprs *x);

/* UINT32_MAX: no memory. Number 0 is the empty set. */
uint32_t pd_support_byte(struct pd_exprs *x, uint32_t index);
uint32_t pd_support_union(struct pd_exprs *x, uint32_t a, uint32_t b);

static inline const struct pd_support_set *pd_support_of(const struct pd_exprs *x, uint32_t set)
{
	return x->supports.v[set];
}

bool pd_support_has(const struct pd_support_set *s, uint32_t byte);

/* ---- table.c -------------------------------------------------------------------------------- */

bool pd_tables_init(struct pd_exprs *x);

/* The entry of a value of the index. */
pd_expr pd_table_at(const struct pd_table *t, uint64_t key);

/* The condition that table e, whose entries are all constants, has this value; 0: no rule. */
pd_expr pd_table_is(struct pd_exprs *x, pd_expr e, uint64_t value);

/* ---- rules: 0 where none applies ------------------------------------------------------------ */

pd_expr pd_rule_arith(struct pd_exprs *x, enum pd_sym_op op, pd_expr a, pd_expr b);
pd_expr pd_rule_bits(struct pd_exprs *x, enum pd_sym_op op, pd_expr a, pd_expr b);
pd_expr pd_rule_compare(struct pd_exprs *x, enum pd_sym_op op, pd_expr a, pd_expr b);
pd_expr pd_rule_not(struct pd_exprs *x, pd_expr a);
pd_expr pd_rule_ite(struct pd_exprs *x, pd_expr c, pd_expr a, pd_expr b);
pd_expr pd_rule_extend(struct pd_exprs *x, enum pd_sym_op op, pd_expr a, uint32_t width);
pd_expr pd_rule_extract(struct pd_exprs *x, pd_expr a, uint32_t low, uint32_t width);
pd_expr pd_rule_concat(struct pd_exprs *x, pd_expr high, pd_expr low);

/* ---- eval.c --------------------------------------------------------------------------------- */

/* The value under an input; nodes of this epoch are known already. */
uint64_t pd_eval(struct pd_exprs *x, pd_expr e, const uint8_t *input, uint64_t epoch);

/* The same with one byte changed. */
uint64_t pd_eval_with(struct pd_exprs *x, pd_expr e, const uint8_t *input, uint32_t byte,
		      uint8_t value, uint64_t epoch);

static inline uint64_t pd_eval_epoch(struct pd_exprs *x)
{
	return ++x->last_epoch;
}

#endif
