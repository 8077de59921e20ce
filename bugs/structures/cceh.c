/*
 * cceh.c - an extendible hash table with segments of cache-line buckets that are split lazily,
 *after the idea of CCEH (Nam et al., FAST 2019).
 *
 * The directory is indexed by the hash's top bits and holds segments; a segment serves all entries
 * that share its first `depth` bits. Insertion stores the value, then the key, in one line. A full
 * segment is split: the half with the next bit set is copied to a new segment, which is made
 *durable; then the directory's entries of that half are changed; then the old segment's depth is
 *raised. The copied keys stay where they were: a slot whose key does not belong to its segment is
 *free. If the segment is as deep as the directory, the directory is doubled first, aside, and
 *exchanged.
 *
 * Recovery: as long as the old segment's depth is the old one, the split did not happen, and all
 *its directory entries are set back to it.
 *
 * BUG (the published ones in brackets):
 *	1  the directory's entries are not flushed by the constructor (Jaaru #1)
 *	2  the segment's depth is not flushed by its constructor (Jaaru #2)
 *	3  the directory's depth is not flushed by its constructor (Jaaru #3)
 *	4  the depth of the old segment is raised before the directory is changed (Durinn #7)
 *	5  the new segment is not durable when the directory leads to it
 *	6  the key is stored before the value
 *	7  the doubled directory is exchanged before its entries are durable (Durinn DL1)
 */
#include "driver.h"

enum { PAIRS = 4, BUCKETS = 2, FIRST_DEPTH = 1 };

struct segment {
	LINE uint64_t depth;
	uint64_t pattern; /* the bits, at the top; those below `depth` are 0 */
	struct bucket {
		LINE struct pair {
			uint64_t key, value;
		} pair[PAIRS];
	} bucket[BUCKETS];
};

struct directory {
	LINE uint64_t depth;
	LINE uint64_t segment[];
};

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER;

static struct directory *dir_now(void)
{
	return pm_at(pool, pm_get(&pool->root));
}

static uint64_t top(uint64_t hash, uint64_t bits)
{
	return bits ? hash >> (64 - bits) : 0;
}

static struct segment *segment_at(struct directory *d, uint64_t i)
{
	return pm_at(pool, pm_get(&d->segment[i]));
}

static struct segment *segment_new(uint64_t depth, uint64_t pattern)
{
	struct segment *s = pm_alloc(sizeof(*s));

	s->depth = depth;
	s->pattern = pattern;
#if BUG != 2
	pm_persist(s, 64);
#endif
	return s;
}

static struct directory *directory_new(uint64_t depth)
{
	struct directory *d = pm_alloc(sizeof(*d) + (sizeof(uint64_t) << depth));

	d->depth = depth;
#if BUG != 3
	pm_persist(&d->depth, sizeof(d->depth));
#endif
	return d;
}

/* Is there a key in this slot, which belongs here? */
static int in_use(const struct segment *s, const struct pair *p)
{
	uint64_t key = pm_get(&p->key);

	return key && top(mix(key), s->depth) == top(s->pattern, s->depth);
}

/* The key's slot, or (for an insert) a free one, or NULL. */
static struct pair *slot_of(struct segment *s, uint64_t key, int insert)
{
	struct bucket *b = &s->bucket[mix(key) % BUCKETS];
	struct pair *free = NULL;

	for (int i = 0; i < PAIRS; i++) {
		if (!in_use(s, &b->pair[i]))
			free = free ? free : &b->pair[i];
		else if (b->pair[i].key == key)
			return &b->pair[i];
	}
	return insert ? free : NULL;
}

static void fill(struct pair *p, uint64_t key, uint64_t value)
{
#if BUG == 6
	pm_set(&p->key, key);
	pm_set(&p->value, value);
#else
	if (pm_get(&p->key))
		pm_set(&p->key, 0); /* a key that has moved away: never with the new value */
	pm_set(&p->value, value);
	pm_set(&p->key, key);
#endif
}

static struct directory *directory_double(struct directory *old)
{
	struct directory *d = directory_new(old->depth + 1);

