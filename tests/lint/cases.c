/*
 * cases.c MODE FILE: small runs for tests/lint/lint.t. Marks say which line is meant.
 *
 * The instructions are written out, so that a plain compiler makes the same of it as perdure cc does.
 */
#define _GNU_SOURCE
#include "perdure.h"
#include <emmintrin.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE = 16 << 20 };

static uint64_t *pm;

static void clwb(void *p)
{
	__asm__ volatile("clwb %0" : "+m"(*(volatile char *)p));
}

static void sfence(void)
{
	_mm_sfence();
}

static void persist(void *p)
{
	clwb(p);
	sfence();
}

/* Two who flush by the same function, which does nothing else; one of them mostly, and from two places. */
__attribute__((noinline)) static void nvms_flush1To(void *p)
{
	clwb(p);
	__asm__ volatile(""); /* no jump in place of a call */
}

__attribute__((noinline)) static void PmFlushData(void *p)
{
	nvms_flush1To(p);
	__asm__ volatile("");
}

__attribute__((noinline)) static void flush_twice(int i)
{
	pm[0] = (uint64_t)i;
	PmFlushData(pm);
	PmFlushData(pm); //@ wrapped-again
	sfence();
}

static void wrapped(void)
{
	volatile int few = 2, more = 5; /* so that loops stay loops */
	int on_stack;

	for (int i = 0; i < few; i++)
		flush_twice(i);
	for (int i = 0; i < more; i++)
		flush_twice(i);
	PmFlushData(&on_stack); //@ wrapped-stack
}

/* The second fence is needless whoever calls it; the flush for one of its callers, and at times for two others. */
__attribute__((noinline)) static void my_persist(void *p)
{
	clwb(p); //@ users-flush
	sfence();
	sfence(); //@ users-fence
}

static void users(void)
{
	volatile int times = 4;

	for (int i = 0; i < times; i++) {
		pm[0] = (uint64_t)i;
		my_persist(pm);
		my_persist(pm); //@ users-again
		if (i % 2)
			pm[8] = (uint64_t)i;
		my_persist(pm + 8); //@ users-at-times
		if (i % 2)
			pm[16] = (uint64_t)i;
		my_persist(pm + 16); //@ users-at-times
	}
}

/* Every second flush is needless, in a loop; which is a good part of all flushing, or not. */
static void each_second(int rounds, int others)
{
	for (volatile int i = 0; i < rounds; i++) {
		pm[0] = (uint64_t)i;
		for (volatile int k = 0; k < 2; k++)
			clwb(pm + 8 * k); //@ each-second
		sfence();
	}
	for (volatile int i = 0; i < others; i++) {
		pm[16] = (uint64_t)i;
		clwb(pm + 16);
		sfence();
	}
}

/* Needless at first. */
static void first_only(void)
{
	volatile int times = 8;

	pm[0] = 1;
	clwb(pm);
	sfence();
	for (int i = 0; i < times; i++) {
		if (i)
			pm[0] = (uint64_t)i;
		clwb(pm); //@ first-only
		sfence();
	}
}

/* Stored to after its flush and before the fence; and flushed in the end, or not. */
static void too_late(int flush)
{
	pm[0] = 1;
	clwb(pm);
	pm[0] = 2; //@ late
	sfence();
	if (flush)
		persist(pm);
}

/* A lock in PM is taken and given back in a transaction, and is not logged; another word is no lock. */
static void tx_lock(void)
{
	pd_tx_begin();
	while (__sync_lock_test_and_set(&pm[0], 1))
		;
	__sync_fetch_and_add(&pm[8], 1); //@ tx-count
	persist(&pm[8]);
	*(volatile uint64_t *)&pm[0] = 0;
	pd_tx_end();
}

static void good(void)
{
	pm[0] = 1;
	persist(pm);
}

static void movnti(void)
{
	_mm_stream_si64((long long *)pm, 1);
	sfence();
}

static void movnti_no_fence(void)
{
	_mm_stream_si64((long long *)pm, 1); //@ nt
}

static void *fence_here(void *arg)
{
	sfence();
	return arg;
}

static void *flush_here(void *arg)
{
	clwb(pm); //@ background-flush
	sfence();
	return arg;
}

/* What one thread stores another one makes durable; but the last is too late for it. Or it does so by chance. */
static void background(int rounds)
{
	pthread_t t;

	for (volatile int i = 0; i <= rounds; i++) {
		pm[0] = (uint64_t)i; //@ background
		if (i == rounds)
			break;
		pthread_create(&t, NULL, flush_here, NULL);
		pthread_join(t, NULL);
	}
}

