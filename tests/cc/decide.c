/*
 * decide.c - reads that decide where the program goes on, and reads that do not.
 *
 * //= guard: what this line reads may decide a branch; //= plain: it does not. Nothing here is executed.
 * Functions are static unless the case is about those that others may call: what they return is theirs.
 */
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
	uint64_t valid, key, value, length, other;
	char name[32];
	struct entry *next;
	_Atomic uint64_t word;
	double weight;
	int (*run)(int);
};

void elsewhere(uint64_t v);
uint64_t hash(uint64_t v);
int read_it(struct entry *to, const struct entry *from);

#define ALONE	static __attribute__((noinline))

/* ---- conditions ----------------------------------------------------------------------------- */

ALONE uint64_t flag(struct entry *e)
{
	if (e->valid)			//= guard
		elsewhere(e->value);	//= plain
	return 0;
}

ALONE void arithmetic(struct entry *e, uint64_t k)
{
	if (((uint32_t)(e->key >> 3) ^ k) + 1 > 7)	//= guard
		elsewhere(e->other);			//= plain
}

ALONE void floating(struct entry *e)
{
	if (e->weight > 0.5)		//= guard
		elsewhere(1);
}

ALONE void choice(struct entry *e)
{
	switch (e->key) {		//= guard
	case 1: elsewhere(1); break;
	case 5: elsewhere(2); break;
	case 9: elsewhere(7); break;
	}
}

ALONE uint64_t conditional(struct entry *e, uint64_t a, uint64_t b)
{
	return e->valid ? a : b;	//= guard
}

ALONE uint64_t loop(struct entry *e)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < e->length; i++)	//= guard
		sum += e[i].value;			//= plain
	elsewhere(sum);
	return 0;
}

ALONE uint64_t found(struct entry *e, int way)
{
	uint64_t seen;

	if (way)
		seen = e->key;		//= guard
	else
		seen = 3;
	do {
		elsewhere(0);
		seen /= 2;
	} while (seen);
	return 0;
}

ALONE void chain(struct entry *e)
{
	for (; e; e = e->next)		//= guard
		elsewhere(e->value);	//= plain
}

/* A pointer that is followed and never compared is no condition. */
ALONE void followed(struct entry *e)
{
	elsewhere(e->next		//= plain
			  ->value);	//= plain
}

ALONE void behind(struct entry *e)
{
	struct entry *n = e->next;	//= plain

	if (n->valid)			//= guard
		elsewhere(1);
}

ALONE void range(char *base, struct entry *e, char *end)
{
	if (base + e->length < end)	//= guard
		elsewhere(1);
}

ALONE void jump(struct entry *e)
{
	e->run(				//= guard
		(int)e->key);		//= plain
}

/* ---- atomics -------------------------------------------------------------------------------- */

ALONE void atomics(struct entry *e)
{
	if (atomic_load(&e->word) == 3)			//= guard
		elsewhere(1);
	elsewhere(atomic_load_explicit(&e->word, memory_order_relaxed));	//= plain
	if (atomic_fetch_add(&e->word, 1) == 0)		//= guard
		elsewhere(2);
	atomic_fetch_add(&e->word, 2);			//= plain
	elsewhere(atomic_exchange(&e->word, 2));	//= plain
}

ALONE void swap(struct entry *e)
{
	uint64_t was = e->key;		//= guard

	atomic_compare_exchange_strong(&e->word, &was, 7);	//= guard
	__sync_bool_compare_and_swap(&e->other, 0, 7);		//= guard
}

ALONE void by_asm(struct entry *e)
{
	unsigned char set;
	uint64_t old = 1;

	__asm__ volatile("lock; cmpxchgq %3,%1; sete %0"	//= guard
			 : "=q"(set), "+m"(e->other), "+a"(old) : "r"(2ul) : "memory", "cc");
	if (set)
		elsewhere(3);
}

ALONE void wide(struct entry *e)
{
	__int128 v;

	__atomic_load((__int128 *)e->name, &v, 5);	//= guard
	if (v)
		elsewhere(3);
}

/* ---- across calls --------------------------------------------------------------------------- */

ALONE uint64_t get_flag(struct entry *e)
{
	return e->valid;		//= guard
}

ALONE uint64_t get_value(struct entry *e)
{
	return e->value;		//= plain
}

ALONE void check(uint64_t flag, uint64_t value)
{
	if (flag)
		elsewhere(value);
}

ALONE void calls(struct entry *e)
{
	if (get_flag(e) & 1)
		elsewhere(get_value(e));
	check(
		e->key,			//= guard
		e->value);		//= plain
}

ALONE uint64_t deep3(uint64_t v) { return v + 1; }
ALONE uint64_t deep2(uint64_t v) { return deep3(v) * 2; }

