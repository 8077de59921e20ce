/* lint-same-line-twice - two fields of one line are flushed one by one, before one fence. */
#include "../pm.h"

struct file {
	LINE uint64_t key;
	uint64_t value;
};

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	f->key = 1;
	f->value = 2;
	pm_clwb(&f->key);
#if !FIXED
	pm_clwb(&f->value); //@ flush
#endif
	pm_fence();
	return 0;
}
