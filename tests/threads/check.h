/*
 * check.h - what every program of the thread tests includes.
 *
 * A program checks its own results with CHECK and prints the same text in every mode and under
 * every schedule; the scripts run it under many and compare. PD_TEST_* in the environment say how
 * it runs (harness.c).
 */
#ifndef PD_TESTS_THREADS_CHECK_H
#define PD_TESTS_THREADS_CHECK_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <errno.h>
#include <unistd.h>

#ifdef __cplusplus
extern "C" {
#endif

extern int check_failures;

/* The digest of every event and every choice so far. */
uint64_t harness_digest(void);
int harness_driven(void);
uint64_t harness_events(void);
uint64_t harness_switches(void);
/* A mapping at the start of the PM window, zeroed. */
void *harness_pm(size_t n);
/* How often PM was read or written by a hook. */
uint64_t harness_pm_accesses(void);
void harness_tid_base(unsigned base);
void harness_spin(void);
void harness_loaded(const int *p); /* an atomic load */
void harness_event_counts(unsigned kind, uint64_t *count);
/* Under the policy `all`: not the process that was started. */
int harness_is_child(void);
int harness_snapshot(void);
int harness_snapshot_wait(int pid, int *status);

#ifdef __cplusplus
}
#endif

#define CHECK(cond)                                                                                \
	do {                                                                                       \
		if (!(cond)) {                                                                     \
			__atomic_add_fetch(&check_failures, 1, __ATOMIC_RELAXED);                  \
			fprintf(stderr, "%s:%d: %s (errno %d)\n", __FILE__, __LINE__, #cond,       \
				errno);                                                            \
		}                                                                                  \
	} while (0)

#define CHECK_EQ(a, b)                                                                             \
	do {                                                                                       \
		long a_ = (long)(a);                                                               \
		long b_ = (long)(b);                                                               \
                                                                                                   \
		if (a_ != b_) {                                                                    \
			__atomic_add_fetch(&check_failures, 1, __ATOMIC_RELAXED);                  \
			fprintf(stderr, "%s:%d: %s is %ld, not %s (%ld)\n", __FILE__, __LINE__,    \
				#a, a_, #b, b_);                                                   \
		}                                                                                  \
	} while (0)

static inline int check_done(const char *name)
{
	printf("%s: %s\n", name, check_failures ? "FAILED" : "ok");
	return check_failures ? 1 : 0;
}

#endif
