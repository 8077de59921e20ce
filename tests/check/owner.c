/*
 * owner.c - one store of the source that is lost for several reasons. Objects are made by init(), which leaves it to its
 * callers to make them durable; each is published by a word in a line of its own. Selected by CASE:
 *
 *	CALLERS  two callers forget the flush, one is right
 *	DEEP     the same, and between them and init() is another function
 *	FENCE    one caller forgets the flush, one the fence, one is right
 *	LATE     one caller forgets the flush, one flushes too late, one is right
 *	NEVER    two callers, and nobody flushes: the constructor may as well do it
 *	CHANCE   nobody flushes what init() stores, but somebody else flushes one of the lines, for a word of his own
 *	ALL      the same, but he flushes all that there is so far
 *	SELF     init_and() is asked to flush, or its caller does, or two callers forget it
 *	AGAIN    a function forgets the flush, and its next call flushes the line for what it stores itself
 *	ALONE    a constructor with one store, which takes its memory from an allocator that stores, too; nobody flushes
 *	LOOP     one loop that flushes every other object, without a fence
 *	HALF     one loop that flushes every other object, too late
 *
 * With FIX the first of two callers that forget the flush is right.
 */
#include <assert.h>
#include <fcntl.h>
#include <emmintrin.h>
#define _mm_clwb __builtin_ia32_clwb /* immintrin.h takes long to compile */
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

enum { CALLERS, DEEP, FENCE, LATE, NEVER, CHANCE, ALL, SELF, AGAIN, ALONE, LOOP, HALF, OBJECTS = 4 };

#ifndef FIX
#define FIX 0
#endif

struct object {
	uint64_t key, value, other, fill[5];
	uint64_t ready, fill2[7];
};

static void flush(const void *p)
{
	_mm_clwb((void *)p);
}

static void persist(const void *p)
{
	flush(p);
	_mm_sfence();
}

static void publish(struct object *o)
{
	o->ready = 1;
	persist(&o->ready);
}

static void init(struct object *o)
{
	o->key = 1;
	o->value = 1; //@ value
}

static void init_and(struct object *o, int flushes)
{
	o->key = 1;
	o->value = 1;
	if (flushes)
		persist(o);
}

static void asks(struct object *o)
{
	init_and(o, 1);
	publish(o);
}

static void flushes(struct object *o)
{
	init_and(o, 0);
	persist(o);
	publish(o);
}

static void asks_not(struct object *o)
{
	init_and(o, 0); //@ asks-not
	publish(o);
}

static void asks_not_either(struct object *o)
{
	init_and(o, 0); //@ asks-not-either
	publish(o);
}

static void right(struct object *o)
{
	init(o);
	persist(o);
	publish(o);
}

static void forgets(struct object *o)
{
	init(o); //@ forgets
	if (FIX)
		persist(o);
	publish(o);
}

static void forgets_too(struct object *o)
{
	init(o); //@ forgets-too
	publish(o);
}

static void no_fence(struct object *o)
{
	init(o); //@ no-fence
	flush(o);
	publish(o);
}

static void late(struct object *o)
{
	init(o); //@ late
	publish(o);
	persist(o);
}

static void between(struct object *o)
{
	init(o);
}

static void deep_right(struct object *o)
{
	between(o);
	persist(o);
	publish(o);
}

static void deep(struct object *o)
{
	between(o); //@ deep
	if (FIX)
		persist(o);
	publish(o);
}

static void deep_too(struct object *o)
{
	between(o); //@ deep-too
	publish(o);
}

static void update(struct object *o)
{
	o->other = 1;
	persist(o);
}

/* The first of two in a line publishes it; the second one is right. */
static void again(struct object *o, int n)
{
	if (n == 0) {
		o->value = 1;
		o->key = 1; //@ again
		publish(o);
	} else {
		o->other = 1;
		persist(o);
	}
}

static void taken(struct object *o)
{
	o->other = 1;
	persist(&o->other);
}

static struct object *take(struct object *o)
{
	taken(o);
	o[1].key = o[1].value = 1; //@ take
	return o + 1;
}

static void takes(struct object *o)
{
	publish(take(o));
}

static void takes_too(struct object *o)
{
	publish(take(o));
}

static void loop(struct object *o)
{
	for (int i = 0; i < OBJECTS; i++) {
		o[i].key = 1; //@ loops
		if (CASE == LOOP && i % 2)
			flush(&o[i]);
		publish(&o[i]);
		if (CASE == HALF && i % 2)
			persist(&o[i]);
	}
}

static void run(struct object *o)
{
	switch (CASE) {
	case CALLERS:
		forgets(&o[0]);
		forgets_too(&o[1]);
		right(&o[2]);
		break;
	case DEEP:
		deep(&o[0]);
		deep_too(&o[1]);
		deep_right(&o[2]);
		break;
	case FENCE:
		forgets(&o[0]);
		no_fence(&o[1]);
		right(&o[2]);
		break;
	case LATE:
		forgets(&o[0]);
		late(&o[1]);
		right(&o[2]);
		break;
	case NEVER:
		forgets(&o[0]);
		forgets_too(&o[1]);
		break;
	case CHANCE:
		forgets(&o[0]);
		forgets(&o[1]);
		update(&o[0]);
		break;
	case ALL:
		forgets(&o[0]);
		forgets(&o[1]);
		for (int i = 0; i < OBJECTS; i++)
			persist(&o[i]);
		forgets(&o[2]);
		break;
	case AGAIN:
		again(&o[0], 0);
		o[3].other = 1;
		again(&o[0], 1);
		again(&o[1], 0);
		break;
	case ALONE:
		takes(&o[0]);
		takes_too(&o[2]);
		break;
	case SELF:
		asks(&o[0]);
		flushes(&o[1]);
		asks_not(&o[2]);
		asks_not_either(&o[3]);
		break;
	default:
		loop(o);
	}
}

int main(int argc, char **argv)
{
	int fd = open(argc > 1 ? argv[1] : "", O_RDWR | O_CREAT, 0644);
	struct object *o;

	if (fd < 0 || ftruncate(fd, OBJECTS * sizeof(*o)) != 0)
		return 2;
	o = mmap(NULL, OBJECTS * sizeof(*o), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (o == MAP_FAILED)
		return 2;
	for (int i = 0; i < OBJECTS; i++)
		assert(!o[i].ready || (o[i].key && (CASE >= LOOP || o[i].value)));
	if (argc == 2)
		run(o);
	return 0;
}
