/* Signals of threads: handlers on the right thread, masks, EINTR, sigwait, altstacks. */
#include "check.h"
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/time.h>

static sem_t ready;
static sem_t never;
static __thread int hits; /* of a handler on this thread */
static __thread uintptr_t handler_stack;
static volatile int finish;

static void handler(int sig)
{
	int here;

	(void)sig;
	hits++;
	handler_stack = (uintptr_t)&here;
}

static void install(int sig, int flags)
{
	struct sigaction a = {.sa_handler = handler, .sa_flags = flags};

	sigemptyset(&a.sa_mask);
	CHECK_EQ(sigaction(sig, &a, NULL), 0);
}

static void *in_sem(void *arg)
{
	sem_post(&ready);
	CHECK_EQ(sem_wait(&never), -1);
	CHECK_EQ(errno, EINTR);
	CHECK(hits >= 1);
	return arg;
}

static void *restarts(void *arg)
{
	sem_post(&ready);
	CHECK_EQ(sem_wait(&never), 0);
	CHECK_EQ(hits, 1);
	return arg;
}

static void *masked(void *arg)
{
	sigset_t s;

	sigemptyset(&s);
	sigaddset(&s, SIGUSR1);
	CHECK_EQ(pthread_sigmask(SIG_BLOCK, &s, NULL), 0);
	sem_post(&ready);
	while (!__atomic_load_n(&finish, __ATOMIC_SEQ_CST))
		sched_yield();
	CHECK_EQ(hits, 0);
	pthread_sigmask(SIG_UNBLOCK, &s, NULL);
	CHECK_EQ(hits, 1);
	return arg;
}

static void *waits(void *arg)
{
	sigset_t s;
	sigset_t none;
	int sig = 0;

	sigemptyset(&s);
	sigaddset(&s, SIGUSR2);
	pthread_sigmask(SIG_BLOCK, &s, &none);
	sem_post(&ready);
	CHECK_EQ(sigwait(&s, &sig), 0);
	CHECK_EQ(sig, SIGUSR2);
	CHECK_EQ(hits, 0);
	return arg;
}

static void *on_altstack(void *arg)
{
	stack_t s = {.ss_size = 65536};

	s.ss_sp = malloc(s.ss_size);
	CHECK_EQ(sigaltstack(&s, NULL), 0);
	sched_yield();
	raise(SIGALRM);
	CHECK_EQ(hits, 1);
	CHECK(handler_stack >= (uintptr_t)s.ss_sp &&
	      handler_stack < (uintptr_t)s.ss_sp + s.ss_size);
	sched_yield();
	s.ss_flags = SS_DISABLE;
	sigaltstack(&s, NULL);
	free(s.ss_sp);
	return arg;
}

static void *no_altstack(void *arg)
{
	char here[4096];

	sched_yield();
	raise(SIGALRM);
	CHECK_EQ(hits, 1);
	CHECK(handler_stack < (uintptr_t)here + sizeof(here) &&
	      handler_stack > (uintptr_t)here - (1 << 16));
	return arg;
}

static sem_t rung;

static void ring(int sig)
{
	(void)sig;
	sem_post(&rung);
}

/* Everybody waits, but not for ever: the alarm comes. */
static void alarms(void)
{
	struct sigaction a = {.sa_handler = ring, .sa_flags = SA_RESTART};
	struct itimerval t = {{0, 0}, {0, 5000}};

	sem_init(&rung, 0, 0);
	sigaction(SIGALRM, &a, NULL);
	setitimer(ITIMER_REAL, &t, NULL);
	CHECK_EQ(sem_wait(&rung), 0);
}

static pthread_t start(void *(*fn)(void *))
{
	pthread_t t;

	CHECK_EQ(pthread_create(&t, NULL, fn, NULL), 0);
	return t;
}

int main(void)
{
	pthread_t t;
	pthread_t u;

	sem_init(&ready, 0, 0);
	sem_init(&never, 0, 0);
	install(SIGUSR1, 0);
	install(SIGALRM, SA_ONSTACK);
	t = start(in_sem);
	sem_wait(&ready);
	/* One that comes before the wait does not interrupt it. */
	while (pthread_tryjoin_np(t, NULL)) {
		CHECK_EQ(pthread_kill(t, SIGUSR1), 0);
		usleep(1000);
	}

	install(SIGUSR1, SA_RESTART);
	t = start(restarts);
	sem_wait(&ready);
	usleep(20000);
	CHECK_EQ(pthread_kill(t, SIGUSR1), 0);
	usleep(20000);
	sem_post(&never);
	pthread_join(t, NULL);

	t = start(masked);
	sem_wait(&ready);
	CHECK_EQ(pthread_kill(t, 0), 0);
	CHECK_EQ(pthread_kill(t, SIGUSR1), 0);
	usleep(5000);
	finish = 1;
	pthread_join(t, NULL);

	t = start(waits);
	sem_wait(&ready);
	CHECK_EQ(pthread_kill(t, SIGUSR2), 0);
	pthread_join(t, NULL);

	t = start(on_altstack);
	u = start(no_altstack);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	CHECK_EQ(hits, 0);
	raise(SIGUSR1);
	pthread_kill(pthread_self(), SIGUSR1);
	CHECK_EQ(hits, 2);
	alarms();
	return check_done("signal");
}
