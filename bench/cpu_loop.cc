/*
 * cpu_loop.cc - C++ that never touches PM: containers, iterators and lambdas, which are small functions
 * until they are inlined. Prints as cpu_loop.c does.
 */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <map>
#include <numeric>
#include <string>
#include <unordered_map>
#include <vector>

#define SEPARATE __attribute__((noinline))

static double now()
{
	timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return double(t.tv_sec) + double(t.tv_nsec) * 1e-9;
}

static uint32_t random_number(uint32_t &x)
{
	return x = x * 1664525 + 1013904223;
}

/* Where the data is, is read again in each iteration. */
struct field {
	std::vector<float> a, b, c;

	explicit field(size_t n) : a(n, 1), b(n, 2), c(n)
	{
	}
	SEPARATE void step(float k)
	{
		for (size_t i = 0; i < a.size(); i++)
			c[i] = k * a[i] + b[i];
	}
};

static uint64_t members()
{
	field f(20000);

	for (int r = 0; r < 1000; r++)
		f.step(float(r));
	return uint64_t(f.c[5]);
}

SEPARATE static void add_twice(std::vector<double> &v, const std::vector<double> &w)
{
	auto f = [&](size_t i) { v[i] += 2 * w[i]; };

	for (size_t i = 0; i < v.size(); i++)
		f(i);
}

static uint64_t lambdas()
{
	std::vector<double> v(20000, 1), w(20000, 2);

	for (int r = 0; r < 1000; r++)
		add_twice(v, w);
	return uint64_t(v[7]);
}

static uint64_t algorithms()
{
	std::vector<int> v(20000);
	uint64_t sum = 0;

	std::iota(v.begin(), v.end(), 0);
	for (int r = 0; r < 500; r++) {
		sum += uint64_t(std::accumulate(v.begin(), v.end(), 0L));
		std::for_each(v.begin(), v.end(), [](int &x) { x = int(uint32_t(x) * 3 + 1); });
	}
	return sum;
}

static uint64_t sorting()
{
	std::vector<uint32_t> v;
	uint32_t x = 1;

	for (int i = 0; i < 200000; i++)
		v.push_back(random_number(x));
	std::sort(v.begin(), v.end());
	return v[1000];
}

template <typename Map> static uint64_t looking_up()
{
	Map m;
	uint32_t x = 1;
	uint64_t sum = 0;

	for (uint32_t i = 0; i < 30000; i++)
		m[random_number(x) >> 14] += i;
	for (int i = 0; i < 200000; i++) {
		auto it = m.find(random_number(x) >> 14);

		if (it != m.end())
			sum += it->second;
	}
	return sum;
}

static uint64_t strings()
{
	std::string s, t;
	uint64_t h = 0;

	for (int i = 0; i < 200000; i++)
		s += char('a' + i % 26);
	for (int r = 0; r < 10; r++)
		for (char c : s)
			h = h * 31 + uint64_t(c);
	for (size_t i = 0; i < 2000; i++) {
		t = s.substr(i * 7, 50) + "x";
		h += t.size() + t.find('q');
	}
	return h;
}

int main()
{
	static const struct {
		const char *name;
		uint64_t (*run)();
	} work[] = {{"members-of-this", members},
		    {"lambda-over-vectors", lambdas},
		    {"algorithms", algorithms},
		    {"std-sort", sorting},
		    {"std-map", looking_up<std::map<uint32_t, uint64_t>>},
		    {"std-unordered-map", looking_up<std::unordered_map<uint32_t, uint64_t>>},
		    {"std-string", strings}};

	for (const auto &w : work) {
		double best = 1e9;
		uint64_t sum = 0;

		for (int r = 0; r < 3; r++) {
			double t = now();

			sum += w.run();
			t = now() - t;
			best = std::min(best, t);
		}
		printf("%s %.6f %lu\n", w.name, best, (unsigned long)sum);
	}
}
