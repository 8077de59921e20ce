/*
 * driver.c - the compiler as build systems see it.
 *
 * Each source goes through clang's front end to unoptimised bitcode, through the pass, and through
 * clang's code generator with the user's own flags; then clang links everything with the runtime.
 * Invocations that make no object (-E, -M, --version) are passed to clang. The front end is always
 * the user's clang with the user's flags, so the user sees its messages and its exit status.
 *
 * Makefiles are written for gcc. Flags that only gcc knows are left out, what gcc accepts with a
 * warning is a warning, and -Werror does not cover clang's own warnings (args.c). For the remaining
 * messages, a line says what to do (advice.h).
 */
#include "cc/driver.h"
#include "cc/advice.h"
#include "cc/pass.h"
#include "cc/proc.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PD_CLANG
#define PD_CLANG   "clang-19"
#define PD_CLANGXX "clang++-19"
#endif

struct driver {
	struct pd_args *a;
	const char *libdir;
	const char *clang;
};

/* No warnings about arguments that one of the three calls does not use. */
static const char *const always[] = {"-Qunused-arguments", "-Wno-unknown-warning-option",
				     "-Wno-ignored-optimization-argument",
				     "-Wno-unused-command-line-argument"};

/* Errors of clang that gcc reports as warnings, or not at all. The user's own flags come later and
 * win. */
static const char *const lenient_c[] = {
	"-Wno-error=implicit-function-declaration",
	"-Wno-error=implicit-int",
	"-Wno-error=int-conversion",
	"-Wno-error=incompatible-pointer-types",
	"-Wno-error=incompatible-function-pointer-types",
	"-Wno-error=return-type",
	"-Wno-error=return-mismatch",
	"-fheinous-gnu-extensions",
};

static const char *const lenient_cxx[] = {
	"-Wno-register",
	"-Wno-c++11-narrowing",
	"-Wno-reserved-user-defined-literal",
	"-Wno-error=enum-constexpr-conversion",
	"-Wno-error=address-of-temporary",
	"-Wno-missing-template-arg-list-after-template-kw",
	"-fheinous-gnu-extensions",
};

static void add_list(struct pd_strings *s, const char *const *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		pd_strings_add(s, list[i]);
}

static struct pd_strings command(const struct driver *d)
{
	struct pd_strings c = {0};

	pd_strings_add(&c, d->clang);
	add_list(&c, always, PD_LEN(always));
	return c;
}

/* Runs a command; if it fails, again to capture its output. The first run printed straight to the
 * user, colours and all. */
static int run_advised(struct pd_strings *c)
{
	int rc = pd_proc_run(c);
	const char *advice;
	char *said;

	if (rc != 1)
		return rc;
	pd_strings_add(c, "-fno-color-diagnostics");
	pd_proc_capture(c, &said);
	advice = said ? pd_advice(said) : NULL;
	if (advice)
		fprintf(stderr, "perdure cc: note: %s\n", advice);
	free(said);
	return rc;
}

/* ---- names ---------------------------------------------------------------------------------- */

static char *with_suffix(const char *path, const char *suffix)
{
	const char *dot = strrchr(basename(path), '.');
	size_t n = dot && dot != basename(path) ? (size_t)(dot - path) : strlen(path);

	return pd_strings_printf("%.*s%s", (int)n, path, suffix);
}

/* The name of the output: -o, or the source's name in the current directory. */
static char *output_name(const struct driver *d, const struct pd_input *in)
{
	const char *suffix = d->a->goal == PD_GOAL_ASSEMBLY ? ".s" : ".o";

	if (d->a->goal == PD_GOAL_LINK)
		return pd_temp_name(".o");
	if (d->a->out)
		return strdup(d->a->out);
	return with_suffix(basename(strcmp(in->path, "-") == 0 ? "-.c" : in->path), suffix);
}

/* ---- arguments that clang does not know ----------------------------------------------------- */

/* Prefixes of common -f and -m arguments that clang supports: no need to ask. */
static const char *const common[] = {
	"-fPIC",
	"-fpic",
	"-fPIE",
	"-fpie",
	"-fno-strict-aliasing",
	"-fstrict-aliasing",
	"-fvisibility",
	"-fno-common",
	"-fcommon",
	"-ffunction-sections",
	"-fdata-sections",
	"-fno-exceptions",
	"-fexceptions",
	"-fno-rtti",
	"-fstack-protector",
	"-fno-stack-protector",
	"-fomit-frame-pointer",
	"-fno-omit-frame-pointer",
	"-fno-builtin",
	"-ffreestanding",
	"-fwrapv",
	"-fno-plt",
	"-fopenmp",
	"-fsigned-char",
	"-funsigned-char",
	"-fno-pie",
	"-fno-PIE",
	"-fno-pic",
	"-fno-PIC",
	"-fdiagnostics-color",
	"-fmessage-length=",
	"-fpermissive",
	"-fuse-ld=",
	"-march=",
	"-mtune=",
	"-msse",
	"-mavx",
	"-mclflushopt",
	"-mclwb",
	"-m64",
	"-mcx16",
	"-mrtm",
	"-mfma",
	"-mbmi",
	"-mpopcnt",
	"-maes",
	"-mpclmul",
	"-mno-red-zone",
	"-fcf-protection",
	"-fasynchronous-unwind-tables",
	"-fstack-clash-protection",
	"-fno-asynchronous-unwind-tables",
	"-fdebug-prefix-map=",
	"-ffile-prefix-map=",
	"-fmacro-prefix-map=",
	"-funroll-loops",
	"-finline-functions",
	"-fno-inline",
	"-ffast-math",
	"-fno-math-errno",
	"-fno-semantic-interposition",
};

