/*
 * images.h - a program that is its own judge: compiled twice, for perdure and with NAIVE.
 *
 * The program is written with the macros below, in two functions: work(), and recover(), which
 * returns 0 where all is well. For perdure a macro is an instruction or a call. For the judge it is
 * an entry in a log: the stores, cut at words, and what makes lines durable. From the log all images
 * are made as docs/model.md says for one thread (P1 to P3, P7 to P11, P14, P15), and recover() runs on
 * each of them. Nothing here knows of decision trees, views, crash points that are left out, or
 * executions that are shared, and it shares no code with src.
 *
 *	judge FIRST		prints what recovery returned, after one crash and after up to two
 *	judge FIRST IMAGE	prints whether IMAGE is possible, and what recovery returns on it
 *
 * FIRST is the file as the program finds it. Exit 3: too many images.
 */
#ifndef IMAGES_H
#define IMAGES_H

#include <fcntl.h>
#include <immintrin.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define SIZE (LINES * UNIT)

static void work(uint8_t *p);
static int recover(uint8_t *p);

#ifdef NAIVE

enum { VERSIONS = 40, IMAGES = 1 << 16, STATUSES = 256 };

static uint8_t mem[SIZE] __attribute__((aligned(4096)));

/* Of each line: its content after each of its stores, the first version that is still possible, and
 * the one that a fence makes certain (-1: none). */
static struct {
	uint8_t v[LINES][VERSIONS][UNIT];
	int n[LINES], must[LINES], pending[LINES];
} log_;

/* Images, each once: a hash table. */
struct set {
	uint8_t (*image)[SIZE];
	int *next, *head, n;
};

static struct set *into; /* what a crash may leave now is added here */
static int too_many;
static int ended[2][STATUSES]; /* by the number of crashes before, less one */

static void init(struct set *s)
{
	s->image = malloc((size_t)IMAGES * SIZE);
	s->next = malloc(IMAGES * sizeof(int));
	s->head = malloc(IMAGES * sizeof(int));
	if (!s->image || !s->next || !s->head)
		exit(2);
	memset(s->head, 0xff, IMAGES * sizeof(int));
	s->n = 0;
}

static void add(struct set *s, const uint8_t *b)
{
	uint64_t h = 14695981039346656037u;
	int *head;

	for (int i = 0; i < SIZE; i++)
		h = (h ^ b[i]) * 1099511628211u;
	head = &s->head[(h ^ h >> 32) % IMAGES];
	for (int i = *head; i >= 0; i = s->next[i])
		if (memcmp(s->image[i], b, SIZE) == 0)
			return;
	if (s->n == IMAGES) {
		too_many = 1;
		return;
	}
	memcpy(s->image[s->n], b, SIZE);
	s->next[s->n] = *head;
	*head = s->n++;
}

static void add_all(int line, uint8_t *b)
{
	if (line == LINES) {
		add(into, b);
		return;
	}
	for (int v = log_.must[line]; v < log_.n[line] && !too_many; v++) {
		memcpy(b + line * UNIT, log_.v[line][v], UNIT);
		add_all(line + 1, b);
	}
}

/* Power may fail here. This is called before what rules versions out, and at the end: stores only
 * add some. */
static void crash(void)
{
	uint8_t b[SIZE];

	add_all(0, b);
}

static void begin(const uint8_t *image)
{
	memcpy(mem, image, SIZE);
	for (int l = 0; l < LINES; l++) {
		log_.n[l] = 1;
		log_.must[l] = 0;
		log_.pending[l] = -1;
		memcpy(log_.v[l][0], mem + l * UNIT, UNIT);
	}
}

static int line_of(const void *at)
{
	return (int)((size_t)((const uint8_t *)at - mem) / UNIT);
}

static void must(int l, int v)
{
	if (log_.must[l] < v)
		log_.must[l] = v;
}

static void add_version(int l)
{
	if (log_.n[l] == VERSIONS) {
		too_many = 1;
		return;
	}
	memcpy(log_.v[l][log_.n[l]++], mem + l * UNIT, UNIT);
#ifdef EADR
	crash();
	must(l, log_.n[l] - 1);
#endif
}

