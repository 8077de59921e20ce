/* options.c - see options.h. */
#include "cli/options.h"
#include "drive/front.h"
#include "host/host.h"
#include "host/nearest.h"
#include "host/number.h"
#include "cli/list.h"
#include "host/words.h"
#include "model/params.h"
#include <argp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* argp uses keys up to 255 for short options; larger ones are ours. */
enum { KEY_HELP = 'h', KEY_COMMON = 1000, KEY_LIST = 2000, KEY_OWN = 3000 };

struct parse {
	struct pd_options *o;
	const struct pd_command *cmd;
	const struct argp_option *options;
	struct pd_error *e;
	bool failed; /* e is set */
	bool help;
	bool list; /* help for programs: list.h */
	int given; /* number of words from PERDURE_OPTIONS */
	PD_VEC(char *) args;
};

struct common {
	const char *name;
	int key;
	const char *argument;
	const char *help;
};

static const struct common common[PD_OPT_N] = {
#define PD_OPTION(ID, name, key, argument, help) [PD_OPT_##ID] = {name, key, argument, help},
#include "cli/options/common.def"
};

static int key_of(unsigned i)
{
	return common[i].key ? common[i].key : KEY_COMMON + (int)i;
}

static int own_key(const struct pd_own *own, size_t i)
{
	return own[i].letter ? own[i].letter : KEY_OWN + (int)i;
}

/* ---- values
 * -------------------------------------------------------------------------------------- */

static unsigned all_cores(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) == 0)
		return (unsigned)CPU_COUNT(&set);
	return (unsigned)PD_MAX(sysconf(_SC_NPROCESSORS_ONLN), 1);
}

