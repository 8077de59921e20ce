/*
 * args.c - see args.h.
 *
 * The table says which arguments have a value and which calls get them. An argument that is not
 * listed goes to all calls, which is right for -f, -m, -O, -g and --target; clang is asked not to
 * complain about those it does not use.
 */
#include "cc/args.h"
#include "base/bug.h"
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- lists ---------------------------------------------------------------------------------- */

void pd_strings_add(struct pd_strings *s, const char *x)
{
	if (s->n + 2 > s->cap) {
		s->cap = s->cap ? s->cap * 2 : 32;
		s->v = realloc(s->v, s->cap * sizeof(*s->v));
		PD_CHECK(s->v, "out of memory");
	}
	s->v[s->n++] = (char *)x;
	s->v[s->n] = NULL;
}

void pd_strings_add_all(struct pd_strings *s, const struct pd_strings *from)
{
	for (size_t i = 0; i < from->n; i++)
		pd_strings_add(s, from->v[i]);
}

char *pd_strings_printf(const char *fmt, ...)
{
	va_list ap;
	char *s;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&s, fmt, ap);
	va_end(ap);
	PD_CHECK(n >= 0, "out of memory");
	return s;
}

/* ---- response files ------------------------------------------------------------------------- */

#define RESPONSE_DEPTH 16

static void expand(struct pd_strings *out, char *arg, unsigned depth);

/* Splits into words like the shell: quotes and backslashes. Edits in place. */
static void split_words(struct pd_strings *out, char *s, unsigned depth)
{
	while (*s) {
		char *word, *to, quote = 0;

		while (isspace((unsigned char)*s))
			s++;
		if (!*s)
			return;
		for (word = to = s; *s && (quote || !isspace((unsigned char)*s)); s++) {
			if (*s == '\\' && s[1])
				*to++ = *++s;
			else if (quote ? *s == quote : (*s == '"' || *s == '\''))
				quote = quote ? 0 : *s;
			else
				*to++ = *s;
		}
		if (*s)
			s++;
		*to = '\0';
		expand(out, word, depth);
	}
}

static char *read_text(const char *path)
{
	FILE *f = fopen(path, "r");
	char *s = NULL;
	size_t cap = 0;
	ssize_t n;

	if (!f)
		return NULL;
	n = getdelim(&s, &cap, '\0', f);
	fclose(f);
	if (n >= 0)
		return s;
	free(s);
	return calloc(1, 1);
}

/* If the file cannot be read, it is an argument like any other, as with gcc. */
static void expand(struct pd_strings *out, char *arg, unsigned depth)
{
	char *text = arg[0] == '@' && depth < RESPONSE_DEPTH ? read_text(arg + 1) : NULL;

	if (text)
		split_words(out, text, depth + 1);
	else
		pd_strings_add(out, arg);
}

/* ---- what an argument is -------------------------------------------------------------------- */

enum {
	FRONT = 1,
	CODEGEN = 2,
	LINK = 4,
	ALL = FRONT | CODEGEN | LINK,
	DROP = 0,
};

enum form {
	EXACT,	/* the whole argument */
	PREFIX, /* begins so */
	NEXT,	/* the value is the next argument */
	JOINED, /* the value is attached, or is the next argument */
};

struct rule {
	const char *name;
	enum form form;
	unsigned use;
};

