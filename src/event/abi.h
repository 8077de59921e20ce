/*
 * abi.h - the seam between instrumented code, the runtime and the tool.
 *
 * Three programs meet here that are built at different times: an object that `perdure cc` made last
 * month, the runtime that it is linked with, and the tool that drives both. PD_ABI is part of every
 * module record; the runtime refuses a module of another version by name, and modules that were
 * built for different things (enum pd_build).
 *
 * The PM window: everything that is persistent lives at addresses [PD_PM_BASE, PD_PM_END), so that
 * instrumented code recognises PM by one shift and one compare. (layout.h has all windows.)
 */
#ifndef PD_EVENT_ABI_H
#define PD_EVENT_ABI_H

#include "event/layout.h"
#include <stdint.h>

#define PD_ABI	       10

#define PD_PM_SHIFT    PD_LAYOUT_SHIFT
#define PD_PM_BASE     PD_LAYOUT_PM
#define PD_PM_END      PD_LAYOUT_PM_END
#define PD_IS_PM(addr) ((uint64_t)(addr) >> PD_PM_SHIFT == 1)

enum pd_flush {
	PD_FLUSH_CLFLUSH,
	PD_FLUSH_CLFLUSHOPT,
	PD_FLUSH_CLWB,
};

enum pd_fence {
	PD_FENCE_SFENCE,
	PD_FENCE_MFENCE,
	PD_FENCE_LFENCE,
};

/* Hardware transactions: xbegin, xend, xabort, xtest. */
enum pd_xact {
	PD_XACT_BEGIN,
	PD_XACT_END,
	PD_XACT_ABORT,
	PD_XACT_TEST,
};

/* The values of C11's memory_order, so that hooks pass them through. */
enum pd_order {
	PD_ORDER_RELAXED,
	PD_ORDER_CONSUME,
	PD_ORDER_ACQUIRE,
	PD_ORDER_RELEASE,
	PD_ORDER_ACQ_REL,
	PD_ORDER_SEQ_CST,
	PD_ORDER_NONE, /* not atomic */
};

enum pd_rmw {
	PD_RMW_XCHG,
	PD_RMW_ADD,
	PD_RMW_SUB,
	PD_RMW_AND,
	PD_RMW_NAND,
	PD_RMW_OR,
	PD_RMW_XOR,
	PD_RMW_MAX,
	PD_RMW_MIN,
	PD_RMW_UMAX,
	PD_RMW_UMIN,
	PD_RMW_FADD,
	PD_RMW_FSUB,
	PD_RMW_FMAX,
	PD_RMW_FMIN,
	PD_RMW_UINC_WRAP,
	PD_RMW_UDEC_WRAP,
};

enum pd_store_flags {
	PD_STORE_NT = 1,
};

/* Inline asm that is run as it is, between asm_pre and asm_post. */
enum pd_asm {
	PD_ASM_PLAIN,  /* may read and write the operand */
	PD_ASM_LOCKED, /* the same, as one locked instruction: a full fence */
};

/* Why something may have been missed. Every report lists these with their counts. */
enum pd_loss {
	PD_LOSS_ASM,	   /* inline asm that may access memory beyond its operands */
	PD_LOSS_INTRINSIC, /* an LLVM intrinsic that accesses memory and is not known */
	PD_LOSS_NAKED,	   /* a naked function: nothing can be inserted */
	PD_LOSS_ASM_FILE,  /* an assembly source that was linked in */
	PD_LOSS_BLIND,	   /* PM bytes changed without any event */
	PD_LOSS_SYSCALL,   /* a system call that touched PM and is not modelled */
	PD_LOSS_CAPPED,	   /* a limit was hit */
	/* A kernel thread outside the scheduler ran code of the program */
	PD_LOSS_THREAD,
	PD_LOSS_READ,  /* PM that a crash left open, read by code that was not instrumented */
	PD_LOSS_FAULT, /* a call that should have failed was not made */
	PD_LOSS_CHILD, /* a child of fork, which is not followed, stored to PM or flushed it */
	PD_LOSS_FLUSH, /* a flush of PM by code that was not instrumented and has no probe */
	/* A call whose effect on PM, or on what the program finds of it, is not modelled */
	PD_LOSS_CALL,
	PD_LOSS_N,
};