static bool fail(struct parse *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static bool fail(struct parse *p, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	p->failed = true;
	return pd_error_set(p->e, PD_EXIT_USAGE, "%s: %s%s", p->cmd->verb, text,
			    p->given ? " (PERDURE_OPTIONS is set)" : "");
}

static bool push(struct parse *p, const char ***v, uint32_t *n, uint32_t *cap, const char *s)
{
	if (*n == *cap && !pd_vec_grow(p->o->arena, (void **)v, cap, sizeof(**v))) {
		p->failed = true;
		return pd_error_set(p->e, PD_EXIT_INTERNAL, "memory ran out");
	}
	(*v)[(*n)++] = s;
	return true;
}

static bool take_color(struct parse *p, const char *arg)
{
	static const char *const names[] = {
		[PD_COLOR_AUTO] = "auto", [PD_COLOR_ALWAYS] = "always", [PD_COLOR_NEVER] = "never"};

	for (size_t i = 0; i < PD_LEN(names); i++)
		if (strcmp(arg, names[i]) == 0) {
			p->o->color = (enum pd_color)i;
			return true;
		}
	return fail(p, "--color '%s': use auto, always or never", arg);
}

static bool take_pm(struct parse *p, const char *arg)
{
	if (!*arg)
		return fail(p, "--pm needs a file name or a pattern such as '/mnt/pmem/*'");
	return push(p, &p->o->pm.v, &p->o->pm.n, &p->o->pm.cap, arg);
}

/* A kind of another engine, or none. */
static bool no_kind(struct parse *p, const char *arg)
{
	const char *slash = strchr(arg, '/');

	for (uint32_t k = 0; slash && k < PD_KIND_N; k++)
		if (strcmp(arg, pd_kind_info[k].name) == 0)
			return fail(p,
				    "--only '%s': %s has no such kind of finding, it is one of "
				    "'%.*s'; 'perdure %s --help' lists its own",
				    arg, p->cmd->verb, (int)(slash - arg), arg, p->cmd->verb);
	return fail(p,
		    "--only '%s': %s has no such kind of finding; 'perdure %s --help' lists them",
		    arg, p->cmd->verb, p->cmd->verb);
}

static bool take_common(struct parse *p, enum pd_option opt, const char *arg)
{
	struct pd_options *o = p->o;
	uint64_t v;

	switch (opt) {
	case PD_OPT_PM:
		return take_pm(p, arg);
	case PD_OPT_OUT:
		o->out = arg;
		return *arg ? true : fail(p, "--out needs the name of a directory");
	case PD_OPT_JSON:
		o->json = arg;
		return *arg ? true
			    : fail(p, "--json needs the name of a file, or - for standard output");
	case PD_OPT_ONLY:
		return pd_only_take(&o->only, p->cmd->engines, arg) || no_kind(p, arg);
	case PD_OPT_QUIET:
		return o->quiet = true;
	case PD_OPT_LIBRARIES:
		return push(p, &o->libraries.v, &o->libraries.n, &o->libraries.cap, arg);
	case PD_OPT_STATS:
		return o->stats = true;
	case PD_OPT_STRICT:
		return o->strict = true;
	case PD_OPT_COLOR:
		return take_color(p, arg);
	case PD_OPT_JOBS:
		if (!pd_parse_u64(arg, 1, 4096, &v))
			return fail(p, "--jobs '%s': use a number from 1 to 4096", arg);
		o->jobs = (unsigned)v;
		return true;
	case PD_OPT_TIME_LIMIT:
		return pd_parse_time(arg, &o->time_limit_ms) ||
		       fail(p, "--time-limit '%s': use a time such as 60s, 5m or 1h", arg);
	case PD_OPT_SUPPRESS:
		return push(p, &o->suppress.v, &o->suppress.n, &o->suppress.cap, arg);
	case PD_OPT_BASELINE:
		o->baseline = arg;
		return *arg ? true : fail(p, "--baseline needs the name of an earlier result");
	case PD_OPT_GEN_SUPPRESSIONS:
		o->gen_suppressions = arg;
		return *arg ? true
			    : fail(p, "--gen-suppressions needs the name of a file, or - for "
				      "standard error");
	case PD_OPT_SEED:
		return pd_parse_u64(arg, 0, UINT64_MAX, &o->seed) ||
		       fail(p, "--seed '%s': use a number", arg);
	case PD_OPT_N:
		break;
	}
	return fail(p, "no such option");
}

/* ---- a verb's own --------------------------------------------------------------------------- */

#define MODEL(ID, name) name,
const char *const pd_model_words[] = {PD_MODELS(MODEL) NULL};

bool pd_take_schedule(void *to, const char *arg, struct pd_error *e)
{
	*(const char **)to = arg;
	return strcmp(arg, "default") == 0 || strcmp(arg, "random") == 0 ||
	       strcmp(arg, "sparse") == 0 || strncmp(arg, "pct", 3) == 0 ||
	       pd_error_set(e, PD_EXIT_USAGE,
			    "--schedule takes default, random, sparse or pct[:DEPTH[:STEPS]], not "
			    "'%s'",
			    arg);
}

/* "--model takes adr, eadr or page, not 'x'" */
static bool take_word(struct parse *p, const struct pd_own *x, const char *arg)
{
	char list[200] = "";
	size_t n = 0;

	for (uint32_t i = 0; x->words[i]; i++) {
		if (strcmp(arg, x->words[i]) == 0) {
			*(const char **)x->to = arg;
			return true;
		}
		n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s",
				      !i		? ""
				      : x->words[i + 1] ? ", "
							: " or ",
				      x->words[i]);
	}
	return fail(p, "--%s takes %s, not '%s'", x->name, list, arg);
}

static bool take_number(struct parse *p, const struct pd_own *x, const char *arg)
{
	uint64_t v;

	if (!pd_parse_u64(arg, x->min, x->max, &v) && x->max == UINT64_MAX)
		return fail(p, "--%s takes a number%s, not '%s'", x->name, x->min ? " above 0" : "",
			    arg);
	if (!pd_parse_u64(arg, x->min, x->max, &v))
		return fail(p, "--%s takes a number from %lu to %lu, not '%s'", x->name,
			    (unsigned long)x->min, (unsigned long)x->max, arg);
	if (x->take == PD_TAKE_U32)
		*(uint32_t *)x->to = (uint32_t)v;
	else
		*(uint64_t *)x->to = v;
	return true;
}

