/*
 * mem.h - an access to PM by whatever means: instrumented code, a libc function, a system call.
 *
 * Addresses are the program's; the shadow, the model and the trace identify a byte by its distance
 * from the start of the window (its home, pool.h). The program's own memory is accessed first: a
 * fault then happens as it would in the program, before anything is announced.
 *
 * Thread rule: driven only; the thread that holds the baton.
 */
#ifndef PD_RUNTIME_ACCESS_MEM_H
#define PD_RUNTIME_ACCESS_MEM_H

#include "model/model.h"
#include "runtime/base/rt.h"
#include <string.h>

struct pd_mem {
	bool modelling; /* there is a model, and every access goes to it */
	bool crashed;	/* PM holds what a crash left: the value of a load may be a choice */
	/* Loading a whole block for code that is not instrumented: which of its bytes it reads is
	 * unknown */
	bool touching;
	struct pd_model model;
	struct pd_chooser value_chooser; /* for reads of crashed PM */
	/* The current read */
	uint32_t site;
	uint64_t addr;
	uint64_t mask;
	uint32_t group; /* of the checksum that it feeds; 0: none */
	/* Its view. A listener that decides the value (listen.h) may clear it: then all bytes are
	 * read */
	struct pd_lens lens;
	/*
	 * While a compare-and-swap or exchange is announced: 1 + the value that it found; 0: the
	 * event is neither. (Locks made of atomics are recognised by it.)
	 */
	uint64_t was;
};

extern PD_OWN struct pd_mem pd_mem;

/* A session begins in which all accesses come here. */
void pd_mem_listen(void);

void pd_mem_load(void *out, const void *from, size_t n, uint32_t site, enum pd_order order);
/* The same where the program only looks at the value through this view (event/view.h). */
void pd_mem_look(void *out, const void *from, uint32_t site, enum pd_order order,
		 const struct pd_lens *lens);
void pd_mem_store(void *to, const void *data, size_t n, uint32_t site, enum pd_event_kind kind,
		  enum pd_order order);
void pd_mem_flush(const void *p, enum pd_flush kind, uint32_t site);
void pd_mem_fence(enum pd_event_kind kind, enum pd_order order, uint32_t site);

/* A plain load; `frame` is that of the hook that the program called. */
struct pd_walk_frame;
void pd_mem_load_from(void *out, const void *from, size_t n, uint32_t site,
		      const struct pd_walk_frame *frame);

/* memcmp, as an instruction where it is a plain access. */
static inline bool pd_mem_is_same(const void *a, const void *b, size_t n)
{
	return n == 8 ? !memcmp(a, b, 8) : n == 4 ? !memcmp(a, b, 4) : !memcmp(a, b, n);
}

/*
 * The effects of pd_mem_flush and pd_mem_fence, once they leave the store buffer (tso.h); `line` is
 * its home.
 */
void pd_mem_flush_now(uint64_t line, enum pd_flush kind, uint32_t site);
void pd_mem_fence_now(enum pd_event_kind kind, enum pd_order order, uint32_t site);

/*
 * A locked instruction on PM: the value that it finds, and (unless a CAS failed) the one that it
 * leaves.
 */
void pd_mem_rmw_begin(void *old, const void *p, size_t n, uint32_t site);
void pd_mem_rmw_end(void *p, const void *fresh, size_t n, uint32_t site, enum pd_order order);
void pd_mem_rmw_failed(void *p, const void *found, size_t n, uint32_t site, enum pd_order order);

/* An atomic access outside PM: an edge between threads, and a fence where x86 makes it one. */
void pd_mem_outside(enum pd_event_kind kind, const void *p, size_t n, enum pd_order order,
		    uint32_t site);

/* A store that has happened already; `off` is its home. */
void pd_mem_note_store(uint64_t off, const void *data, size_t n, uint32_t site,
		       enum pd_event_kind kind, enum pd_order order);

/* Code that was not instrumented is about to access these blocks, at home: decides their content.
 * (veil.h) */
void pd_mem_touch(uint64_t off, uint64_t n);

/* Inline asm may have changed these bytes. */
void pd_mem_asm_done(void *p, size_t n, bool locked, uint32_t site);

/*
 * What a libc function or a system call does to PM, on behalf of the program. Store copies n bytes
 * to dst in the window; src is outside. Load copies n bytes from src in the window to dst outside.
 * kind is PD_EV_STORE or PD_EV_NTSTORE; site 0 is unknown. The bytes at dst must be writable.
 */
void pd_rt_store(void *dst, const void *src, size_t n, uint32_t site, int kind);
void pd_rt_load(void *dst, const void *src, size_t n, uint32_t site);

#endif
