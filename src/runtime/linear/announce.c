/* announce.c - see announce.h. */
#include "runtime/linear/announce.h"
#include "engine/crash/run.h"
#include "engine/linear/announced.h"
#include "event/control.h"
#include "perdure.h"
#include "runtime/base/listen.h"
#include "runtime/base/raw.h"
#include "runtime/check/check.h"
#include "runtime/linear/bounded.h"
#include "runtime/linear/record.h"
#include "runtime/pm/pool.h"
#include "runtime/session/session.h"
#include "runtime/thread/door.h"
#include "runtime/thread/thread.h"
#include <stdio.h>
#include <string.h>

static struct {
	bool asked;  /* perdure linear runs this program */
	bool named;  /* with --spec */
	bool own;    /* the specification is the program's */
	bool driver; /* and it is a driver */
	bool any;    /* an operation of this execution was announced */
	bool ended;
	struct pd_arena arena;
	struct pd_op_history history;
	struct pd_record record; /* of a spec, if one was named */
	struct pd_announced announced;
} here;

/* Whether this execution may crash, or comes after a crash, and was asked for by perdure linear. */
static bool is_on(void)
{
	return here.asked && !here.driver && pd_inside() && pd_record_crashes();
}

static _Noreturn void refuse(enum pd_announced_fault fault, const struct pd_announcement *x)
{
	struct pd_outbuf o;
	char text[PD_CHANNEL_TEXT];

	pd_outbuf_init(&o, text, sizeof(text));
	pd_announced_put_fault(&here.announced, fault, x, &o.out);
	pd_check_misuse("%s", text);
}

/* Of that name; or no name was given. */
static _Noreturn void lack_spec(void)
{
	char names[200] = "";
	size_t size = 0;
	const char *name = pd_setting(pd_session.settings, "spec", &size);

	if (!name)
		pd_check_misuse("it is not a driver (perdure_linear.h); a program with its own "
				"main announces its operations (pd_op_begin in perdure.h), "
				"and --spec names their specification");
	for (uint32_t i = 0; pd_specs[i]; i++) {
		size_t n = strlen(names);

		snprintf(names + n, sizeof(names) - n, "%s%s", n ? ", " : "", pd_specs[i]->name);
	}
	pd_check_misuse(
		"there is no specification '%.*s'; --spec takes %s, or one that the program "
		"has (PD_LINEAR_SPEC in perdure_linear.h)",
		(int)size, name, names);
}

/* ---- announcements -------------------------------------------------------------------------- */

PD_EXPORT void __pd_say_op_begin(const char *name, const uint64_t *args, unsigned nargs)
{
	struct pd_announcement x = {.name = name, .args = args, .nargs = nargs};
	struct pd_announced_op *op;
	enum pd_announced_fault fault;

	if (!is_on())
		return;
	x.thread = pd_thread_self();
	if (!here.record.spec && here.named)
		lack_spec();
	if (!here.record.spec)
		pd_check_misuse("it announces operations ('%s'); name their specification: "
				"perdure linear --spec NAME",
				name);
	pd_bounded_calls();
	fault = pd_announced_begin(&here.announced, &x, &op);
	if (fault)
		refuse(fault, &x);
	here.any = true;
	pd_record_call(&here.record, &op->op, &op->number);
}

/* Recovery's reads of PM are choices: loads bytes in PM as the program would. */
static const void *fetch(const void *data, size_t n)
{
	void *copy;

	if (!n || !PD_IS_PM((uint64_t)data))
		return data;
	copy = pd_arena_alloc(&here.arena, n);
	if (!copy)
		pd_rt_fail(4, "out of memory for the history");
	pd_rt_load(copy, data, n, 0);
	return copy;
}

static void respond(struct pd_linear_op *op, int response, uint64_t word)
{
	op->returned = response != PD_OP_VOID;
	op->result.word = word;
	if (response == PD_OP_FAILED) {
		op->flags |= PD_MAY_FAIL;
		op->result.word = PD_FAILED;
	}
}

PD_EXPORT void __pd_say_op_end(int response, uint64_t word, const void *data, size_t size)
{
	struct pd_announcement x = {0};
	struct pd_announced_op *op;
	struct pd_linear_op done;
	enum pd_announced_fault fault;
	uint32_t number;

	if (!is_on() || !here.record.spec)
		return;
	x.thread = pd_thread_self();
	fault = pd_announced_end(&here.announced, x.thread, &op);
	if (fault)
		refuse(fault, &x);
	done = op->op;
	number = op->number;
	respond(&done, response, word);
	done.result.data = fetch(data, size);
	done.result.size = size;
	if (!here.record.no_memory)
		pd_record_return(&here.record, number, &done);
}

/* ---- the end -------------------------------------------------------------------------------- */

