/*
 * cxx-ctor - nodes are made in PM with placement new. The constructor of the base class flushes
 * what it has set; the members of the derived class are set after that.
 */
#include "../pm.h"
#include <new>

struct header {
	uint64_t level, count;

	explicit header(uint64_t l) : level(l), count(0)
	{
		pm_persist(this, sizeof(*this));
	}
};

struct page : header {
	LINE uint64_t leftmost;
	uint64_t record[4];

	page(uint64_t l, uint64_t child) : header(l), leftmost(child) //@ store
	{
		for (auto &r : record)
			r = child;
#if FIXED
		pm_persist(this, sizeof(*this));
#endif
	}
};

struct file {
	LINE uint64_t root;
	LINE char room[2][sizeof(page)];
};

static void create(file *f)
{
	page *leaf = new (f->room[0]) page(0, 1);
	page *root = new (f->room[1]) page(1, pm_offset(f, leaf));

	pm_set(&f->root, pm_offset(f, root));
	pm_persist(&f->root, sizeof(f->root));
}

int main(int argc, char **argv)
{
	file *f = static_cast<file *>(pm_map(argc > 1 ? argv[1] : nullptr, sizeof(file)));

	if (!f->root)
		create(f);
	page *p = static_cast<page *>(pm_at(f, f->root));

	while (p->level)
		p = static_cast<page *>(pm_at(f, p->leftmost)); //@ load
	return 0;
}
