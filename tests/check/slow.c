/*
 * slow.c - programs that take their time: slow HOW FILE
 *
 * early, late	compute before they touch PM, or after their first crash point
 * many		reads PM millions of times
 * stuck	like early, and recovery goes on computing without end
 * asleep	recovery waits for a signal
 *
 * Recovery alone loads more often than its budget has events, which loads that nobody has to hear
 * of hardly use:
 *
 * same		asks the same of what the crash left
 * beside	what the crash left, while another thread waits
 */
#include <fcntl.h>
#include <emmintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct file {
	uint64_t a, pad[7];
	uint64_t b;
};

enum { STEPS = 50 * 1000 * 1000, READS = 4200 * 1000 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static volatile uint64_t result;

/* Each step waits for the one before: tens of milliseconds on any machine. */
static void compute(void)
{
	uint64_t x = 1;

	for (uint64_t i = 0; i < STEPS; i++)
		x = x * 6364136223846793005ULL + i;
	result = x;
}

static void read_often(const uint64_t *p)
{
	for (uint64_t i = 0; i < READS; i++)
		result = *(const volatile uint64_t *)p;
}

static void *wait(void *arg)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

static void recover(const char *how, struct file *f)
{
	pthread_t waits;

	for (uint64_t i = 0; !strcmp(how, "same") && i < READS; i++)
		if (__atomic_load_n(&f->b, __ATOMIC_RELAXED) == 7)
			_exit(9);
	if (!strcmp(how, "beside")) {
		pthread_mutex_lock(&lock);
		pthread_create(&waits, NULL, wait, NULL);
		sched_yield();
		read_often(&f->a);
		pthread_mutex_unlock(&lock);
		pthread_join(waits, NULL);
	}
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";
	int fd = open(argc > 2 ? argv[2] : "", O_RDWR | O_CREAT, 0600);
	struct file *f;

	if (fd < 0 || ftruncate(fd, sizeof(*f)) != 0)
		return 9;
	f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!strcmp(how, "early") || !strcmp(how, "stuck"))
		compute();
	if (!strcmp(how, "stuck") && f->a)
		for (;;)
		compute();
	if (!strcmp(how, "asleep") && f->a)
		pause(); //@ asleep
	if (f->a > 1)
		return 9;
	if (f->a)
		recover(how, f);
	f->a = 1;
	_mm_clflush(&f->a);
	if (!strcmp(how, "late"))
		compute();
	if (!strcmp(how, "many"))
		read_often(&f->a);
	f->b = 1;
	_mm_clflush(&f->b);
	return 0;
}