static bool take_own(struct parse *p, const struct pd_own *x, const char *arg)
{
	switch (x->take) {
	case PD_TAKE_FLAG:
		return *(bool *)x->to = true;
	case PD_TAKE_TEXT:
		*(const char **)x->to = arg;
		return true;
	case PD_TAKE_WORD:
		return take_word(p, x, arg);
	case PD_TAKE_TIME:
		return (pd_parse_time(arg, x->to) && *(uint64_t *)x->to) ||
		       fail(p, "--%s takes a time such as 500ms, 30s or 5m, not '%s'", x->name,
			    arg);
	case PD_TAKE_U32:
	case PD_TAKE_U64:
		return take_number(p, x, arg);
	case PD_TAKE_CALL:
		break;
	}
	if (x->call(x->to, arg, p->e))
		return true;
	p->failed = true;
	return false;
}

/* PERDURE_PM: patterns separated by ':'. */
static bool take_environment(struct parse *p)
{
	const char *s = getenv("PERDURE_PM");

	while (s && *s) {
		size_t n = strcspn(s, ":");
		const char *glob = n ? pd_arena_strndup(p->o->arena, s, n) : NULL;

		if (glob && !take_pm(p, glob))
			return false;
		s += n + (s[n] == ':');
	}
	return true;
}

/* PERDURE_OPTIONS: words, split like in a shell, before those of the command line. */
static char **with_environment(struct parse *p, int *argc, char **argv)
{
	const char *s = getenv("PERDURE_OPTIONS");
	char **words, **all;
	int n = 0;

	if (!s || !s[strspn(s, " \t\n")])
		return argv;
	words = pd_words_split(p->o->arena, s, "PERDURE_OPTIONS", p->e);
	while (words && words[n])
		n++;
	all = words ? pd_new_array(p->o->arena, char *, (size_t)(*argc + n) + 1) : NULL;
	p->failed = !all;
	if (!all)
		return argv;
	all[0] = argv[0];
	memcpy(all + 1, words, (size_t)n * sizeof(*all));
	memcpy(all + 1 + n, argv + 1, (size_t)*argc * sizeof(*all));
	*argc += n;
	p->given = n;
	for (int i = 0; i < n; i++)
		if (strcmp(words[i], "--") == 0)
			fail(p, "'--' is no option");
	return all;
}

/* ---- argp
 * ------------------------------------------------------------------------------------------ */

static const struct argp_option *find_short(const struct parse *p, char letter)
{
	const struct argp_option *x = p->options;

	while ((x->name || x->key) && x->key != letter)
		x++;
	return x->key == letter ? x : NULL;
}

/* The first letter of "-abc" that is not an option; 0: all are. */
static char bad_letter(const struct parse *p, const char *word)
{
	if (word[0] != '-' || word[1] == '-')
		return 0;
	for (word++; *word; word++) {
		const struct argp_option *x = find_short(p, *word);

		if (!x)
			return *word;
		if (x->arg)
			break;
	}
	return 0;
}

/* "; did you mean '--jobs'?", or ";": of n letters that somebody took for the long name of an
 * option. */
static const char *meant(const struct parse *p, const char *name, size_t n)
{
	struct pd_nearest near = {.word = pd_arena_strndup(p->o->arena, name, n)};

	for (const struct argp_option *x = p->options; near.word && (x->name || x->key); x++)
		if (x->name && !(x->flags & OPTION_HIDDEN))
			pd_nearest_offer(&near, x->name);
	return near.name ? pd_nearest_words(&near, "--") : ";";
}

