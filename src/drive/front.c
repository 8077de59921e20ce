/* front.c - see front.h. */
#include "drive/front.h"
#include "host/libdir.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define TOOL "valgrind/perdure-amd64-linux"

static bool find_program(const char *name, char path[PATH_MAX], struct pd_error *e)
{
	const char *dirs = getenv("PATH");

	if (strchr(name, '/')) {
		snprintf(path, PATH_MAX, "%s", name);
		return true;
	}
	for (; dirs && *dirs; dirs += *dirs == ':') {
		size_t n = strcspn(dirs, ":");

		snprintf(path, PATH_MAX, "%.*s/%s", (int)n, dirs, name);
		if (access(path, X_OK) == 0)
			return true;
		dirs += n;
	}
	return pd_error_set(e, PD_EXIT_USAGE,
			    "there is no program '%s' in PATH; for one in this "
			    "directory write './%s'",
			    name, name);
}

static bool has_interpreter(int fd, const Elf64_Ehdr *h)
{
	Elf64_Phdr ph;

	for (int i = 0; i < h->e_phnum; i++) {
		off_t at = (off_t)(h->e_phoff + (uint64_t)i * h->e_phentsize);

		if (pread(fd, &ph, sizeof(ph), at) == sizeof(ph) && ph.p_type == PT_INTERP)
			return true;
	}
	return false;
}

static bool check_program(const char *path, bool *dynamic, struct pd_error *e)
{
	Elf64_Ehdr h = {0};
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return pd_error_errno(e, errno, "run", path);
	n = read(fd, &h, sizeof(h));
	*dynamic = n == sizeof(h) && has_interpreter(fd, &h);
	close(fd);
	if (n >= 2 && memcmp(&h, "#!", 2) == 0)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "'%s' is a script; give the program that it starts", path);
	if (n != sizeof(h) || memcmp(h.e_ident, ELFMAG, SELFMAG) != 0 || h.e_machine != EM_X86_64 ||
	    h.e_ident[EI_CLASS] != ELFCLASS64)
		return pd_error_set(e, PD_EXIT_USAGE, "'%s' is not an x86-64 program", path);
	if (access(path, X_OK) != 0)
		return pd_error_errno(e, errno, "run", path);
	return true;
}

/* ---- instrumented? -------------------------------------------------------------------------- */

static _Noreturn void list_libraries(const char *path, int out)
{
	char *argv[] = {(char *)(uintptr_t)path, NULL};
	char *envp[] = {"LD_TRACE_LOADED_OBJECTS=1", NULL, NULL};
	const char *dirs = getenv("LD_LIBRARY_PATH");
	char variable[4096];

	if (dirs && (size_t)snprintf(variable, sizeof(variable), "LD_LIBRARY_PATH=%s", dirs) <
			    sizeof(variable))
		envp[1] = variable;
	dup2(out, STDOUT_FILENO);
	dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
	execve(path, argv, envp);
	_exit(127);
}

/* Asks the dynamic linker what it would load; no code of the program runs. */
/* Whether a library was linked with the runtime: its file contains the name. */
static bool is_linked_with_runtime(const char *path)
{
	static const char name[] = "libperdure_rt.so";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *p = MAP_FAILED;
	bool found;

	if (fd >= 0 && fstat(fd, &st) == 0 && st.st_size > 0)
		p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	found = p != MAP_FAILED && memmem(p, (size_t)st.st_size, name, sizeof(name)) != NULL;
	if (p != MAP_FAILED)
		munmap(p, (size_t)st.st_size);
	if (fd >= 0)
		close(fd);
	return found;
}

/* "libpmem.so.1 => /lib/x86_64-linux-gnu/libpmem.so.1 (0x...)": flushes of an uninstrumented PMDK
 * are not seen. */
static bool is_stock_pmdk(char *line)
{
	char *path = strstr(line, "=> ");

	if (!strstr(line, "libpmem") || !path)
		return false;
	path += 3;
	path[strcspn(path, " \n")] = '\0';
	return *path == '/' && !is_linked_with_runtime(path);
}

static bool is_instrumented(const char *path, int *err)
{
	bool stock = false;
	int out[2], status;
	char line[8192];
	bool found = false;
	FILE *f;
	pid_t pid;

	*err = 0;
	if (pipe2(out, O_CLOEXEC) != 0) {
		*err = errno;
		return false;
	}
	pid = fork();
	*err = pid < 0 ? errno : 0;
	if (pid == 0)
		list_libraries(path, out[1]);
	close(out[1]);
	f = fdopen(out[0], "r");
	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "libperdure_rt.so"))
			found = true;
		else
			stock |= is_stock_pmdk(line);
	if (f)
		fclose(f);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (found && stock)
		fprintf(stderr,
			"perdure: '%s' uses PMDK as it is shipped, whose stores the runtime cannot "
			"see: it runs in Valgrind\n",
			path);
	return found && !stock;
}

static bool is_privileged(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && (st.st_mode & (S_ISUID | S_ISGID)) != 0;
}

bool pd_front_choose(const char *name, char path[PATH_MAX], enum pd_front *front, bool *dynamic,
		     struct pd_error *e)
{
	int err = 0;

	if (!find_program(name, path, e) || !check_program(path, dynamic, e))
		return false;
	if (*front == PD_FRONT_ANY && *dynamic && !is_privileged(path) &&
	    is_instrumented(path, &err))
		*front = PD_FRONT_RUNTIME;
	else if (err)
		return pd_error_errno(e, err, "start", path);
	else if (*front == PD_FRONT_ANY)
		*front = PD_FRONT_BINARY;
	if (*front == PD_FRONT_RUNTIME && !*dynamic)
		return pd_error_set(e, PD_EXIT_USAGE,
				    "'%s' is linked statically, so the runtime cannot get into it; "
				    "link it without -static",
				    path);
	if (*front == PD_FRONT_BINARY && is_privileged(path))
		return pd_error_set(e, PD_EXIT_USAGE,
				    "'%s' is setuid or setgid, which cannot be watched; copy it",
				    path);
	return true;
}

bool pd_front_tool(char path[PATH_MAX], struct pd_error *e)
{
	if (pd_libdir_file(path, PATH_MAX, TOOL) && access(path, X_OK) == 0)
		return true;
	return pd_error_set(e, PD_EXIT_INTERNAL,
			    "perdure's own " TOOL " is missing; build or install "
			    "perdure again");
}
