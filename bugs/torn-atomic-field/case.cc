/*
 * torn-atomic-field - what the constructor of a std::atomic stores is a plain store. A report names the member and
 * the line of the program, not what the standard library keeps inside.
 */
#include "../pm.h"
#include <atomic>
#include <new>

struct Node {
	uint64_t key;
	std::atomic<uint64_t> count;

	Node(uint64_t k) : key(k), count(k) {} //@ store
};

struct Root {
	LINE std::atomic<uint64_t> used;
	LINE char room[sizeof(Node)];
};

int main(int argc, char **argv)
{
	Root *r = static_cast<Root *>(pm_map(argc > 1 ? argv[1] : NULL, sizeof(Root)));
	Node *n = reinterpret_cast<Node *>(r->room);

	if (r->used.load())
		return n->count.load() > 7; //@ load
	n = new (r->room) Node(7);
#if FIXED
	pm_persist(n, sizeof(*n));
#endif
	r->used.store(1);
	pm_persist(&r->used, sizeof(r->used));
	pm_persist(n, sizeof(*n));
	return 0;
}
