/*
 * patient.c - recoveries that wait for a lock in PM which the crash has left held: patient HOW FILE
 *
 * All but `ring`, `word`, `beyond`, `xchg`, `join`, `both`, `plain`, `bare`, `swap` and `mixed` give up after a while and
 * go on, each for a reason that memory does not show.
 */
#include <fcntl.h>
#include <emmintrin.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct node {
	uint64_t next; /* index */
	uint64_t pad[7];
};

struct file {
	uint64_t lock, pad[7];
	struct node node[4];
};

static struct file *f;
static volatile sig_atomic_t rang;

static void ring(int sig)
{
	(void)sig;
	rang = 1;
}

static int held(void)
{
	return *(volatile uint64_t *)&f->lock != 0;
}

static void by_count(void)
{
	for (int i = 0; i < 100000 && held(); i++)
		;
}

/* With memory that is mapped beyond the end of its file, which nobody may read. */
static void map_beyond(void)
{
	int private = open("equal", O_RDONLY),
	    shared = open("new", O_RDWR | O_CREAT | O_TRUNC, 0600);
	char *p = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE, private, 0);
	char *q = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, shared, 0);

	if (p == MAP_FAILED || q == MAP_FAILED || ftruncate(shared, 5000) != 0)
		exit(9);
	p[1] = q[1] = q[4999] = 1;
}

static void by_clock(void)
{
	struct timespec t;

	do
		clock_gettime(CLOCK_MONOTONIC, &t);
	while (held() && t.tv_nsec < 100000000);
}

static void by_end_of_file(void)
{
	int fd = open("equal", O_RDONLY);
	char c;

	while (held() && read(fd, &c, 1) == 1)
		;
	close(fd);
}

static void by_alarm(void)
{
	struct itimerval t = {.it_value = {.tv_usec = 100000}};

	signal(SIGALRM, ring);
	setitimer(ITIMER_REAL, &t, NULL);
	while (held() && !rang)
		;
}

static void by_chance(void)
{
	uint16_t x;

	do
		if (getrandom(&x, sizeof(x), 0) != sizeof(x))
			exit(9);
	while (held() && x);
}

/* ---- several threads ---- */

static int over, number;

static void *spin(void *arg)
{
	(void)arg;
	while (__atomic_load_n(&f->lock, __ATOMIC_ACQUIRE) &&
	       !__atomic_load_n(&over, __ATOMIC_ACQUIRE))
		;
	return NULL;
}

/* Nothing in it says that it waits. */
static void *spin_plainly(void *arg)
{
	(void)arg;
	while (held())
		;
	return NULL;
}

/* It stores all the time, and nothing changes. */
static void *swap(void *arg)
{
	(void)arg;
	while (__atomic_exchange_n(&f->lock, 1, __ATOMIC_ACQUIRE))
		;
	return NULL;
}

static int handed;

static void *spin_for_other(void *arg)
{
	(void)arg;
	while (held() && !*(volatile int *)&handed)
		;
	return NULL;
}

static void *hand_over(void *arg)
{
	(void)arg;
	for (int i = 0; i < 1000 && held(); i++)
		;
	*(volatile int *)&handed = 1;
	return NULL;
}

static void *sleep_long(void *arg)
{
	struct timespec t = {.tv_sec = 5};

	(void)arg;
	nanosleep(&t, NULL);
	__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
	return NULL;
}

/* Looks as often as the other one, and counts. */
static void *count(void *arg)
{
	(void)arg;
	while (__atomic_load_n(&f->lock, __ATOMIC_ACQUIRE) && number < 100000)
		number++;
	__atomic_store_n(&over, 1, __ATOMIC_RELEASE);
	return NULL;
}

static void with_thread(void *(*first)(void *), void *(*second)(void *))
{
	pthread_t a, b;

	pthread_create(&a, NULL, first, NULL);
	if (second) {
		pthread_create(&b, NULL, second, NULL);
		pthread_join(b, NULL);
	}
	pthread_join(a, NULL);
}

static void wait_for_lock(const char *how)
{
	if (!strcmp(how, "count"))
		by_count();
	else if (!strcmp(how, "mapped")) {
		map_beyond();
		by_count();
	} else if (!strcmp(how, "beyond")) {
		map_beyond();
		while (held())
			;
	} else if (!strcmp(how, "clock"))
		by_clock();
	else if (!strcmp(how, "file"))
		by_end_of_file();
	else if (!strcmp(how, "alarm"))
		by_alarm();
	else if (!strcmp(how, "chance"))
		by_chance();
	else if (!strcmp(how, "sleeper"))
		with_thread(spin, sleep_long);
	else if (!strcmp(how, "counter"))
		with_thread(spin, count);
	else if (!strcmp(how, "join"))
		with_thread(spin, NULL);
	else if (!strcmp(how, "both"))
		with_thread(spin, spin);
	else if (!strcmp(how, "plain"))
		with_thread(spin_plainly, spin_plainly);
	else if (!strcmp(how, "swap"))
		with_thread(swap, swap);
	else if (!strcmp(how, "mixed"))
		with_thread(spin_plainly, spin);
	else if (!strcmp(how, "handed"))
		with_thread(spin_for_other, hand_over);
	else if (!strcmp(how, "ring"))
		for (uint64_t i = 1; i; i = f->node[i].next)
			;
	else if (!strcmp(how, "word"))
		while (held())
			;
	else if (!strcmp(how, "bare")) /* not even volatile: a compiler may load once */
		while (f->lock)
			;
	else if (!strcmp(how, "xchg"))
		while (__atomic_exchange_n(&f->lock, 1, __ATOMIC_ACQUIRE))
			;
}

int main(int argc, char **argv)
{
	int fd = open(argc > 2 ? argv[2] : "", O_RDWR | O_CREAT, 0600);

	if (fd < 0 || ftruncate(fd, sizeof(*f)) != 0)
		return 9;
	f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (held())
		wait_for_lock(argv[1]);
	for (int i = 0; i < 3; i++)
		f->node[i].next = (uint64_t)(i + 1) % 3 + (i == 2); /* 0, 1, 2, 1, 2 ... */
	for (int i = 0; i < 3; i++)
		_mm_clflush(&f->node[i]);
	f->lock = 1;
	_mm_clflush(&f->lock);
	f->lock = 0;
	_mm_clflush(&f->lock);
	return 0;
}
