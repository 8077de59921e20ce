/* arena.c - see arena.h. */
#include "base/arena.h"

enum {
	FIRST_BLOCK = 64 * 1024,
	LARGEST_BLOCK = 16 * 1024 * 1024,
};

struct pd_arena_block {
	struct pd_arena_block *older;
	size_t size;
	uint64_t pad[6]; /* the first byte handed out is 64-aligned */
};

void pd_arena_init(struct pd_arena *a, struct pd_host host)
{
	memset(a, 0, sizeof(*a));
	a->host = host;
	a->next_size = FIRST_BLOCK;
}

static void release_from(struct pd_arena *a, struct pd_arena_block *b)
{
	while (b) {
		struct pd_arena_block *older = b->older;

		a->held -= b->size;
		a->host.release(a->host.ctx, b, b->size);
		b = older;
	}
}

void pd_arena_finish(struct pd_arena *a)
{
	release_from(a, a->blocks);
	pd_arena_init(a, a->host);
}

static void use_block(struct pd_arena *a, struct pd_arena_block *b)
{
	a->cur = (uint8_t *)(b + 1);
	a->end = (uint8_t *)b + b->size;
}

void pd_arena_reset(struct pd_arena *a)
{
	struct pd_arena_block *keep = a->blocks;

	a->failed = false;
	a->used = 0;
	if (!keep)
		return;
	release_from(a, keep->older);
	keep->older = NULL;
	/* Only what was handed out can be dirty. */
	memset(keep + 1, 0, (size_t)(a->cur - (uint8_t *)(keep + 1)));
	use_block(a, keep);
}

void pd_arena_back(struct pd_arena *a, uint8_t *mark)
{
	if (!a->blocks || mark < (uint8_t *)(a->blocks + 1) || mark > a->cur)
		return;
	memset(mark, 0, (size_t)(a->cur - mark));
	a->used -= (uint64_t)(a->cur - mark);
	a->cur = mark;
}

static bool add_block(struct pd_arena *a, size_t need)
{
	size_t size = a->next_size;
	struct pd_arena_block *b;

	if (need > SIZE_MAX - sizeof(*b) - 4096)
		return false;
	need = (need + sizeof(*b) + 4095) & ~(size_t)4095;
	if (size < need)
		size = need;
	b = a->host.grow(a->host.ctx, size);
	if (!b)
		return false;
	b->size = size;
	b->older = a->blocks;
	a->blocks = b;
	a->held += size;
	if (a->next_size < LARGEST_BLOCK)
		a->next_size *= 2;
	use_block(a, b);
	return true;
}

static uint8_t *align_up(uint8_t *p)
{
	return (uint8_t *)(((uintptr_t)p + 15) & ~(uintptr_t)15);
}

void *pd_arena_alloc(struct pd_arena *a, size_t n)
{
	uint8_t *p = align_up(a->cur);

	if (pd_unlikely(p > a->end || n > (size_t)(a->end - p))) {
		if (!add_block(a, n)) {
			a->failed = true;
			return NULL;
		}
		p = a->cur;
	}
	a->used += (uint64_t)(p + n - a->cur);
	a->cur = p + n;
	return p;
}

void *pd_arena_grow(struct pd_arena *a, void *p, size_t old_n, size_t new_n)
{
	uint8_t *q;

	if (p && (uint8_t *)p + old_n == a->cur && new_n - old_n <= (size_t)(a->end - a->cur)) {
		a->cur += new_n - old_n;
		a->used += new_n - old_n;
		return p;
	}
	q = pd_arena_alloc(a, new_n);
	if (q && old_n)
		memcpy(q, p, old_n);
	return q;
}

char *pd_arena_strndup(struct pd_arena *a, const char *s, size_t n)
{
	char *p = pd_arena_alloc(a, n + 1);

	if (p)
		memcpy(p, s, n);
	return p;
}
