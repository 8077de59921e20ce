/* input.c - see input.h. */
#include "drive/input.h"
#include "drive/bytes.h"
#include "host/host.h"
#include "host/machine.h"
#include "host/outdir.h"
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_FILE = 16 << 20, MAX_ARGS = 4 << 20, FILES_OPEN = 16 };

/* ---- making --------------------------------------------------------------------------------- */

/* Makes the folders of a path, up to its last '/'. */
static bool make_folders(char *path)
{
	for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		bool ok;

		*at = '\0';
		ok = mkdir(path, 0777) == 0 || errno == EEXIST;
		*at = '/';
		if (!ok)
			return false;
	}
	return true;
}

bool pd_input_put(const char *dir, const char *name, const void *bytes, size_t n,
		  struct pd_error *e)
{
	char path[PATH_MAX];
	struct pd_filewriter w;

	if (snprintf(path, sizeof(path), "%s/%s", dir, name) >= (int)sizeof(path))
		return pd_error_errno(e, ENAMETOOLONG, "write", name);
	if (!make_folders(path))
		return pd_error_errno(e, errno, "make the folder of", path);
	if (!pd_file_begin(&w, path, e))
		return false;
	fwrite(bytes, 1, n, w.f);
	return pd_file_commit(&w, e);
}

bool pd_input_put_named(const char *dir, const char *under, const char *name, const char *suffix,
			const void *bytes, size_t n, struct pd_error *e)
{
	char path[PATH_MAX];
	size_t at = (size_t)snprintf(path, sizeof(path), "%s/", under);

	for (; *name && at + 3 < sizeof(path); name++)
		if (*name == '/' || *name == '%')
			at += (size_t)sprintf(path + at, "%%%02X", (unsigned)*name);
		else
			path[at++] = *name;
	if (*name || at + strlen(suffix) >= sizeof(path))
		return pd_error_errno(e, ENAMETOOLONG, "write", name);
	strcpy(path + at, suffix);
	return pd_input_put(dir, path, bytes, n, e);
}

/* ---- opening -------------------------------------------------------------------------------- */

static bool has(const char *dir, const char *name)
{
	char path[PATH_MAX];

	return snprintf(path, sizeof(path), "%s/%s", dir, name) < (int)sizeof(path) &&
	       access(path, F_OK) == 0;
}

static int open_high(const char *dir, const char *name, int flags)
{
	char path[PATH_MAX];
	int fd, high;

	if (snprintf(path, sizeof(path), "%s%s%s", dir, *name ? "/" : "", name) >=
	    (int)sizeof(path))
		return -1;
	fd = open(path, flags | O_CLOEXEC);
	high = fd < 0 ? -1 : fcntl(fd, F_DUPFD, pd_machine()->first_fd);
	if (fd >= 0)
		close(fd);
	return high;
}

