/*
 * cmd_fix.c - perdure fix ID: the fix of a finding as a patch on stdout (src/fix), with a
 * description on stderr.
 *
 * Sources are read where the result says they are, and nothing is written: the user applies the
 * patch. Names in it are relative to the current directory or, if a source is not below that, to
 * the nearest common folder.
 */
#include "cli/cli.h"
#include "cli/options.h"
#include "drive/verify.h"
#include "drive/wanted.h"
#include "fix/patch.h"
#include "host/host.h"
#include "report/words/words.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct fix {
	struct pd_arena arena;
	const char *out;
	const char *build; /* NULL: do not verify */
	struct pd_wanted wanted;
	const struct pd_finding *finding;
	struct pd_patch patch;
	bool unsure;	     /* only write it if it is verified */
	struct timespec ran; /* when the result was made */
	char root[PATH_MAX]; /* names in the patch are relative to it */
	struct pd_verify verify;
};

/* ---- sources --------------------------------------------------------------------------------- */

static const char *read_source(void *arg, struct pd_arena *a, const char *path, size_t *n)
{
	struct pd_error unused;
	char *text = pd_file_read(path, PD_FIX_FILE_MAX, n, &unused);
	const char *copy = text && !memchr(text, 0, *n) ? pd_arena_strndup(a, text, *n) : NULL;

	(void)arg;
	free(text);
	return copy;
}

static bool is_source(const char *file)
{
	static const char *const ends[] = {".c",   ".h",   ".cc",  ".hh",  ".cpp", ".hpp", ".cxx",
					   ".hxx", ".inc", ".inl", ".ipp", ".tcc", ".C",   NULL};
	const char *dot = strrchr(file, '.');

	for (uint32_t i = 0; dot && ends[i]; i++)
		if (strcmp(dot, ends[i]) == 0)
			return true;
	return false;
}

/* Resolves a name of the run, as seen from here. */
static bool from_run(const struct fix *x, const char *name, char path[PATH_MAX])
{
	const char *dir = x->wanted.result.directory;
	char joined[PATH_MAX];

	if (name[0] != '/' && dir &&
	    snprintf(joined, sizeof(joined), "%s/%s", dir, name) < (int)sizeof(joined) &&
	    realpath(joined, path))
		return true;
	return realpath(name, path);
}

static bool is_later(const struct timespec *a, const struct timespec *b)
{
	return a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec;
}

/* Changed after the run, or after the program was built: lines may have moved. */
static bool is_changed(const struct fix *x, const struct stat *source)
{
	const struct pd_result *r = &x->wanted.result;
	char program[PATH_MAX];
	struct stat st;

	if (is_later(&source->st_mtim, &x->ran))
		return true;
	return r->command.n && strchr(r->command.v[0], '/') &&
	       from_run(x, r->command.v[0], program) && stat(program, &st) == 0 &&
	       is_later(&source->st_mtim, &st.st_mtim);
}

static enum pd_no_remedy find_source(void *arg, struct pd_arena *a, const char *file,
				     const char **path)
{
	const struct fix *x = arg;
	const struct pd_scratch *copy = &x->verify.scratch;
	size_t n = strlen(copy->tree);
	char real[PATH_MAX];
	struct stat st;

	/* A file of the copy stands for the original. */
	if (n && strncmp(file, copy->tree, n) == 0)
		file = pd_fix_print(a, "%s%s", copy->root, file + n);
	if (!file || !is_source(file) || !from_run(x, file, real) || stat(real, &st) != 0 ||
	    !S_ISREG(st.st_mode) || strpbrk(real, "\n\t"))
		return PD_NO_REMEDY_NO_SOURCE;
	if (is_changed(x, &st))
		return PD_NO_REMEDY_CHANGED;
	*path = pd_arena_strndup(a, real, strlen(real));
	return *path ? PD_NO_REMEDY_NONE : PD_NO_REMEDY_NO_SOURCE;
}

/* When the result was written. */
static bool find_time(struct fix *x, struct pd_error *e)
{
	char inside[PATH_MAX + 16];
	struct stat st;

	snprintf(inside, sizeof(inside), "%s/" PD_OUT_RESULT, x->wanted.dir);
	if (stat(inside, &st) != 0 && stat(x->wanted.dir, &st) != 0)
		return pd_error_errno(e, ENOENT, "find", x->wanted.dir);
	x->ran = st.st_mtim;
	return true;
}

/* ---- the patch ------------------------------------------------------------------------------- */

static bool is_below(const char *path, const char *dir)
{
	size_t n = strlen(dir);

	return strncmp(path, dir, n) == 0 && (path[n] == '/' || (n && dir[n - 1] == '/'));
}

static bool is_below_or_same(const char *path, const char *dir)
{
	return is_below(path, dir) || strcmp(path, dir) == 0;
}

/* Goes up until a path is below. */
static void go_up(char root[PATH_MAX], const char *path)
{
	while (root[1] && !is_below(path, root)) {
		char *slash = strrchr(root, '/');

		slash[slash == root] = '\0';
	}
}

