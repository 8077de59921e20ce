/*
 * lint-header-line - an allocator writes a header as a whole line, past the cache; what its user then stores
 * behind the header is not flushed. That the line was "flushed" and stored to again is no second bug: its
 * fence is for the header.
 */
#include "../pm.h"

struct object {
	LINE uint64_t size;
	uint64_t type;
	char text[48];
};

static uint64_t reserved;

static struct object *make(struct object *o, uint64_t size)
{
	__m128i header = _mm_set_epi64x(1, (long long)size), zero = _mm_setzero_si128();

	_mm_stream_si128((__m128i *)o, header);
	for (int i = 1; i < 4; i++)
		_mm_stream_si128((__m128i *)o + i, zero);
	return o;
}

int main(int argc, char **argv)
{
	struct object *pm = pm_map(argc > 1 ? argv[1] : NULL, 4096);

	for (int i = 0; i < 4; i++) {
		struct object *o = make(&pm[i], 32);

		memcpy(o->text, "twelve bytes", 12); //@ store
		__atomic_fetch_add(&reserved, 1, __ATOMIC_SEQ_CST);
		pm_fence();
#if FIXED
		pm_flush(o->text, 12);
		pm_fence();
#endif
	}
	return 0;
}
