/*
 * announce.c - a map in PM with a main and threads of its own, which announces its operations. Its
 * first argument is the pool; the second "read" (only what is there) or "scan" (all, with the result in
 * PM; for ordered maps). BUG:
 *	1  a put is never flushed
 *	2  a put gives its lock back before it flushes
 *	3  gets are wrong without any crash: they find nothing
 *	4  what was not there when the crash came makes recovery abort
 * The variable WRONG, of the announcements:
 *	1  a get in a put             2  an end without a beginning
 *	3  an unknown operation       4  an argument too few
 *	5  no end                     6  none at all
 *	7  none in recovery           8  recovery ends what it has not begun
 *	9  arguments too many         10 none in recovery once key 2 is there
 *	11 recovery leaves without coming to its end
 */
#include <fcntl.h>
#include <emmintrin.h>
#include <perdure.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef BUG
#define BUG 0
#endif

enum { KEYS = 3 };

struct entry {
	_Atomic uint64_t value; /* 0: nothing there */
	uint64_t pad[7];
};

static struct map {
	_Atomic uint64_t opened;
	uint64_t pad[7];
	struct entry entry[KEYS];
	uint64_t scanned[2 * KEYS];
} *map;

static int wrong;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void persist(const void *p)
{
	_mm_clflush(p);
	_mm_sfence();
}

static uint64_t old(uint64_t value)
{
	return value ? value : PD_NONE;
}

static uint64_t get_it(uint64_t key)
{
	return BUG == 3 ? PD_NONE : old(map->entry[key].value);
}

static void get(uint64_t key)
{
	uint64_t value;

	if (wrong != 6)
		pd_op_begin("get", key);
	pthread_mutex_lock(&lock);
	value = get_it(key);
	pthread_mutex_unlock(&lock);
	if (wrong != 6)
		pd_op_end(value);
}

static void scan(void)
{
	uint64_t n = 0;

	pd_op_begin("scan", 0, KEYS);
	pthread_mutex_lock(&lock);
	for (uint64_t key = 0; key < KEYS; key++)
		if (map->entry[key].value) {
			map->scanned[2 * n] = key;
			map->scanned[2 * n++ + 1] = map->entry[key].value;
		}
	pd_op_end_data(n, map->scanned, 2 * n * sizeof(uint64_t));
	pthread_mutex_unlock(&lock);
}

static void put_it(uint64_t key, uint64_t value)
{
	pthread_mutex_lock(&lock);
	value = atomic_exchange(&map->entry[key].value, value);
	if (BUG == 2)
		pthread_mutex_unlock(&lock);
	if (BUG != 1)
		persist(&map->entry[key]);
	if (BUG != 2)
		pthread_mutex_unlock(&lock);
	if (wrong != 5 && wrong != 6)
		pd_op_end(old(value));
}

static void put(uint64_t key, uint64_t value)
{
	if (wrong == 3)
		pd_op_begin("inc", key);
	else if (wrong == 4)
		pd_op_begin("put", key);
	else if (wrong == 9)
		pd_op_begin("put", key, value, value, value);
	else if (wrong != 6)
		pd_op_begin("put", key, value);
	if (wrong == 1)
		get(key);
	put_it(key, value);
	if (wrong == 2)
		pd_op_end(0);
}

static void *writer(void *arg)
{
	(void)arg;
	put(0, 1);
	put(1, 2);
	return NULL;
}

static void *reader(void *arg)
{
	(void)arg;
	get(0);
	put(2, 3);
	return NULL;
}

/* Whether it was there already. */
static int open_map(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0644);
	void *p = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, 4096) == 0)
		p = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		exit(9);
	map = p;
	if (map->opened)
		return 1;
	map->opened = 1;
	persist(map);
	return 0;
}

int main(int argc, char **argv)
{
	int again = open_map(argc > 1 ? argv[1] : "announce.pm");
	pthread_t t[2];

	wrong = getenv("WRONG") ? atoi(getenv("WRONG")) : 0;
	if ((wrong == 7 && again) || (wrong == 10 && map->entry[2].value))
		return map->entry[0].value > 100;
	if (wrong == 8 && again)
		pd_op_end(0);
	if (BUG == 4 && again && !map->entry[0].value)
		abort();
	if (argc > 2 && strcmp(argv[2], "scan") == 0)
		scan();
	for (uint64_t key = 0; key < KEYS; key++)
		get(key);
	if (argc > 2 && strcmp(argv[2], "read") == 0)
		return 0;
	if (wrong == 11 && again)
		quick_exit(0);
	pthread_create(&t[0], NULL, writer, NULL);
	pthread_create(&t[1], NULL, reader, NULL);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
