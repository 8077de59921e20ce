// lang.cpp - C++ as it is written: exceptions, templates, threads, atomics of 16 bytes, virtual calls.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>
#include <sys/mman.h>

extern "C" __attribute__((weak)) void pd_trace(int on);

struct alignas(16) pair16 {
	uint64_t a, b;
};

template <typename T> struct node {
	T value;
	node *next;

	T sum() const { return value + (next ? next->sum() : T()); }
};

struct shape {
	virtual ~shape() = default;
	virtual int area() const = 0;
};

struct square : shape {
	int side;

	explicit square(int s) : side(s) {}
	int area() const override
	{
		if (side < 0)
			throw std::domain_error("negative");
		return side * side;
	}
};

struct guard {
	int *p;

	~guard() { *p += 100; }
};

static int guarded(int *p, const shape &s)
{
	guard g{p};

	return s.area();
}

static void threads(std::atomic<uint64_t> *n)
{
	std::vector<std::thread> all;
	std::mutex m;
	uint64_t plain = 0;

	for (int i = 0; i < 4; i++)
		all.emplace_back([&] {
			for (int k = 0; k < 1000; k++) {
				n->fetch_add(1);
				std::lock_guard<std::mutex> l(m);
				plain++;
			}
		});
	for (auto &t : all)
		t.join();
	printf("threads %lu %lu\n", (unsigned long)n->load(), (unsigned long)plain);
}

static void use(char *p)
{
	auto *list = new (p) node<int>{1, new (p + 64) node<int>{2, nullptr}};
	auto *wide = new (p + 128) std::atomic<pair16>(pair16{1, 2});
	pair16 e{1, 2};
	int count = 0;
	std::map<std::string, int> words;

	printf("sum %d\n", list->sum());
	printf("cas %d\n", wide->compare_exchange_strong(e, pair16{3, 4}));
	printf("load %lu\n", (unsigned long)wide->load().b);
	try {
		guarded(&count, square(3));
		guarded(&count, square(-1));
	} catch (const std::exception &x) {
		printf("caught %s %d\n", x.what(), count);
	}
	for (const char *w : {"a", "b", "a"})
		words[w]++;
	printf("map %d %zu\n", words["a"], words.size());
	threads(new (p + 192) std::atomic<uint64_t>(0));
	auto s = std::make_unique<square>(4);
	printf("virtual %d\n", static_cast<shape *>(s.get())->area());
}

int main()
{
	void *pm = mmap((void *)(1ULL << 44), 4096, PROT_READ | PROT_WRITE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
	alignas(64) static char ordinary[4096];

	if (pm == MAP_FAILED)
		return 2;
	use(ordinary);
	if (pd_trace)
		pd_trace(1);
	use((char *)pm);
	return 0;
}