/* The current directory, or the nearest one above that contains all changed files. */
static bool find_root(struct fix *x, struct pd_error *e)
{
	if (!getcwd(x->root, sizeof(x->root)))
		return pd_error_errno(e, errno, "find", "the current directory");
	for (uint32_t i = 0; i < x->patch.nfile; i++)
		go_up(x->root, x->patch.file[i]->k.source[0].path);
	return true;
}

static const char *in_root(const struct fix *x, const char *path)
{
	size_t n = strlen(x->root);

	return path + n + (x->root[n - 1] != '/');
}

static bool write_patch(const struct fix *x, struct pd_error *e)
{
	struct pd_filewriter w;
	bool ok = true;

	if (!pd_file_begin(&w, "-", e))
		return false;
	for (uint32_t i = 0; i < x->patch.nfile; i++) {
		const struct pd_patched *f = x->patch.file[i];

		if (f->edits.v.n)
			ok &= pd_edit_diff(&f->edits, in_root(x, f->k.source[0].path), w.f);
	}
	return pd_file_commit(&w, e) && (ok || pd_error_set(e, PD_EXIT_INTERNAL, "memory ran out"));
}

static void print_changes(const struct fix *x)
{
	char cwd[PATH_MAX];

	for (uint32_t i = 0; i < x->patch.ndone; i++) {
		const struct pd_done *d = &x->patch.done[i];

		pd_words_patched(stderr, d->what, &d->at, d->put, d->fences);
	}
	if (!getcwd(cwd, sizeof(cwd)) || strcmp(cwd, x->root) != 0)
		fprintf(stderr, "names in the patch are relative to %s: patch -p1 -d %s\n", x->root,
			x->root);
}

/* ---- verifying ------------------------------------------------------------------------------- */

enum { ROUNDS = 8, NEW = 32 };

static uint32_t list_new(const struct pd_verify *v, bool deciding, const struct pd_finding **list)
{
	uint32_t n = 0;

	while (n < NEW && (list[n] = pd_verify_new(v, deciding, n)))
		n++;
	return n;
}

static enum pd_fix_verdict judge(const struct pd_verify *v)
{
	if (pd_findings_get(&v->after.findings, v->finding->id))
		return v->rebuilt ? PD_FIX_STILL : PD_FIX_NOT_BUILT;
	if (pd_verify_new(v, true, 0))
		return PD_FIX_NEW;
	if (!v->after.complete || pd_result_losses(&v->after))
		return PD_FIX_INCOMPLETE;
	return pd_verify_new(v, false, 0) ? PD_FIX_VERIFIED_BUT : PD_FIX_VERIFIED;
}

static int tell_verdict(const struct pd_verify *v, enum pd_fix_verdict what)
{
	const struct pd_finding *list[NEW];

	pd_words_verdict(stderr, what, &v->after);
	if (what == PD_FIX_NEW || what == PD_FIX_VERIFIED_BUT)
		pd_words_new(stderr, list, list_new(v, what == PD_FIX_NEW, list));
	if (what == PD_FIX_VERIFIED || what == PD_FIX_VERIFIED_BUT)
		return PD_EXIT_CLEAN;
	return what == PD_FIX_INCOMPLETE ? PD_EXIT_INCOMPLETE : PD_EXIT_FINDINGS;
}

/* Also fixes what the first change has revealed: one failure often hides the next. */
static bool extend(struct fix *x)
{
	const struct pd_finding *list[NEW];
	uint32_t n = list_new(&x->verify, true, list), before = x->patch.ndone;

	for (uint32_t i = 0; i < n; i++) {
		struct pd_remedies remedies = pd_remedies_of(list[i]);

		if (pd_patch_make(&x->patch, &remedies))
			return false;
	}
	return x->patch.ndone > before;
}

static enum pd_no_remedy patch_of(struct fix *x, const struct pd_remedies *remedies)
{
	struct pd_fix_files files = {read_source, find_source, x};

	pd_patch_init(&x->patch, &x->arena, files);
	return pd_patch_make(&x->patch, remedies);
}

static enum pd_no_remedy make_patch(struct fix *x)
{
	struct pd_remedies remedies = pd_remedies_of(x->finding);

	x->unsure = remedies.unsure;
	return x->unsure && !x->build ? PD_NO_REMEDY_UNSURE : patch_of(x, &remedies);
}

/* The folder to copy: the git work tree if there is one, else the nearest one that also contains
 * what the sources include. */
static const char *whole_tree(const struct fix *x, char tree[PATH_MAX])
{
	char real[PATH_MAX];
	bool tracked = true;

	for (uint32_t i = 0; i < x->patch.nfile && tracked; i++)
		tracked = pd_scratch_work_tree(x->patch.file[i]->k.source[0].path, tree) &&
			  is_below_or_same(x->root, tree);
	if (tracked)
		return tree;
	snprintf(tree, PATH_MAX, "%s", x->root);
	for (uint32_t i = 0; i < x->patch.nfile; i++) {
		const struct pd_knowledge *k = &x->patch.file[i]->k;

		for (uint32_t s = 0; s < k->nsource; s++)
			if (realpath(k->source[s].path, real))
				go_up(tree, real);
	}
	return tree;
}

