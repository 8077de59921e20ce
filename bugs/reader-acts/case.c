/*
 * reader-acts - one thread takes an order and tells another, which books it durably. The order
 * itself is flushed later: after a crash there is a booking for no order. Semaphores force this
 * sequence, so that every schedule shows it.
 */
#include "../pm.h"
#include <pthread.h>
#include <semaphore.h>

struct file {
	LINE uint64_t ordered;
	LINE uint64_t booked;
};

static struct file *f;
static sem_t order, booking;

static void *clerk(void *unused)
{
	sem_wait(&order);
	pm_set(&f->booked, pm_get(&f->ordered));
	pm_persist(&f->booked, sizeof(f->booked));
	sem_post(&booking);
	return unused;
}

static void take_order(void)
{
	pm_set(&f->ordered, f->ordered + 1); //@ store
#if FIXED
	pm_persist(&f->ordered, sizeof(f->ordered));
#endif
	sem_post(&order);
	sem_wait(&booking);
	pm_persist(&f->ordered, sizeof(f->ordered)); //@ flush
}

int main(int argc, char **argv)
{
	pthread_t t;

	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	assert(f->booked <= f->ordered); //@ load
	sem_init(&order, 0, 0);
	sem_init(&booking, 0, 0);
	pthread_create(&t, NULL, clerk, NULL);
	take_order();
	pthread_join(t, NULL);
	return 0;
}