/* Stores n bytes, cut where `cut` says. */
static void put_cut(void *at, const void *from, size_t n, size_t cut)
{
	size_t off = (size_t)((uint8_t *)at - mem);
	uint8_t copy[SIZE];

	memcpy(copy, from, n);
	for (size_t k, i = 0; i < n; i += k) {
		k = cut - (off + i) % cut;
		if (k > n - i)
			k = n - i;
		memcpy(mem + off + i, copy + i, k);
		add_version((int)((off + i) / UNIT));
	}
}

static void put(void *at, const void *from, size_t n)
{
	put_cut(at, from, n, 8);
}

/* What one call writes to a page is there as a whole. */
static void put_write(void *at, const void *from, size_t n)
{
	put_cut(at, from, n, UNIT == 64 ? 8 : UNIT);
}

static void clwb(const void *at)
{
	int l = line_of(at);

	if (UNIT == 64)
		log_.pending[l] = log_.n[l] - 1;
}

static void clflush(const void *at)
{
	int l = line_of(at);

	if (UNIT != 64)
		return;
	crash();
	must(l, log_.n[l] - 1);
}

static void fence(void)
{
	crash();
	for (int l = 0; l < LINES; l++) {
		if (log_.pending[l] >= 0)
			must(l, log_.pending[l]);
		log_.pending[l] = -1;
	}
}

static void sync_pages(const void *at, size_t n)
{
	const uint8_t *from = mem + ((size_t)((const uint8_t *)at - mem) & ~(size_t)4095);
	const uint8_t *to = (const uint8_t *)at + n;

	fence();
	while (to < mem + SIZE && (to - mem) % 4096)
		to++;
	for (int l = line_of(from); l <= line_of(to - 1); l++)
		must(l, log_.n[l] - 1);
}

#define PUT(type, at, val)                                                                         \
	do {                                                                                       \
		type v_ = (type)(val);                                                             \
		put((at), &v_, sizeof(v_));                                                        \
	} while (0)
#define PUT_NT(type, at, val)                                                                      \
	do {                                                                                       \
		PUT(type, at, val);                                                                \
		clwb(at);                                                                          \
	} while (0)
#define LOCKED(store)                                                                              \
	do {                                                                                       \
		fence();                                                                           \
		store;                                                                             \
		fence();                                                                           \
	} while (0)
#define FILL(at, n, how)                                                                           \
	do {                                                                                       \
		uint8_t c_[SIZE];                                                                  \
		how;                                                                               \
		put((at), c_, (n));                                                                \
	} while (0)

#define ST(type, at, val) PUT(type, at, val)
#define NT8(at, val)	  PUT_NT(uint64_t, at, val)
#define NT4(at, val)	  PUT_NT(uint32_t, at, val)
#define V16(at, val)	  put((at), &(__m128i[]){_mm_set1_epi16((short)(val))}, 16)
#define NT16(at, val)                                                                              \
	do {                                                                                       \
		V16(at, val);                                                                      \
		clwb(at);                                                                          \
	} while (0)
#define CPY(at, from, n)      FILL(at, n, memcpy(c_, from, n))
#define MOVE(at, from, n)     FILL(at, n, memcpy(c_, from, n))
#define SET(at, c, n)	      FILL(at, n, memset(c_, c, n))
#define STR(at, s)	      put((at), (s), strlen(s) + 1)
#define ASSIGN(type, at, val) PUT(type, at, val)
#define XCHG(at, val)	      LOCKED(ST(uint64_t, at, val))
#define FADD(at, val)	      LOCKED(ST(uint64_t, at, *(uint64_t *)(at) + (val)))
#define CAS(at, old, val)     LOCKED(if (*(uint64_t *)(at) == (old)) ST(uint64_t, at, val))
#define CLWB(at)	      clwb(at)
#define CLFLUSHOPT(at)	      clwb(at)
#define CLFLUSH(at)	      clflush(at)
#define SFENCE()	      fence()
#define MFENCE()	      fence()
#define MSYNC(at, n)	      sync_pages(at, n)
#define FSYNC()		      sync_pages(mem, SIZE)
#define PWRITE(at, from, n)   put_write((at), (from), (n))