static bool is_verified(enum pd_fix_verdict what)
{
	return what == PD_FIX_VERIFIED || what == PD_FIX_VERIFIED_BUT;
}

/* What a patch has come to. */
struct trial {
	enum pd_fix_verdict what;
	struct pd_result first; /* without what was added to it */
	bool extended;
};

/* Tries the patch; if that reveals further failures, also with their fixes. */
static bool try_patch(struct fix *x, struct trial *t, struct pd_error *e)
{
	*t = (struct trial){.what = PD_FIX_NEW};
	for (uint32_t round = 0; round < ROUNDS && t->what == PD_FIX_NEW; round++) {
		t->extended |= round > 0;
		if (round && !extend(x))
			break;
		if (!pd_verify_try(&x->verify, &x->patch, e))
			return false;
		t->what = judge(&x->verify);
		if (!round)
			t->first = x->verify.after;
	}
	return true;
}

/* The first change alone, with what came of it. */
static enum pd_fix_verdict go_back(struct fix *x, const struct trial *t)
{
	x->verify.after = t->first;
	make_patch(x);
	return judge(&x->verify);
}

/* Tries what the finding asks for; where that does not help, what may help instead. */
static int try_it(struct fix *x, struct pd_error *e)
{
	struct pd_remedies instead = pd_remedies_instead(x->finding);
	struct trial first, other;

	if (!try_patch(x, &first, e))
		return pd_error_print(e);
	if (!is_verified(first.what) && !instead.no && !patch_of(x, &instead)) {
		if (!try_patch(x, &other, e))
			return pd_error_print(e);
		if (is_verified(other.what))
			return tell_verdict(&x->verify, other.what);
		first.extended = true;
	}
	if (first.extended && !is_verified(first.what))
		first.what = go_back(x, &first);
	return tell_verdict(&x->verify, first.what);
}

static int verify(struct fix *x, struct pd_error *e)
{
	char tree[PATH_MAX];
	int status;

	x->verify = (struct pd_verify){.arena = &x->arena,
				       .build = x->build,
				       .root = whole_tree(x, tree),
				       .before = &x->wanted.result,
				       .finding = x->finding};
	status = pd_verify_start(&x->verify, e) ? try_it(x, e) : pd_error_print(e);
	pd_verify_finish(&x->verify);
	return status;
}

static int make(struct fix *x)
{
	enum pd_no_remedy no = make_patch(x);
	int status = PD_EXIT_CLEAN;
	struct pd_error e;

	if (x->patch.nomem) {
		pd_error_set(&e, PD_EXIT_INTERNAL, "memory ran out");
		return pd_error_print(&e);
	}
	if (no) {
		pd_words_no_patch(stderr, x->finding, no,
				  x->patch.refused.file ? &x->patch.refused : NULL);
		return PD_EXIT_INCOMPLETE;
	}
	if (!find_root(x, &e))
		return pd_error_print(&e);
	if (x->build)
		status = verify(x, &e);
	if (status == PD_EXIT_USAGE || status == PD_EXIT_INTERNAL || (status && x->unsure))
		return status;
	if (!find_root(x, &e) || !write_patch(x, &e))
		return pd_error_print(&e);
	print_changes(x);
	return status;
}

static int run(struct fix *x, const char *id)
{
	struct pd_error e;

	x->wanted.id = id;
	x->finding = pd_wanted_find(&x->wanted, &x->arena, x->out, stderr, &e);
	if (!x->finding || !find_time(x, &e))
		return pd_error_print(&e);
	return make(x);
}

int pd_cmd_fix(int argc, char **argv)
{
	struct fix x = {0};
	const struct pd_own own[] = {
#include "cli/options/fix.def"
		{0},
	};
	struct pd_command cmd = {
		.verb = "fix",
		.arguments = "ID",
		.doc = "Writes the fix of a finding as a patch to stdout, if a flush, a fence, an "
		       "atomic store, another order, a logged range or the removal of a needless "
		       "call fixes it, "
		       "in the style of the surrounding code.\v"
		       "No file is changed: apply the patch with 'patch -p1' or 'git apply'. "
		       "Without --out the finding is looked for in " PD_OUT_DEFAULT
		       "/last and then in earlier runs, the newest first. "
		       "Exit status: 0 the patch is written (with --build: and verified), 1 it "
		       "does not help or introduces a new finding, 3 no patch can be made, or it "
		       "could not be verified (stderr says why), 2 there is no such finding.",
		.needs = "give the id of the finding",
		.single = true,
		.mixed = true,
		.own = own,
	};
	struct pd_options o;
	int status;

	pd_arena_init(&x.arena, pd_host_memory());
	if (pd_options_start(&o, &x.arena, &cmd, argc, argv, &status))
		status = run(&x, o.argv[0]);
	pd_arena_finish(&x.arena);
	return status;
}
