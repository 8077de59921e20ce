/* closed.c - a stack in PM that is right until it is closed: -DBUG, closing leaves nothing in it. */
#include <emmintrin.h>
#include <fcntl.h>
#include <perdure_linear.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 8192, ROOM = 500 };

struct stack {
	_Atomic uint64_t n;
	uint64_t rest[7];
	uint64_t v[ROOM];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void persist(const void *p)
{
	_mm_clflush(p);
	_mm_sfence();
}

static void *open_it(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT, 0644);
	struct stack *s = MAP_FAILED;

	if (fd >= 0 && ftruncate(fd, SIZE) == 0)
		s = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return s == MAP_FAILED ? NULL : s;
}

static void close_it(void *it)
{
#ifdef BUG
	struct stack *s = it;

	s->n = 0;
	persist(&s->n);
#endif
	munmap(it, SIZE);
}

static void push(void *it, struct pd_linear_op *op)
{
	struct stack *s = it;
	uint64_t n;

	pthread_mutex_lock(&lock);
	n = s->n;
	if (n < ROOM) {
		s->v[n] = op->arg[0].word;
		persist(&s->v[n]);
		s->n = n + 1;
		persist(&s->n);
	}
	pthread_mutex_unlock(&lock);
	pd_linear_return(op, n < ROOM ? 1 : PD_FAILED);
}

static void pop(void *it, struct pd_linear_op *op)
{
	struct stack *s = it;
	uint64_t n, value;

	pthread_mutex_lock(&lock);
	n = s->n;
	value = n ? s->v[n - 1] : PD_NONE;
	if (n) {
		s->n = n - 1;
		persist(&s->n);
	}
	pthread_mutex_unlock(&lock);
	pd_linear_return(op, value);
}

static const struct pd_linear_entry table[] = {
	{"push", {PD_VALUE}, push, PD_MAY_FAIL}, {"pop", {PD_NO_ARG}, pop, 0}, PD_LINEAR_END};

PD_LINEAR_DRIVER("stack", PD_DURABLE, table, open_it, close_it)