static void explain_long(struct parse *p, const char *word)
{
	const char *name = word + 2;
	size_t n = strcspn(name, "=");

	for (const struct argp_option *x = p->options; x->name || x->key; x++) {
		if (!x->name || strlen(x->name) != n || memcmp(x->name, name, n) != 0)
			continue;
		if (x->arg)
			fail(p, "%s needs a value: %s; 'perdure %s --help' explains", word, x->arg,
			     p->cmd->verb);
		else
			fail(p, "--%s takes no value", x->name);
		return;
	}
	fail(p, "there is no option '%s'%s 'perdure %s --help' lists them", word, meant(p, name, n),
	     p->cmd->verb);
}

/* argp in silent mode does not say what is wrong. It has just passed the offending word, except for
 * a letter in the middle of several ("-zq"). */
static void explain(struct parse *p, char **argv, int argc, int next)
{
	const char *word = argv[PD_MIN(next, argc) - 1];
	const char *bad = next < argc && bad_letter(p, argv[next]) ? argv[next] : word;
	char letter = bad_letter(p, bad);

	const char *whole = letter && bad[2] ? meant(p, bad + 1, strcspn(bad + 1, "=")) : ";";

	if (whole[1])
		fail(p, "there is no option '%s'%s 'perdure %s --help' lists them", bad, whole,
		     p->cmd->verb);
	else if (letter)
		fail(p, "there is no option '-%c'; 'perdure %s --help' lists them", letter,
		     p->cmd->verb);
	else if (word[0] == '-' && word[1] == '-')
		explain_long(p, word);
	else
		fail(p, "%s needs a value; 'perdure %s --help' explains", word, p->cmd->verb);
}

static bool take_argument(struct parse *p, struct argp_state *state, char *arg)
{
	char **place;

	if (state->next - 1 <= p->given)
		return fail(p, "'%s' is no option", arg);
	if (!p->cmd->mixed) {
		p->o->argv = state->argv + state->next - 1;
		p->o->argc = state->argc - state->next + 1;
		state->next = state->argc;
		return true;
	}
	place = pd_vec_push(&p->args, p->o->arena);
	if (!place) {
		p->failed = true;
		return pd_error_set(p->e, PD_EXIT_INTERNAL, "memory ran out");
	}
	*place = arg;
	p->o->argv = p->args.v;
	p->o->argc = (int)p->args.n;
	return true;
}

static bool take_option(struct parse *p, int key, char *arg)
{
	p->list |= key == KEY_LIST;
	if (key == KEY_HELP || key == KEY_LIST)
		return p->help = true;
	for (unsigned i = 0; i < PD_OPT_N; i++)
		if (key == key_of(i) && (p->cmd->common & 1u << i))
			return take_common(p, (enum pd_option)i, arg);
	for (size_t i = 0; p->cmd->own && p->cmd->own[i].name; i++)
		if (key == own_key(p->cmd->own, i))
			return take_own(p, &p->cmd->own[i], arg);
	return false;
}

static error_t parse_one(int key, char *arg, struct argp_state *state)
{
	struct parse *p = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
	case ARGP_KEY_FINI:
	case ARGP_KEY_SUCCESS:
	case ARGP_KEY_NO_ARGS:
	case ARGP_KEY_END:
	case ARGP_KEY_ARGS:
		return ARGP_ERR_UNKNOWN;
	case ARGP_KEY_ERROR:
		if (!p->failed && !p->help && state->next > 0)
			explain(p, state->argv, state->argc, state->next);
		return 0;
	case ARGP_KEY_ARG:
		return take_argument(p, state, arg) ? 0 : EINVAL;
	default:
		if (p->given && arg && arg == state->argv[p->given + 1])
			return fail(p, "the last option needs a value") ? 0 : EINVAL;
		/* Stop at --help: the rest does not matter. */
		return take_option(p, key, arg) && !p->help ? 0 : EINVAL;
	}
}

static size_t count_own(const struct pd_own *own)
{
	size_t n = 0;

	while (own && own[n].name)
		n++;
	return n;
}

/* In argp's form. We write "[X]" for an optional argument. */
static struct argp_option own_option(struct pd_arena *a, const struct pd_own *own, size_t i)
{
	const char *argument = own[i].argument;
	bool optional = argument && argument[0] == '[';

