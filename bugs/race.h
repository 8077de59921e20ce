/*
 * race.h - what the cases about races share: two threads, of which one stores and the other one acts on
 * what it has read, durably. After a crash there must be no effect without its cause.
 *
 * SPDX-License-Identifier: BSD-3-Clause
 */
#ifndef BUGS_RACE_H
#define BUGS_RACE_H

#include <pthread.h>

struct file {
	LINE uint64_t cause;
	LINE uint64_t effect; /* a value of cause that somebody has acted on */
};

static UNUSED struct file *f;

/* The reader's act: durable, and a consequence of what it read. */
static UNUSED void act(uint64_t on)
{
	if (on <= f->effect)
		return;
	pm_set(&f->effect, on);
	pm_persist(&f->effect, sizeof(f->effect));
}

static UNUSED void race_open(int argc, char **argv)
{
	f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));
	if (f->effect > f->cause) {
		fprintf(stderr, "%d was acted on and is gone\n", (int)f->effect);
		exit(1);
	}
}

static UNUSED void race_run(void *(*one)(void *), void *(*two)(void *))
{
	pthread_t a, b;

	pthread_create(&a, NULL, one, NULL);
	pthread_create(&b, NULL, two, NULL);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
}

#endif
