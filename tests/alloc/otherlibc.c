/* otherlibc.c - a libc whose threads cannot be joined as they are elsewhere; with HANG, not ever. */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

int pthread_join(pthread_t t, void **ret)
{
	(void)t;
	(void)ret;
#ifdef HANG
	for (;;)
		pause();
#endif
	return EINVAL;
}
