/* lint-store-after-flush - the length is corrected between the flush and the fence. */
#include "../pm.h"

struct file {
	LINE uint64_t length;
	char text[48];
};

static void put(struct file *f, const char *s)
{
	size_t n = strlen(s);

	f->length = n;
	memcpy(f->text, s, n + 1);
#if FIXED
	f->length = n + 1;
	pm_flush(f, sizeof(*f));
#else
	pm_flush(f, sizeof(*f)); //@ flush
	f->length = n + 1;	 //@ store
#endif
	pm_fence();
}

int main(int argc, char **argv)
{
	struct file *f = pm_map(argc > 1 ? argv[1] : NULL, sizeof(*f));

	put(f, "one");
	put(f, "two");
	f->length = 0;
	pm_persist(f, sizeof(*f));
	return 0;
}
