/* cxx.cc FILE: what only flushes, in all the ways that C++ has for it; each is called once too often. */
#include <algorithm>
#include <cstdint>
#include <fcntl.h>
#include <functional>
#include <emmintrin.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

static char *base;

/* A line of its own each time, that something was stored to. */
static char *fresh()
{
	static int made;
	char *p = base + 64 * made++;

	*p = 1;
	return p;
}

namespace {
void flush(const void *p) { _mm_clflush(p); }
void persist(const void *p)
{
	flush(p);
	_mm_sfence();
}
}

namespace pm {
template <typename T> struct Line {
	T v;
	void persist() { _mm_clflush(&v); }
};
template <typename T> void flush_range(const T *p, unsigned long) { _mm_clflush(p); }
}

/* The optimiser makes a copy of it without `on`. */
__attribute__((noinline)) static void flush_data(const void *p, bool on)
{
	if (on)
		_mm_clflush(p);
}

struct Persist {
	void operator()(const void *p) const { _mm_clflush(p); }
};

static void anonymous()
{
	char *p = fresh();

	persist(p);
	persist(p); //@ anonymous
}

static void member()
{
	auto *p = reinterpret_cast<pm::Line<std::pair<uint64_t, int>> *>(fresh());

	p->persist();
	p->persist(); //@ member
}

static void instance()
{
	char *p = fresh();

	pm::flush_range(p, 1);
	pm::flush_range(p, 1); //@ instance
}

static void copy()
{
	char *p = fresh();

	flush_data(p, true);
	flush_data(p, true); //@ copy
}

static void object()
{
	char *p = fresh();
	Persist persist_it;

	persist_it(p);
	persist_it(p); //@ object
}

static void lambda()
{
	char *p = fresh();
	auto twice = [](const char *q) {
		_mm_clflush(q);
		_mm_clflush(q); //@ lambda
	};

	twice(p);
}

static void library()
{
	char *p[] = {fresh(), fresh(), fresh()};
	std::function<void(char *)> twice = [](char *q) {
		persist(q);
		persist(q); //@ library
	};

	std::for_each(p, p + 3, twice);
}

int main(int, char **argv)
{
	int fd = open(argv[1], O_RDWR | O_CREAT, 0600);

	if (fd < 0 || ftruncate(fd, 65536))
		return 1;
	base = static_cast<char *>(mmap(nullptr, 65536, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
	anonymous();
	member();
	instance();
	copy();
	object();
	lambda();
	library();
	return 0;
}
