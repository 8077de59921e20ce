/*
 * loops.cpp - loops over memory that is PM, that is not, and that is both.
 *
 * Optimised, a loop has two versions, and pointers are asked about once, in front of it. Whatever the
 * optimiser does, the events are those of the code that is not optimised, one by one, and so is what
 * the program prints. Each case says in what a wrong version would differ.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <csetjmp>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <sys/mman.h>
#include <vector>

#define SEPARATE __attribute__((noinline))

enum { N = 12, PM_SIZE = 1 << 16 };

extern "C" __attribute__((weak)) void pd_trace(int on);

static void trace(int on)
{
	if (pd_trace)
		pd_trace(on);
}

static void show(const char *what, double v)
{
	trace(0);
	printf("%s %g\n", what, v);
	trace(1);
}

/* Two arrays, one pointer each. */
SEPARATE void saxpy(size_t n, float a, const float *x, float *y)
{
	for (size_t i = 0; i < n; i++)
		y[i] += a * x[i];
}

/* A pointer to each row: PM in every other iteration of the outer loop. */
SEPARATE double rows(double **row, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < n; j++) {
			row[i][j] = double(i + j);
			sum += row[i][j];
		}
	return sum;
}

/* The pointer that the loop works on changes within it. */
SEPARATE int change(int *a, int *b, size_t n)
{
	int *p = a, sum = 0;

	for (size_t i = 0; i < n; i++) {
		sum += *p;
		p[0] = int(i);
		p = i % 3 == 2 ? b + i : a + i;
	}
	return sum;
}

/* Three ways out. */
SEPARATE int find(const int *key, const int *value, int wanted, int n)
{
	for (int i = 0; i < n; i++) {
		if (key[i] == wanted)
			return value[i];
		if (key[i] < 0)
			break;
		if (value[i] == 99)
			throw std::runtime_error("99");
	}
	return -1;
}

/* Pointers that walk. */
SEPARATE size_t copy_text(char *to, const char *from)
{
	char *start = to;

	while ((*to++ = *from++))
		;
	return size_t(to - start);
}

/* Backwards, by a step that is not known. */
SEPARATE long strided(const long *v, long first, long step)
{
	long sum = 0;

	for (long i = first; i >= 0; i -= step)
		sum += v[i];
	return sum;
}

/* What the object says of its data is read again in each iteration, and the loop may change it. */
struct buffer {
	int *data;
	size_t size;

	SEPARATE void fill(int from)
	{
		for (size_t i = 0; i < size; i++)
			data[i] = from + int(i);
	}
	SEPARATE void shrink(size_t *limit)
	{
		for (size_t i = 0; i < size; i++)
			if (data[i] % 4 == 3)
				*limit = size - 1;
	}
};

/* The distance from one object to another, in bytes: from memory that is not PM into PM. */
struct relative {
	ptrdiff_t offset;

	int *get() const { return (int *)((char *)this + offset); }
	void set(int *to) { offset = (char *)to - (char *)this; }
};

SEPARATE int follow(const relative *r, size_t n)
{
	int sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += r->get()[i];
	return sum;
}

SEPARATE int follow_local(int *to, size_t n)
{
	relative r;
	int sum = 0;

	r.set(to);
	for (size_t i = 0; i < n; i++)
		sum += r.get()[i];
	return sum;
}

/* The same with a distance in elements. */
SEPARATE int distance(int *from, int *to, size_t n)
{
	ptrdiff_t d = to - from;
	int sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += from[d + ptrdiff_t(i)];
	return sum;
}

struct item {
	uint64_t key;
	char text[24];
	item *next;
};

/* Blocks, bit by bit of a struct, in a chain. */
SEPARATE uint64_t chain(item *first, const item *like)
{
	uint64_t sum = 0;

	for (item *i = first; i; i = i->next) {
		item *next = i->next;

		*i = *like;
		i->next = next;
		memset(i->text, int(sum), 9);
		sum += i->key + uint64_t(i->text[3]);
	}
	return sum;
}

/* A pointer that was never set is not looked at unless it is needed. */
SEPARATE int unset(int *a, int n, bool use)
{
	int *p;
	int sum = 0;

	if (use)
		p = a;
	for (int i = 0; i < n; i++) {
		sum += a[i];
		if (use)
			p[i] = sum;
	}
	return sum;
}

/* Exceptions out of a call in the loop; what was done before stays done. */
static void check(int v)
{
	if (v == 7)
		throw v;
}

SEPARATE int throwing(int *v, int n)
{
	int i = 0;

	try {
		for (; i < n; i++) {
			v[i]++;
			check(v[i]);
		}
	} catch (int x) {
		v[i] = -x;
	}
	return i;
}

static jmp_buf back;

SEPARATE int jumping(volatile int *times, int *v, int n)
{
	if (setjmp(back))
		return *times;
	for (int i = 0; i < n; i++) {
		v[i] = i;
		*times = i;
		if (i == 5)
			longjmp(back, 1);
	}
	return -1;
}