	if (optional)
		argument = pd_arena_strndup(a, argument + 1, strlen(argument) - 2);
	return (struct argp_option){own[i].name, own_key(own, i),
				    argument,	 optional ? OPTION_ARG_OPTIONAL : 0,
				    own[i].help, 1};
}

/* The verb's own options, the common ones that it has, then --help. */
static struct argp_option *all_options(struct pd_arena *a, const struct pd_command *cmd)
{
	size_t n = count_own(cmd->own);
	struct argp_option *v = pd_new_array(a, struct argp_option, n + PD_OPT_N + 3);

	if (!v)
		return NULL;
	for (size_t i = 0; i < n; i++)
		v[i] = own_option(a, cmd->own, i);
	for (unsigned i = 0; i < PD_OPT_N; i++)
		if (cmd->common & 1u << i)
			v[n++] = (struct argp_option){common[i].name,	  key_of(i),
						      common[i].argument, 0,
						      common[i].help,	  8};
	v[n++] = (struct argp_option){"help", KEY_HELP, NULL, 0, "show this", 9};
	v[n++] = (struct argp_option){"help-list", KEY_LIST, NULL, OPTION_HIDDEN, NULL, 9};
	return v;
}

static void keep_word(struct pd_options *o, const char *word)
{
	const char **p = pd_vec_push(&o->words, o->arena);

	if (p)
		*p = word;
}

/* Kept for repeating the run. */
static void keep_words(struct pd_options *o, uint32_t patterns, int argc, char **argv)
{
	int end = argc - o->argc;

	for (uint32_t i = 0; i < patterns; i++) {
		keep_word(o, "--pm");
		keep_word(o, o->pm.v[i]);
	}
	for (int i = 1; i < end - (end > 1 && strcmp(argv[end - 1], "--") == 0); i++)
		keep_word(o, argv[i]);
	keep_word(o, "--");
	for (int i = 0; i < o->argc; i++)
		keep_word(o, o->argv[i]);
}

/* "--pm ./program data": an option whose value was forgotten has taken the program. Returns that
 * option. */
static const char *taker_of_program(const struct pd_options *o, int argc, char **argv)
{
	int end = argc - o->argc;
	const char *option = end >= 3 ? argv[end - 2] : "", *value = argv[end - 1];

	return strncmp(option, "--", 2) == 0 && option[2] && !strchr(option, '=') &&
			       strchr(value, '/') && pd_front_exists(value) &&
			       !(o->argc && pd_front_exists(o->argv[0]))
		       ? option
		       : NULL;
}

/* What is wrong with the arguments, which argp leaves to us. */
static bool check_arguments(struct parse *p, int argc, char **argv)
{
	const struct pd_command *cmd = p->cmd;
	const struct pd_options *o = p->o;
	const char *taker = cmd->mixed ? NULL : taker_of_program(o, argc, argv);

	if (taker)
		return fail(p,
			    "%s takes a value, and has taken the program '%s'; write %s VALUE %s",
			    taker, argv[argc - o->argc - 1], taker, argv[argc - o->argc - 1]);
	if (cmd->needs && !o->argc && !(cmd->earlier && *cmd->earlier))
		return fail(p, "%s; 'perdure %s --help' explains", cmd->needs, cmd->verb);
	if (cmd->single && o->argc > 1)
		return fail(p, "'%s' is one argument too many; 'perdure %s --help' explains",
			    o->argv[1], cmd->verb);
	return true;
}

enum pd_parsed pd_options_parse(struct pd_options *o, struct pd_arena *a,
				const struct pd_command *cmd, int argc, char **argv,
				struct pd_error *e)
{
	struct parse p = {.o = o, .cmd = cmd, .e = e};
	struct argp_option *options = all_options(a, cmd);
	struct argp argp = {options, parse_one, cmd->arguments, cmd->doc, NULL, NULL, NULL};
	uint32_t patterns;
	char name[64];
	error_t err;

