/*
 * look.c - who knew of a byte before it was stored to: look HOW FILE
 *
 * looked	main reads a field, makes a thread that stores to it, and reads it again: a race, in any schedule
 * apart	one thread stores to it and another one reads it; whether that is seen is up to the schedule
 * joined	the same as looked, but main reads again only when that thread has ended
 * scan		main reads all of a new file, then threads initialise and publish parts of it, correctly
 */
#include <fcntl.h>
#include <emmintrin.h>
#include <pthread.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { NODES = 8 };

struct file {
	uint64_t field, pad[7];
	uint64_t copy, pad2[7];
	uint64_t head, pad3[7]; /* index + 1 of the last node that was published; under the lock */
	struct node {
		uint64_t size; /* 0: it is free */
		uint64_t value;
		uint64_t next, pad[5];
	} node[NODES];
};

static struct file *f;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void persist(const void *p)
{
	_mm_clflush(p);
}

static void *set_field(void *arg)
{
	f->field = 1; //@ store
	persist(&f->field);
	return arg;
}

static void copy_field(void)
{
	f->copy = *(volatile uint64_t *)&f->field; //@ load
	persist(&f->copy);
}

static void *get_field(void *arg)
{
	for (int i = 0; i < 20 && !*(volatile uint64_t *)&f->field; i++)
		;
	copy_field();
	return arg;
}

/* As an allocator does: what it reads first is its own business. */
static void *publish(void *arg)
{
	uint64_t first = (uint64_t)(uintptr_t)arg;

	for (uint64_t i = first; i < NODES; i += 2) {
		struct node *n = &f->node[i];

		if (n->size)
			continue;
		n->size = sizeof(*n);
		n->value = i;
		persist(n);
		pthread_mutex_lock(&lock);
		n->next = f->head;
		persist(n);
		f->head = i + 1;
		persist(&f->head);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

static void *sum(void *arg)
{
	uint64_t all = 0, n;

	for (int i = 0; i < 50; i++) {
		pthread_mutex_lock(&lock);
		n = f->head;
		while (n) {
			all += f->node[n - 1].value;
			n = f->node[n - 1].next;
		}
		pthread_mutex_unlock(&lock);
	}
	f->copy = all;
	persist(&f->copy);
	return arg;
}

static uint64_t scan(void)
{
	uint64_t all = 0;

	for (uint64_t i = 0; i < sizeof(*f) / 8; i++)
		all |= ((volatile uint64_t *)f)[i];
	return all;
}

int main(int argc, char **argv)
{
	const char *how = argc > 2 ? argv[1] : "";
	int fd = open(argc > 2 ? argv[2] : "", O_RDWR | O_CREAT, 0600);
	pthread_t t[3];

	if (fd < 0 || ftruncate(fd, sizeof(*f)) != 0)
		return 9;
	f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (!strcmp(how, "scan")) {
		if (scan())
			return 0;
		pthread_create(&t[0], NULL, publish, (void *)0);
		pthread_create(&t[1], NULL, publish, (void *)1);
		pthread_create(&t[2], NULL, sum, NULL);
		for (int i = 0; i < 3; i++)
			pthread_join(t[i], NULL);
		return scan() == 0;
	}
	if (!strcmp(how, "apart")) {
		pthread_create(&t[0], NULL, set_field, NULL);
		pthread_create(&t[1], NULL, get_field, NULL);
		pthread_create(&t[2], NULL, get_field, NULL);
		for (int i = 0; i < 3; i++)
			pthread_join(t[i], NULL);
		return 0;
	}
	if (f->field)
		return 0;
	pthread_create(&t[0], NULL, set_field, NULL);
	if (!strcmp(how, "looked"))
		copy_field();
	pthread_join(t[0], NULL);
	copy_field();
	return 0;
}
