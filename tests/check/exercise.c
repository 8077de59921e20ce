/*
 * exercise.c - structures whose recovery is the same command again:
 *
 *	exercise STRUCTURE ONCE	makes its file, or finds it; then works with it, or (ONCE is "once") only
 *				looks at what it has found
 *
 * A crash before the file is made makes even the latter work again, with a file that has nothing in
 * it.
 */
#include <emmintrin.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAGIC = 0x5354, SLOTS = 16 };

struct file {
	_Alignas(64) uint64_t magic;
	_Alignas(64) uint64_t head; /* of the stack: the number of its elements, and 1 */
	uint64_t tail;
	_Alignas(64) uint64_t slot[SLOTS];
};

static void persist(const void *p)
{
	_mm_clflush(p);
	_mm_sfence();
}

static void set(uint64_t *to, uint64_t value)
{
	__atomic_store_n(to, value, __ATOMIC_RELAXED);
	persist(to);
}

static void make(struct file *f)
{
	f->head = 1;
	f->tail = 1;
	persist(&f->head);
	f->magic = MAGIC;
	persist(&f->magic);
}

/* ---- a stack, a queue, a map: the function that stores has the name ---------------------------- */

static void push(struct file *f, uint64_t value)
{
	f->slot[f->head % SLOTS] = value;
	persist(&f->slot[f->head % SLOTS]);
	f->head = f->head + 1;
	persist(&f->head);
}

static void pop(struct file *f)
{
	f->head = f->head - 1;
	persist(&f->head);
}

static void enqueue(struct file *f, uint64_t value)
{
	f->slot[f->tail % SLOTS] = value;
	persist(&f->slot[f->tail % SLOTS]);
	f->tail = f->tail + 1;
	persist(&f->tail);
}

static void queue_deq(struct file *f)
{
	f->head = f->head + 1;
	persist(&f->head);
}

static void populate(struct file *f, uint64_t key)
{
	f->slot[key % SLOTS] = key;
	persist(&f->slot[key % SLOTS]);
	f->tail = f->tail + 1;
	persist(&f->tail);
}

static void dropKey(struct file *f, uint64_t key)
{
	f->slot[key % SLOTS] = 0;
	persist(&f->slot[key % SLOTS]);
}

static int work(struct file *f, const char *structure)
{
	for (uint64_t i = 1; i < 3; i++)
		if (*structure == 's')
			push(f, i);
		else if (*structure == 'q')
			enqueue(f, i);
		else
			populate(f, i);
	if (strcmp(structure, "stack") == 0)
		pop(f);
	else if (strcmp(structure, "queue") == 0)
		queue_deq(f);
	else if (strcmp(structure, "map") == 0)
		dropKey(f, 1);
	return 0;
}

static int look(const struct file *f)
{
	uint64_t sum = f->head + f->tail;

	for (int i = 0; i < SLOTS; i++)
		sum += f->slot[i];
	return sum < 2;
}

int main(int argc, char **argv)
{
	int fd = open("f.pm", O_RDWR | O_CREAT, 0600);
	struct file *f;

	if (argc < 3 || fd < 0 || ftruncate(fd, sizeof(*f)) != 0)
		return 9;
	f = mmap(NULL, sizeof(*f), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (f->magic == MAGIC && strcmp(argv[2], "once") == 0)
		return look(f);
	if (f->magic == MAGIC && strcmp(argv[2], "mend") == 0) {
		set(&f->tail, f->tail);
		return look(f);
	}
	if (f->magic != MAGIC)
		make(f);
	return work(f, argv[1]);
}