/* Thread B's fence does not complete thread A's clwb. */
static void other_thread(void)
{
	pthread_t t;

	pm[0] = 1; //@ other-store
	/* The same line twice: B has something of its own to wait for. */
	clwb(pm); //@ other-flush
	pthread_create(&t, NULL, fence_here, NULL);
	pthread_join(t, NULL);
}

static void locked(void)
{
	static uint64_t x;

	pm[0] = 1;
	clwb(pm);
	__atomic_fetch_add(&x, 1, __ATOMIC_SEQ_CST);
	pm[8] = 1;
	clwb(pm + 8);
	__atomic_fetch_add(pm + 16, 1, __ATOMIC_SEQ_CST);
	persist(pm + 16);
}

static void duplicates(void)
{
	for (int i = 0; i < 1000; i++)
		pm[8 * i] = 1; //@ dup
}

static void reads(void)
{
	if (*(volatile uint64_t *)pm < 5)
		pm[0] = 1;
}

/* More than the 10,000 events at which pmemcheck gives up, and all of them found in one place. */
static void many(int forget)
{
	for (int i = 0; i < 20000; i++) {
		pm[8 * i] = 1; //@ many
		if (!forget)
			persist(pm + 8 * i);
		else
			pm[8 * 20000] = (uint64_t)i;
		persist(pm + 8 * 20000);
	}
}

static void lost_then_killed(int sig)
{
	pm[0] = 1;
	persist(pm);
	persist(pm); //@ again
	pm[8] = 1;   /* not judged: there is no end */
	if (sig == SIGSEGV)
		*(volatile int *)(uintptr_t)16 = 1;
	raise(sig);
}

static int by_name(const void *a, const void *b)
{
	(void)b;
	pm[0] = *(const uint64_t *)a; //@ callback
	return 0;
}

static void callback(void)
{
	uint64_t v[2] = {1, 2};

	qsort(v, 2, sizeof(*v), by_name);
}

static void unmapped(void)
{
	pm[0] = 1; //@ unmapped
	munmap(pm, SIZE);
}

static void point(void)
{
	pm[0] = 1; //@ point-store
	pd_durable(pm, 8); //@ point
	persist(pm);
	pd_durable(pm, 8);
}

static void transient(void)
{
	pd_transient(pm, 8);
	pm[0] = 1;
}

static void tx(int open)
{
	pd_tx_begin(); //@ begin
	pd_tx_add(pm, 8);
	pm[0] = 1;
	pm[1] = 1; //@ unlogged
	pd_tx_add(pm, 16); //@ again-log
	persist(pm);
	if (!open)
		pd_tx_end();
}

static void forks(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		pm[0] = 1;
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	good();
}

static void syscalls(int fd)
{
	if (pwrite(fd, "x", 1, 0) != 1 || fsync(fd) != 0)
		exit(9);
	pm[1] = 1;
	if (msync(pm, 4096, MS_SYNC) != 0)
		exit(9);
}

/* By one call. */
static void dsync_call(int fd, int flags)
{
	struct iovec v = {(void *)"x", 1};

	if (pwritev2(fd, &v, 1, 0, flags) != 1) //@ dsync-call
		exit(9);
}

/* By one call, which makes durable what it writes itself, and nothing else. */
static void dsync_after(int fd)
{
	if (pwrite(fd, "y", 1, 64) != 1) //@ dsync-after
		exit(9);
	dsync_call(fd, RWF_DSYNC);
}

/* A hole is punched durably. */
static void hole(int fd)
{
	pm[8] = 1;
	if (msync(pm, 4096, MS_SYNC) != 0 || madvise((void *)pm, 4096, MADV_REMOVE) != 0)
		exit(9);
	(void)fd;
}

/* What is written through a descriptor for that is durable at once; through another one it is not. */
static void dsync(const char *file, int flags)
{
	int fd = open(file, O_WRONLY | flags);

	if (fd < 0 || pwrite(fd, "x", 1, 0) != 1 || lseek(fd, 64, SEEK_SET) != 64 || //@ dsync
	    write(fd, "y", 1) != 1)						      //@ dsync
		exit(9);
}

/* The usual way to make a file larger stores nothing; what is not 0 is stored by its own line. */
static void grown(const char *file, int fd, const char *last)
{
	struct stat st;

	if (stat(file, &st) != 0 || lseek(fd, st.st_size + 4095, SEEK_SET) < 0)
		exit(9);
	if (last ? write(fd, "x", 1) != 1 : write(fd, "", 1) != 1) //@ grown
		exit(9);
}

