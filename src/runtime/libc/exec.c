/*
 * exec.c - other programs that the tested one starts.
 *
 * They run on their own: the session is this program's. What they do to PM is not seen, so each
 * start is a loss, named. A program that replaces itself ends its session first.
 */
#include "runtime/base/rt.h"
#include "runtime/base/listen.h"
#include "runtime/pm/veil.h"
#include "runtime/thread/door.h"
#include "runtime/thread/trap.h"
#include <dlfcn.h>
#include <errno.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void not_followed(const char *how, const char *what)
{
	struct pd_outbuf b;
	char text[400];

	if (!pd_inside())
		return;
	pd_outbuf_init(&b, text, sizeof(text));
	pd_outf(&b.out, "%s of '%s': what it does is not seen", how, what ? what : "");
	pd_rt_loss(PD_LOSS_SYSCALL, 0, text);
}

static void *real(const char *name)
{
	return dlsym(RTLD_NEXT, name);
}

/* ---- beside this program -------------------------------------------------------------------- */

PD_EXPORT int system(const char *command)
{
	int (*libc)(const char *) = (int (*)(const char *))real("system");

	int r;

	if (command)
		not_followed("system", command);
	pd_trap_foreign_begin();
	r = libc(command);
	pd_trap_foreign_end();
	return r;
}

PD_EXPORT FILE *popen(const char *command, const char *type)
{
	FILE *(*libc)(const char *, const char *) =
		(FILE * (*)(const char *, const char *)) real("popen");

	FILE *f;

	not_followed("popen", command);
	pd_trap_foreign_begin();
	f = libc(command, type);
	pd_trap_foreign_end();
	return f;
}

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
			   const posix_spawnattr_t *, char *const[], char *const[]);

static int spawn(const char *name, pid_t *pid, const char *path,
		 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attr,
		 char *const argv[], char *const envp[])
{
	int r;

	pd_trap_foreign_begin();
	r = ((spawn_function *)real(name))(pid, path, actions, attr, argv, envp);
	pd_trap_foreign_end();
	pd_veil_judge_call(name, 0, -r);
	return r;
}

PD_EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
			  const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	not_followed("posix_spawn", path);
	return spawn("posix_spawn", pid, path, actions, attr, argv, envp);
}

PD_EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
			   const posix_spawnattr_t *attr, char *const argv[], char *const envp[])
{
	not_followed("posix_spawnp", file);
	return spawn("posix_spawnp", pid, file, actions, attr, argv, envp);
}

/* ---- instead of this program ---------------------------------------------------------------- */

typedef int exec_function(const char *, char *const[]);
typedef int exec_env_function(const char *, char *const[], char *const[]);

static void warn_replaced(const char *how, const char *path)
{
	not_followed(how, path);
	pd_listen_leaving();
	pd_trap_foreign_begin();
}

/* The call has failed: the program goes on. */
static int not_replaced(int r)
{
	pd_trap_foreign_end();
	pd_veil_judge_call("exec", 0, -errno);
	return r;
}

PD_EXPORT int execv(const char *path, char *const argv[])
{
	warn_replaced("execv", path);
	return not_replaced(((exec_function *)real("execv"))(path, argv));
}

PD_EXPORT int execvp(const char *file, char *const argv[])
{
	warn_replaced("execvp", file);
	return not_replaced(((exec_function *)real("execvp"))(file, argv));
}

PD_EXPORT int execve(const char *path, char *const argv[], char *const envp[])
{
	warn_replaced("execve", path);
	return not_replaced(((exec_env_function *)real("execve"))(path, argv, envp));
}

PD_EXPORT int execvpe(const char *file, char *const argv[], char *const envp[])
{
	warn_replaced("execvpe", file);
	return not_replaced(((exec_env_function *)real("execvpe"))(file, argv, envp));
}

PD_EXPORT int fexecve(int fd, char *const argv[], char *const envp[])
{
	int (*libc)(int, char *const[], char *const[]) =
		(int (*)(int, char *const[], char *const[]))real("fexecve");

	warn_replaced("fexecve", "a file descriptor");
	return not_replaced(libc(fd, argv, envp));
}

/* The arguments of execl and its kin as an array; malloc'ed, as in libc, for exec frees
 * everything. */
static char **collect(const char *first, va_list ap, char *const **envp)
{
	size_t n = 1;
	char **argv;
	va_list count;

	va_copy(count, ap);
	while (first && va_arg(count, char *))
		n++;
	va_end(count);
	argv = malloc((n + 1) * sizeof(*argv));
	if (!argv)
		return NULL;
	argv[0] = (char *)first;
	for (size_t i = 1; first && i <= n; i++)
		argv[i] = va_arg(ap, char *);
	if (!first)
		argv[1] = NULL;
	if (envp)
		*envp = va_arg(ap, char *const *);
	return argv;
}

PD_EXPORT int execl(const char *path, const char *arg, ...)
{
	char **argv;
	va_list ap;

	va_start(ap, arg);
	argv = collect(arg, ap, NULL);
	va_end(ap);
	return argv ? execv(path, argv) : -1;
}

PD_EXPORT int execlp(const char *file, const char *arg, ...)
{
	char **argv;
	va_list ap;

	va_start(ap, arg);
	argv = collect(arg, ap, NULL);
	va_end(ap);
	return argv ? execvp(file, argv) : -1;
}

PD_EXPORT int execle(const char *path, const char *arg, ...)
{
	char *const *envp;
	char **argv;
	va_list ap;

	va_start(ap, arg);
	argv = collect(arg, ap, &envp);
	va_end(ap);
	return argv ? execve(path, argv, envp) : -1;
}
