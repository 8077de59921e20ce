/*
 * explore_shell.c - a command interpreter: a map, a queue, a tree, a log and counters in PM, behind
 * a reader of words; and beside them much that has nothing to do with PM: a calculator, a matcher
 * of patterns, a checker of dates, a formatter. What bench/search.sh compares orders of search on.
 *
 * Words are compared with strncmp or, with -DLOOPS, letter by letter. Commands are words of
 * letters, with arguments of one character, and end with ';'. Nine places store to PM and do not
 * flush, each behind another condition: `//@ bug`.
 */
#include <emmintrin.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { INPUT = 24, SLOTS = 8, QUEUE = 4, NODES = 8, LOG = 4, COUNTERS = 4 };

struct pool {
	struct {
		uint64_t used, key, value;
	} slot[SLOTS];
	struct {
		uint64_t head, tail, full;
		uint64_t item[QUEUE];
	} queue;
	struct {
		uint64_t root, n;
		struct {
			uint64_t key, left, right, height;
		} node[NODES + 1];
	} tree;
	struct {
		uint64_t n, generation;
		uint64_t entry[LOG];
	} log;
	uint64_t counter[COUNTERS];
	uint64_t mode, dirty;
};

static struct pool *pool;

static void persist(const void *p)
{
	_mm_clflush(p);
	_mm_sfence();
}

static void set(uint64_t *p, uint64_t v)
{
	*p = v;
	persist(p);
}

/* ---- words ---------------------------------------------------------------------------------- */

struct reader {
	const char *s;
	unsigned at, n;
};

static int peek(const struct reader *r)
{
	return r->at < r->n ? r->s[r->at] : -1;
}

static int next(struct reader *r)
{
	return r->at < r->n ? r->s[r->at++] : -1;
}

static void blanks(struct reader *r)
{
	while (peek(r) == ' ' || peek(r) == '\t')
		r->at++;
}

static int word(struct reader *r, const char *w)
{
	unsigned n = 0;

#ifdef LOOPS
	while (w[n] && r->at + n < r->n && r->s[r->at + n] == w[n])
		n++;
	if (w[n])
		return 0;
#else
	n = (unsigned)strlen(w);
	if (r->n - r->at < n || strncmp(r->s + r->at, w, n) != 0)
		return 0;
#endif
	r->at += n;
	return 1;
}

static int argument(struct reader *r)
{
	blanks(r);
	return peek(r) == ';' ? -1 : next(r);
}

/* ---- a map ---------------------------------------------------------------------------------- */

static int map_find(int key)
{
	for (unsigned i = 0; i < SLOTS; i++)
		if (pool->slot[i].used && (int)pool->slot[i].key == key)
			return (int)i;
	return -1;
}

static int map_put(int key, int value)
{
	int at = map_find(key);

	if (at >= 0) {
		if ((int)pool->slot[at].value == value)
			return 1;
		pool->slot[at].value = (uint64_t)value; //@ bug
		return 2;
	}
	for (unsigned i = 0; i < SLOTS; i++)
		if (!pool->slot[i].used) {
			pool->slot[i].key = (uint64_t)key;
			set(&pool->slot[i].value, (uint64_t)value);
			persist(&pool->slot[i].key);
			set(&pool->slot[i].used, 1);
			return 0;
		}
	return -1;
}

static int map_delete(int key)
{
	int at = map_find(key);

	if (at < 0)
		return -1;
	if (at == 0)
		pool->slot[at].used = 0; //@ bug
	else
		set(&pool->slot[at].used, 0);
	return 0;
}

/* ---- a queue -------------------------------------------------------------------------------- */

static int queue_push(int v)
{
	uint64_t tail = pool->queue.tail;

	if (tail - pool->queue.head == QUEUE) {
		pool->queue.full++; //@ bug
		return -1;
	}
	set(&pool->queue.item[tail % QUEUE], (uint64_t)v);
	set(&pool->queue.tail, tail + 1);
	return 0;
}