/* The first rule that fits applies. */
static const struct rule rules[] = {
	{"-include", NEXT, FRONT},
	{"-imacros", NEXT, FRONT},
	{"-isystem", JOINED, FRONT},
	{"-idirafter", JOINED, FRONT},
	{"-iquote", JOINED, FRONT},
	{"-iprefix", NEXT, FRONT},
	{"-iwithprefixbefore", NEXT, FRONT},
	{"-iwithprefix", NEXT, FRONT},
	{"-isysroot", NEXT, FRONT | LINK},
	{"-I", JOINED, FRONT},
	{"-D", JOINED, FRONT},
	{"-U", JOINED, FRONT},
	{"-MF", JOINED, FRONT},
	{"-MT", JOINED, FRONT},
	{"-MQ", JOINED, FRONT},
	{"-MJ", NEXT, FRONT},
	{"-M", PREFIX, FRONT},
	{"-Xpreprocessor", NEXT, FRONT},
	{"-Wp,", PREFIX, FRONT},
	{"-std=", PREFIX, FRONT},
	{"-ansi", EXACT, FRONT},
	{"-pedantic", PREFIX, FRONT},
	{"-undef", EXACT, FRONT},
	{"-nostdinc", PREFIX, FRONT},
	{"-trigraphs", EXACT, FRONT},
	{"-traditional", PREFIX, FRONT},
	{"-Xclang", NEXT, FRONT},
	{"-include-pch", NEXT, FRONT},

	{"-Wl,", PREFIX, LINK},
	{"-Xlinker", NEXT, LINK},
	{"-L", JOINED, LINK},
	{"-l", JOINED, LINK},
	{"-T", JOINED, LINK},
	{"-u", NEXT, LINK},
	{"-z", JOINED, LINK},
	{"-e", NEXT, LINK},
	{"-rpath", NEXT, LINK},
	{"-shared", PREFIX, LINK},
	{"-rdynamic", EXACT, LINK},
	{"-pie", EXACT, LINK},
	{"-no-pie", EXACT, LINK},
	{"-nopie", EXACT, LINK},
	{"-nostartfiles", EXACT, LINK},
	{"-nodefaultlibs", EXACT, LINK},
	{"-nostdlib", PREFIX, LINK},
	{"-nolibc", EXACT, LINK},
	{"-r", EXACT, LINK},
	{"-s", EXACT, LINK},
	{"-fuse-ld=", PREFIX, LINK},
	{"-symbolic", EXACT, LINK},
	{"-export-dynamic", EXACT, LINK},
	{"--ld-path=", PREFIX, LINK},

	/* The runtime is a shared library. */
	{"-static-libgcc", EXACT, LINK},
	{"-static-libstdc++", EXACT, LINK},
	{"-static", PREFIX, DROP},

	{"-Wa,", PREFIX, CODEGEN},
	{"-Xassembler", NEXT, CODEGEN},
	{"-mllvm", NEXT, CODEGEN},
	{"-W", PREFIX, FRONT},
	{"-target", NEXT, ALL},
	{"-arch", NEXT, ALL},
	{"--sysroot", NEXT, ALL},
	{"-B", JOINED, ALL},
	{"-gcc-toolchain", NEXT, ALL},

	/* Bitcode is our business here; and options that only gcc knows. */
	{"-flto", PREFIX, DROP},
	{"-fno-lto", EXACT, DROP},
	{"-ffat-lto", PREFIX, DROP},
	{"-fno-fat-lto", PREFIX, DROP},
	{"-fwhole-program", EXACT, DROP},
	{"-fuse-linker-plugin", EXACT, DROP},
	{"-fno-use-linker-plugin", EXACT, DROP},
	{"-save-temps", PREFIX, DROP},
	{"--save-temps", PREFIX, DROP},
	{"-pipe", EXACT, DROP},
	{"-gsplit-dwarf", PREFIX, DROP},
	{"--param=", PREFIX, DROP},
	{"--param", NEXT, DROP},
	{"-specs", PREFIX, DROP},
	{"-wrapper", NEXT, DROP},
	{"-aux-info", NEXT, DROP},
	{"-dumpbase", NEXT, DROP},
	{"-dumpdir", NEXT, DROP},
	{"-fplugin", PREFIX, DROP},
	/* These need passes or runtimes of their own, or address space where PM is. */
	{"-fsanitize", PREFIX, DROP},
	{"-fno-sanitize", PREFIX, DROP},
	{"-fprofile-", PREFIX, DROP},
	{"-ftest-coverage", EXACT, DROP},
	{"-coverage", EXACT, DROP},
	{"--coverage", EXACT, DROP},
	{"-fcoverage-mapping", EXACT, DROP},
	{"-fxray", PREFIX, DROP},
};

/* -Werror was meant for another compiler's warnings. Of clang's, keep those about code that is
 * wrong in any compiler; these are also the ones that configure checks rely on. */
static const char *const errors[] = {
	"-Werror=implicit-function-declaration",
	"-Werror=incompatible-pointer-types",
	"-Werror=incompatible-function-pointer-types",
	"-Werror=int-conversion",
	"-Werror=implicit-int",
};

