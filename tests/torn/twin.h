/*
 * twin.h - persistency races straight from the definition: slow, and obviously right.
 *
 * A program is a list of events in the order in which they happened. Happens-before is a matrix, closed
 * transitively. A recovery reads words, one after the other. What a crash may leave is every version of
 * every line that no completed flush rules out; for each combination of versions the twin looks up which
 * store each read sees and applies Definition 5.1 or, with prefixes, Theorem 1 (Yashme §5), word by word.
 *
 * It knows nothing of src/: neither clocks nor logs nor sets of versions.
 */
#ifndef TESTS_TORN_TWIN_H
#define TESTS_TORN_TWIN_H

#include <stdbool.h>
#include <stdint.h>

enum {
	EVENTS = 24,
	THREADS = 3,
	LINES = 2,
	WORDS_A_LINE = 3,
	WORDS = LINES * WORDS_A_LINE,
	OBJECTS = 2, /* locks, and atomics outside PM */
	READS = 5,
};

enum op {
	PLAIN,     /* a store to a word */
	RELAXED,   /* atomic ones */
	RELEASE,
	SEQ_CST,   /* compiled to a locked instruction */
	RMW,       /* locked, acquire and release */
	CLFLUSH,   /* of the word's line */
	CLWB,
	SFENCE,
	MFENCE,
	LOCK,      /* an object */
	UNLOCK,
	A_LOAD,    /* atomics outside PM: acquire or release where `strong`, else relaxed */
	A_STORE,
	A_RMW,     /* a full fence to the machine */
	FENCE_ACQ, /* atomic_thread_fence */
	FENCE_REL,
	OPS,
};

struct event {
	enum op op;
	int tid;
	int at; /* word or object */
	bool strong;
	uint64_t value;
};

struct program {
	int n;
	struct event e[EVENTS];
	int nread;
	int read[READS]; /* words, each once */
};

/* race[e][r]: read number r may see store e half done, after a crash before event `crash`. */
void twin_races(const struct program *p, int crash, bool prefix, bool race[EVENTS][READS]);

/* The store of event e writes what was there; at first everything is 0. */
bool twin_unchanged(const struct program *p, int e);

#endif