/* Pointers in PM: without the address that it asks for it cannot go on. */
static int insists(int fd)
{
	void *at = (void *)0x7e0000000000;
	uint64_t *p = mmap(at, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (p != at)
		return 42;
	p[0] = 1;
	persist(p);
	return 0;
}

static void deep(int n)
{
	if (n)
		deep(n - 1);
	else
		pm[0] = 1; //@ deep
	__asm__ volatile(""); /* no jump in place of the call */
}

/* Three ways, alike but for where they are called from and two calls further up; one of them forgets to flush. */
__attribute__((noinline)) static void set(uint64_t *p, uint64_t v)
{
	*p = v; //@ ways
	__asm__ volatile("");
}

__attribute__((noinline)) static void set_next(uint64_t i)
{
	set(&pm[8 * i], i + 1);
	__asm__ volatile("");
}

#define WAY(n)                                                                                     \
	__attribute__((noinline)) static void way##n(uint64_t i)                                   \
	{                                                                                          \
		set_next(i);                                                                       \
		__asm__ volatile("");                                                              \
	}
WAY(1)
WAY(2)
WAY(3)

static void ways(void)
{
	for (uint64_t i = 0; i < 60; i++) {
		switch (i % 3) {
		case 0:
			way1(i);
			break;
		case 1:
			way2(i); //@ ways-forgotten
			break;
		default:
			way3(i);
		}
		if (i % 3 != 1)
			persist(&pm[8 * i]);
	}
}

static int run(const char *mode, const char *file, int fd)
{
#define IS(name) (strcmp(mode, name) == 0)
	if (IS("good")) good();
	else if (IS("movnti")) movnti();
	else if (IS("movnti-no-fence")) movnti_no_fence();
	else if (IS("other-thread")) other_thread();
	else if (IS("background")) background(5);
	else if (IS("by-chance")) background(1);
	else if (IS("locked")) locked();
	else if (IS("duplicates")) duplicates();
	else if (IS("reads")) reads();
	else if (IS("many")) many(0);
	else if (IS("many-forgotten")) many(1);
	else if (IS("kill")) lost_then_killed(SIGKILL);
	else if (IS("segv")) lost_then_killed(SIGSEGV);
	else if (IS("callback")) callback();
	else if (IS("unmapped")) unmapped();
	else if (IS("point")) point();
	else if (IS("transient")) transient();
	else if (IS("tx")) tx(0);
	else if (IS("tx-open")) tx(1);
	else if (IS("tx-lock")) tx_lock();
	else if (IS("late")) too_late(0);
	else if (IS("late-flushed")) too_late(1);
	else if (IS("wrapped")) wrapped();
	else if (IS("users")) users();
	else if (IS("first-only")) first_only();
	else if (IS("costly")) each_second(200, 0);
	else if (IS("cheap")) each_second(200, 2000);
	else if (IS("seldom")) each_second(10, 0);
	else if (IS("forks")) forks();
	else if (IS("syscalls")) syscalls(fd);
	else if (IS("dsync")) dsync(file, O_DSYNC);
	else if (IS("sync")) dsync(file, O_SYNC);
	else if (IS("dsync-call")) dsync_call(fd, RWF_DSYNC);
	else if (IS("dsync-after")) dsync_after(fd);
	else if (IS("hole")) hole(fd);
	else if (IS("no-dsync-call")) dsync_call(fd, 0);
	else if (IS("no-sync")) dsync(file, 0);
	else if (IS("nothing")) return 0;
	else if (IS("insists")) return insists(fd);
	else if (IS("grown")) grown(file, fd, NULL);
	else if (IS("grown-x")) grown(file, fd, "x");
	else if (IS("deep")) deep(40);
	else if (IS("ways")) ways();
	else if (IS("exec")) { pm[0] = 1; execl("/bin/true", "true", (char *)NULL); } //@ exec
	else if (IS("status")) { good(); return 7; }
	else if (IS("hang")) for (good();;) pause();
	else if (IS("_exit")) { pm[0] = 1; _exit(0); } //@ _exit
	else return 9;
	return 0;
}

int main(int argc, char **argv)
{
	int fd = argc > 2 ? open(argv[2], O_RDWR | O_CREAT, 0644) : -1;

	if (fd < 0 || ftruncate(fd, SIZE) != 0)
		return 8;
	pm = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pm == MAP_FAILED)
		return 8;
	return run(argv[1], argv[2], fd);
}
