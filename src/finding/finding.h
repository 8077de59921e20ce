/*
 * finding.h - a finding, as every engine reports it, and the set of all findings.
 *
 * A finding is a value. It names its kind, the sites that play a role in it, and what is known of
 * it as typed facts (facts.h), and carries a witness: the list of choices that leads an execution
 * to it. The tool makes its sentences from these once, at the end (report/words/words.h); no
 * decision looks at them.
 *
 * The id. Two findings with the same id have the same cause; the id is the same in every run over
 * the same program. It is 40 bits, written as 10 hex digits, over
 *   - the name of the kind,
 *   - the field (variable or member), where known,
 *   - of each site whose role identifies (kinds.def): the role, the function up to its first '.'
 *     (so that a compiler's clones "f.part.0" are f), the base name of the file, and the line
 *     counted from the function's first line where that is known, else from the file's.
 * If no site identifies, all sites count; if there is no site at all, facts and message do. The
 * order of sites does not matter. Addresses, threads, columns, stacks, schedules, execution numbers
 * and directories are not in it. Precision lost: two findings of one kind and field on one line of
 * one function are one, unless the engine gives them ids of its own, as check does, whose ids also
 * have the cause, and where no store was lost the status and the failing calls.
 *
 * The set keeps one finding per id, with a count. The representative is the one that is easiest to
 * believe and to follow: confirmed before unconfirmed, with a witness before without, a short
 * witness before a long one; then by the choices, the facts and the places. So the set does not
 * depend on the order in which findings came, but for execution numbers and captured output of
 * equals.
 *
 * Invariants:
 *  1. A finding in a set, and all that it points to, lives in the set's arena.
 *  2. `items` holds each id once; `by_id` maps it to the same finding, also after it was
 * suppressed.
 *  3. A finding that could not be kept for lack of memory is counted in `dropped`.
 *
 * Thread rule: one set, one thread at a time.
 */
#ifndef PD_FINDING_FINDING_H
#define PD_FINDING_FINDING_H

#include "base/arena.h"
#include "base/map.h"
#include "base/out.h"
#include "base/vec.h"
#include "event/choice.h"
#include "event/schedule.h"
#include "finding/facts.h"

enum pd_kind {
#define PD_KIND(ID, name, severity, doc) PD_KIND_##ID,
#include "finding/kinds.def"
	PD_KIND_N
};

enum pd_role {
#define PD_ROLE(ID, name, identifies, doc) PD_ROLE_##ID,
#include "finding/kinds.def"
	PD_ROLE_N
};

enum pd_cause {
#define PD_CAUSE(ID, name, doc) PD_CAUSE_##ID,
#include "finding/kinds.def"
	PD_CAUSE_N
};

enum pd_severity {
	PD_SEVERITY_CORRECTNESS,
	PD_SEVERITY_PERFORMANCE,
	PD_SEVERITY_PORTABILITY,
	PD_SEVERITY_NOTE,
	PD_SEVERITY_N
};

struct pd_kind_info {
	const char *name;
	enum pd_severity severity;
	const char *doc;
};

struct pd_role_info {
	const char *name;
	bool identifies;
	const char *doc;
};

struct pd_cause_info {
	const char *name;
	const char *doc;
};

extern const struct pd_kind_info pd_kind_info[PD_KIND_N];
extern const struct pd_role_info pd_role_info[PD_ROLE_N];
extern const struct pd_cause_info pd_cause_info[PD_CAUSE_N];

const char *pd_severity_name(enum pd_severity s);

/* By name; PD_KIND_N, PD_ROLE_N, PD_CAUSE_N if there is none. */
enum pd_kind pd_kind_find(const char *name);
enum pd_role pd_role_find(const char *name);
enum pd_cause pd_cause_find(const char *name);

/* "recovery-signal" for crash/recovery-signal of engine "crash"; NULL: it is another engine's. */
const char *pd_kind_own_name(enum pd_kind kind, const char *engine);

/* A place in the source. Unknown strings are NULL, unknown numbers 0. */
struct pd_frame {
	const char *function; /* without debug information: "libx.so+0x1234" */
	const char *file;
	uint32_t line;
	uint32_t column;
};

/* The same line of the same function, whatever the column. */
bool pd_frame_same(const struct pd_frame *a, const struct pd_frame *b);

/* Code of a system header, such as a template of the standard library in the user's code. */
bool pd_frame_is_system(const struct pd_frame *f);

