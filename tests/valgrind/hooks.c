/*
 * hooks.c - ways into and out of locks that are not a call and a return. The events of each line are said in
 * its comment, as in locks.c; the functions are the program's own where libc's cannot be made to do it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t w = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rw;
static int left = 2;
static int turns __attribute__((used)) = -3;
static pthread_spinlock_t spin;
static jmp_buf away;
static char *pm;

/* Made of libc's by a call; unlock is libc's alone. */
__attribute__((noinline)) int pthread_mutex_lock(pthread_mutex_t *l)
{
	static int (*next)(pthread_mutex_t *);
	int r;

	if (!next)
		next = (int (*)(pthread_mutex_t *))dlsym(RTLD_NEXT, "pthread_mutex_lock");
	r = next(l);
	pm[64] = (char)r;
	return r;
}

/* Is left twice before it returns. */
__attribute__((noinline)) int pthread_spin_lock(pthread_spinlock_t *l)
{
	if (left-- > 0)
		longjmp(away, 1);
	*l = 1;
	return 0;
}

/* Begins with a loop, and ends with a jump to another one. */
#define FUNCTION(name, code)                                                                       \
	__asm__(".globl " name "\n.type " name ", @function\n" name ":\n.cfi_startproc\n" code \
		"\n.cfi_endproc\n.size " name ", .-" name "\n")

FUNCTION("pthread_rwlock_wrlock",
	 "lock incl turns(%rip)\n jne pthread_rwlock_wrlock\n jmp pthread_rwlock_timedwrlock");
FUNCTION("pthread_rwlock_timedwrlock", "xor %eax, %eax\n ret");
FUNCTION("pthread_rwlock_unlock", "jmp __pthread_rwlock_unlock");
FUNCTION("__pthread_rwlock_unlock", "xor %eax, %eax\n ret");

static void handler(int s)
{
	pm[128] = (char)s;
}

/* Is interrupted by a handler whose stack is above. */
__attribute__((noinline)) int pthread_mutex_trylock(pthread_mutex_t *l)
{
	(void)l;
	raise(SIGUSR1);
	return 0;
}

static void unlock(void *l)
{
	pthread_mutex_unlock(l); //= release:w
	pm[192] = 1;
}

static void *cancelled(void *p)
{
	pthread_mutex_lock(&w); //= acquire:w
	pthread_cleanup_push(unlock, &w);
	pthread_cancel(pthread_self());
	pthread_cond_wait(&cond, &w); //= release:w acquire:w
	pthread_cleanup_pop(1);
	return p;
}

__attribute__((noinline)) static void calls(void)
{
	pthread_mutex_lock(&m); //= acquire:m
	pthread_mutex_unlock(&m); //= release:m
	setjmp(away);
	pthread_spin_lock(&spin); //= acquire:spin
	pthread_rwlock_wrlock(&rw); //= acquire:rw
	pthread_rwlock_unlock(&rw); //= release:rw
	pthread_rwlock_unlock(&rw); //= release:rw
	pthread_mutex_trylock(&n); //= acquire:n
	pm[256] = 1;
}

int main(int argc, char **argv)
{
	char above[65536];
	stack_t stack = {.ss_sp = above, .ss_size = sizeof(above)};
	struct sigaction act = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
	int fd = open(argv[argc - 1], O_RDWR | O_CREAT, 0666);
	pthread_t t;

	if (fd < 0 || ftruncate(fd, 4096))
		return 1;
	pm = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pm == MAP_FAILED || sigaltstack(&stack, NULL) || sigaction(SIGUSR1, &act, NULL))
		return 1;
	calls();
	pthread_create(&t, NULL, cancelled, NULL);
	pthread_join(t, NULL);
	return 0;
}
