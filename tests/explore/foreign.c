/*
 * foreign.c - input that goes to a library which is not instrumented (-DLIBRARY makes it), in the way
 * that -DWAY says.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <unistd.h>

struct box {
	const char *at;
	size_t n;
};

int decide(const char *p, size_t n);
int decide_box(const struct box *b);
int decide_byte(int c);
int decide_for(int (*f)(int), int c);
void decide_then(int (*f)(int), void (*then)(void));

#ifdef LIBRARY

int decide(const char *p, size_t n)
{
	return n > 1 && p[0] == 'a' && p[1] == 'b';
}

int decide_box(const struct box *b)
{
	return decide(b->at, b->n);
}

int decide_byte(int c)
{
	return c == 3;
}

int decide_for(int (*f)(int), int c)
{
	return f(c) == 2;
}

void decide_then(int (*f)(int), void (*then)(void))
{
	if (f(1) == 2)
		then();
	f(0);
}

#else

enum { BYTES = 1, BOX, BYTE, SIDE, BACK, BACK_TWICE, JUMP };

static struct {
	char path[8];
	char in[8];
	pthread_mutex_t lock;
} g = {.path = "none", .lock = PTHREAD_MUTEX_INITIALIZER};

static int low_bits(int i)
{
	return g.in[i] & 3;
}

static int reached;

static void reach(void)
{
	reached = 1;
}

static int answer(char *in, size_t n)
{
	struct box b = {in, n};

	switch (WAY) {
	case BYTES:
		return decide(in, n);
	case BOX:
		return decide_box(&b);
	case BYTE:
		return decide_byte(in[0] & 3);
	case BACK:
		return decide_for(low_bits, 1);
	case BACK_TWICE:
		decide_then(low_bits, reach);
		return reached;
	default: /* beside the input, not the input */
		pthread_mutex_lock(&g.lock);
		pthread_mutex_unlock(&g.lock);
		return access(g.path, F_OK) == 0 || in[0] == 'x';
	}
}

/* A place to come back to, where the input was. */
static int comes_back(void)
{
	static union {
		char in[sizeof(jmp_buf)];
		jmp_buf to;
	} u;
	char c;

	if (read(0, u.in, 2) != 2)
		return 1;
	c = u.in[0];
	if (setjmp(u.to) == 0 && c == 'a')
		longjmp(u.to, 1);
	return 0;
}

int main(void)
{
	if (WAY == JUMP)
		return comes_back();

	ssize_t n = read(0, g.in, 2);

	if (n < 0)
		return 1;
	if (answer(g.in, (size_t)n))
		puts("yes");
	return 0;
}

#endif
