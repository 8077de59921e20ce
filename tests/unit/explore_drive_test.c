/*
 * explore_drive_test.c - the tool's side of explore on a made-up board: what is symbolic, inputs as
 * folders, ended paths, what was cut, and going on later.
 */
#include "drive/explore/explore.h"
#include "host/host.h"
#include "unit/unit.h"
#include <errno.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static char *command[] = {"/bin/true", "data.pm", "@@", NULL};

/* A run whose result goes into a directory of its own. */
static void begin(struct pd_explore_run *x, char *dir)
{
	*x = (struct pd_explore_run){.model = "adr",
				     .search = "bfs",
				     .path_ms = 1000,
				     .query_ms = 1000,
				     .max_bytes = 64 << 20,
				     .capture = -1,
				     .board_fd = -1};
	pd_arena_init(&x->arena, pd_host_memory());
	x->options.arena = &x->arena;
	x->options.argv = command;
	x->options.argc = 3;
	x->options.jobs = 1;
	x->options.quiet = true;
	x->options.seed = 1;
	pd_result_init(&x->result, &x->arena, "explore");
	strcpy(dir, "/tmp/perdure-test-XXXXXX");
	assert_non_null(mkdtemp(dir));
	snprintf(x->out.path, sizeof(x->out.path), "%s", dir);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void end(struct pd_explore_run *x, const char *dir)
{
	pd_explore_finish(x);
	nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

/* An argument of 3 bytes, 4 of standard input, 2 of a PM file; 9 bytes of input. */
static void lay_out(struct pd_explore_run *x)
{
	struct pd_error e;

	assert_true(pd_explore_take_args(x, "3", &e));
	assert_true(pd_explore_take_pm(x, "a/data.pm:16+2", &e));
	x->stdin_bytes = 4;
	assert_true(pd_explore_lay_out(x, &e));
}

static void test_sources(void **state)
{
	struct pd_explore_run x;
	char dir[40];

	(void)state;
	begin(&x, dir);
	lay_out(&x);
	assert_int_equal(x.input_size, 9);
	assert_int_equal(x.nsources, 3);
	assert_int_equal(x.source[0].kind, PD_SOURCE_ARG);
	assert_int_equal(x.source[0].at, 2);
	assert_int_equal(x.source[1].kind, PD_SOURCE_STDIN);
	assert_int_equal(x.source[1].first, 3);
	assert_int_equal(x.source[2].kind, PD_SOURCE_PM);
	assert_int_equal(x.source[2].at, 16);
	assert_int_equal(x.source[2].first, 7);
	assert_string_equal(pd_explore_argv(&x)[2], "aaa");
	end(&x, dir);
}

/* Without @@ symbolic arguments come last. */
static void test_appended(void **state)
{
	static char *plain[] = {"/bin/true", NULL};
	struct pd_explore_run x;
	struct pd_error e;
	char dir[40];

	(void)state;
	begin(&x, dir);
	x.options.argv = plain;
	x.options.argc = 1;
	assert_true(pd_explore_take_args(&x, "1,2", &e));
	assert_true(pd_explore_lay_out(&x, &e));
	assert_int_equal(x.options.argc, 3);
	assert_int_equal(x.source[1].at, 2);
	assert_int_equal(x.source[1].n, 2);
	end(&x, dir);
}

static void test_wrong_options(void **state)
{
	static const char *const args[] = {"", "0", "x", "1,", "5000", "-1"};
	static const char *const files[] = {
		"", "x", ":4", "x:", "x:0", "x:3+", "x:3+0", "x:99999999"};
	struct pd_explore_run x;
	struct pd_error e;
	char dir[40];

	(void)state;
	begin(&x, dir);
	for (size_t i = 0; i < PD_LEN(args); i++)
		assert_false(pd_explore_take_args(&x, args[i], &e));
	for (size_t i = 0; i < PD_LEN(files); i++)
		assert_false(pd_explore_take_file(&x, files[i], &e));
	assert_false(pd_explore_take_pm(&x, "x:4", &e)); /* a whole PM file */
	x.nlengths = x.nsources = 0;
	assert_false(pd_explore_lay_out(&x, &e)); /* @@, and no length */
	assert_int_equal(e.status, PD_EXIT_USAGE);
	assert_true(pd_explore_take_args(&x, "1,1", &e));
	assert_false(pd_explore_lay_out(&x, &e)); /* two lengths for one @@ */
	end(&x, dir);
}

static void test_input(void **state)
{
	const uint8_t input[9] = {'a', 0, 'b', 'p', '"', '\n', 0, 0xff, 1};
	const struct pd_explore_path shown = {.input = input};
	struct pd_explore_run x;
	struct pd_error e;
	uint8_t back[9] = {0};
	char dir[40], path[PATH_MAX], *text;
	size_t n;

	(void)state;
	begin(&x, dir);
	lay_out(&x);
	snprintf(path, sizeof(path), "%s/inputs/1", dir);
	assert_true(pd_explore_write_input(&x, input, shown.fault, path, &e));
	assert_string_equal(
		pd_explore_show_input(&x, &shown),
		"argument 2 \"a\", stdin \"p\\\"\\n\\x00\", a/data.pm+16 \"\\xff\\x01\"");
	/* What follows the NUL of an argument is not part of it. */
	assert_true(pd_explore_read_input(&x, path, back, &e));
	assert_int_equal(back[0], 'a');
	assert_int_equal(back[2], 0);
	assert_memory_equal(back + 3, input + 3, 6);
	snprintf(path, sizeof(path), "%s/inputs/1/pm/a%%2Fdata.pm+16", dir);
	text = pd_file_read(path, 100, &n, &e);
	assert_non_null(text);
	assert_int_equal(n, 2);
	free(text);
	end(&x, dir);
}

/* Calls that fail: as a file, in words, and back as bytes. */
static void test_faults(void **state)
{
	const struct pd_explore_path p = {
		.input = (const uint8_t *)"",
		.fault = {{1, PD_FAULTY_malloc, PD_FAULT_NOMEM, 0, ""},
			  {3, PD_FAULTY_pwrite, PD_FAULT_SHORT, 12, "store.c"}}};
	struct pd_explore_run x;
	struct pd_error e;
	uint8_t back[4] = {0};
	char dir[40], path[PATH_MAX];

	(void)state;
	begin(&x, dir);
	x.options.argc = 1;
	x.options.argv = (char *[]){(char *)(uintptr_t)"./x", NULL};
	assert_false(pd_explore_take_faults(&x, "9", &e));
	assert_true(pd_explore_take_faults(&x, "2,4", &e));
	assert_true(pd_explore_lay_out(&x, &e));
	assert_int_equal(x.input_size, 4);
	snprintf(path, sizeof(path), "%s/i", dir);
	assert_true(pd_explore_write_input(&x, p.input, p.fault, path, &e));
	assert_string_equal(pd_explore_show_input(&x, &p),
			    "malloc() that fails with ENOMEM (call 1), pwrite() that is short at "
			    "store.c:12 (call 3)");
	assert_true(pd_explore_read_input(&x, path, back, &e));
	assert_memory_equal(back, ((uint8_t[]){PD_FAULT_NOMEM, 0, PD_FAULT_SHORT, 0}), 4);
	assert_true(pd_input_put(path, "faults", "5 read EIO\n", 11, &e)); /* of four */
	assert_false(pd_explore_read_input(&x, path, back, &e));
	end(&x, dir);
}

static void test_fault_lines(void **state)
{
	static const char *const wrong[] = {
		"",	  "0 read EIO",	  "x read EIO",	 "1 reads EIO", "1 read EIO2",
		"1 read", "1 malloc EIO", "1  read EIO", "1read EIO"};
	enum pd_faulty f;
	enum pd_fault how;
	uint32_t call;

	(void)state;
	assert_true(pd_fault_parse("12 pread64 EINTR at x y.c:3\n", &call, &f, &how));
	assert_int_equal(call, 12);
	assert_int_equal(f, PD_FAULTY_pread64);
	assert_int_equal(how, PD_FAULT_INTR);
	for (size_t i = 0; i < PD_LEN(wrong); i++)
		assert_false(pd_fault_parse(wrong[i], &call, &f, &how));
}

/* The folder is given to a program: arguments, and back from JSON. */
static void test_folder(void **state)
{
	const uint8_t input[9] = {'-', 'x', 0, 'i', 'n', 0, 0, 1, 2};
	struct pd_explore_run x;
	struct pd_input in, again;
	struct pd_error e;
	char dir[40], path[PATH_MAX], bytes[5] = "";
	json_t *j;

	(void)state;
	begin(&x, dir);
	lay_out(&x);
	snprintf(path, sizeof(path), "%s/i", dir);
	assert_true(pd_explore_write_input(&x, input, NULL, path, &e));
	assert_true(pd_input_open(&in, path, &e));
	assert_string_equal(pd_input_argv(&in, &x.arena, command, &e)[2], "-x");
	assert_int_equal(strncmp(in.setting, "input=/proc/self/fd/", 20), 0);
	j = pd_input_json(path, &e);
	assert_int_equal(json_object_size(j), 3);
	assert_true(pd_input_from_json(&again, &x.arena, j, &e));
	assert_int_equal(pread(again.standard, bytes, 4, 0), 4);
	assert_memory_equal(bytes, input + 3, 4);
	json_decref(j);
	snprintf(path, sizeof(path), "%s", again.dir);
	pd_input_finish(&again);
	assert_int_not_equal(access(path, F_OK), 0);
	pd_input_finish(&in);
	/* A name that leads out of the folder */
	j = json_pack("{s:s}", "../x", "y");
	assert_false(pd_input_from_json(&again, &x.arena, j, &e));
	json_decref(j);
	assert_false(pd_input_open(&in, dir, &e)); /* no input at all */
	end(&x, dir);
}

static struct pd_explore_ended *ended(struct pd_explore_run *x, uint64_t number, uint32_t outcome,
				      uint64_t place)
{
	struct pd_explore_ended *t = pd_arena_alloc(&x->arena, sizeof(*t) + x->input_size);

	memset(t, 0, sizeof(*t) + x->input_size);
	t->number = number;
	t->outcome = outcome;
	t->place = place;
	return t;
}

/* The sanitizer of gcc 14 and later keeps its own heap where the board belongs: nothing to test
 * there. */
static void make_board(struct pd_explore_run *x)
{
	struct pd_error e;
#ifdef __SANITIZE_ADDRESS__
	void *p = mmap((void *)PD_EXPLORE_BASE, PD_EXPLORE_SIZE, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (p == MAP_FAILED && errno == EEXIST)
		skip();
	munmap(p, PD_EXPLORE_SIZE);
#endif
	assert_true(pd_explore_board_make(x, &e));
}

static void test_taken(void **state)
{
	struct pd_explore_run x;
	struct pd_explore_ended *t;
	char dir[40], path[PATH_MAX];

	(void)state;
	begin(&x, dir);
	lay_out(&x);
	make_board(&x);
	assert_int_equal(x.board->search.n, 1); /* the first input */
	pd_explore_take(&x, ended(&x, 1, PD_OUTCOME_EXIT, 0));
	assert_int_equal(x.judge.n, 0);
	pd_explore_take(&x, ended(&x, 2, PD_OUTCOME_SIGNAL, 77));
	pd_explore_take(&x, ended(&x, 3, PD_OUTCOME_SIGNAL, 77)); /* at the same place */
	pd_explore_take(&x, ended(&x, 4, PD_OUTCOME_HANG, 77));
	assert_int_equal(x.judge.n, 2);
	t = ended(&x, 5, PD_OUTCOME_EXIT, 0);
	t->stored = 1;
	pd_explore_take(&x, t);
	assert_int_equal(x.judge.n, 2); /* without --check */
	x.check = true;
	pd_explore_take(&x, t);
	assert_int_equal(x.judge.n, 3);
	pd_explore_take(&x, ended(&x, 6, PD_OUTCOME_FAILED, 0));
	assert_int_equal(x.failed, 1);
	assert_int_equal(x.kept, 6);
	snprintf(path, sizeof(path), "%s/inputs/000004/stdin", dir);
	assert_int_equal(access(path, R_OK), 0);
	end(&x, dir);
}

/* A disk that takes nothing: counted, with the reason. */
static void test_not_kept(void **state)
{
	struct pd_explore_run x;
	char dir[40];

	(void)state;
	begin(&x, dir);
	lay_out(&x);
	make_board(&x);
	snprintf(x.out.path, sizeof(x.out.path), "/proc/none");
	pd_explore_take(&x, ended(&x, 1, PD_OUTCOME_EXIT, 0));
	pd_explore_take(&x, ended(&x, 2, PD_OUTCOME_EXIT, 0));
	assert_int_equal(x.not_kept, 2);
	x.board->over = 1;
	pd_explore_limits(&x);
	assert_false(x.result.complete);
	end(&x, dir);
}

static bool has_limit(const struct pd_result *r, const char *part)
{
	for (uint32_t i = 0; i < r->limits.n; i++)
		if (strstr(r->limits.v[i], part))
			return true;
	return false;
}

/* Each counter of the board is a limit or a loss; without any, and with nothing left, it is
 * complete. */
static void test_limits(void **state)
{
	struct pd_explore_run x;
	struct pd_explore *b;
	char dir[40];

	(void)state;
	begin(&x, dir);
	lay_out(&x);
	make_board(&x);
	b = x.board;
	b->search.n = 0;
	b->over = 1;
	pd_explore_limits(&x);
	assert_true(x.result.complete);
	assert_int_equal(pd_result_losses(&x.result), 0);
	assert_string_equal(x.result.scope, "for inputs of 9 bytes (argument 2: 3, stdin: 4, "
					    "a/data.pm from 16 on: 2)");
	b->diverged = b->unknown = b->steps_cut = b->pins_cut = b->frontier_cut = b->lost = 2;
	strcpy(b->diverged_what, "kv.c:7");
	b->not_symbolic = 1;
	strcpy(b->not_symbolic_what, "libx.so");
	b->nlosses = 1;
	b->loss[0] = (struct pd_explore_loss){.count = 3, .why = PD_SYM_WHY_FLOAT};
	pd_explore_limits(&x);
	assert_false(x.result.complete);
	assert_true(has_limit(&x.result, "first at kv.c:7"));
	assert_true(has_limit(&x.result, "--query-limit"));
	assert_true(has_limit(&x.result, "--memory"));
	assert_true(has_limit(&x.result, "libx.so"));
	assert_true(has_limit(&x.result, "without trying others"));
	assert_int_equal(x.result.limits.n, 8);
	assert_int_equal(pd_result_losses(&x.result), 3);
	end(&x, dir);
}

/* What is left goes on later: the same records, and the same figures. */
static void test_resumed(void **state)
{
	struct pd_explore_run x, y;
	struct pd_error e;
	char dir[40], other[40];

	(void)state;
	begin(&x, dir);
	lay_out(&x);
	make_board(&x);
	x.board->paths = 12;
	x.board->edge[100] = 1;
	x.board->nfindings = 1;
	x.board->finding[0].paths = 5;
	assert_true(pd_explore_save_state(&x, &e));
	pd_explore_finish(&x);

	begin(&y, other);
	lay_out(&y);
	y.resume = dir;
	assert_true(pd_explore_board_make(&y, &e));
	assert_int_equal(y.board->search.n, 1);
	assert_int_equal(y.board->paths, 12);
	assert_int_equal(y.board->edge[100], 1);
	assert_int_equal(y.board->finding[0].paths, 5);
	pd_explore_finish(&y);
	rmdir(other);

	begin(&y, other); /* with something else symbolic */
	assert_true(pd_explore_take_args(&y, "9", &e));
	assert_true(pd_explore_lay_out(&y, &e));
	y.resume = dir;
	assert_false(pd_explore_board_make(&y, &e));
	assert_int_equal(e.status, PD_EXIT_USAGE);
	end(&y, other);
	nftw(dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sources),	      cmocka_unit_test(test_appended),
		cmocka_unit_test(test_wrong_options), cmocka_unit_test(test_input),
		cmocka_unit_test(test_faults),	      cmocka_unit_test(test_fault_lines),
		cmocka_unit_test(test_folder),	      cmocka_unit_test(test_taken),
		cmocka_unit_test(test_not_kept),      cmocka_unit_test(test_limits),
		cmocka_unit_test(test_resumed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