static bool is_doubtful(const char *s)
{
	if (s[0] != '-' || (s[1] != 'f' && s[1] != 'm'))
		return false;
	for (size_t i = 0; i < PD_LEN(common); i++)
		if (strncmp(s, common[i], strlen(common[i])) == 0)
			return false;
	return true;
}

/* Drops the arguments quoted in a complaint of clang: unknown argument: '-fx'; 'x' to option
 * '-fy='. */
static bool drop_complaint(struct driver *d, char *line)
{
	char *one = strchr(line, '\''), *end = one ? strchr(one + 1, '\'') : NULL;
	char *two = end ? strchr(end + 1, '\'') : NULL, *end2 = two ? strchr(two + 1, '\'') : NULL;

	if (!strstr(line, "error:") || !end)
		return false;
	*end = '\0';
	one++;
	if (one[0] == '-') {
		pd_args_drop(d->a, one);
		return true;
	}
	if (!end2 || two[1] != '-')
		return false;
	*end2 = '\0';
	pd_args_drop(d->a, pd_strings_printf("%s%s", two + 1, one));
	return true;
}

static bool drop_complaints(struct driver *d, char *err)
{
	char *save = NULL;
	bool any = false;

	for (char *line = strtok_r(err, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		any |= drop_complaint(d, line);
	return any;
}

/* Asks clang which of the user's flags it would refuse, and drops them. */
static void drop_unknown(struct driver *d)
{
	bool doubt = false;

	for (size_t i = 0; i < d->a->all.n; i++)
		doubt |= is_doubtful(d->a->all.v[i]);
	for (int round = 0; doubt && round < 3; round++) {
		struct pd_strings c = command(d);
		char *err;

		pd_strings_add(&c, "-###");
		for (size_t i = 0; i < d->a->codegen.n; i++)
			if (d->a->codegen.v[i][0] == '-')
				pd_strings_add(&c, d->a->codegen.v[i]);
		pd_strings_add(&c, "-c");
		pd_strings_add(&c, "-xc");
		pd_strings_add(&c, "/dev/null");
		doubt = pd_proc_capture(&c, &err) != 0 && drop_complaints(d, err);
		free(err);
	}
}

/* ---- one source ----------------------------------------------------------------------------- */

static void add_language(struct pd_strings *c, const char *language)
{
	if (!language)
		return;
	pd_strings_add(c, "-x");
	pd_strings_add(c, language);
}

static bool is_cxx(const struct driver *d, const struct pd_input *in)
{
	const char *dot = strrchr(in->path, '.');

	if (in->language)
		return strstr(in->language, "c++") != NULL;
	return d->a->cxx || (dot && (strchr(dot, 'p') || strcmp(dot, ".cc") == 0 ||
				     strcmp(dot, ".cxx") == 0 || strcmp(dot, ".C") == 0 ||
				     strcmp(dot, ".c++") == 0 || strcmp(dot, ".ii") == 0));
}

static void add_dependencies(const struct driver *d, struct pd_strings *c,
			     const struct pd_input *in, const char *out)
{
	const struct pd_args *a = d->a;
	const char *target = a->goal == PD_GOAL_LINK ? with_suffix(basename(in->path), ".o") : out;

	if (!a->deps)
		return;
	if (!a->deps_file) {
		pd_strings_add(c, "-MF");
		pd_strings_add(c, with_suffix(target, ".d"));
	}
	if (!a->deps_target) {
		pd_strings_add(c, "-MT");
		pd_strings_add(c, target);
	}
}

static int front_end(const struct driver *d, const struct pd_input *in, const char *bitcode,
		     const char *out)
{
	struct pd_strings c = command(d);

	if (is_cxx(d, in))
		add_list(&c, lenient_cxx, PD_LEN(lenient_cxx));
	else
		add_list(&c, lenient_c, PD_LEN(lenient_c));
	/* By default: Valgrind 3.19, which may run the program, cannot read clang's DWARF 5. */
	pd_strings_add(&c, "-gdwarf-4");
	pd_strings_add_all(&c, &d->a->front);
	add_dependencies(d, &c, in, out);
	pd_strings_add(&c, "-isystem");
	pd_strings_add(&c, pd_strings_printf("%s/include", d->libdir));
	for (const struct pd_mode *m = d->a->mode; m; m = m->base)
		if (m->headers) {
			pd_strings_add(&c, "-isystem");
			pd_strings_add(&c, pd_strings_printf("%s/headers/%s", d->libdir, m->name));
		}
	if (strcmp(d->a->level, "0") == 0) {
		pd_strings_add(&c, "-Xclang");
		pd_strings_add(&c, "-disable-O0-optnone");
	}
	/* Sites need lines, bit-fields need names, unwinding needs frame pointers. */
	static const char *const ours[] = {"-g",
					   "-fno-discard-value-names",
					   "-fno-omit-frame-pointer",
					   "-mno-omit-leaf-frame-pointer",
					   "-Xclang",
					   "-disable-llvm-passes",
					   "-emit-llvm",
					   "-c",
					   "-o"};

	add_list(&c, ours, PD_LEN(ours));
	pd_strings_add(&c, bitcode);
	add_language(&c, in->language);
	pd_strings_add(&c, in->path);
	return strcmp(in->path, "-") == 0 ? pd_proc_run(&c) : run_advised(&c);
}

static enum pd_level level_of(const char *s)
{
	switch (s[0]) {
	case '0':
		return PD_O0;
	case '1':
	case 'g':
		return PD_O1;
	case 's':
		return PD_OS;
	case 'z':
		return PD_OZ;
	case '2':
		return PD_O2;
	default:
		return PD_O3;
	}
}

static int instrument(const struct driver *d, const struct pd_input *in, const char *bitcode,
		      const char *to)
{
	struct pd_pass_options o = {
		.mode = d->a->mode,
		.level = level_of(d->a->level),
		.in = bitcode,
		.out = to,
		.source = strcmp(in->path, "-") == 0 ? "<stdin>" : in->path,
		.helpers = d->libdir,
	};

	return pd_pass_run(&o);
}

static int generate(const struct driver *d, const char *bitcode, const char *out, bool assembly)
{
	struct pd_strings c = command(d);

	pd_strings_add_all(&c, &d->a->codegen);
	pd_strings_add(&c, "-Xclang");
	pd_strings_add(&c, "-disable-llvm-passes");
	pd_strings_add(&c, assembly ? "-S" : "-c");
	pd_strings_add(&c, "-o");
	pd_strings_add(&c, out);
	pd_strings_add(&c, "-x");
	pd_strings_add(&c, "ir");
	pd_strings_add(&c, bitcode);
	return pd_proc_run(&c);
}

static int compile(const struct driver *d, const struct pd_input *in, const char *out)
{
	const char *bitcode = in->kind == PD_INPUT_IR ? in->path : pd_temp_name(".bc");
	const char *instrumented = bitcode ? pd_temp_name(".bc") : NULL;
	int rc = 0;

	if (!instrumented)
		return 4;
	if (in->kind == PD_INPUT_SOURCE)
		rc = front_end(d, in, bitcode, out);
	if (!rc)
		rc = instrument(d, in, bitcode, instrumented);
	if (!rc)
		rc = generate(d, instrumented, out, d->a->goal == PD_GOAL_ASSEMBLY);
	return rc;
}

/* ---- assembly ------------------------------------------------------------------------------- */

/* Assembly is not instrumented: its object gets a record that says so. */
static int attach_note(const struct driver *d, const char *object, const char *source,
		       const char *out)
{
	const char *bitcode = pd_temp_name(".bc");
	const char *note = bitcode ? pd_temp_name(".o") : NULL;
	struct pd_strings c = command(d);
	int rc;

	if (!note)
		return 4;
	rc = pd_pass_note(d->a->mode, bitcode, source, PD_LOSS_ASM_FILE);
	if (!rc)
		rc = generate(d, bitcode, note, false);
	if (rc)
		return rc;
	const char *const args[] = {"-r", "-nostdlib", "-o", out, object, note};

	add_list(&c, args, PD_LEN(args));
	return pd_proc_run(&c);
}

static int assemble(const struct driver *d, const struct pd_input *in, const char *out)
{
	struct pd_strings c = command(d);
	const char *object = pd_temp_name(".o");
	int rc;

	if (!object)
		return 4;
	pd_strings_add_all(&c, &d->a->front);
	add_dependencies(d, &c, in, out);
	for (size_t i = 0; i < d->a->codegen.n; i++)
		if (strncmp(d->a->codegen.v[i], "-Wa,", 4) == 0 ||
		    strcmp(d->a->codegen.v[i], "-Xassembler") == 0)
			pd_strings_add(&c, d->a->codegen.v[i]);
	pd_strings_add(&c, "-c");
	pd_strings_add(&c, "-o");
	pd_strings_add(&c, object);
	add_language(&c, in->language);
	pd_strings_add(&c, in->path);
	rc = pd_proc_run(&c);
	return rc ? rc : attach_note(d, object, in->path, out);
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int pass_through(const struct driver *d)
{
	struct pd_strings c = command(d);

	for (size_t i = 0; i < d->a->all.n; i++)
		if (strcmp(d->a->all.v[i], "-Werror") != 0)
			pd_strings_add(&c, d->a->all.v[i]);
	if (d->a->ninputs) {
		pd_strings_add(&c, "-isystem");
		pd_strings_add(&c, pd_strings_printf("%s/include", d->libdir));
	}
	return pd_proc_become(&c);
}

/* First on the command line, so that its interposed functions precede libc's, whatever the user
 * links. */
static void add_runtime(const struct driver *d, struct pd_strings *c)
{
	if (d->a->relocatable)
		return;
	pd_strings_add(c, pd_strings_printf("-L%s", d->libdir));
	pd_strings_add(c, pd_strings_printf("-Wl,-rpath,%s", d->libdir));
	pd_strings_add(c, "-Wl,--push-state,--no-as-needed");
	pd_strings_add(c, "-lperdure_rt");
	pd_strings_add(c, "-Wl,--pop-state");
	/* Else every execution looks up the same functions again. A library may have references
	 * that nobody can resolve, and that are never used. */
	if (!d->a->is_shared)
		pd_strings_add(c, "-Wl,-z,now");
}

static bool uses_openmp(const struct pd_args *a)
{
	for (size_t i = 0; i < a->link.n; i++)
		if (strncmp(a->link.v[i], "-fopenmp", 8) == 0)
			return true;
	return false;
}

static int link_all(const struct driver *d)
{
	struct pd_strings c = command(d);

	if (d->a->is_static && !d->a->relocatable)
		fputs("perdure cc: note: linking dynamically despite -static: the runtime is a "
		      "shared library\n",
		      stderr);
	if (d->a->sanitizers && !d->a->relocatable)
		fprintf(stderr,
			"perdure cc: note: building without %s: sanitizers do not work with "
			"perdure's runtime\n",
			d->a->sanitizers);
	add_runtime(d, &c);
	pd_strings_add_all(&c, &d->a->link);
	if (d->a->cxx && d->a->mode->streams && !d->a->relocatable && !d->a->is_shared)
		pd_strings_add(&c, "-Wl,-u,__pd_sym_early");
	if (d->a->cxx && d->a->mode->streams && !d->a->relocatable)
		pd_strings_add(&c,
			       pd_strings_printf("%s/%s-streams.a", d->libdir, d->a->mode->name));
	if (d->a->mode->streams && !d->a->relocatable)
		pd_strings_add(&c,
			       pd_strings_printf("%s/%s-output.a", d->libdir, d->a->mode->name));
	if (d->a->out) {
		pd_strings_add(&c, "-o");
		pd_strings_add(&c, d->a->out);
	}
	return uses_openmp(d->a) ? run_advised(&c) : pd_proc_run(&c);
}

static int compile_all(const struct driver *d)
{
	struct pd_args *a = d->a;
	int rc = 0;

	if (a->goal != PD_GOAL_LINK && a->out && a->ninputs > 1) {
		fputs("perdure cc: error: cannot specify -o when generating multiple output "
		      "files\n",
		      stderr);
		return 1;
	}
	for (size_t i = 0; i < a->ninputs && !rc; i++) {
		struct pd_input *in = &a->inputs[i];
		char *out = output_name(d, in);

		if (!out)
			return 4;
		rc = in->kind == PD_INPUT_ASSEMBLY ? assemble(d, in, out) : compile(d, in, out);
		a->link.v[in->link_at] = out;
	}
	return rc;
}

static bool is_clangs_alone(const struct pd_args *a)
{
	if (a->goal == PD_GOAL_PASS)
		return true;
	for (size_t i = 0; i < a->ninputs; i++)
		if (a->goal == PD_GOAL_ASSEMBLY && a->inputs[i].kind == PD_INPUT_ASSEMBLY)
			return true;
	return !a->ninputs && (a->goal != PD_GOAL_LINK || !a->nobjects);
}

int pd_driver_run(struct pd_args *a, const char *libdir)
{
	struct driver d = {a, libdir, a->cxx ? PD_CLANGXX : PD_CLANG};
	int rc;

	drop_unknown(&d);
	if (is_clangs_alone(a))
		return pass_through(&d);
	rc = compile_all(&d);
	if (!rc && a->goal == PD_GOAL_LINK)
		rc = link_all(&d);
	return rc;
}
