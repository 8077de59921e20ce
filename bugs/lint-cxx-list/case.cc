/* lint-cxx-list - a C++ container over PM: the link of the last element is set by a helper that is inlined. */
#include "../pm.h"
#include <algorithm>

namespace {

struct node {
	LINE uint64_t value;
	uint64_t next;
};

struct list {
	LINE uint64_t head;
	LINE uint64_t used;
	node nodes[6];

	template <typename T> static void set(T &where, T value)
	{
		where = value; //@ store
	}

	void push(uint64_t value)
	{
		node &n = nodes[used % 6];

		std::fill(&n.value, &n.value + 1, value);
		n.next = head;
		pm_persist(&n, sizeof(n));
		set(head, pm_offset(this, &n)); //@ caller
#if FIXED
		pm_persist(&head, sizeof(head));
#endif
		used++;
		pm_persist(&used, sizeof(used));
	}
};

} // namespace

int main(int argc, char **argv)
{
	list *l = static_cast<list *>(pm_map(argc > 1 ? argv[1] : nullptr, sizeof(list)));

	l->push(1);
	l->push(2);
	return 0;
}