bool pd_input_open(struct pd_input *in, const char *dir, struct pd_error *e)
{
	bool any = false, served = has(dir, "files") || has(dir, "pm") || has(dir, "memory") ||
				   has(dir, "faults") || has(dir, "schedule") ||
				   has(dir, "sockets");
	static const char *const names[] = {"stdin",  "args",	"files",    "pm",
					    "memory", "faults", "schedule", "sockets"};

	*in = (struct pd_input){.fd = -1, .standard = -1};
	for (size_t i = 0; i < PD_LEN(names); i++)
		any = any || has(dir, names[i]);
	if (!any)
		return pd_error_set(
			e, PD_EXIT_USAGE,
			"'%.300s' is not an input folder: it has none of stdin, args, memory, "
			"faults, schedule, sockets, files and pm",
			dir);
	if (snprintf(in->dir, sizeof(in->dir), "%s", dir) >= (int)sizeof(in->dir))
		return pd_error_errno(e, ENAMETOOLONG, "open", dir);
	if (has(dir, "stdin") && (in->standard = open_high(dir, "stdin", O_RDONLY)) < 0)
		return pd_error_errno(e, errno, "read 'stdin' of", dir);
	if (served && (in->fd = open_high(dir, "", O_DIRECTORY)) < 0)
		return pd_error_errno(e, errno, "open", dir);
	if (served)
		snprintf(in->setting, sizeof(in->setting), "input=/proc/self/fd/%d", in->fd);
	return true;
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

void pd_input_finish(struct pd_input *in)
{
	if (!*in->dir)
		return;
	if (in->fd >= 0)
		close(in->fd);
	if (in->standard >= 0)
		close(in->standard);
	if (in->temporary)
		nftw(in->dir, remove_one, FILES_OPEN, FTW_DEPTH | FTW_PHYS);
	*in = (struct pd_input){.fd = -1, .standard = -1};
}

/* ---- arguments ------------------------------------------------------------------------------ */

uint32_t pd_input_places(char *const *argv)
{
	uint32_t n = 0;

	for (; *argv; argv++)
		n += strcmp(*argv, PD_INPUT_PLACE) == 0;
	return n;
}

/* Argument i of the text; NULL: there are fewer. */
static char *argument(struct pd_arena *a, const char *text, size_t n, uint32_t i)
{
	const char *end = text + n;

	for (; i; i--) {
		text = memchr(text, 0, (size_t)(end - text));
		if (!text)
			return NULL;
		text++;
	}
	return pd_arena_strndup(a, text, strnlen(text, (size_t)(end - text)));
}

char **pd_input_argv(const struct pd_input *in, struct pd_arena *a, char **argv, struct pd_error *e)
{
	uint32_t places = pd_input_places(argv), n = 0, k = 0;
	char path[PATH_MAX], *text, **to;
	size_t size = 0;

	if (!places)
		return argv;
	if (snprintf(path, sizeof(path), "%s/args", in->dir) >= (int)sizeof(path))
		return NULL;
	text = pd_file_read(path, MAX_ARGS, &size, e);
	while (argv[n])
		n++;
	to = text ? pd_new_array(a, char *, n + 1) : NULL;
	for (uint32_t i = 0; to && i < n; i++) {
		to[i] = strcmp(argv[i], PD_INPUT_PLACE) == 0 ? argument(a, text, size, k++)
							     : argv[i];
		if (!to[i]) {
			pd_error_set(e, PD_EXIT_USAGE,
				     "the command has %u arguments " PD_INPUT_PLACE
				     ", and '%.300s' "
				     "has only %u",
				     places, path, k - 1);
			to = NULL;
		}
	}
	free(text);
	return to;
}

/* ---- in settings ---------------------------------------------------------------------------- */

/* The context for nftw's callback. */
static struct {
	json_t *to;
	size_t from; /* offset of names in paths */
	size_t left; /* remaining room in bytes */
	struct pd_error *e;
	bool failed;
} packing;

static int pack_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	size_t n;
	char *text;

	(void)ftw;
	if (type != FTW_F)
		return 0;
	if ((size_t)st->st_size > packing.left) {
		packing.failed = true;
		pd_error_set(packing.e, PD_EXIT_USAGE,
			     "the input in '%.300s' is too large to be kept in a result", path);
		return 1;
	}
	packing.left -= (size_t)st->st_size;
	text = pd_file_read(path, MAX_FILE, &n, packing.e);
	packing.failed = !text || json_object_set_new(packing.to, path + packing.from,
						      pd_bytes_json(text, n)) != 0;
	free(text);
	return packing.failed;
}

json_t *pd_input_json(const char *dir, struct pd_error *e)
{
	packing.to = json_object();
	packing.from = strlen(dir) + 1;
	packing.left = MAX_FILE;
	packing.e = e;
	packing.failed = false;
	if (packing.to && nftw(dir, pack_one, FILES_OPEN, FTW_PHYS) == 0 && !packing.failed)
		return packing.to;
	if (!packing.failed)
		pd_error_errno(e, errno, "read", dir);
	json_decref(packing.to);
	return NULL;
}

/* Names come from a file: they must stay inside the folder. */
static bool is_inside(const char *name)
{
	return *name && *name != '/' && !strstr(name, "..");
}

bool pd_input_from_json(struct pd_input *in, struct pd_arena *a, json_t *j, struct pd_error *e)
{
	const char *tmp = getenv("TMPDIR"), *name;
	char dir[PATH_MAX];
	json_t *value;
	bool ok = true;

	snprintf(dir, sizeof(dir), "%.4000s/perdure-input-XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(dir))
		return pd_error_errno(e, errno, "make", dir);
	json_object_foreach(j, name, value)
	{
		size_t n;
		const char *bytes = pd_bytes_of(a, value, &n);

		ok = ok && bytes && is_inside(name) && pd_input_put(dir, name, bytes, n, e);
	}
	if (!ok)
		pd_error_set(e, PD_EXIT_USAGE, "the input of this finding cannot be made again");
	ok = ok && pd_input_open(in, dir, e);
	snprintf(in->dir, sizeof(in->dir), "%s", dir);
	in->temporary = true;
	if (!ok)
		pd_input_finish(in);
	return ok;
}

bool pd_input_copy(const char *from, const char *to, struct pd_error *e)
{
	struct pd_arena arena;
	struct stat st;
	const char *name;
	json_t *j, *value;
	bool ok;

	if (lstat(to, &st) == 0)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "'%.300s' exists; --input takes the name of a new folder", to);
	pd_arena_init(&arena, pd_host_memory());
	j = pd_input_json(from, e);
	ok = j;
	json_object_foreach(j, name, value)
	{
		size_t n;
		const char *bytes = pd_bytes_of(&arena, value, &n);

		ok = ok && bytes && pd_input_put(to, name, bytes, n, e);
	}
	json_decref(j);
	pd_arena_finish(&arena);
	return ok;
}
