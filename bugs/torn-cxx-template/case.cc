/*
 * torn-cxx-template - the sibling pointer of a node, as B-trees in PM have it.
 */
#include "../pm.h"
#include <atomic>

namespace tree
{

template <class Key> class node
{
public:
	Key key;
#if FIXED
	std::atomic<uint64_t> sibling;
#else
	uint64_t sibling;
#endif

	uint64_t next() const
	{
		return sibling; //@ load
	}
	void set_next(uint64_t n)
	{
		sibling = n; //@ store
	}
};

}

struct file {
	LINE tree::node<uint64_t> node[2];
};

int main(int argc, char **argv)
{
	file *f = static_cast<file *>(pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f)));

	printf("%llu\n", (unsigned long long)f->node[0].next());
	f->node[0].set_next(pm_offset(f, &f->node[1]));
	pm_persist(&f->node[0], sizeof(f->node[0]));
	return 0;
}