static int queue_pop(void)
{
	uint64_t head = pool->queue.head;

	if (head == pool->queue.tail)
		return -1;
	if (pool->queue.item[head % QUEUE] == '!')
		pool->queue.item[head % QUEUE] = 0; //@ bug
	set(&pool->queue.head, head + 1);
	return 0;
}

/* ---- a tree --------------------------------------------------------------------------------- */

static uint64_t tree_rotate(uint64_t at)
{
	uint64_t up = pool->tree.node[at].left;

	set(&pool->tree.node[at].left, pool->tree.node[up].right);
	pool->tree.node[up].right = at; //@ bug
	return up;
}

static uint64_t tree_insert(uint64_t at, uint64_t key)
{
	if (!at) {
		at = pool->tree.n + 1;
		if (at > NODES)
			return 0;
		set(&pool->tree.node[at].key, key);
		set(&pool->tree.n, at);
		return at;
	}
	if (key < pool->tree.node[at].key)
		set(&pool->tree.node[at].left, tree_insert(pool->tree.node[at].left, key));
	else if (key > pool->tree.node[at].key)
		set(&pool->tree.node[at].right, tree_insert(pool->tree.node[at].right, key));
	else
		set(&pool->tree.node[at].height, pool->tree.node[at].height + 1);
	if (pool->tree.node[at].left && pool->tree.node[pool->tree.node[at].left].left)
		return tree_rotate(at);
	return at;
}

/* ---- a log, counters ------------------------------------------------------------------------ */

static int log_append(int v)
{
	uint64_t n = pool->log.n;

	if (n == LOG) {
		pool->log.generation++; //@ bug
		set(&pool->log.n, 0);
		return 1;
	}
	set(&pool->log.entry[n], (uint64_t)v);
	set(&pool->log.n, n + 1);
	return 0;
}

static int count(int which, int how)
{
	uint64_t *c;

	if (which < '0' || which >= '0' + COUNTERS)
		return -1;
	c = &pool->counter[which - '0'];
	switch (how) {
	case '+':
		set(c, *c + 1);
		return 0;
	case '-':
		if (!*c)
			return 1;
		*c -= 1; //@ bug
		return 0;
	case 'z':
		set(c, 0);
		return 0;
	default:
		return -1;
	}
}

/* ---- what is not PM ------------------------------------------------------------------------- */

static int value(struct reader *r, int depth);

static int factor(struct reader *r, int depth)
{
	int v = 0, c = peek(r);

	if (c == '(' && depth < 4) {
		next(r);
		v = value(r, depth + 1);
		return next(r) == ')' ? v : -1;
	}
	if (c == '-') {
		next(r);
		return -factor(r, depth);
	}
	while (peek(r) >= '0' && peek(r) <= '9')
		v = v * 10 + (next(r) - '0');
	return v;
}

static int value(struct reader *r, int depth)
{
	int v = factor(r, depth);

	for (;;) {
		int c = peek(r), w;

		if (c != '+' && c != '*' && c != '/' && c != '%')
			return v;
		next(r);
		w = factor(r, depth);
		if (c == '+')
			v += w;
		else if (c == '*')
			v = (int)((unsigned)v * (unsigned)w);
		else if (w > 0)
			v = c == '/' ? v / w : v % w;
	}
}

static int match(const char *p, unsigned np, const char *s, unsigned n)
{
	if (!np)
		return !n;
	if (*p == '*') {
		for (unsigned k = 0; k <= n; k++)
			if (match(p + 1, np - 1, s + k, n - k))
				return 1;
		return 0;
	}
	return n && (*p == '?' || *p == *s) && match(p + 1, np - 1, s + 1, n - 1);
}

