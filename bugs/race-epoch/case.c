/*
 * race-epoch - buffered durability: what is stored in an epoch is written back together, at its end, and counts only
 * once the number of the epoch is durable. Until then threads may act on what is not durable; but all of it must be
 * written back.
 */
#include "../pm.h"
#include "perdure.h"
#include <pthread.h>
#include <sched.h>

enum { EPOCHS = 3, SLOTS = 4 };

struct entry {
	LINE uint64_t value;
	uint64_t epoch;
};

struct file {
	LINE uint64_t epoch; /* the last one that is durable */
	struct entry cause[SLOTS];
	struct entry effect[SLOTS]; /* copies of the values of causes that somebody has read */
};

static struct file *f;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint64_t now = 1; /* the epoch, and who is not done with it */
static int left = 2;

/* The second one of the two that comes ends the epoch for both. */
static void end_epoch(uint64_t epoch)
{
	pthread_mutex_lock(&lock);
	if (--left == 0) {
		pm_flush(f->effect, sizeof(f->effect));
#if FIXED
		pm_flush(f->cause, sizeof(f->cause)); //@ flush
#else
		pm_flush(f->cause, sizeof(f->cause[0])); //@ flush
#endif
		pm_fence();
		pd_durable(f->cause, sizeof(f->cause));
		pd_durable(f->effect, sizeof(f->effect));
		f->epoch = epoch;
		pm_persist(&f->epoch, sizeof(f->epoch));
		left = 2;
		now = epoch + 1;
	}
	while (now == epoch) {
		pthread_mutex_unlock(&lock);
		sched_yield();
		pthread_mutex_lock(&lock);
	}
	pthread_mutex_unlock(&lock);
}

static void *writer(void *unused)
{
	for (uint64_t e = 1; e <= EPOCHS; e++) {
		pthread_mutex_lock(&lock);
		f->cause[e].value = e * 10; //@ store
		f->cause[e].epoch = e; //@ store
		pthread_mutex_unlock(&lock);
		end_epoch(e);
	}
	return unused;
}

static void *reader(void *unused)
{
	for (uint64_t e = 1; e <= EPOCHS; e++) {
		pthread_mutex_lock(&lock);
		for (int i = 1; i < SLOTS; i++)
			if (f->cause[i].value && !f->effect[i].value) { //@ load
				f->effect[i].value = f->cause[i].value; //@ load
				f->effect[i].epoch = e;
			}
		pthread_mutex_unlock(&lock);
		end_epoch(e);
	}
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t a, b;

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	for (int i = 0; i < SLOTS; i++)
		if (f->effect[i].epoch && f->effect[i].epoch <= f->epoch &&
		    f->effect[i].value != f->cause[i].value) {
			fprintf(stderr, "an effect of epoch %d has no cause\n",
				(int)f->effect[i].epoch);
			return 1;
		}
	if (f->epoch || f->cause[1].value)
		return 0;
	pthread_create(&a, NULL, writer, NULL);
	pthread_create(&b, NULL, reader, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return 0;
}
