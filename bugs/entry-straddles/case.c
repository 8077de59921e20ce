/*
 * A sorted page of records whose inserts shift in place, as FAST and FAIR (Hwang et al., FAST 2018)
 * do: a record counts unless its pointer is that of its left neighbour, and within a record the
 * order of two stores is the order in which they persist, because both are in one cache line. That
 * takes a header of 48 bytes: 16 bytes are left of its line, for record 0. Somebody has added a
 * field, and now the key of record 0 is in the first line, and its pointer in the second.
 */
#include "../pm.h"

enum { RECORDS = 8, KEYS = 5 };

struct header {
	uint64_t magic;
	uint64_t leftmost; /* "before record 0": no value */
	uint64_t level;
	uint64_t sibling;
	uint64_t low, high;
#if !FIXED
	uint64_t switches;
#endif
};

struct entry {
	uint64_t key;
	uint64_t value;
};

struct page {
	LINE struct header header;
	struct entry entry[RECORDS];
	LINE uint64_t done;
};

static struct page *page;

static uint64_t left_of(int i)
{
	return i ? pm_get(&page->entry[i - 1].value) : page->header.leftmost;
}

static int length(void)
{
	int i = 0;

	while (i < RECORDS && pm_get(&page->entry[i].value))
		i++;
	return i;
}

/* Whether entry i is the last one of its line. */
static int leaves_line(int i)
{
	return (sizeof(struct header) + (size_t)(i + 1) * sizeof(struct entry)) / 64 >
	       (sizeof(struct header) + (size_t)i * sizeof(struct entry)) / 64;
}

/* From the right, value before key; what a line is left with is durable first. */
static void shift(int from, int to)
{
	for (int i = from; i > to; i--) {
		struct entry *e = &page->entry[i];

		pm_set(&e->value, e[-1].value); //@ shift-value
		pm_set(&e->key, e[-1].key);	//@ shift-key
		if (leaves_line(i - 1))
			pm_persist(e, sizeof(*e));
	}
}

static void insert(uint64_t key, uint64_t value)
{
	int n = length(), at = 0;
	struct entry *e;

	while (at < n && page->entry[at].key < key)
		at++;
	shift(n, at);
	e = &page->entry[at];
	pm_set(&e->value, left_of(at)); //@ doubled
	pm_set(&e->key, key);		//@ key
	pm_set(&e->value, value);	//@ value
	pm_persist(e, sizeof(*e));
}

static uint64_t find(uint64_t key)
{
	for (int i = 0; i < length(); i++)
		if (page->entry[i].value != left_of(i) && page->entry[i].key == key) //@ find
			return page->entry[i].value;
	return 0;
}

static uint64_t key_of(uint64_t i)
{
	static const uint64_t keys[KEYS] = {50, 30, 40, 10, 20};

	return keys[i];
}

static void check(void)
{
	uint64_t last = 0;

	for (uint64_t i = 0; i < page->done; i++)
		assert(find(key_of(i)) == key_of(i) + 1); //@ fails
	for (int i = 0; i < length(); i++) {
		if (page->entry[i].value == left_of(i))
			continue;
		assert(page->entry[i].value == page->entry[i].key + 1);
		assert(page->entry[i].key > last);
		last = page->entry[i].key;
	}
}

int main(int argc, char **argv)
{
	page = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*page));
	if (page->header.magic == 1) {
		check();
		return 0;
	}
	page->header.leftmost = 1;
	pm_persist(&page->header, sizeof(page->header));
	pm_set(&page->header.magic, 1);
	pm_persist(&page->header.magic, 8);
	for (uint64_t i = 0; i < KEYS; i++) {
		insert(key_of(i), key_of(i) + 1);
		pm_set(&page->done, i + 1);
		pm_persist(&page->done, sizeof(page->done));
	}
	return 0;
}
