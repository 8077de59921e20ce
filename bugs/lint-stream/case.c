/* lint-stream - a buffer is written past the cache, and no fence follows. */
#include "../pm.h"

int main(int argc, char **argv)
{
	__m128i *p = pm_map(argc > 1 ? argv[1] : NULL, 4096);

	for (int i = 0; i < 16; i++)
		_mm_stream_si128(&p[i], _mm_set1_epi32(i)); //@ store
#if FIXED
	pm_fence();
#endif
	return 0;
}
