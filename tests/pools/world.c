/*
 * world.c - prints what differs from run to run in an ordinary world: time, process ids, random
 * numbers, the address of a mapped file.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

static volatile int caught;

static void on_signal(int sig)
{
	caught = sig;
}

static void show_time(void)
{
	struct timeval tv;
	struct timespec a, b;
	struct tms t;

	gettimeofday(&tv, NULL);
	printf("time %ld %ld.%06ld\n", (long)time(NULL), (long)tv.tv_sec, (long)tv.tv_usec);
	clock_gettime(CLOCK_MONOTONIC, &a);
	for (int i = 0; i < 1000; i++)
		clock_gettime(CLOCK_MONOTONIC, &b);
	printf("monotonic %ld.%09ld %ld.%09ld\n", (long)a.tv_sec, a.tv_nsec, (long)b.tv_sec,
	       b.tv_nsec);
	printf("cpu %ld %ld\n", (long)clock(), (long)times(&t));
	printf("forward %d\n", b.tv_sec > a.tv_sec || b.tv_nsec > a.tv_nsec);
}

static void show_random(void)
{
	unsigned char buf[8];
	int fd = open("/dev/urandom", O_RDONLY);
	FILE *f = fopen("/dev/random", "r");

	getrandom(buf, sizeof(buf), 0);
	printf("getrandom %016lx\n", *(long *)buf);
	getentropy(buf, sizeof(buf));
	printf("getentropy %016lx\n", *(long *)buf);
	printf("arc4random %x %d\n", arc4random(), arc4random_uniform(10) < 10);
	printf("urandom %ld", (long)read(fd, buf, sizeof(buf)));
	printf(" %016lx\n", *(long *)buf);
	printf("random %ld", (long)fread(buf, 1, sizeof(buf), f));
	printf(" %016lx\n", *(long *)buf);
	close(fd);
	fclose(f);
}

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "w.pm", O_RDWR | O_CREAT, 0600);
	void *p, *q;

	show_time();
	printf("pid %d %d\n", getpid(), getppid());
	show_random();
	signal(SIGUSR1, on_signal);
	kill(getpid(), SIGUSR1);
	printf("signal %d\n", caught == SIGUSR1);
	ftruncate(fd, 1 << 20);
	p = mmap(NULL, 1 << 20, PROT_READ, MAP_SHARED, fd, 0);
	q = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 8192);
	printf("mapped at %p %p\n", p, q);
	return 0;
}
