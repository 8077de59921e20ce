/* lint-stream-flush - what was written past the cache is flushed as well. */
#include "../pm.h"

int main(int argc, char **argv)
{
	long long *p = pm_map(argc > 1 ? argv[1] : NULL, 4096);

	for (int i = 0; i < 8; i++)
		_mm_stream_si64(&p[i], i);
#if !FIXED
	pm_flush(p, 64); //@ flush
#endif
	pm_fence();
	return 0;
}
