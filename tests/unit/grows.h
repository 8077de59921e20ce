/*
 * grows.h - for tests whose memory stands in for the board's (protocol/board.h), which only grows:
 * nothing of it is given back, so that the sanitizer is not to look for leaks.
 */
#ifndef PD_TESTS_GROWS_H
#define PD_TESTS_GROWS_H

int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
	return 1;
}

#endif