struct pd_finding_site {
	enum pd_role role;
	struct pd_frame at;
	uint32_t function_line; /* where the function begins; makes the id outlive edits above it */
	uint32_t nstack;
	const struct pd_frame *stack; /* the callers, innermost first, `at` not among them */
	/* Which caller the finding is about, from 1, if `at` only flushes; 0: `at` */
	uint32_t about;
	/* It happened in this function of a library, which `at` calls, `folded` frames further in;
	 * NULL: in `at` itself */
	const char *inside;
	uint32_t folded;
};

/* The same callers; `at` does not count. */
bool pd_callers_same(const struct pd_finding_site *a, const struct pd_finding_site *b);

/* Where a choice was made, for a reader: the crash, or a read. */
struct pd_chosen {
	struct pd_frame at;
	const char *next; /* of a crash: the next event, by name */
	uint64_t seen;	  /* of a value: its first 8 bytes */
};

/*
 * What leads an execution to the finding: the settings, the schedule of the threads, and the
 * choices, which decide all else that is open.
 */
struct pd_witness {
	bool given;
	uint32_t n;
	struct pd_schedule schedule;
	const struct pd_choice *choices;
	const struct pd_chosen *chosen; /* as many as choices; NULL: not known */
	uint32_t settings;		/* index among those of the result; or PD_NO_SETTINGS */
};

#define PD_NO_SETTINGS UINT32_MAX

/* Copies all that it points to into the arena. */
void pd_witness_copy(struct pd_arena *a, struct pd_witness *w);

/* What led to it, step by step, in reading order (steps.h). */
struct pd_step;

struct pd_steps {
	uint32_t n; /* 0: none are known, or memory ran out */
	const struct pd_step *v;
};

struct pd_finding {
	uint64_t id; /* 0: pd_findings_add computes it */
	enum pd_kind kind;
	enum pd_cause cause;
	bool confirmed;	       /* the failure was executed, and replayed from the witness */
	bool known;	       /* the result that this one is compared with has it, too: it does not
				decide the exit status (--baseline) */
	struct pd_facts facts; /* sentences are made of these (report/words) */
	const char *message;   /* one sentence, names before places; NULL: not made yet */
	const char *field;     /* the variable or member at stake */
	const char *library;   /* happened inside this library, which the user did not build: set
				apart, summarised, does not decide the exit status */
	const char *fix;       /* one sentence */
	const char *explain;   /* the whole story, in lines; only if asked for */
	const char *output;    /* what the program printed in that execution */
	/* Command lines; where NULL the report makes them, from the facts and from the witness */
	const char *patch;
	const char *replay;
	const struct pd_finding_site *sites; /* in reading order */
	uint32_t nsites;
	uint64_t count; /* how often it was seen; 0 counts as once */
	struct pd_witness witness;
	struct pd_steps story;
};

/* 40 bits, never 0. */
uint64_t pd_finding_id(const struct pd_finding *f);

enum { PD_FINDING_ID_DIGITS = 10 };
#define PD_FINDING_ID_MAX ((1ULL << (4 * PD_FINDING_ID_DIGITS)) - 1)

void pd_finding_id_print(struct pd_out *o, uint64_t id);

/* Exactly ten lower-case hex digits, not all 0. */
bool pd_finding_id_parse(const char *text, uint64_t *id);

/*
 * Whether it decides the exit status; strict: portability warnings and notes count, too (--strict).
 */
bool pd_finding_decides(const struct pd_finding *f, bool strict);

struct pd_findings {
	struct pd_arena *arena;
	PD_VEC(struct pd_finding *) items;
	struct pd_map by_id;
	uint64_t dropped;
	uint64_t suppressed; /* findings removed by pd_findings_suppress */
};

void pd_findings_init(struct pd_findings *fs, struct pd_arena *a);

/* Copies f in, or counts it with its equal. Returns the one in the set; NULL: memory ran out, it is
 * dropped. */
struct pd_finding *pd_findings_add(struct pd_findings *fs, const struct pd_finding *f);

struct pd_finding *pd_findings_get(const struct pd_findings *fs, uint64_t id);

/*
 * Adds all of `from`, including the counts of dropped and suppressed ones. False: some were
 * dropped.
 */
bool pd_findings_join(struct pd_findings *fs, const struct pd_findings *from);

/* The order of reports: severity, kind, file, line, function, id. */
void pd_findings_sort(struct pd_findings *fs);

#endif