/* Volatile ones are events of their own, in both versions. */
SEPARATE int spinning(volatile int *flag, int *v, int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += *flag + v[i];
	return sum;
}

SEPARATE double lambda(std::vector<double> &v, const double *w)
{
	double sum = 0;
	auto f = [&](size_t i) {
		v[i] += 2 * w[i];
		sum += v[i];
	};

	for (size_t i = 0; i < v.size(); i++)
		f(i);
	return sum;
}

struct node {
	node *left, *right;
	unsigned key;
};

/* Both ways are loads of the same node. */
SEPARATE unsigned search(const node *n, unsigned key)
{
	unsigned last = 0;

	while (n) {
		if (n->key < key) {
			n = n->right;
		} else {
			last = n->key;
			n = n->left;
		}
	}
	return last;
}

/* A tree whose nodes are by turns here and there. */
static node *grow(node *a, node *b, int n)
{
	node *root = nullptr, **at;

	for (int i = 0; i < n; i++) {
		node *fresh = i % 2 ? &a[i] : &b[i];

		*fresh = {nullptr, nullptr, unsigned(i) * 7 % 16};
		for (at = &root; *at; at = (*at)->key < fresh->key ? &(*at)->right : &(*at)->left)
			;
		*at = fresh;
	}
	return root;
}

static void link_items(item *v, int n)
{
	for (int i = 0; i < n; i++)
		v[i].next = i + 1 < n ? &v[i + 1] : nullptr;
}

/* Where each type of data lies, so that no memory changes its type. */
static float *floats(char *m) { return (float *)m; }
static double *doubles(char *m) { return (double *)(m + 1024); }
static int *ints(char *m) { return (int *)(m + 8192); }
static char *text(char *m) { return m + 10240; }
static long *longs(char *m) { return (long *)(m + 11264); }
static buffer *object(char *m) { return (buffer *)(m + 12288); }
static item *items(char *m) { return (item *)(m + 13312); }
static node *nodes(char *m) { return (node *)(m + 14336); }

/* a and b: PM or not, each. They have room for everything. */
static void all(char *a, char *b)
{
	double *row[N];
	buffer local = {ints(a), N};
	item like = {3, "as", nullptr};
	relative r;

	for (int i = 0; i < N; i++)
		floats(a)[i] = float(i), longs(a)[4 * i] = i;
	saxpy(N, 2, floats(a), floats(b));
	saxpy(0, 2, nullptr, floats(b));
	saxpy(N, 3, floats(a), floats(a) + 1);
	show("saxpy", floats(a)[5] + floats(b)[7]);
	for (int i = 0; i < N; i++)
		row[i] = doubles(i % 2 ? a : b) + 64 * i;
	show("rows", rows(row, N));
	show("change", change(ints(a), ints(b), N));
	ints(b)[8] = 5;
	show("find", find(ints(a), ints(b), 4, N));
	show("find nothing", find(ints(a), ints(b), 444, 3));
	ints(b)[9] = 99;
	try {
		find(ints(a), ints(b), 444, N);
	} catch (const std::exception &e) {
		show(e.what(), 0);
	}
	memcpy(text(a), "a text", 7);
	show("text", double(copy_text(text(b), text(a))));
	show("strided", double(strided(longs(a), 40, 7)));
	local.fill(3);
	object(a)->data = ints(b);
	object(a)->size = N;
	object(a)->fill(4);
	object(a)->shrink(&object(a)->size);
	show("size", double(object(a)->size));
	r.set(ints(a));
	show("follow", follow(&r, N));
	show("follow", follow_local(ints(b), N));
	show("distance", distance(ints(b), ints(a), N));
	link_items(items(a), 4);
	show("chain", double(chain(items(a), &like)));
	show("chain of nothing", double(chain(nullptr, nullptr)));
	node *root = grow(nodes(a), nodes(b), N);
	for (unsigned i = 0; i < 16; i++)
		show("search", search(root, i));
	show("unset", unset(ints(a), N, false) + unset(ints(b), N, true));
	ints(a)[4] = 6;
	show("throwing", throwing(ints(a), N));
	show("jumping", jumping(ints(b), ints(a), N));
	show("spinning", spinning(ints(b), ints(a), N));
	std::vector<double> v(N, 1);
	show("lambda", lambda(v, doubles(a)));
}

/* At addresses of our own: they are stored, and so they are seen. */
static char *memory(uint64_t at)
{
	char *p = (char *)mmap((void *)at, PM_SIZE, PROT_READ | PROT_WRITE,
			       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (p == MAP_FAILED)
		exit(2);
	return p;
}

int main()
{
	char *heap = memory(3ULL << 44), *pm = memory(1ULL << 44);

	trace(1);
	all(heap, heap + PM_SIZE / 2);
	show("---- all PM", 0);
	all(pm, pm + PM_SIZE / 2);
	show("---- first", 0);
	all(pm, heap);
	show("---- second", 0);
	all(heap, pm);
	trace(0);
	return 0;
}
