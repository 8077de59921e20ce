/* rawlib.h - see rawlib.c. */
#include <time.h>

void raw_lock(int *l);
void raw_unlock(int *l);
void raw_wait(int *cond, int *lock);
void raw_broadcast(int *cond, int *lock);

/* 0, or -errno: -ETIMEDOUT. */
int raw_event_wait(int *event, long ns);
void raw_event_set(int *event, int *other);
