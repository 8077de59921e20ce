/* pipe.c - a thread that reads from a pipe into PM while another one still has to write to it. */
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static int ends[2];
static uint64_t *pm;

static void *reader(void *arg)
{
	(void)arg;
	for (int i = 0; i < 3; i++)
		if (read(ends[0], &pm[i], sizeof(pm[i])) != sizeof(pm[i]))
			return (void *)1;
	return NULL;
}

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "", O_RDWR | O_CREAT, 0600);
	void *failed;
	pthread_t t;

	if (fd < 0 || ftruncate(fd, 4096) != 0 || pipe(ends) != 0)
		return 1;
	pm = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	pthread_create(&t, NULL, reader, NULL);
	sched_yield();
	for (uint64_t i = 1; i <= 3; i++)
		if (write(ends[1], &i, sizeof(i)) != sizeof(i))
			return 1;
	pthread_join(t, &failed);
	printf("%lu %lu %lu\n", (unsigned long)pm[0], (unsigned long)pm[1], (unsigned long)pm[2]);
	return failed != NULL;
}