ALONE uint64_t deep(struct entry *e)
{
	return deep2(e->other);		//= guard
}

ALONE void deeper(struct entry *e)
{
	if (deep(e) == 12)
		elsewhere(4);
}

ALONE uint64_t recursive(struct entry *e, uint64_t n)
{
	return n ? recursive(e->next, n - 1)	//= plain
		 : e->value;		//= plain
}

ALONE void by_pointer(uint64_t v)
{
	if (v)
		elsewhere(1);
}

ALONE uint64_t op(struct entry *e)
{
	return e->other;		//= guard
}

uint64_t (*const ops[])(struct entry *) = {op};
void (*volatile handler)(uint64_t) = by_pointer;

ALONE void through(struct entry *e)
{
	handler(
		e->key);		//= guard
}

/* Others may compare what they get; what is stored for them is not followed. */
uint64_t visible(struct entry *e, uint64_t *to)
{
	*to = e->other;			//= plain
	return e->key;			//= guard
}

/* A function of another file may make its result of what it gets; new memory is new, whatever its size. */
ALONE void unknown(struct entry *e)
{
	void *p = malloc(e->length);	//= plain

	if (!p)
		elsewhere(2);
	if (hash(e->key) == 7)		//= guard
		elsewhere(hash(e->value));	//= plain
	free(p);
}

/* ---- variables in memory -------------------------------------------------------------------- */

ALONE void fill(struct entry *to, const struct entry *from)
{
	to->valid = from->valid;	//= guard
}

ALONE void copy(struct entry *to, const struct entry *from)
{
	memcpy(to, from, sizeof(*to));	//= guard
}

ALONE int is_valid(const struct entry *e)
{
	return e->valid == 1;		//= guard
}

ALONE void locals(struct entry *e)
{
	struct entry a, b, c;

	fill(&a, e);
	if (a.valid)
		elsewhere(1);
	copy(&b, e);
	if (is_valid(&b))
		elsewhere(2);
	c = *e;				//= plain
	read_it(&c, e);
}

static uint64_t state, total;

ALONE void globals(struct entry *e)
{
	state = e->key;			//= guard
	total = e->value;		//= plain
}

ALONE void ask_globals(void)
{
	if (state == 3)
		elsewhere(total);
}

ALONE void array(struct entry *e, unsigned n)
{
	uint64_t v[4] = {0};

	v[n & 3] = e->key;		//= guard
	for (unsigned i = 0; i < 4; i++)
		if (v[i])
			elsewhere(i);
}

ALONE uint64_t *slot(uint64_t *v)
{
	return v + 1;
}

ALONE void by_address(struct entry *e)
{
	uint64_t v[2] = {0};

	elsewhere((uint64_t)v);
	*v = e->key;			//= guard
	if (*slot(v))
		elsewhere(1);
}

/* What is stored to PM ends there: the load from PM is what decides. */
ALONE void through_pm(struct entry *e, struct entry *f)
{
	f->key = e->value;		//= plain
	if (f->key == 1)		//= guard
		elsewhere(1);
}

/* ---- the C library -------------------------------------------------------------------------- */

ALONE void library(struct entry *e, const char *s)
{
	char buf[32], other[32];

	if (memcmp(e->name, s, 8) == 0)		//= guard
		elsewhere(1);
	elsewhere((uint64_t)strcmp(e->name, s));	//= plain
	if (strlen(e->name) > 3)		//= guard
		elsewhere(2);
	strcpy(buf, e->name);			//= guard
	if (buf[3] == 'x')
		elsewhere(3);
	elsewhere((uint64_t)strcmp(buf, e->name));	//= plain
	strcpy(other, e->name);			//= plain
	elsewhere((uint64_t)puts(other));
	if (puts(e->name) < 0)			//= plain
		elsewhere(4);
	if (memcmp(s, buf,
		   e->length) == 0)		//= guard
		elsewhere(5);
}

/* ---- and main ------------------------------------------------------------------------------- */

ALONE uint64_t printed(struct entry *e)
{
	return e->value;		//= plain
}

int main(int argc, char **argv)
{
	struct entry *e = (void *)(uintptr_t)atol(argv[argc - 1]);

	if (argc < 9)
		return 0;
	printf("%lu\n", printed(e));
	flag(e), arithmetic(e, 3), floating(e), choice(e), printf("%lu\n", conditional(e, 1, 2));
	loop(e), found(e, 1), chain(e), followed(e), behind(e), range(argv[0], e, argv[1]), jump(e);
	atomics(e), swap(e), by_asm(e), wide(e), calls(e), deeper(e);
	printf("%lu\n", recursive(e, 4));
	through(e), unknown(e), locals(e), globals(e), ask_globals(), array(e, 1), by_address(e), through_pm(e, e + 1);
	library(e, argv[2]);
	return (int)e->value;		//= plain
}
