// decide.cpp - the same for C++: methods, references, virtual calls, atomics of the library. See decide.c.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

struct node {
	uint64_t key, value, shown;
	std::atomic<node *> next;
	std::atomic<uint64_t> state;

	bool is_marked() const { return key & 1; }	//= guard
	const uint64_t &the_key() const { return key; }
};

extern "C" void elsewhere(uint64_t v);

struct shape {
	virtual ~shape() = default;
	virtual uint64_t side(node *n) = 0;
};

struct square : shape {
	uint64_t side(node *n) override { return n->value; }	//= guard
};

#define ALONE static __attribute__((noinline))

ALONE void methods(node *n)
{
	if (n->is_marked())
		elsewhere(1);
	if (n->state.load() == 7)	// its site is in a header
		elsewhere(
			n->shown);	//= plain
}

ALONE bool less(const uint64_t &a, const uint64_t &b)
{
	return a < b;		//= guard
}

ALONE void references(node *n, uint64_t k)
{
	uint64_t mine = n->value;	//= guard

	if (less(mine, k))
		elsewhere(1);
}

ALONE void calls(shape *s, node *n)
{
	if (s->side(n) == 3)
		elsewhere(1);
}

template <typename T> ALONE void visit(node *n, T f)
{
	for (uint64_t i = 0; i < 3; i++)
		if (f(n))
			elsewhere(i);
}

ALONE void lambdas(node *n)
{
	visit(n, [](node *x) { return x->value > 1; });	//= guard
}

ALONE void throwing(node *n)
{
	try {
		if (n->key > 4)		//= guard
			throw n->shown;	//= plain
	} catch (uint64_t v) {
		elsewhere(v);
	}
}

int main(int argc, char **argv)
{
	auto *n = reinterpret_cast<node *>(atol(argv[argc - 1]));

	if (argc < 9)
		return 0;
	square s;
	methods(n);
	references(n, 3);
	calls(&s, n);
	lambdas(n);
	throwing(n);
	printf("%lu\n", n->shown);	//= plain
}