/* With these a compiler makes no object: clang handles them alone. */
static const char *const pass_through[] = {
	"-E",	  "-M",	       "-MM", "-fsyntax-only", "-###", "--version", "-cc1",
	"-cc1as", "--analyze", "-V",  "-qversion",
};

static bool is_pass_through(const char *s)
{
	for (size_t i = 0; i < PD_LEN(pass_through); i++)
		if (strcmp(s, pass_through[i]) == 0)
			return true;
	return strncmp(s, "-dump", 5) == 0 || strncmp(s, "-print", 6) == 0 ||
	       strncmp(s, "--print", 7) == 0;
}

static const struct rule *find_rule(const char *s)
{
	static const struct rule everybody = {"", PREFIX, ALL};

	for (size_t i = 0; i < PD_LEN(rules); i++) {
		const struct rule *r = &rules[i];
		bool whole = strcmp(s, r->name) == 0;

		if (whole)
			return r;
		if ((r->form == PREFIX || r->form == JOINED) &&
		    strncmp(s, r->name, strlen(r->name)) == 0)
			return r;
	}
	return &everybody;
}

static void give(struct pd_args *a, unsigned use, const char *s)
{
	if (use & FRONT)
		pd_strings_add(&a->front, s);
	if (use & CODEGEN)
		pd_strings_add(&a->codegen, s);
	if (use & LINK)
		pd_strings_add(&a->link, s);
}

/* ---- inputs --------------------------------------------------------------------------------- */

static bool one_of(const char *s, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (strcmp(s, list[i]) == 0)
			return true;
	return false;
}

/* -1: for the linker; -2: a header, which clang precompiles. */
static int kind_by_name(const char *path)
{
	static const char *const source[] = {".c",   ".i", ".cc", ".cpp", ".cxx",
					     ".c++", ".C", ".cp", ".CPP", ".ii"};
	static const char *const header[] = {".h", ".hh", ".hpp", ".hxx", ".H", ".h++"};
	static const char *const assembly[] = {".s", ".S", ".sx", ".asm"};
	static const char *const ir[] = {".bc", ".ll"};
	const char *dot = strrchr(path, '.');

	if (strcmp(path, "-") == 0)
		return PD_INPUT_SOURCE;
	if (!dot || strchr(dot, '/'))
		return -1;
	if (one_of(dot, source, PD_LEN(source)))
		return PD_INPUT_SOURCE;
	if (one_of(dot, assembly, PD_LEN(assembly)))
		return PD_INPUT_ASSEMBLY;
	if (one_of(dot, ir, PD_LEN(ir)))
		return PD_INPUT_IR;
	return one_of(dot, header, PD_LEN(header)) ? -2 : -1;
}

static int kind_by_language(const char *x)
{
	if (strncmp(x, "assembler", 9) == 0)
		return PD_INPUT_ASSEMBLY;
	if (strcmp(x, "ir") == 0)
		return PD_INPUT_IR;
	return strstr(x, "-header") ? -2 : (int)PD_INPUT_SOURCE;
}

static void add_input(struct pd_args *a, const char *path, const char *language)
{
	int kind = language ? kind_by_language(language) : kind_by_name(path);

	if (kind == -2)
		a->goal = PD_GOAL_PASS;
	if (kind < 0) {
		a->nobjects++;
		pd_strings_add(&a->link, path);
		return;
	}
	a->inputs = realloc(a->inputs, (a->ninputs + 1) * sizeof(*a->inputs));
	PD_CHECK(a->inputs, "out of memory");
	a->inputs[a->ninputs++] =
		(struct pd_input){(enum pd_input_kind)kind, path, language, a->link.n};
	pd_strings_add(&a->link, "");
}

/* ---- the whole line ------------------------------------------------------------------------- */

static void set_goal(struct pd_args *a, enum pd_args_goal goal)
{
	if (goal > a->goal)
		a->goal = goal;
}