	for (uint64_t i = 0; i < 2ull << old->depth; i++)
		d->segment[i] = old->segment[i / 2];
#if BUG != 7
	pm_persist(d->segment, sizeof(uint64_t) << d->depth);
#endif
	pm_set(&pool->root, off(d));
	pm_persist(&pool->root, sizeof(pool->root));
#if BUG == 7
	pm_persist(d->segment, sizeof(uint64_t) << d->depth);
#endif
	return d;
}

static void depth_raise(struct segment *s)
{
	pm_set(&s->depth, s->depth + 1);
	pm_persist(s, 64);
}

static void split(struct directory *d, struct segment *s, uint64_t index)
{
	struct segment *new;
	uint64_t width, first;

	if (s->depth == d->depth) {
		d = directory_double(d);
		index *= 2;
	}
	width = 1ull << (d->depth - s->depth);
	first = index / width * width;
	new = segment_new(s->depth + 1, s->pattern | 1ull << (63 - s->depth));
	for (int i = 0; i < BUCKETS; i++)
		for (int j = 0; j < PAIRS; j++) {
			struct pair *p = &s->bucket[i].pair[j];

			if (in_use(s, p) && mix(p->key) >> (63 - s->depth) & 1)
				fill(slot_of(new, p->key, 1), p->key, p->value);
		}
#if BUG != 5
	pm_persist(new, sizeof(*new));
#endif
#if BUG == 4
	depth_raise(s);
#endif
	for (uint64_t i = first + width; i-- > first + width / 2;) {
		pm_set(&d->segment[i], off(new));
		pm_flush(&d->segment[i], sizeof(d->segment[i]));
	}
	pm_fence();
#if BUG != 4
	depth_raise(s);
#endif
#if BUG == 5
	pm_persist(new, sizeof(*new));
#endif
}

static void st_insert(uint64_t key, uint64_t value)
{
	pthread_mutex_lock(&table_lock);
	for (;;) {
		struct directory *d = dir_now();
		uint64_t i = top(mix(key), d->depth);
		struct segment *s = segment_at(d, i);
		struct pair *p = slot_of(s, key, 1);

		if (p) {
			if (!in_use(s, p)) {
				fill(p, key, value);
				pm_persist(p, sizeof(*p));
			}
			break;
		}
		split(d, s, i);
	}
	pthread_mutex_unlock(&table_lock);
}

static uint64_t st_find(uint64_t key)
{
	struct directory *d = dir_now();
	struct pair *p = slot_of(segment_at(d, top(mix(key), d->depth)), key, 0);

	return p ? p->value : 0;
}

static void st_create(void)
{
	struct directory *d = directory_new(FIRST_DEPTH);

	for (uint64_t i = 0; i < 1u << FIRST_DEPTH; i++)
		d->segment[i] = off(segment_new(FIRST_DEPTH, i << (64 - FIRST_DEPTH)));
#if BUG != 1
	pm_persist(d->segment, sizeof(uint64_t) << FIRST_DEPTH);
#endif
	pm_set(&pool->root, off(d));
	pm_persist(&pool->root, sizeof(pool->root));
}

static void st_recover(void)
{
	struct directory *d = dir_now();

	for (uint64_t i = 0; i < 1ull << d->depth;) {
		struct segment *s = segment_at(d, i);
		uint64_t end = i + (1ull << (d->depth - s->depth));

		for (i++; i < end; i++)
			if (segment_at(d, i) != s) {
				pm_set(&d->segment[i], off(s));
				pm_persist(&d->segment[i], sizeof(d->segment[i]));
			}
	}
}

/* Every segment is where its pattern says, as often as its depth says, and its keys have values. */
static void st_check(void)
{
	struct directory *d = dir_now();

	for (uint64_t i = 0; i < 1ull << d->depth; i++) {
		struct segment *s = segment_at(d, i);

		if (s->depth > d->depth ||
		    top(i << (64 - d->depth), s->depth) != top(s->pattern, s->depth))
			lost("directory entry leads to the wrong segment", i);
		for (int b = 0; b < BUCKETS; b++)
			for (int j = 0; j < PAIRS; j++)
				if (in_use(s, &s->bucket[b].pair[j]) && !s->bucket[b].pair[j].value)
					lost("without value", s->bucket[b].pair[j].key);
	}
}

#define DRIVER_MAIN
#include "driver.h"
