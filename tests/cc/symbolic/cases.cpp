/*
 * cases.cpp - the same for C++ (cases.c): exceptions, virtual calls, templates, threads.
 */
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

typedef uint8_t u8;

struct failure {
	int why;
};

__attribute__((noinline)) static int checked(int x, int limit)
{
	if (x > limit)
		throw failure{x - limit};
	return x * 2;
}

static void exceptions(const u8 *in, u8 *out)
{
	for (int i = 0; i < 4; i++) {
		try {
			out[i] = (u8)checked(in[i], 100);
		} catch (const failure &f) {
			out[i] = (u8)(f.why + in[5]);
		}
	}
}

struct cleaner {
	u8 *at;
	u8 value;
	~cleaner() { *at = value; }
};

static int nested(const u8 *in, u8 *out)
{
	cleaner c{out + 8, in[7]};

	return checked(in[6], 50) + in[8];
}

static void cleanups(const u8 *in, u8 *out)
{
	try {
		out[0] = (u8)nested(in, out);
	} catch (failure &f) {
		out[1] = (u8)f.why;
	}
}

struct shape {
	virtual ~shape() {}
	virtual int area(int scale) const = 0;
};
struct square : shape {
	int side;
	explicit square(int s) : side(s) {}
	int area(int scale) const override { return side * side * scale; }
};
struct line : shape {
	int area(int scale) const override { return -scale; }
};

static void virtuals(const u8 *in, u8 *out)
{
	std::unique_ptr<shape> a(new square(in[0])), b(new line);

	*(int *)out = a->area(in[1]) + b->area(in[2]);
	*(int *)(out + 4) = (in[3] & 1 ? a : b)->area(3);
}

static void sorting(const u8 *in, u8 *out)
{
	std::array<int, 5> v = {in[0], in[1], in[2], in[3], in[4]};

	std::sort(v.begin(), v.end());
	for (int i = 0; i < 5; i++)
		out[i] = (u8)v[i];
}

static void vectors(const u8 *in, u8 *out)
{
	std::vector<uint32_t> v;

	for (int i = 0; i < 10; i++)
		v.push_back(in[i] * 3u);
	v.erase(v.begin() + 2);
	uint32_t s = 0;
	for (auto x : v)
		s = s * 7 + x;
	*(uint32_t *)out = s;
}

static void lambdas(const u8 *in, u8 *out)
{
	auto add = [&](int x) { return x + in[2]; };

	out[0] = (u8)std::count_if(in, in + 8, [&](u8 x) { return x > in[9]; });
	*(int *)(out + 4) = add(in[3]);
}

static void threads(const u8 *in, u8 *out)
{
	std::thread a([&] { out[0] = (u8)(in[0] + 1); });
	a.join();
	std::thread b([&] { out[1] = (u8)(in[1] ^ out[0]); });
	b.join();
}

struct test_case {
	const char *name;
	void (*run)(const u8 *, u8 *);
	int pins;
};
extern "C" int pd_symbolic_test(const struct test_case *cases, int n, int runs, unsigned seed);

int main(int argc, char **argv)
{
	static const struct test_case cases[] = {
		{"exceptions", exceptions, 0}, {"cleanups", cleanups, 0}, {"virtuals", virtuals, -1},
		{"sorting", sorting, 0},       {"vectors", vectors, 0},	  {"lambdas", lambdas, 0},
		{"threads", threads, 0},
	};

	return pd_symbolic_test(cases, sizeof(cases) / sizeof(cases[0]), argc > 1 ? atoi(argv[1]) : 10,
				argc > 2 ? (unsigned)atoi(argv[2]) : 1);
}