/* Takes notice of arguments that change what we do. True: needs no other handling. */
static bool note(struct pd_args *a, const char *s)
{
	if (strcmp(s, "-c") == 0 || strcmp(s, "-S") == 0) {
		set_goal(a, s[1] == 'c' ? PD_GOAL_OBJECT : PD_GOAL_ASSEMBLY);
		return true;
	}
	if (strcmp(s, "-Werror") == 0) {
		for (size_t i = 0; i < PD_LEN(errors); i++)
			pd_strings_add(&a->front, errors[i]);
		return true;
	}
	if (is_pass_through(s))
		set_goal(a, PD_GOAL_PASS);
	if (strncmp(s, "-O", 2) == 0)
		a->level = s[2] ? s + 2 : "1";
	a->relocatable |= strcmp(s, "-r") == 0 || strcmp(s, "-Wl,-r") == 0;
	a->is_shared |= strcmp(s, "-shared") == 0 || strcmp(s, "-Wl,-shared") == 0;
	a->is_static |= strcmp(s, "-static") == 0 || strcmp(s, "-static-pie") == 0;
	if (strncmp(s, "-fsanitize=", 11) == 0)
		a->sanitizers = s;
	a->deps |= strcmp(s, "-MD") == 0 || strcmp(s, "-MMD") == 0 || strncmp(s, "-Wp,-M", 6) == 0;
	a->deps_file |= strncmp(s, "-MF", 3) == 0 || strncmp(s, "-Wp,-MD,", 8) == 0 ||
			strncmp(s, "-Wp,-MMD,", 9) == 0;
	a->deps_target |= strncmp(s, "-MT", 3) == 0 || strncmp(s, "-MQ", 3) == 0;
	return false;
}

/* -o FILE, -oFILE, -x LANGUAGE; returns how many arguments it took, or 0. */
static size_t take_special(struct pd_args *a, size_t i, const char **language)
{
	const char *s = a->all.v[i], *next = a->all.v[i + 1];
	const char *value = s[0] == '-' && s[1] && s[2] ? s + 2 : next;
	size_t n = value == next ? 2 : 1;

	if (s[0] != '-' || (s[1] != 'o' && s[1] != 'x') || !value)
		return 0;
	if (s[1] == 'o')
		a->out = value;
	else
		*language = strcmp(value, "none") == 0 ? NULL : value;
	return n;
}

static size_t take(struct pd_args *a, size_t i, const char **language)
{
	const char *s = a->all.v[i];
	size_t n = take_special(a, i, language);
	const struct rule *r;
	bool two;

	if (n)
		return n;
	if (s[0] != '-' || !s[1]) {
		add_input(a, s, *language);
		return 1;
	}
	if (note(a, s))
		return 1;
	r = find_rule(s);
	two = (r->form == NEXT || r->form == JOINED) && strcmp(s, r->name) == 0 && a->all.v[i + 1];
	give(a, r->use, s);
	if (two)
		give(a, r->use, a->all.v[i + 1]);
	return two ? 2 : 1;
}

/* Takes out arguments that select a mode; the last one counts. clang must not see them. */
static void take_mode(struct pd_args *a)
{
	size_t n = 0;

	for (size_t i = 0; i < a->all.n; i++) {
		const struct pd_mode *mode = pd_mode_of_option(a->all.v[i]);

		if (mode)
			a->mode = mode;
		else
			a->all.v[n++] = a->all.v[i];
	}
	a->all.n = n;
	if (a->all.v)
		a->all.v[n] = NULL;
}

void pd_args_parse(struct pd_args *a, int argc, char **argv, bool cxx)
{
	const char *language = NULL;

	*a = (struct pd_args){
		.goal = PD_GOAL_LINK, .cxx = cxx, .level = "0", .mode = pd_mode_default()};
	for (int i = 1; i < argc; i++)
		expand(&a->all, argv[i], 0);
	take_mode(a);
	for (size_t i = 0; i < a->all.n;)
		i += take(a, i, &language);
}

static void drop_from(struct pd_strings *s, const char *arg)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (strcmp(s->v[i], arg) != 0)
			s->v[n++] = s->v[i];
	s->n = n;
	if (s->v)
		s->v[n] = NULL;
}

void pd_args_drop(struct pd_args *a, const char *arg)
{
	drop_from(&a->all, arg);
	drop_from(&a->front, arg);
	drop_from(&a->codegen, arg);
	/* Objects are identified by index in `link`: neutralise an argument, never remove it. */
	for (size_t i = 0; i < a->link.n; i++)
		if (strcmp(a->link.v[i], arg) == 0)
			a->link.v[i] = "-Qunused-arguments";
}
