/*
 * race-root-pointer - rehashing makes a new table and swaps the root. A thread that takes the
 * new root before it is durable inserts into a table that nobody finds after a crash.
 */
#include "../pm.h"
#include <pthread.h>

enum { TABLES = 4, SLOTS = 7 };

struct table {
	LINE uint64_t slot[SLOTS];
};

struct file {
	LINE uint64_t root; /* which table */
	LINE uint64_t count; /* keys that are in it for good */
	struct table table[TABLES];
};

static struct file *f;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;   /* of the table in use */
static pthread_mutex_t resize = PTHREAD_MUTEX_INITIALIZER; /* of the root */

static void *rehash(void *unused)
{
	struct table *from, *to;

	pthread_mutex_lock(&resize);
	pthread_mutex_lock(&lock);
	from = &f->table[f->root];
	to = &f->table[f->root + 1];
	for (int i = 0; i < SLOTS; i++)
		to->slot[i] = from->slot[i];
	pm_persist(to, sizeof(*to));
	pm_set(&f->root, f->root + 1); //@ store
#if FIXED
	pm_persist(&f->root, sizeof(f->root));
	pthread_mutex_unlock(&lock);
#else
	pthread_mutex_unlock(&lock);
	pm_persist(&f->root, sizeof(f->root)); //@ flush
#endif
	pthread_mutex_unlock(&resize);
	return unused;
}

static void insert(uint64_t key)
{
	struct table *t;

	pthread_mutex_lock(&lock);
	t = &f->table[pm_get(&f->root)]; //@ load
	for (int i = 0; i < SLOTS; i++)
		if (!t->slot[i]) {
			pm_set(&t->slot[i], key);
			pm_persist(&t->slot[i], sizeof(t->slot[i]));
			break;
		}
	f->count++;
	pm_persist(&f->count, sizeof(f->count));
	pthread_mutex_unlock(&lock);
}

static void *inserts(void *unused)
{
	for (uint64_t i = 0; i < 2; i++)
		insert(10 + i);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t a, b;
	uint64_t n = 0;

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	for (int i = 0; i < SLOTS; i++)
		n += f->table[f->root].slot[i] != 0;
	if (n < f->count) {
		fprintf(stderr, "a key is gone\n");
		return 1;
	}
	if (f->root)
		return 0;
	insert(1);
	pthread_create(&a, NULL, rehash, NULL);
	pthread_create(&b, NULL, inserts, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