enum pd_lock_mode {
	PD_LOCK_EXCLUSIVE,
	PD_LOCK_SHARED,
};

enum pd_site_flags {
	PD_SITE_ATOMIC = 1,
	PD_SITE_VOLATILE = 2,
	PD_SITE_NT = 4,
	PD_SITE_BLOCK = 8,     /* memcpy family or struct assignment */
	PD_SITE_BITFIELD = 16, /* a bit-field's share of a word */
	PD_SITE_ASM = 32,
	/* What the compiler makes of a store of the source (cc/crash/fate.c); none of these: not
	 * known */
	PD_SITE_SPLIT = 64,    /* several narrower ones */
	PD_SITE_SET = 128,     /* a part of a memset */
	PD_SITE_COPY = 256,    /* a part of a memcpy or memmove */
	PD_SITE_WIDENED = 512, /* a part of a wider one, and whole in it */
	/* A load that is only compared for equality with one constant */
	PD_SITE_EQUAL = 1024,
	PD_SITE_WHOLE = 2048, /* one instruction */
	/* A read whose value may decide the control flow (cc/crash/decide.c) */
	PD_SITE_GUARD = 4096,
};

/*
 * One place in the source that accesses memory. The pass emits one array per object; an inlined
 * site points to the place of the call, which is a site too.
 */
struct pd_site {
	const char *file;
	const char *function;
	const struct pd_site *inlined_at; /* NULL: not inlined */
	uint32_t line;
	uint16_t column;
	uint16_t flags; /* enum pd_site_flags */
	uint32_t id;	/* set by the runtime when the module registers; 0 is "unknown" */
	uint32_t size;	/* of the access in the source, 0 if that varies */
	/* The struct that the access is to a part of, as the compiler names it; NULL: not known */
	const char *type;
	uint32_t offset; /* of that part */
	uint32_t type_size;
};

/* Something in an object that could not be instrumented, for the report. */
struct pd_static_loss {
	const struct pd_site *site;
	uint32_t kind; /* enum pd_loss */
	uint32_t pad;
	const char *what; /* the asm text, the intrinsic's name */
};

/* A call of a function that the runtime may be interested in by name. */
struct pd_call {
	const char *name;
	uint32_t unheard; /* set by the runtime once it knows that nobody is interested */
};

/* What an object was instrumented for: a bit per mode of the compiler (cc/mode.h). */
enum pd_build {
	PD_BUILD_CRASH = 1,    /* events of persistent memory */
	PD_BUILD_SYMBOLIC = 2, /* labels, for symbolic execution */
};

struct pd_reach;

struct pd_module {
	uint32_t abi;
	uint32_t nsites;
	struct pd_site *sites;
	const char *source; /* the file that was compiled */
	const struct pd_static_loss *losses;
	uint32_t nlosses;
	uint32_t build;		      /* enum pd_build, the same in all modules of a program */
	const char *command;	      /* command that makes such an object: "perdure cc" */
	const struct pd_reach *reach; /* where its code leads (event/reach.h); NULL: not stated */
};

/*
 * Each object also has an ELF note, so that its record can be found before its constructor runs.
 * The record is at the address of `record` plus what is there.
 */
#define PD_NOTE_SECTION ".note.perdure"
#define PD_NOTE_NAME	"perdure" /* 8 bytes with the 0 */
enum { PD_NOTE_MODULE = 1 };

struct __attribute__((packed, aligned(4))) pd_note {
	uint32_t name_size;
	uint32_t size;
	uint32_t type;
	char name[sizeof(PD_NOTE_NAME)];
	int64_t record;
};

/*
 * Where a wrapped libc function (cc/crash/wrap.def) is called from: set before a direct call,
 * consumed by the wrapper. A symbol of the runtime, as the compiler emits it.
 */
extern _Thread_local const struct pd_site *__pd_call_site
	__attribute__((tls_model("initial-exec")));

#endif
