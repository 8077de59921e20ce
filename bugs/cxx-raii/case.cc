/*
 * cxx-raii - a guard flushes what was changed when its scope ends, another one commits. Guards go
 * in the reverse order of their declaration.
 */
#include "../pm.h"

enum { WORDS = 8 };

struct file {
	LINE uint64_t version;
	LINE uint64_t word[2][WORDS];
};

struct flush_guard {
	const void *p;
	size_t n;

	~flush_guard()
	{
		pm_persist(p, n);
	}
};

struct commit_guard {
	uint64_t *where, what;

	~commit_guard()
	{
		pm_set(where, what);
		pm_persist(where, sizeof(*where));
	}
};

static void update(file *f)
{
	uint64_t next = f->version + 1, *word = f->word[next & 1];
#if FIXED
	commit_guard commit{&f->version, next};
	flush_guard flush{word, sizeof(f->word[0])};
#else
	flush_guard flush{word, sizeof(f->word[0])};
	commit_guard commit{&f->version, next};
#endif

	for (int i = 0; i < WORDS; i++)
		word[i] = next; //@ store
}

int main(int argc, char **argv)
{
	file *f = static_cast<file *>(pm_map(argc > 1 ? argv[1] : nullptr, sizeof(file)));

	for (int i = 0; i < WORDS; i++)
		assert(f->word[f->version & 1][i] == f->version); //@ load
	update(f);
	update(f);
	return 0;
}