static void recover_all(const struct set *from, struct set *to, int *statuses)
{
	into = to;
	for (int i = 0; i < from->n && !too_many; i++) {
		begin(from->image[i]);
		statuses[recover(mem) & (STATUSES - 1)]++;
		crash();
	}
}

static int read_image(const char *name, uint8_t *b)
{
	int fd = open(name, O_RDONLY);

	return fd >= 0 && read(fd, b, SIZE) == SIZE;
}

static int judge_image(struct set *s, const char *name, struct set *after)
{
	uint8_t b[SIZE];
	int n = s->n;

	if (!read_image(name, b))
		return 2;
	add(s, b);
	into = after;
	begin(b);
	printf("%s %d\n", s->n == n ? "possible" : "impossible", recover(mem) & (STATUSES - 1));
	return 0;
}

int main(int argc, char **argv)
{
	struct set set[3] = {0};
	uint8_t b[SIZE];

	if (argc < 2 || !read_image(argv[1], b))
		return 2;
	for (int i = 0; i < 3; i++)
		init(&set[i]);
	into = &set[0];
	begin(b);
	work(mem);
	crash();
	if (argc > 2)
		return judge_image(&set[0], argv[2], &set[1]);
	recover_all(&set[0], &set[1], ended[0]);
	recover_all(&set[1], &set[2], ended[1]);
	for (int s = 0; s < STATUSES; s++)
		if (ended[0][s] || ended[1][s])
			printf("%d %d %d\n", s, ended[0][s], ended[1][s]);
	return too_many ? 3 : 0;
}

#else

static int file;
static uint8_t *base;

#define ST(type, at, val)     (*(type *)(at) = (type)(val))
#define NT8(at, val)	      _mm_stream_si64((void *)(at), (long long)(val))
#define NT4(at, val)	      _mm_stream_si32((void *)(at), (int)(val))
#define V16(at, val)	      _mm_storeu_si128((void *)(at), _mm_set1_epi16((short)(val)))
#define NT16(at, val)	      _mm_stream_si128((void *)(at), _mm_set1_epi16((short)(val)))
#define CPY(at, from, n)      memcpy(at, from, n)
#define MOVE(at, from, n)     memmove(at, from, n)
#define SET(at, c, n)	      memset(at, c, n)
#define STR(at, s)	      strcpy((char *)(at), s)
#define ASSIGN(type, at, val) (*(type *)(at) = (val))
#define XCHG(at, val)	      atomic_exchange((_Atomic uint64_t *)(at), val)
#define FADD(at, val)	      atomic_fetch_add((_Atomic uint64_t *)(at), val)
#define CAS(at, old, val)                                                                          \
	atomic_compare_exchange_strong((_Atomic uint64_t *)(at), &(uint64_t){old}, val)
#define CLWB(at)       _mm_clwb((void *)(at))
#define CLFLUSHOPT(at) _mm_clflushopt((void *)(at))
#define CLFLUSH(at)    _mm_clflush((void *)(at))
#define SFENCE()       _mm_sfence()
#define MFENCE()       _mm_mfence()
#define MSYNC(at, n)                                                                               \
	msync((void *)((uintptr_t)(at) & ~4095ul), (n) + ((uintptr_t)(at) & 4095), MS_SYNC)
#define FSYNC()		    fsync(file)
#define PWRITE(at, from, n) pwrite(file, from, n, (at) - base)

int main(int argc, char **argv)
{
	file = open(argv[1], O_RDWR);
	if (file < 0)
		return 100;
	base = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	if (base == MAP_FAILED)
		return 101;
	if (argc > 2)
		return recover(base);
	work(base);
	return 0;
}
#endif
#endif
