/*
 * A map by extendible hashing, after CCEH: a directory, indexed by the first bits of the hash, of
 * segments of one line. A full segment is replaced by two; the directory that has them, larger if need
 * be, is made beside the old one and takes its place by one store. How many bits it is indexed by is
 * stored after that, in a word of its own: a crash in between leaves the new one with the old number.
 */
#include "../linear.h"

enum { NODES = 400, DIRS = 120, MOST_BITS = 4, SLOTS = 2 };

struct segment {
	uint64_t bits LINE; /* of the hash, that all its keys have in common */
	struct {
		uint64_t key, value;
	} slot[SLOTS];
};

struct dir {
	uint64_t bits LINE;
	uint64_t segment[1 << MOST_BITS];
};

struct hash {
	uint64_t limit LINE;
	uint64_t dir LINE;  /* which one */
	uint64_t bits LINE; /* of it */
	uint64_t dirs LINE; /* those up to this one were used */
	struct dir d[DIRS];
	struct segment segment[NODES];
};

/* The first directory has one segment. */
static void recover(struct hash *h)
{
	nodes_open(&h->limit);
	if (h->dir)
		return;
	h->d[1].segment[0] = nodes_take(NODES);
	pm_persist(&h->d[1], sizeof(h->d[1]));
	pm_set(&h->dirs, 1);
	pm_persist(&h->dirs, 8);
	pm_set(&h->dir, 1);
	pm_persist(&h->dir, 8);
}

RECOVERED(struct hash, recover)

static uint64_t prefix(uint64_t key, uint64_t bits)
{
	return bits ? key * 0x9e3779b97f4a7c15u >> (64 - bits) : 0;
}

static uint64_t bits_of(const struct hash *h)
{
	return FIXED ? h->d[h->dir].bits : h->bits; //@ load
}

static struct segment *segment_of(struct hash *h, uint64_t key)
{
	return &h->segment[h->d[h->dir].segment[prefix(key, bits_of(h))]];
}

/* Half of s; 0: there is none. */
static uint64_t half(struct hash *h, const struct segment *s, uint64_t bit)
{
	uint64_t fresh = nodes_take(NODES);
	struct segment *to = &h->segment[fresh];
	int n = 0;

	if (!fresh)
		return 0;
	to->bits = s->bits + 1;
	for (int i = 0; i < SLOTS; i++)
		if (s->slot[i].key && (prefix(s->slot[i].key, s->bits + 1) & 1) == bit)
			to->slot[n++] = s->slot[i];
	pm_persist(to, sizeof(*to));
	return fresh;
}

/* The segment of `key` becomes two. 0: there is no room. */
static int split(struct hash *h, uint64_t key)
{
	const struct dir *from = &h->d[h->dir];
	const struct segment *s = segment_of(h, key);
	uint64_t bits = bits_of(h), more = s->bits == bits, fresh = h->dirs + 1;
	struct dir *to = &h->d[fresh];
	uint64_t halves[2];

	if (fresh >= DIRS || bits + more > MOST_BITS)
		return 0;
	pm_set(&h->dirs, fresh);
	pm_persist(&h->dirs, 8);
	halves[0] = half(h, s, 0);
	halves[1] = half(h, s, 1);
	if (!halves[0] || !halves[1])
		return 0;
	to->bits = bits + more;
	for (uint64_t i = 0; i < 1u << to->bits; i++) {
		to->segment[i] = from->segment[i >> more];
		if (&h->segment[to->segment[i]] == s)
			to->segment[i] = halves[(i >> (to->bits - s->bits - 1)) & 1];
	}
	pm_persist(to, sizeof(*to));
	pm_set(&h->dir, fresh); //@ store
	pm_persist(&h->dir, 8);
#if !FIXED
	pm_set(&h->bits, to->bits); //@ store
	pm_persist(&h->bits, 8);
#endif
	return 1;
}

/* -1: it is not there. */
static int find(const struct segment *s, uint64_t key)
{
	int i = SLOTS;

	while (i-- > 0 && s->slot[i].key != key)
		;
	return i;
}

static uint64_t insert_locked(struct hash *h, uint64_t key, uint64_t value)
{
	struct segment *s = segment_of(h, key);
	int i;

	if (find(s, key) >= 0)
		return 0;
	while ((i = find(s, 0)) < 0) {
		if (!split(h, key))
			return PD_FAILED;
		s = segment_of(h, key);
	}
	s->slot[i].value = value;
	pm_set(&s->slot[i].key, key); /* in the same line */
	pm_persist(s, sizeof(*s));
	return 1;
}

static void insert(void *it, struct pd_linear_op *op)
{
	lock();
	pd_linear_return(op, insert_locked(it, op->arg[0].word, op->arg[1].word));
	unlock();
}

static void get(void *it, struct pd_linear_op *op)
{
	struct segment *s;
	int i;

	lock();
	s = segment_of(it, op->arg[0].word);
	i = find(s, op->arg[0].word);
	pd_linear_return(op, i < 0 ? PD_NONE : s->slot[i].value);
	unlock();
}

static const struct pd_linear_entry table[] = {
	{"insert", {PD_NEW_KEY, PD_VALUE}, insert, PD_MAY_FAIL},
	{"get", {PD_ANY_KEY}, get, 0},
	PD_LINEAR_END};

PD_LINEAR_DRIVER("map", PD_DURABLE, table, open_it, close_it)
