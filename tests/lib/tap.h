/*
 * tap.h - TAP for helpers of scripts; unit tests have cmocka.
 *
 *	tap_ok(x == 1, "x is %d", x);
 *	return tap_finish();
 */
#ifndef PD_TESTS_TAP_H
#define PD_TESTS_TAP_H

#include <stdarg.h>
#include <stdio.h>

static int tap_n, tap_failed;

/* Returns whether it is well; where it is not, comments may follow. */
__attribute__((format(printf, 2, 3))) static inline int tap_ok(int well, const char *name, ...)
{
	va_list args;

	va_start(args, name);
	printf("%sok %d - ", well ? "" : "not ", ++tap_n);
	vprintf(name, args);
	printf("\n");
	va_end(args);
	tap_failed += !well;
	return well;
}

/* The plan; what main returns. */
static inline int tap_finish(void)
{
	printf("1..%d\n", tap_n);
	fflush(stdout);
	return tap_failed ? 1 : 0;
}

#endif