static void thread_ends(struct pd_thread *t)
{
	const struct pd_announced_op *open;

	(void)t;
	open = is_on() ? pd_announced_open(&here.announced, pd_thread_self()) : NULL;
	if (open)
		pd_check_misuse("thread %u ended inside '%s'; call pd_op_end when an operation "
				"returns, on every path",
				pd_thread_self(), pd_announced_name(&here.announced, &open->op));
}

/* The history must end its output; what libc still buffers of the program's output would follow. */
static void leave_unexplained(void)
{
	if (pd_check_own()->outcome == PD_OUTCOME_HISTORY)
		pd_raw(SYS_exit_group, 0, 0, 0, 0, 0, 0);
}

static void judge(void)
{
	if (here.any)
		pd_record_judge(&here.record);
	else
		pd_record_skip(&here.record);
	pd_check_answered(here.record.left, here.any);
	leave_unexplained();
}

/* The same operations twice, side by side, return the same. */
static void check_own(void)
{
	const struct pd_linear_spec *spec = here.record.spec;
	void *state[2] = {pd_arena_alloc(&here.arena, spec->size),
			  pd_arena_alloc(&here.arena, spec->size)};
	struct pd_spec_memory m;

	pd_spec_memory_init(&m, &here.arena);
	for (uint32_t i = 0; state[0] && state[1] && i < here.history.ops.n; i++) {
		const struct pd_linear_op *op = &here.history.ops.v[i].op;

		if (!(op->flags & PD_SYNC) && !pd_spec_returns_same(spec, state, op, &m.m))
			pd_check_misuse("the specification '%s' is not deterministic: '%s' returns "
					"something else after the same operations",
					spec->name, pd_announced_name(&here.announced, op));
	}
}

static void at_end(enum pd_event_kind kind, uint32_t site)
{
	(void)site;
	if (kind != PD_EV_EXIT || !is_on() || here.ended)
		return;
	here.ended = true;
	if (pd_check.role == PD_CHECK_RECOVERY) {
		if (here.record.spec)
			judge();
	} else if (here.record.no_memory) {
		pd_rt_fail(4, "out of memory for the history");
	} else if (!here.record.spec) {
		lack_spec();
	} else if (!here.any) {
		pd_check_misuse("it announced no operation, so there is nothing to judge; call "
				"pd_op_begin and pd_op_end (perdure.h) around what it does");
	} else if (here.own) {
		check_own();
	}
}

/* ---- the beginning -------------------------------------------------------------------------- */

static enum pd_linear_condition condition(const char *settings)
{
	if (pd_setting_is(settings, "condition", "buffered"))
		return PD_BUFFERED;
	return pd_setting_is(settings, "condition", "strict") ? PD_STRICT : PD_DURABLE;
}

/* The specification that the tool has named; NULL: none. */
static const struct pd_linear_spec *find_spec(const char *settings)
{
	for (uint32_t i = 0; pd_specs[i]; i++)
		if (pd_setting_is(settings, "spec", pd_specs[i]->name))
			return pd_specs[i];
	return NULL;
}

void pd_announce_driver(void)
{
	if (here.named)
		pd_check_misuse("it is a driver, which names its specification itself; leave out "
				"--spec");
	here.driver = true;
}

static void use_spec(const struct pd_linear_spec *spec)
{
	bool begun = here.record.spec != NULL;

	here.record.spec = here.announced.spec = spec;
	if (begun || !spec)
		return;
	here.record.announced = true;
	pd_record_begin(&here.record);
	if (pd_check.role == PD_CHECK_FIRST)
		pd_bounded_begin(true);
	if (pd_check.role == PD_CHECK_RECOVERY)
		pd_check_answered(true, false); /* until it ends in an orderly way */
}

PD_EXPORT void __pd_say_spec(const struct pd_linear_spec *spec)
{
	if (!here.asked || !pd_setting_is(pd_session.settings, "spec", spec->name))
		return;
	if (!spec->ops || !spec->apply || !spec->size)
		pd_check_misuse("the specification '%s' lacks its operations, 'apply' or the size "
				"of a state",
				spec->name);
	here.own = true;
	use_spec(spec);
}

__attribute__((constructor(PD_START_ANNOUNCE))) static void start(void)
{
	static const struct pd_listener listener = {.point = at_end, .thread_ending = thread_ends};
	const char *settings = pd_session.settings;
	size_t size;

	if (!pd_record_crashes() || pd_setting_number(settings, "linear", 0) == 0)
		return;
	here.asked = true;
	here.named = pd_setting(settings, "spec", &size) != NULL;
	pd_arena_init(&here.arena, pd_rt_memory());
	here.record = (struct pd_record){
		.condition = condition(settings), .history = &here.history, .arena = &here.arena};
	here.announced.arena = &here.arena;
	pd_listen_add(&listener);
	use_spec(find_spec(settings));
}