static int glob(struct reader *r)
{
	unsigned first = r->at, middle;

	while (peek(r) != -1 && peek(r) != ' ' && peek(r) != ';')
		r->at++;
	middle = r->at;
	blanks(r);
	first = match(r->s + first, middle - first, r->s + r->at,
		      r->n - r->at > 4 ? 4 : r->n - r->at);
	return (int)first;
}

static int number(struct reader *r, unsigned digits)
{
	int v = 0;

	for (unsigned i = 0; i < digits; i++) {
		int c = next(r);

		if (c < '0' || c > '9')
			return -1;
		v = v * 10 + c - '0';
	}
	return v;
}

static int date(struct reader *r)
{
	static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
	int y = number(r, 4), m, d;

	if (y < 1600 || next(r) != '-')
		return -1;
	m = number(r, 2);
	if (m < 1 || m > 12 || next(r) != '-')
		return -2;
	d = number(r, 2);
	if (d < 1 || d > days[m - 1] + (m == 2 && y % 4 == 0 && (y % 100 != 0 || y % 400 == 0)))
		return -3;
	return d;
}

static unsigned format(struct reader *r, char *to, unsigned room)
{
	unsigned n = 0;

	while (peek(r) != -1 && peek(r) != ';' && n + 2 < room) {
		int c = next(r);

		if (c == '\\') {
			c = next(r);
			to[n++] = c == 'n' ? '\n' : c == 't' ? '\t' : (char)c;
		} else if (c >= 'a' && c <= 'z') {
			to[n++] = (char)(c - 32);
		} else if (c < 32) {
			to[n++] = '^';
			to[n++] = (char)(c + 64);
		} else {
			to[n++] = (char)c;
		}
	}
	to[n] = '\0';
	return n;
}

/* ---- commands ------------------------------------------------------------------------------- */

static int volatile_command(struct reader *r)
{
	char text[64];

	if (word(r, "calc"))
		return value(r, 0);
	if (word(r, "glob"))
		return glob(r);
	if (word(r, "date"))
		return date(r);
	if (word(r, "echo"))
		return (int)format(r, text, sizeof(text));
	return -100;
}

static int pm_command(struct reader *r)
{
	int a;

	if (word(r, "put")) {
		a = argument(r);
		return map_put(a, argument(r));
	}
	if (word(r, "del"))
		return map_delete(argument(r));
	if (word(r, "push"))
		return queue_push(argument(r));
	if (word(r, "pop"))
		return queue_pop();
	if (word(r, "ins")) {
		set(&pool->tree.root, tree_insert(pool->tree.root, (uint64_t)argument(r)));
		return 0;
	}
	if (word(r, "log"))
		return log_append(argument(r));
	if (word(r, "cnt")) {
		a = argument(r);
		return count(a, argument(r));
	}
	if (word(r, "mode")) {
		a = argument(r);
		if (a == 'x' && pool->mode == 'w')
			pool->dirty = 1; //@ bug
		if (a == 'r' || a == 'w' || a == 'x')
			set(&pool->mode, (uint64_t)a);
		return 0;
	}
	if (word(r, "reset")) {
		if (argument(r) == 'Y')
			memset(pool, 0, sizeof(*pool)); //@ bug
		return 0;
	}
	return -100;
}

static int command(struct reader *r)
{
	int v = volatile_command(r);

	if (v == -100)
		v = pm_command(r);
	blanks(r);
	return v != -100 && next(r) == ';';
}

int main(int argc, char **argv)
{
	char input[INPUT];
	struct reader r = {.s = input};
	int fd = open(argc > 1 ? argv[1] : "shell.pm", O_RDWR | O_CREAT, 0600);
	ssize_t n;

	if (fd < 0 || ftruncate(fd, sizeof(*pool)) != 0)
		return 2;
	pool = mmap(NULL, sizeof(*pool), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (pool == MAP_FAILED)
		return 2;
	n = read(0, input, sizeof(input));
	r.n = n > 0 ? (unsigned)n : 0;
	while (command(&r))
		;
	return 0;
}