	*o = (struct pd_options){.arena = a, .verb = cmd->verb, .jobs = all_cores(), .seed = 1};
	if (!options) {
		pd_error_set(e, PD_EXIT_INTERNAL, "memory ran out");
		return PD_PARSED_ERROR;
	}
	p.options = options;
	snprintf(name, sizeof(name), "perdure %s", cmd->verb);
	if ((cmd->common & PD_OPT_BIT(OUT)) && cmd->engines[0])
		argv = with_environment(&p, &argc, argv);
	if (p.failed || ((cmd->common & PD_OPT_BIT(PM)) && !take_environment(&p)))
		return PD_PARSED_ERROR;
	patterns = o->pm.n;
	err = argp_parse(&argp, argc, argv, ARGP_SILENT | (cmd->mixed ? 0 : ARGP_IN_ORDER), NULL,
			 &p);
	if (p.list) {
		pd_list_command(cmd, stdout);
		return PD_PARSED_HELP;
	}
	if (p.help) {
		argp_help(&argp, stdout, ARGP_HELP_STD_HELP & ~ARGP_HELP_EXIT_OK, name);
		if (cmd->engines[0])
			pd_only_help(stdout, cmd->engines);
		return PD_PARSED_HELP;
	}
	if (!err && !p.failed)
		check_arguments(&p, argc, argv);
	if (err && !p.failed)
		fail(&p, "cannot make sense of the command line");
	if (!p.failed && !cmd->mixed)
		keep_words(o, patterns, argc, argv);
	return p.failed ? PD_PARSED_ERROR : PD_PARSED_OK;
}

/*
 * Whether any file can be PM: by a pattern, or because the program maps PM by itself, as far as
 * that is known in advance. Otherwise it would run on the user's files, and nothing would be
 * tested.
 */
static bool has_pm(const struct pd_options *o)
{
	const char *force = getenv("PMEM_IS_PMEM_FORCE");

	if (o->pm.n || (force && strcmp(force, "1") == 0))
		return true;
	for (int i = 1; i < o->argc; i++)
		if (strstr(o->argv[i], "/dev/dax"))
			return true;
	return false;
}

/* No --pm: it may be among the program's own arguments. */
static bool no_pm(const struct pd_options *o, const struct pd_command *cmd, struct pd_error *e)
{
	for (int i = 1; i < o->argc; i++)
		if (strcmp(o->argv[i], "--pm") == 0 || strncmp(o->argv[i], "--pm=", 5) == 0)
			return pd_error_set(
				e, PD_EXIT_USAGE,
				"%s: '%s' follows the program, which would get it; write "
				"perdure's options before '%s'; nothing was run",
				cmd->verb, o->argv[i], o->argv[0]);
	return pd_error_set(e, PD_EXIT_USAGE,
			    "%s: name the program's PM files, such as --pm '/mnt/pmem/*' (or set "
			    "PERDURE_PM); nothing was run",
			    cmd->verb);
}

bool pd_options_start(struct pd_options *o, struct pd_arena *a, const struct pd_command *cmd,
		      int argc, char **argv, int *status)
{
	struct pd_error e;

	switch (pd_options_parse(o, a, cmd, argc, argv, &e)) {
	case PD_PARSED_OK:
		if (!(cmd->common & PD_OPT_BIT(PM)) || has_pm(o) || !o->argc)
			return true;
		no_pm(o, cmd, &e);
		break;
	case PD_PARSED_HELP:
		*status = PD_EXIT_CLEAN;
		return false;
	case PD_PARSED_ERROR:
		break;
	}
	*status = pd_error_print(&e);
	return false;
}

int pd_command_run(const struct pd_command *cmd, int argc, char **argv, pd_verb_run *run, void *ctx)
{
	struct pd_options o;
	struct pd_arena a;
	int status;

	pd_arena_init(&a, pd_host_memory());
	if (pd_options_start(&o, &a, cmd, argc, argv, &status))
		status = run(&o, &a, ctx);
	pd_arena_finish(&a);
	return status;
}
