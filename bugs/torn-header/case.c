/*
 * torn-header - a header, of which one word is in use, is made aside and assigned at once. No crash takes
 * an aligned word apart, so recovery never fails; but the language does not say that a struct is moved by
 * words.
 */
#include "../pm.h"

#define MAGIC 0xc3f0a2d2u

struct header {
	uint32_t magic, size;
	uint8_t reserved[56];
};

struct zone {
	LINE union {
		struct header header;
		uint64_t word;
	};
};

static struct header get(struct zone *z)
{
#if FIXED
	uint64_t w = pm_get(&z->word);
	struct header h = {0};

	memcpy(&h, &w, sizeof(w));
	return h;
#else
	return z->header; //@ load
#endif
}

static void set(struct zone *z, uint32_t size)
{
	struct header h = {.magic = MAGIC, .size = size};
#if FIXED
	uint64_t w;

	memcpy(&w, &h, sizeof(w));
	pm_set(&z->word, w);
#else
	z->header = h; //@ store
#endif
	pm_persist(z, sizeof(*z));
}

int main(int argc, char **argv)
{
	struct zone *z = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*z));
	struct header h = get(z);

	if (h.magic != MAGIC)
		set(z, (uint32_t)(argc + 40));
	else if (!h.size)
		abort(); /* a zone of no size */
	return 0;
}
