/*
 * odd.c - what programs also do: odd MODE FILE
 *
 * Each mode maps FILE, does one unusual thing around a store to it, and prints what it found there.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static uint64_t *pm;

static void map(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0600);

	if (fd < 0 || ftruncate(fd, 8192) != 0) {
		perror(path);
		exit(1);
	}
	pm = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pm == MAP_FAILED) {
		perror("mmap");
		exit(1);
	}
	close(fd);
}

static void on_signal(int sig)
{
	pm[1] = (uint64_t)sig;
}

static sigjmp_buf back;

static void on_fault(int sig)
{
	(void)sig;
	siglongjmp(back, 1);
}

static void *thread_with_jump(void *arg)
{
	jmp_buf here;
	volatile int turns = 0;

	(void)arg;
	if (setjmp(here) < 3) {
		pm[2] = (uint64_t)++turns;
		longjmp(here, turns);
	}
	return NULL;
}

static int run(const char *mode)
{
	uint64_t *tmp;
	pthread_t t;
	pid_t pid;

	if (!strcmp(mode, "fork")) {
		pid = fork();
		if (!pid) {
			pm[0] = 99;
			_exit(7);
		}
		int status;
		waitpid(pid, &status, 0);
		pm[0] = (uint64_t)WEXITSTATUS(status);
	} else if (!strcmp(mode, "exec")) {
		pm[0] = (uint64_t)system("exit 5") >> 8;
	} else if (!strcmp(mode, "vfork")) {
		pid = vfork();
		if (!pid) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		waitpid(pid, NULL, 0);
		pm[0] = 5;
	} else if (!strcmp(mode, "signal")) {
		signal(SIGUSR1, on_signal);
		raise(SIGUSR1);
		pm[0] = pm[1];
	} else if (!strcmp(mode, "fault")) {
		signal(SIGSEGV, on_fault);
		if (!sigsetjmp(back, 1))
			*(volatile uint64_t *)(pm + 2048) = 1; /* beyond the mapping */
		pm[0] = 11;
	} else if (!strcmp(mode, "alloca")) {
		tmp = alloca(64);
		memset(tmp, 3, 64);
		memcpy(pm, tmp, 64);
	} else if (!strcmp(mode, "longjmp")) {
		pthread_create(&t, NULL, thread_with_jump, NULL);
		pthread_join(t, NULL);
		pm[0] = pm[2];
	} else if (!strcmp(mode, "dlopen") || !strcmp(mode, "dlclose")) {
		void *h = dlopen("./libplug.so", RTLD_NOW);
		void (*plug)(uint64_t *) = h ? (void (*)(uint64_t *))dlsym(h, "plug") : NULL;

		if (!plug) {
			fprintf(stderr, "%s\n", dlerror());
			return 1;
		}
		plug(pm);
		dlclose(h);
		h = dlopen("./libplug.so", RTLD_NOW | RTLD_NOLOAD);
		if (!strcmp(mode, "dlclose"))
			fprintf(stderr, "%s\n", h ? "it stays" : "it is gone");
	} else if (!strcmp(mode, "abort")) {
		pm[0] = 1;
		abort();
	} else if (!strcmp(mode, "status")) {
		pm[0] = 1;
		return 3;
	} else if (!strcmp(mode, "kill")) {
		pm[0] = 1;
		kill(getpid(), SIGKILL);
	} else if (!strcmp(mode, "_exit")) {
		pm[0] = 1;
		_exit(0);
	} else if (!strcmp(mode, "limit")) { /* as servers do */
		struct rlimit r = {256, 256};
		int failed = setrlimit(RLIMIT_NOFILE, &r);

		getrlimit(RLIMIT_NOFILE, &r);
		printf("%d %d\n", failed, (int)r.rlim_cur);
	} else if (!strcmp(mode, "closeall")) {
		for (int fd = 3; fd < 1024; fd++)
			close(fd);
		for (int i = 0; i < 20000; i++)
			pm[i % 8] = (uint64_t)i;
	}
	printf("%lu\n", (unsigned long)pm[0]);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	if (!strcmp(argv[1], "early"))
		abort();
	map(argv[2]);
	return run(argv[1]);
}
